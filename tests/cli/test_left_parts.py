"""What a killed worker leaves beside a file is gone when the run that goes on without it has ended."""

from __future__ import annotations

import fcntl
import os

from compactor_cli.cli.replacing import remove_left, replace_by


def test_a_part_that_came_after_the_first_look_is_removed_and_one_that_is_written_stays(tmp_path):
    target = tmp_path / "07.jsonl"
    replace_by(target, lambda stream: stream.write(b"whole\n"), [])
    left, written, other = (
        tmp_path / f".{name}.compactor-part" for name in ("07.jsonl.0a", "07.jsonl.0b", "08.jsonl.0c")
    )
    for part in (left, written, other):
        part.write_bytes(b"half")
    handle = os.open(written, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    replace_by(target, lambda stream: stream.write(b"again\n"), [])
    assert left.exists(), "the folder is listed once"
    remove_left([target])
    os.close(handle)
    assert sorted(path.name for path in tmp_path.iterdir()) == [written.name, other.name, target.name]
    assert target.read_bytes() == b"again\n"
