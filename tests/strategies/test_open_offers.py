"""What the agent asked to do, and the user has answered with nothing but questions, stays for the "yes" behind them."""

from __future__ import annotations

import json

import pytest

from tests.builders import assistant, call, calling_message, jsonl, result, system, user
from tests.strategies.test_carrying_on import compact, text_of

OFFER = "So: front pads and discs, on 21 May at 9:45 with Berg, a loan car with it, EUR 312.40 in all, quote Q-1881."
ASKING = "Shall I book it? Please say yes or no."
QUESTIONS = "How long does it take? And where do I park when I bring it?"
DECIDED = "No, not that. How long would another one take?"
NEWEST = (
    "Can my brother bring it instead of me? And do you wash it as well, it is really dirty after the winter? Anyway, "
    "{}."
)


def session(
    reply: str = QUESTIONS, newest: str = "yes, go ahead", offer: str = OFFER, again: str = "So, shall I book it?"
) -> bytes:
    records = [system("You help customers of a garage."), user("My car makes a noise. Can somebody look at it?")]
    for at in range(8):
        slots = json.dumps({"slots": [f"{hour}:15" for hour in range(8, 16)], "lift": at + 1})
        day = at + 10
        records += [
            calling_message(call(f"c{at}", "search_slots", json.dumps({"day": f"2026-05-{day}"}))),
            result(f"c{at}", slots),
            assistant(f"On day {day} eight slots are free from 8:15 on, with lift {at + 1}. Is one of them good?"),
            user(f"Not that day, I am away. What about the day after, number {day + 1}?"),
        ]
    return jsonl(
        *records,
        assistant(f"The pads are in stock. There is a slot with Berg. {offer} It needs no deposit. {ASKING}"),
        user(reply),
        assistant(f"It takes about three hours. You can park in the yard; the gate is open. {again}"),
        user(NEWEST.format(newest)),
    )


@pytest.mark.parametrize("newest", ["yes, go ahead", "ja, bitte", "はい、お願いします"])
@pytest.mark.parametrize("ratio", [0.28, 0.3, 0.34])
def test_an_offer_stays_open_while_the_user_only_asks(ratio: float, newest: str) -> None:
    text = text_of(compact(session(newest=newest), target_ratio=ratio))
    assert OFFER in text
    assert "Shall I book it?" in text


@pytest.mark.parametrize(
    "other",
    [
        {"reply": DECIDED},
        {"reply": "How long does it take? No, leave it, I changed my mind. What about the tyres?"},
        {"again": "Have a good day."},
        {"again": "Or rather on 28 May at 11:15?"},
    ],
)
def test_an_offer_that_was_answered_or_that_the_agent_does_not_come_back_to_is_no_open_one(
    other: dict[str, str],
) -> None:
    assert OFFER not in text_of(compact(session(**other), target_ratio=0.3))


@pytest.mark.parametrize(("parts", "stays"), [(2, True), (9, False)])
def test_an_offer_has_no_more_than_its_share(parts: int, stays: bool) -> None:
    offer = f"{' and '.join(f'part {at} of maker {at + 3}' for at in range(parts))}, EUR 312.40 in all."
    assert (offer in text_of(compact(session(offer=offer), target_tokens=260))) == stays
