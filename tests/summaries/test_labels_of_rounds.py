"""Labels of the user's words in a summary of a summary: numbers of several rounds do not stand side by side."""

from __future__ import annotations

import pytest

from compactor_cli.summary_text.excerpts import earlier_heading, is_said_by, quoted_parts
from compactor_cli.summary_text.headers import is_summary
from compactor_cli.summary_text.verbatim import earlier_label, speaker_in


@pytest.mark.parametrize(
    ("line", "later"),
    [
        ("#4 user: Go on.", "earlier #4 user: "),
        ("earlier #4 user: Go on.", "earlier user: "),
        ("earlier user: Go on.", "earlier user: "),
        ("earlier #4 user (Ann): Go on.", "earlier user (Ann): "),
        ("earlier #4: Gone on.", "earlier: "),
        ("earlier #4 users: SELECT", "earlier users: "),
        ("earlier #4 Bash: ls", "earlier Bash: "),
        ("earlier #4 user → 3", "earlier user → "),
        ("earlier #4 → ok", "earlier → "),
        ("earlier #4 Bash failed: ls", "earlier Bash failed: "),
        ("earlier #4 Bash git: a →", "earlier Bash git: "),
        ("earlier #4 Read src/a.py → ok", "earlier Read src/a.py → "),
        ("earlier: Gone on.", "earlier: "),
        ("earlier → ok", "earlier → "),
        ("earlier Bash failed: ls", "earlier Bash failed: "),
        ("earlier user (Ann): Go on.", "earlier user (Ann): "),
        ("earlier summary: ok", "earlier summary: "),
    ],
)
def test_the_label_of_a_line_in_the_next_round(line: str, later: str) -> None:
    assert earlier_heading(line, len(line) - 1) == (later, 0)
    assert is_said_by("user", f"{later}Go on.") == is_said_by("user", line)


def test_a_summary_of_lines_of_older_rounds_is_read_back() -> None:
    lines = (
        "earlier → ok",
        "earlier: Gone on.",
        "earlier Bash failed: ls",
        "earlier Read a.py → 1",
        "earlier user: Hi.",
    )
    for first in lines:
        text = "\n".join(("[#0-8]", first, " more", *lines))
        assert is_summary(text)
        parts = [part.heading + text[part.start : part.end] for part in quoted_parts(text)]
        assert parts == [f"{first}\n more", *lines]
    for other in ("[#0-8]\nearlier on", "[#0-8]\nEarlier: ok", "[#0-8]\nearlier  : ok", "[#0-8]\nearlier #: ok"):
        assert not is_summary(other)


@pytest.mark.parametrize(
    ("label", "later"),
    [
        ("#4 user", "earlier #4 user"),
        ("earlier #4 user", "earlier user"),
        ("earlier user", "earlier user"),
        ("earlier #4 user (Ann)", "earlier user (Ann)"),
        ("earlier #4 instructions", "earlier instructions"),
    ],
)
def test_the_label_of_a_message_in_the_next_round(label: str, later: str) -> None:
    assert earlier_label(label) == later
    assert speaker_in(later) == speaker_in(label)
