"""Examples of the README, run in the order in which they stand."""

from __future__ import annotations

import shlex
import shutil

import pytest

from tests.builders import ROOT
from tests.conftest import DATA


def examples():
    """The indented commands, each list of them apart."""
    lists, current = [], []
    for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("    compactor "):
            current.append(shlex.split(line.strip().removesuffix("\\"))[1:])
        elif current:
            lists.append(current)
            current = []
    return [each for each in lists if any(command[0] == "restore" for command in each)]


@pytest.mark.parametrize("commands", examples(), ids=lambda commands: " ".join(command[0] for command in commands))
def test_the_examples_of_restore_work_in_the_order_in_which_they_stand(run, tmp_path, commands):
    shutil.copy(DATA / "session.jsonl", tmp_path / "session.jsonl")
    before = (tmp_path / "session.jsonl").read_bytes()
    assert any("--archive" in command for command in commands)
    for command in commands:
        if command[0] not in ("compact", "restore", "score", "diff"):
            continue
        # the fixed session is smaller than that of the example
        arguments = ["2k" if word in ("4000", "4k") else word for word in command]
        done = run(*arguments, COMPACTOR_DATABASE_URL=f"sqlite:///{tmp_path}/kept.db")
        assert done.code == 0, f"{command}: {done.stderr}"
    restored = tmp_path / "restored.jsonl"
    assert (restored if restored.exists() else tmp_path / "session.jsonl").read_bytes() == before
