"""The tables of the archive and of the memory log, word for word; times and ids of the moment are masked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.cells import cell_len

GOLDEN = Path(__file__).parent / "golden"
CHARS = ("--tokenizer", "chars")
COMMANDS = {
    "restore-list": ["restore", "small.jsonl", "--list"],
    "inspect-rounds": ["inspect", "small.jsonl", *CHARS],
    "memory-list": ["memory", "list"],
    "memory-search": ["memory", "search", "exports encoding"],
    "memory-consolidate": ["memory", "consolidate", "--dry-run"],
}
MASKS = ((re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?"), lambda m: re.sub(r"\d", "0", m[0])),)


@pytest.fixture
def kept(run, session, tmp_path):
    """A database with an archived round and some memories."""
    places = {"XDG_DATA_HOME": str(tmp_path / "data")}
    run("compact", session, "--target-tokens", "1500", "--archive", "--flush", "-o", "small.jsonl", *CHARS, **places)
    for text in (
        "The exports are read by a spreadsheet that needs UTF-8.",
        "Exports are read by a spreadsheet that needs UTF-8.",
    ):
        run("memory", "add", text, "--category", "fact", **places)
    run("memory", "add", "Lena rewrites the store in March; ask her before a change there.", "--pin", **places)
    return places


@pytest.mark.parametrize("width", [80, 140])
def test_what_people_read_is_as_it_was(run, kept, golden, tmp_path, width):
    for name, arguments in COMMANDS.items():
        done = run(*arguments, COLUMNS=str(width), **kept)
        assert done.code == 0, done.stderr
        text = "\n".join(line.rstrip() for line in (done.text + done.stderr).splitlines()) + "\n"
        text = text.replace(str(tmp_path), "FOLDER")
        for pattern, mask in MASKS:
            text = pattern.sub(mask, text)
        assert max(cell_len(line) for line in text.splitlines() if "FOLDER" not in line) <= width
        golden(GOLDEN / f"{name}-{width}.txt", text)
