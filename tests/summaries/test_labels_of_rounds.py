"""Labels of the user's words in a summary of a summary: numbers of several rounds do not stand side by side."""

from __future__ import annotations

import pytest

from compactor_cli.summary_text.excerpts import earlier_heading, is_said_by
from compactor_cli.summary_text.verbatim import earlier_label, speaker_in


@pytest.mark.parametrize(
    ("line", "later"),
    [
        ("#4 user: Go on.", "earlier #4 user: "),
        ("earlier #4 user: Go on.", "earlier user: "),
        ("earlier user: Go on.", "earlier user: "),
        ("earlier #4 user (Ann): Go on.", "earlier #4 user (Ann): "),
        ("earlier #4: Gone on.", "earlier #4: "),
        ("earlier #4 users: SELECT", "earlier #4 users: "),
        ("earlier #4 Bash: ls", "earlier #4 Bash: "),
        ("earlier #4 user → 3", "earlier #4 user → "),
        ("earlier #4 → ok", "earlier #4 → "),
    ],
)
def test_the_label_of_a_line_in_the_next_round(line: str, later: str) -> None:
    assert earlier_heading(line, len(line) - 1) == (later, 0)
    assert is_said_by("user", f"{later}Go on.") == is_said_by("user", line)


@pytest.mark.parametrize(
    ("label", "later"),
    [
        ("#4 user", "earlier #4 user"),
        ("earlier #4 user", "earlier user"),
        ("earlier user", "earlier user"),
        ("earlier #4 user (Ann)", "earlier #4 user (Ann)"),
        ("earlier #4 instructions", "earlier #4 instructions"),
    ],
)
def test_the_label_of_a_message_in_the_next_round(label: str, later: str) -> None:
    assert earlier_label(label) == later
    assert speaker_in(later) == speaker_in(label)
