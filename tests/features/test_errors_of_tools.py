"""Errors of tools that are no commands: which later call makes up for them."""

from __future__ import annotations

from typing import Any

import pytest

from compactor_cli.features.work.call_keys import is_gone
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
        ({"db": "harbour", "sql": "call settle('quays')"}, False),
        ({"db": "harbour_2", "sql": "call settle('ships')"}, False),
    ],
)
def test_an_error_of_a_tool_is_over_when_it_was_called_with_the_same_arguments(
    later: dict[str, Any], is_over: bool
) -> None:
    session = Session().calls("psql", _DENIED, db="harbour", sql="call settle('ships')")
    told = [f"open error: {' '.join(_DENIED.split())} (psql harbour call settle('ships'))"]
    assert _open(session) == told
    session.calls("psql", "CREATE", **later)
    assert _open(session) == ([] if is_over else told)
    assert known_state(session.messages).resolved == (frozenset((2,)) if is_over else frozenset())


@pytest.mark.parametrize(
    ("made", "is_over"),
    [
        ("CREATE stream tides connection 'b' publication ships;", True),
        ("create stream if not exists tides connection 'c' publication quays", True),
        ("create stream moon connection 'a' publication quays", False),
        ("create table tides (a int)", False),
        ("drop stream tides", False),
        ("create stream tides connection 'b'; drop stream tides", False),
    ],
)
def test_what_could_not_be_made_is_over_once_it_is_made_in_another_way(made: str, is_over: bool) -> None:
    session = Session().calls("psql", _DENIED, sql="create stream tides connection 'a' publication quays")
    assert len(_open(session)) == 1
    assert len(_open(session.calls("psql", "CREATE", sql=made))) == (not is_over)


def test_two_calls_that_begin_alike_have_an_error_each() -> None:
    long = "call settle_ships_that_came_in_at_night(" + "'a ship', " * 20
    session = Session().calls("psql", _DENIED, sql=f"{long}1)").calls("psql", "CREATE", sql=f"{long}2)")
    assert len(_open(session)) == 1
    assert len(_open(session.calls("psql", "ERROR: no space left", sql=f"{long}3)"))) == 2


def test_what_a_tool_was_asked_in_an_earlier_round_is_over_when_it_is_asked_again() -> None:
    first = (
        Session()
        .calls("psql", _DENIED, db="a", sql="create stream x")
        .calls("psql", _DENIED, db="a", sql="drop stream x")
    )
    told = _open(first)
    assert len(told) == 2
    later = Session().calls("psql", "CREATE", db="a", sql="create stream x")
    assert later.texts("error", told) == [line for line in told if "drop stream x" in line]


def test_a_question_that_a_data_base_did_not_understand_is_no_open_error() -> None:
    asked = Session().calls("psql", 'ERROR: column "nam" does not exist', sql="-- names\nselect nam from ships")
    assert _open(asked) == []
    done = Session().calls("psql", 'ERROR: column "nam" does not exist', sql="select 1; call settle('nam')")
    assert len(_open(done)) == 1


_STALE = "Error: ref [{}] is stale (page state changed). Read the page again."


@pytest.mark.parametrize(
    ("later", "is_over"),
    [
        ({"ref": "e12", "text": "3 ships", "element": "ships"}, True),
        ({"ref": "e12", "text": "3 ships", "element": "the field for boats"}, False),
        ({"ref": "e12", "text": "4 ships"}, False),
    ],
)
def test_what_pointed_at_nothing_is_done_when_something_else_is_pointed_at(
    later: dict[str, str], is_over: bool
) -> None:
    session = Session().calls("type", _STALE.format("e4"), ref="e4", text="3 ships", element="ships")
    told = _open(session)
    assert told == [f"open error: {_STALE.format('e4')} (type e4 3 ships ships)"]
    session.calls("type", "Typed.", **later)
    assert _open(session) == ([] if is_over else told)


def test_a_click_on_nothing_is_over_with_the_next_click_also_in_a_later_round() -> None:
    session = Session().calls("click", "Error: no element with ref [save].", ref="save")
    told = _open(session)
    assert told == ["open error: Error: no element with ref [save]. (click save)"]
    assert Session().calls("click", "Clicked.", ref="e9").texts("error", told) == []
    assert _open(session.calls("click", "Clicked.", ref="e9")) == []


@pytest.mark.parametrize("name", ["element", "description", "label", "name", "text"])
def test_a_click_on_nothing_is_not_over_with_a_click_on_what_is_described_in_other_words(name: str) -> None:
    session = Session().calls("click", _STALE.format("e1"), ref="e1", **{name: "Delete button"})
    told = _open(session)
    assert len(told) == 1
    assert _open(session.calls("click", "Clicked.", ref="e9", **{name: "Cancel button"})) == told
    assert _open(session.calls("click", "Clicked.", ref="e7", **{name: "Delete button"})) == []


def test_a_described_click_of_an_earlier_round_is_not_over_with_any_other() -> None:
    told = _open(Session().calls("click", _STALE.format("e1"), ref="e1", element="Delete button"))
    assert Session().calls("click", "Clicked.", ref="e9", element="Cancel button").texts("error", told) == told


def test_a_click_that_failed_on_what_was_there_is_not_over_with_another_click() -> None:
    session = (
        Session()
        .calls("click", "Error: the element is covered by another one.", ref="e4")
        .calls("click", "Clicked.", ref="e9")
    )
    assert _open(session) == ["open error: Error: the element is covered by another one. (click e4)"]


@pytest.mark.parametrize(
    "said",
    [
        "Error: ref [e40] is stale (page state changed).",
        "Error: Ref e12 not found in the current page snapshot.",
        "stale element reference: element is not attached to the page document",
        "Element with index 12 does not exist",
        "No such element with uid 7_3",
        "Error: Could not find element #save",
        "Error: locator does not match anything",
    ],
)
def test_it_is_known_how_tools_say_that_an_element_is_not_there(said: str) -> None:
    assert is_gone(said)


@pytest.mark.parametrize(
    "said",
    [
        "! [rejected] main -> main (stale info)",
        "error: stale file handle",
        'ERROR: relation "ships" does not exist',
        "fatal: repository not found",
        "Error: element is covered by another one",
        "TimeoutError: page did not load",
        "Error: no such file or directory: ref.txt",
        "KeyError: 'element'",
        "unknown flag: --node",
        "the host is no longer there",
        "cannot find module './snapshot'",
    ],
)
def test_other_errors_are_not_of_elements(said: str) -> None:
    assert not is_gone(said)


def test_what_a_data_base_calls_invalid_is_no_wrong_argument_of_the_tool() -> None:
    said = 'ERROR: invalid input syntax for type integer: "three"'
    session = Session().calls("psql", said, sql="call moor('three')").calls("psql", "1", sql="vacuum")
    assert len(_open(session)) == 1


def test_arguments_with_half_of_a_character_are_told_apart_like_others() -> None:
    session = Session().calls("psql", _DENIED, db="half \ud83d of it", sql="call settle('ships')")
    assert len(_open(session)) == 1
    assert _open(session.calls("psql", "CALL", db="half \ud83d of it", sql="call settle('ships')")) == []
