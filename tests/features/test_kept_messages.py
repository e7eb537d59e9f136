"""The state in a second round, in which messages of the first one stand behind its summary as they were."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.features.work.state import session_state
from tests.builders import read_records, user
from tests.features.working import FAILS, Session

STEPS = [
    lambda s: s.runs("sed -i s/a/b/ conf/a.py"),
    lambda s: s.edits("src/b.py"),
    lambda s: s.calls("Write", "File created", file_path="src/c.py", content="x"),
    lambda s: s.runs("ls conf", "a.py"),
    lambda s: s.runs("cat src/b.py", "x = 1"),
    lambda s: s.runs("git status", "clean"),
    lambda s: s.asks("And now?").answers("Well."),
]


def second_round(kept, steps, told=("edited conf/z.yaml, unchecked",)):
    """Texts of the state behind a summary that tells so of a session, messages that it kept, and what came since."""
    before, since = Session(), Session()
    for step in kept:
        step(before)
    for step in steps:
        step(since)
    block = [
        f"State after the {len(before.records) - 1} messages below:",
        *(f"- {line}" for line in told),
    ]
    summary = user("\n".join(["## Session Summary of #2-9", "#2 shell: ls", *block]))
    return [
        line.text
        for line in session_state(read_records(*since.records[:1], summary, *before.records[1:], *since.records[1:]))
    ]


@given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=6), st.lists(st.sampled_from(STEPS), max_size=4))
def test_nothing_is_said_of_checks_and_scripts_where_none_ran(kept, steps):
    assert not [line for line in second_round(kept, steps) if " after" in line]


@pytest.mark.parametrize(
    ("command", "said", "label"),
    [("pytest -q", "3 passed", "tests passed after"), ("npm run lint", "0 errors", "lint passed after")],
)
def test_what_ran_among_kept_messages_is_told_of_changes_before_it_only(command, said, label):
    """The earlier round had no room for the change, or called the file by another name."""
    edit = STEPS[1]
    assert f"edited src/b.py, {label}" in second_round([edit, lambda s: s.runs(command, said), STEPS[3]], [STEPS[5]])
    texts = second_round([lambda s: s.runs(command, said), STEPS[3], edit, STEPS[3]], [STEPS[5]])
    assert "edited src/b.py" in texts


def test_a_check_that_failed_among_kept_messages_is_told_of_a_change_before_it():
    kept = [STEPS[1], lambda s: s.runs("pytest -q", FAILS + "FAILED tests/test_b.py::x\n1 failed"), STEPS[3]]
    assert "edited src/b.py, tests failed after" in second_round(kept, [STEPS[5]])
