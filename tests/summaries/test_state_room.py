"""What of the state has room in a summary with headings: all lines that fit, and how many do not."""

from __future__ import annotations

from compactor_cli.summaries.layout import fit_state_lines
from compactor_cli.summaries.outline import Standing
from compactor_cli.summary_text.state_line import StateLine

_ALL: tuple[Standing, ...] = ("done", "open", "error", "next", "declined")


def _acts(*texts: str, brief: str = "") -> list[StateLine]:
    return [StateLine("effect", text, number, brief=brief) for number, text in enumerate(texts)]


def _told(state: list[StateLine], room: int, places: tuple[Standing, ...] = _ALL) -> list[str]:
    return [line.text for line in fit_state_lines(state, places, room, len)]


def test_a_line_without_room_costs_no_other_and_is_counted() -> None:
    state = _acts("send_mail to anna", "x" * 200, "cancel_order W7")
    assert _told(state, 120) == ["send_mail to anna", "cancel_order W7", "not listed: 1 more action"]
    assert _told(state, 400) == [line.text for line in state]


def test_the_count_takes_the_room_of_the_lines_of_least_worth() -> None:
    state = _acts(*(f"{number} cancel_order number {number}" for number in range(9)))
    told = _told(state, 100)
    assert told == ["0 cancel_order number 0", "1 cancel_order number 1", "not listed: 7 more actions"]


def test_long_details_make_way_where_not_all_lines_have_room() -> None:
    state = [
        *_acts("pay R-7 (amount 4, why " + "x" * 90 + ")", brief="pay R-7 (amount 4)"),
        *_acts("pay R-8 (amount 5)"),
    ]
    assert _told(state, 200) == [line.text for line in state]
    assert _told(state, 100) == ["pay R-7 (amount 4)", "pay R-8 (amount 5)"]


def test_what_an_earlier_round_did_not_list_is_counted_on() -> None:
    state = [*_acts("pay R-7", "x" * 300), StateLine("file", "not listed: 2 more actions, 5 more changed files", -1)]
    assert _told(state, 120) == ["pay R-7", "not listed: 3 more actions"]


def test_a_form_without_a_place_and_a_room_for_nothing_have_no_count() -> None:
    state = _acts("pay R-7", "x" * 300)
    assert _told(state, 120, ("error",)) == []
    assert _told(state, 12) == []


def test_a_small_room_counts_what_a_reader_would_do_again() -> None:
    state = _acts("pay R-7", "x" * 300)
    assert _told(state, 60) == ["pay R-7", "1 more action"]
    assert _told([state[0], StateLine("check", f"passed: {'x' * 300}", 1)], 60) == ["pay R-7"]
    assert (
        _told([*state, StateLine("check", f"passed: {'x' * 300}", 1)], 120)[-1]
        == "not listed: 1 more check, 1 more action"
    )
