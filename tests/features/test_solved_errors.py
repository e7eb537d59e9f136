"""An error is over when the step that failed went well, wherever in a command line that was."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.state import compute_state
from tests.features.working import FAILS, Session

MISSED = "Error: old string not found in valve.py"
LOCKED = f"{FAILS}Error: the tank is locked"


def errors(session):
    return [text for text in session.texts() if text.startswith("open error")]


def missed():
    return Session().edits("valve.py", MISSED)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("sed -i 's/a/b/' valve.py && pytest -q", "3 passed in 0.1s"),
        ("sed -i 's/a/b/' valve.py && pytest -q", f"{FAILS}1 failed, 2 passed in 0.1s"),
        ("cat >> valve.py <<'X'\na = 1\nX\npytest", "3 passed in 0.1s"),
        ("sed -i 's/a/b/' valve.py && git commit -qam x", ""),
        ("sed -i 's/a/b/' valve.py; git push", f"{FAILS}fatal: no remote"),
    ],
)
def test_an_edit_that_failed_is_over_when_a_line_with_a_check_or_an_act_makes_it(command, said):
    assert len(errors(missed())) == 1
    assert errors(missed().runs(command, said)) == []


@pytest.mark.parametrize("command", ["sed -i 's/a/b/' tank.py && pytest -q", "pytest -q", "cat valve.py && pytest -q"])
def test_a_check_alone_and_another_file_leave_it_open(command):
    assert len(errors(missed().runs(command, "3 passed in 0.1s"))) == 1


@pytest.mark.parametrize(
    "later",
    [
        "tidectl fill -a && tidectl level && tidectl drain",
        "cd deck && tidectl fill -a && pytest",
        "tidectl fill -a | tail -5 && tidectl level | tail",
        "tidectl fill -a | tail -5 && tidectl level",
        "ls; tidectl fill -a && ls",
        "tidectl fill -a && git commit -qm full",
    ],
)
def test_each_step_that_has_to_succeed_for_the_whole_makes_up_for_its_error(later):
    session = Session().runs("tidectl fill -a", LOCKED)
    assert errors(session) == ["open error: Error: the tank is locked (tidectl fill -a)"]
    assert errors(session.runs(later, "levels: 4, ERROR=0\n0 errors\n3 passed\nexit code: 0")) == []


@pytest.mark.parametrize(
    ("later", "said"),
    [
        ("tidectl fill -a; tidectl level", "4\nexit code: 0"),
        ("tidectl fill -a || tidectl level", "4\nexit code: 0"),
        ("sluice open || tidectl fill -a && tidectl level", "4\nexit code: 0"),
        ("tidectl level && tidectl drain", "4\nexit code: 0"),
        ("tidectl fill -a && tidectl level", f"{FAILS}Error: no level"),
        ("tidectl fill -a && pytest", f"{FAILS}Error: the tank is locked"),
        ("tidectl fill -a | tail -5 && tidectl level", "Error: the tank is locked\n4\nexit code: 0"),
        ("tidectl fill -a | tail -5 && tidectl level", "panic: no tank\n4\nexit code: 0"),
        ("tidectl fill -a & tidectl level", "4\nexit code: 0"),
    ],
)
def test_a_step_that_may_have_failed_makes_up_for_nothing(later, said):
    session = Session().runs("tidectl fill -a", LOCKED).runs(later, said)
    assert any("tidectl fill -a" in text or "locked" in text for text in errors(session))


def test_a_step_that_says_the_same_as_before_into_a_pipe_makes_up_for_nothing():
    session = Session().runs("tidectl fill -a", f"{FAILS}tank: stuck in the mud")
    told = errors(session)
    assert len(told) == 1
    assert errors(session.runs("tidectl fill -a | tail -5", "tank: stuck in the mud\nexit code: 0")) == told


def test_a_short_line_is_named_whole():
    session = Session().runs("tidectl fill && sluice open", f"{FAILS}Error: it is stuck")
    assert errors(session) == ["open error: Error: it is stuck (tidectl fill && sluice open)"]


def test_an_error_of_a_chain_is_over_in_a_later_round_when_its_last_step_went_well():
    told = errors(Session().runs("cd deck && tidectl fill && sluice open", f"{FAILS}Error: it is stuck"))
    later = Session().runs("sluice open", "exit code: 0")
    assert [line.text for line in compute_state(later.messages, told)] == []
    assert [line.text for line in compute_state(Session().runs("tidectl level", "4").messages, told)] == told
