"""Output that people read, word for word. After a change that was meant: pytest tests/render --update-golden."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.builders import compact

GOLDEN = Path(__file__).parent / "golden"
CHARS = ("--tokenizer", "chars")
WIDTHS = (80, 140)
COMMANDS = {
    "score": ["score", "session.jsonl"],
    "score-top": ["score", "session.jsonl", "--top", "5"],
    "budget": ["budget", "session.jsonl", "--total", "4000"],
    "inspect": ["inspect", "session.jsonl"],
    "inspect-message": ["inspect", "session.jsonl", "--message", "9"],
    "inspect-faults": ["inspect", "faulty.jsonl", "--faults"],
    "compact": ["compact", "session.jsonl", "--target-tokens", "1500", "-o", "out.jsonl"],
    "plan": ["compact", "session.jsonl", "--target-tokens", "1500", "--dry-run", "--quiet"],
    "plan-tiered": [
        "compact",
        "session.jsonl",
        "--target-tokens",
        "1500",
        "--dry-run",
        "--quiet",
        "--strategy",
        "tiered",
    ],
    "compact-tiered": ["compact", "session.jsonl", "-o", "out.jsonl"],
    "diff": ["diff", "session.jsonl", "small.jsonl"],
}


@pytest.fixture
def files(session, tmp_path):
    """The fixed session, a compacted form of it, and one with faults."""
    (tmp_path / "small.jsonl").write_bytes(compact(session.read_bytes(), target_tokens=1200).data)
    lines = session.read_bytes().splitlines()
    glued = [*lines[:4], *lines[5:9], lines[9] + lines[10], *lines[11:20], b'{"role": "assistant", "cont']
    (tmp_path / "faulty.jsonl").write_bytes(b"\n".join(glued))


def shown(done):
    """What a person sees: standard output, and standard error behind it."""
    return "\n".join(line.rstrip() for line in (done.text + done.stderr).splitlines()) + "\n"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_what_people_read_is_as_it_was_fits_and_is_plain_in_a_pipe(run, files, golden, name, width):
    done = run(*COMMANDS[name], *CHARS, COLUMNS=str(width))
    assert done.code == (1 if name == "inspect-faults" else 0), done.stderr
    text = shown(done)
    assert "\x1b" not in text
    if name != "inspect-message":  # a message is shown as it is
        assert [line for line in text.splitlines() if cell_len(line) > width] == []
    golden(GOLDEN / f"{name}-{width}.txt", text)
