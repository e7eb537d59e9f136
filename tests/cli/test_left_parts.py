"""What a killed worker leaves beside a file is gone when the run that goes on without it has ended."""

from __future__ import annotations

import fcntl
import os

import pytest

from compactor_cli.cli.replacing import remove_leftovers, replace_by
from tests.builders import jsonl, plain_exchanges

CHARS = ("--tokenizer", "chars")
CHAT = jsonl(*plain_exchanges(15))


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
    remove_leftovers([target])
    os.close(handle)
    assert sorted(path.name for path in tmp_path.iterdir()) == [written.name, other.name, target.name]
    assert target.read_bytes() == b"again\n"


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("compact", "chat.jsonl", "--target-tokens", "1M", "--in-place"), 0),
        (("compact", "chat.jsonl", "--target-tokens", "5", "--in-place"), 4),
        (("compact", "chat.jsonl", "--target-tokens", "5", "-o", "out.jsonl"), 4),
        (("compact", "chat.jsonl", "small.jsonl", "--target-tokens", "5", "--out-dir", "outs"), 4),
        (("compact", "chat.jsonl", "small.jsonl", "--target-tokens", "5", "--in-place", "--jobs", "2"), 4),
        (("assemble", "chat.jsonl", "--prompt", "p.yaml", "--total", "150", "-o", "out.jsonl"), 4),
        (("doctor", "chat.jsonl", "--fix", "--in-place"), 0),
        (("restore", "chat.jsonl", "--in-place", "--database", "none.db"), 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_run_that_writes_nothing_removes_what_a_killed_one_left(run, tmp_path, arguments, code):
    (tmp_path / "chat.jsonl").write_bytes(CHAT)
    (tmp_path / "small.jsonl").write_bytes(CHAT)
    (tmp_path / "p.yaml").write_text("task_prompt: Go on.\n")
    (tmp_path / "outs").mkdir()
    name = "out.jsonl" if "out.jsonl" in arguments else "chat.jsonl"
    left = tmp_path / ("outs" if "outs" in arguments else "") / f".{name}.0a0b0c0d.compactor-part"
    left.write_bytes(b"half")
    done = run(*arguments, *(CHARS if arguments[0] != "restore" else ()))
    assert (done.code, left.exists()) == (code, False), done.stderr
    assert (tmp_path / "chat.jsonl").read_bytes() == CHAT


@pytest.mark.parametrize("arguments", [("--check",), ("--dry-run",)])
def test_a_run_that_is_to_write_nothing_removes_nothing(run, tmp_path, arguments):
    (tmp_path / "chat.jsonl").write_bytes(CHAT)
    left = tmp_path / ".chat.jsonl.0a0b0c0d.compactor-part"
    left.write_bytes(b"half")
    assert run("compact", "chat.jsonl", "--target-tokens", "1M", "--in-place", *CHARS, *arguments).code in (0, 2)
    assert left.exists()
