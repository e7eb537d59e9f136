"""Errors of tools that are no commands: which later call makes up for them."""

from __future__ import annotations

from typing import Any

import pytest

from compactor_cli.features.work.state import known_state
from tests.features.working import Session

_DENIED = "ERROR:  permission denied for database harbour"


def _open(session: Session) -> list[str]:
    return session.texts("error")


@pytest.mark.parametrize(
    ("later", "is_over"),
    [
        ({"db": "harbour", "sql": "call settle('ships')"}, True),
        ({"sql": "call settle('ships')", "db": "harbour", "timeout": 900}, True),
        ({"db": "harbour_2", "sql": "call settle('quays')"}, True),
    ],
)
def test_an_error_of_a_tool_is_over_when_a_later_call_of_it_is_not_one(later: dict[str, Any], is_over: bool) -> None:
    session = Session().calls("psql", _DENIED, db="harbour", sql="call settle('ships')")
    told = [f"open error: {' '.join(_DENIED.split())} (psql harbour call settle('ships'))"]
    assert _open(session) == told
    session.calls("psql", "CREATE", **later)
    assert _open(session) == ([] if is_over else told)
    assert known_state(session.messages).resolved == (frozenset((2,)) if is_over else frozenset())


_STALE = "Error: ref [{}] is stale (page state changed). Read the page again."


def test_a_click_on_nothing_is_over_with_the_next_click_also_in_a_later_round() -> None:
    session = Session().calls("click", "Error: no element with ref [save].", ref="save")
    told = _open(session)
    assert told == ["open error: Error: no element with ref [save]. (click save)"]
    assert Session().calls("click", "Clicked.", ref="e9").texts("error", told) == []
    assert _open(session.calls("click", "Clicked.", ref="e9")) == []


def test_arguments_with_half_of_a_character_are_told_apart_like_others() -> None:
    session = Session().calls("psql", _DENIED, db="half \ud83d of it", sql="call settle('ships')")
    assert len(_open(session)) == 1
    assert _open(session.calls("psql", "CALL", db="half \ud83d of it", sql="call settle('ships')")) == []
