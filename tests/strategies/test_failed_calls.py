"""A call that acts outside the session and failed has to be made again: what it was made with is told."""

from __future__ import annotations

import json

import pytest

from tests.pipeline.sessions import Json, assistant, compact, result, user

FAILED = "Error: payment amount does not add up, total price is 305, but paid 255"
BOOKING = {
    "user_id": "mia_li_3668",
    "origin": "JFK",
    "destination": "SEA",
    "flights": [{"flight_number": "HAT136", "date": "2024-05-20"}, {"flight_number": "HAT039", "date": "2024-05-20"}],
    "passengers": [{"first_name": "Mia", "last_name": "Li", "dob": "1990-04-05"}],
    "payment_methods": [{"payment_id": "certificate_4856383", "amount": 100}, {"payment_id": "card_21", "amount": 155}],
    "total_baggages": 3,
    "nonfree_baggages": 1,
    "insurance": "no",
}


def booking(*, failed: bool) -> list[Json]:
    rows = [
        {"flight_number": f"HAT{n}", "origin": f"A{n}", "destination": f"B{n}", "price": n} for n in range(100, 140)
    ]
    return [
        user("Book the late flight to Seattle, please."),
        assistant("", ("s1", "search_flight", {"origin": "JFK"})),
        result("s1", json.dumps(rows)),
        assistant("HAT136 and HAT039 leave at 19:00 and cost $255. Shall I book them with your certificate and card?"),
        user("Yes, go ahead."),
        assistant("", ("b1", "book_reservation", BOOKING)),
        result("b1", FAILED if failed else json.dumps({"reservation_id": "HATHAT", **BOOKING})),
        assistant(
            "", ("t1", "think", {"thought": "The price is 305. I have to look at how it is paid, and pay 50 more."})
        ),
        result("t1", ""),
    ]


def told(target: int, *, failed: bool = True) -> str:
    part = compact(booking(failed=failed), strategy="adaptive", target_tokens=target)
    return "\n".join(message.text() for message in part.messages)


@pytest.mark.parametrize("target", [250, 300])
def test_what_a_call_that_failed_was_made_with_stays(target: int) -> None:
    said = told(target).replace(" ", "")
    assert '"payment_id":"certificate_4856383","amount":100' in said
    assert '"nonfree_baggages":1' in said


def test_of_one_that_succeeded_its_effect_says_enough() -> None:
    assert '"nonfree_baggages":1' not in told(250, failed=False).replace(" ", "")


@pytest.mark.parametrize("target", [250, 400])
def test_the_state_does_not_say_again_what_stands_whole_behind_it(target: int) -> None:
    assert told(target).count("but paid 255") == 1


def test_in_a_small_room_the_state_says_what_failed_and_why_without_all_details() -> None:
    (line,) = [line for line in told(200).split("\n") if line.startswith("- failed: book_reservation")]
    assert line == f"- failed: book_reservation mia_li_3668: {FAILED}"


FOUR = [{"first_name": n, "last_name": "Lindqvist", "dob": f"19{at}0-04-05"} for at, n in enumerate("ABCD", 5)]
WISHES = (
    "1. One way\n2. Economy\n3. The four of us travel, all adults.\n"
    "4. I want to use my certificates first, and my card for the rest.\n5. No, we do not want any insurance."
)


@pytest.mark.parametrize("target", [180, 200])
def test_a_call_that_is_quoted_leaves_it_to_the_state_why_it_failed(target: int) -> None:
    first, *rest = booking(failed=True)[:-2]
    asked = [first, assistant("Of course. Who travels, in which class, and how do you pay?"), user(WISHES), *rest]
    asked[-2] = assistant("", ("b1", "book_reservation", {**BOOKING, "passengers": FOUR}))
    part = compact(asked, strategy="adaptive", target_tokens=target)
    *_, text = (message.text() for message in part.messages)
    assert "book_reservation failed: " in text.partition("State at the end:")[0]
    assert text.count("but paid 255") == 1
    assert f"- failed: book_reservation mia_li_3668: {FAILED}" in text


def test_what_was_asked_comes_before_one_act_of_several() -> None:
    """The act has no room for a count of the others, and would pass for all that was done."""
    records = [user("Refund the nine payments PM100 to PM108.")]
    for number in [*range(100, 109), 104]:
        refund = {"payment_id": f"PM{number}", "amount": (number - 100) * 10 + 5}
        said = '{"ok": true}' if len(records) < 19 else "Error: already refunded"
        records += [assistant("", (f"r{len(records)}", "refund_payment", refund)), result(f"r{len(records)}", said)]
    for number in range(12):
        records.append(user(f"Then tell me about option {number} and whether it costs extra for islands in summer."))
        records.append(assistant(f"Option {number} costs {number + 3} EUR, and islands cost {number + 5} EUR more."))
    records.append(user("Which were refunded?"))
    for target in range(70, 130, 5):
        (text,) = [m.text("text") for m in compact(records, strategy="handoff", target_tokens=target).messages]
        assert " user: " in text, target
