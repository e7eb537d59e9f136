"""What calls did outside the session: what it is named by, why it failed, and in which order it is told."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.state import compute_state
from compactor_cli.summaries.format.state_block import state_lines, state_text
from tests.features.working import Session


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ('{"reservation_id": "HATHAT", "user_id": "mia_li_3668", "seats": 2}', "book_table HATHAT"),
        ('{"job": "MIG-4417", "ip": "198.51.100.20", "state": "queued"}', "book_table MIG-4417 198.51.100.20"),
        ('{"user_id": "mia_li_3668", "state": "queued"}', "book_table"),
        ('{"number": 20931, "note": "two words 1"}', "book_table 20931"),
        ("Booked as T-77.", "book_table"),
    ],
)
def test_what_was_made_is_named_by_what_its_result_says(said: str, named: str) -> None:
    (line,) = Session().calls("book_table", said, guests=2).state()
    assert line.text == f"{named} (guests 2)"


@pytest.mark.parametrize(("tool", "told"), [("open_ticket", True), ("open_file", False), ("open_page", False)])
def test_a_tool_opens_tickets_outside_and_files_inside(tool: str, told: bool) -> None:
    lines = Session().calls(tool, '{"ticket": "BIL-20931"}', queue="billing").texts()
    assert lines == ([f"{tool} BIL-20931 (queue billing)"] if told else [])


def test_a_failure_is_told_in_its_own_words() -> None:
    said = '{"error": "server has 2 snapshots under retention lock"}'
    (text,) = Session().calls("delete_server", said, server="atlas-3").texts()
    assert text == "failed: delete_server (server atlas-3): server has 2 snapshots under retention lock"


def test_acts_are_told_in_the_order_of_time_also_in_later_rounds() -> None:
    session = Session().calls("book_table", '{"id": "T1"}', guests=2).calls("cancel_booking", "{}", booking_id="T1")
    session.calls("delete_menu", '{"error": "it is in use"}', menu_id="M1").calls(
        "book_table", '{"id": "T2"}', guests=3
    )
    told = [
        "book_table T1 (guests 2)",
        "cancel_booking T1",
        "failed: delete_menu M1: it is in use",
        "book_table T2 (guests 3)",
    ]
    assert list(state_lines(state_text(session.state()))) == told
    again = compute_state((), told)
    assert list(state_lines(state_text(again))) == told
    assert [line.text for line in again] == told[::-1], "the newest is worth most"


@pytest.mark.parametrize(
    "said",
    [
        "Your proposed edit has introduced new syntax error(s). Please read this error message carefully.",
        "[Your proposed edit has introduced new syntax error(s). Please understand the errors and retry.]",
        "No replacement was performed, old_str `x = 1` did not appear verbatim in a.py.",
    ],
)
def test_an_edit_that_was_refused_changed_nothing(said: str) -> None:
    arguments = {"command": "str_replace", "path": "a.py", "old_str": "x = 1", "new_str": "x = 2"}
    lines = Session().calls("str_replace_editor", said, **arguments).state()
    assert [line.kind for line in lines] == ["error"]
    done = Session().calls("str_replace_editor", "The file a.py has been edited.", **arguments).state()
    assert [line.kind for line in done] == ["file"]
