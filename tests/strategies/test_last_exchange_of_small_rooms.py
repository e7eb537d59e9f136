"""The last exchange of a small room: what the agent said or did last is most of what tells how to go on."""

from __future__ import annotations

import json

import pytest

from tests.builders import assistant, call, calling_message, compact, jsonl, result, user

FOUND = "The berth of the Marisol is 14 at the north quay, which is free from the 3rd on."
ASKED = "Shall I book it until the 9th of the month?"
DETAILS = (
    "It lies beside the fuel dock, and has water and power. The fee is 40 a night for a boat of her length. "
    "A deposit of 100 is asked for, which is returned on the day on which she leaves the harbor again. "
    "The office opens at seven and closes at nine in the evening, on every day of the week."
)
TALK = [
    user("Good morning, I would like to move my boat to another berth for some days of the next month."),
    assistant("Gladly. What is the name of the boat, and from which day on do you need the berth?"),
    user("She is the Marisol, twelve meters long, and I need a berth with power from the 3rd on."),
    calling_message(call("c1", "find_berths", json.dumps({"boat": "Marisol", "length": 12, "from": "2026-05-03"}))),
    result(
        "c1", json.dumps([{"berth": n, "quay": "north" if n % 2 else "south", "fee": 30 + n} for n in range(9, 29)])
    ),
]


def said(records: list[dict[str, object]], target: int) -> list[str]:
    lines = compact(jsonl(*records), strategy="adaptive", target_tokens=target).data.splitlines()
    return [json.dumps(json.loads(line), ensure_ascii=False) for line in lines]


@pytest.mark.parametrize("target", range(124, 148, 6))
def test_an_answer_that_has_no_room_keeps_what_was_found_and_what_is_asked(target: int) -> None:
    """Before, an answer of which a third has room was its closing sentences alone, or not there at all."""
    last = said([*TALK, assistant(f"{FOUND} {DETAILS} {DETAILS} {ASKED}")], target)[-1]
    assert FOUND in last
    assert ASKED in last
    assert DETAILS not in last


@pytest.mark.parametrize("target", range(196, 216, 10))
def test_an_answer_stays_whole_where_it_takes_most_of_a_small_room(target: int) -> None:
    assert f"{FOUND} {DETAILS} {ASKED}" in said([*TALK, assistant(f"{FOUND} {DETAILS} {ASKED}")], target)[-1]


@pytest.mark.parametrize("target", range(170, 210, 10))
def test_a_call_that_failed_stays_whole_where_it_takes_most_of_a_small_room(target: int) -> None:
    """Whoever goes on has to call again with one argument changed."""
    arguments = {
        "boat": "Marisol",
        "berth": 14,
        "stays": [{"from": "2026-05-03", "to": "2026-05-09", "fee": 240}],
        "payments": [{"card": "visa_7731", "amount": 240}, {"voucher": "v_20418", "amount": 0}],
        "contact": {"name": "Ines Caldera", "phone": "+34 600 123 456"},
    }
    booking = calling_message(call("c2", "book_berth", json.dumps(arguments)))
    records = [*TALK, assistant(FOUND), user("Yes, please."), booking, result("c2", "Error: the fee is 280, paid 240")]
    shown = said(records, target)
    assert "v_20418" in shown[-2]
    assert "Ines Caldera" in shown[-2]
    assert "the fee is 280" in shown[-1]
