"""The answer to the last request: without it, the request would pass for one that nobody answered."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from tests.builders import assistant, call, calling_message, compact, jsonl, result, user

TABLE = """Here it is:
| Network | Limit |
|---|---|
| Alpha | 280 |
| Beta | 63,206 |
| Gamma | 2,200 |
A message of Beta may have 63,206 characters, one of Gamma 2,200 and one of Alpha 280."""
DOUGHS = (
    "Certainly! A sourdough is raised by wild yeast and by bacteria, which make it sour. A yeast dough is raised by "
    "yeast of a bakery alone, and is ready within two hours. In other words, a sourdough takes 18 hours, and a "
    "yeast dough 2."
)
ENDS = "Whoever bakes bread at home therefore weighs both of them with care, and changes one of them at a time."
WATER = (
    "Flour holds the water that it is given, and the more of it there is the softer the dough becomes. Water also "
    f"wakes the gluten of the flour, which then keeps the gas of the yeast within the dough. {ENDS}"
)


def last_of_chat(target: int) -> str:
    """What stands at the end of a chat with an agent that has no tools."""
    chat = jsonl(
        user("How much is the limit of a message on the three networks? Please make a table of it."),
        assistant(TABLE),
        user("What is the difference between a sourdough and a yeast dough?"),
        assistant(DOUGHS),
        user("How do flour and water relate to each other in a dough?"),
        assistant(WATER),
    )
    return contents(chat, target)[-1]


def contents(data: bytes, target: int) -> list[str]:
    lines = compact(data, strategy="adaptive", target_tokens=target).data.splitlines()
    return [json.loads(line).get("content") or "" for line in lines]


@pytest.mark.parametrize("target", range(108, 150, 6))
def test_an_agent_that_only_talks_keeps_the_end_of_its_last_answer(target: int) -> None:
    assert last_of_chat(target).endswith(ENDS)


@pytest.mark.parametrize("target", range(60, 108, 6))
def test_no_answer_is_a_bare_mark_of_what_is_left_out_of_it(target: int) -> None:
    last = last_of_chat(target)
    assert not last.startswith("[…") or last.endswith(ENDS)


@pytest.mark.parametrize("target", [56, 60])
def test_a_few_words_behind_the_last_request_are_worth_a_summary(target: int) -> None:
    """What the agent thought cannot be cut, so that the answer does not stay at its place."""
    thought = "The tool was called for the other pair of currencies, and I tell what came out of it. " * 6
    data = jsonl(
        user("Please change 1000 USD to EUR."),
        calling_message(call("c1", "change_money", '{"amount": 1000, "from": "USD", "to": "EUR"}')),
        result("c1", '{"changed": 850.5, "from": "USD", "to": "EUR"}'),
        assistant("1000 USD are **850.50 EUR**."),
        user("And 500 GBP to USD?"),
        calling_message(call("c2", "change_money", '{"amount": 500, "from": "GBP", "to": "USD"}')),
        result("c2", '{"changed": 690.75, "from": "GBP", "to": "USD"}'),
        assistant("500 GBP are **690.75 USD**.") | {"reasoning_content": thought},
    )
    assert "690.75" in "\n".join(contents(data, target))


def test_a_last_answer_may_take_half_of_the_room() -> None:
    """It is what the work came to; what it was found in makes way."""
    answer = "\n".join(f"{n}. Berth {n} of the harbour takes ships of {n * 3} metres, with a pilot." for n in range(40))
    records = [user("Which berth takes which ship?")]
    for n in range(30):
        rows = "\n".join(f"row_{n}_{at} berth_{at} metres_{n * at} pilot_{at % 7}" for at in range(40))
        records += [calling_message(call(f"c{n}", "read", {"path": f"berths/{n}.csv"})), result(f"c{n}", rows)]
    data = jsonl(*records, assistant(answer))
    last = contents(data, 3200)[-1]
    assert sum(f"Berth {n} of the harbour" in last for n in range(40)) >= 38


OFFER = """I found two places.

- Seat 14A, at the window, for 31 euros.
- Seat 22C, at the aisle, for 12 euros.

Both would be paid with the voucher first and the rest with your card. Shall I book seat 22C and print the ticket?"""


def lookups(tool: str, rows: Sequence[object], size: int) -> list[dict[str, object]]:
    """Calls whose outputs show the rows, so many at a time."""
    return [
        record
        for n in range(len(rows) // size)
        for record in (
            calling_message(call(f"c{n}", tool, json.dumps({"page": n}))),
            result(f"c{n}", json.dumps(rows[n * size : (n + 1) * size])),
        )
    ]


def booking(agreed: str) -> bytes:
    """A session whose agent tried what the user agreed to in a long call, and whose outputs are full of names."""
    seats = [{"seat": f"{n}{letter}", "carrier": f"carrier_{n}_{letter}"} for n in range(30) for letter in "BDEF"]
    form = {f"field_{n}": f"value {n} of the form" for n in range(25)}
    tried = [calling_message(call("b", "book_seat", json.dumps(form))), result("b", "Error: voucher_7 has expired")]
    return jsonl(
        user("Find me a seat to Lyon."), *lookups("find_seats", seats, 20), assistant(OFFER), user(agreed), *tried
    )


@pytest.mark.parametrize("target", range(400, 700, 100))
def test_an_offer_that_a_few_words_agree_to_is_whole(target: int) -> None:
    text = "\n".join(contents(booking("Yes, please go ahead."), target))
    assert not [line for line in OFFER.splitlines() if line not in text]


def options(reply: str) -> bytes:
    """A session whose user picks from a list of three, with outputs full of names."""
    routes = [
        {"route": f"R{n}{letter}", "from": f"town_{n}", "to": f"port_{n}{letter}", "fare": n * 7}
        for n in range(24)
        for letter in "AB"
    ]
    listed = "\n\n".join(
        f"{n}. **Option {n}:**\n   - **Leg 1:** town_{n} to port_{n}A, at {n + 8}:00\n   - **Leg 2:** port_{n}A to the "
        f"island, at {n + 12}:30\n   - **Fare:** {40 + n} euros"
        for n in (1, 2, 3)
    )
    answer = assistant(
        f"These are the routes to the island on that day:\n\n{listed}\n\nWhich one shall I book for you?"
    )
    return jsonl(
        user("Find me a way to the island, on the third of May."),
        *lookups("find_routes", routes, 12),
        answer,
        user(reply),
    )


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff"])
@pytest.mark.parametrize(("reply", "item"), [("I take option 2, please.", 2), ("The third one is fine for us.", 3)])
@pytest.mark.parametrize("target", [320, 420])
def test_the_item_that_the_user_picks_is_whole(strategy: str, reply: str, item: int, target: int) -> None:
    part = compact(options(reply), strategy=strategy, target_tokens=target)
    text = "\n".join(json.loads(line).get("content") or "" for line in part.data.splitlines())
    for words in (f"town_{item} to port_{item}A, at {item + 8}:00", f"at {item + 12}:30", f"{40 + item} euros"):
        assert words in text
