"""What the agent had looked up before it asked something, and what of it the agent did not say."""

from __future__ import annotations

import json

import pytest

from tests.builders import call, calling_message, result
from tests.pipeline.sessions import Json, assistant, compact, user

_BOOKING = {
    "booking_id": "NFW83L",
    "customer_id": "ines_falk",
    "route": "Trelleborg-Rostock",
    "fare": "standard",
    "cabin": "outside",
    "sailings": [{"sailing_number": "ND512", "date": "2025-08-09", "departs": "08:00", "arrives": "14:10"}] * 2,
    "passengers": [{"first_name": name, "last_name": "Falk", "dob": "1984-11-02"} for name in ("Ines", "Moa", "Per")],
    "created_at": "2025-04-07T21:35:40",
    "insurance": "no",
}
_SAYS = "That is booking NFW83L, Trelleborg-Rostock on 2025-08-09 at 08:00, standard fare, of ines_falk."
_MADE = '"created_at":"2025-04-07T21:35:40"'


def _session(asked: str = " May I ask why?", reply: str = "A change of plan.", booking: Json = _BOOKING) -> list[Json]:
    records: list[Json] = []
    for at, town in enumerate(("Visby", "Ventspils", "Turku", "Helsinki", "Gdynia")):
        found = json.dumps(
            {"route": f"Nynashamn-{town}", "prices": [{"deck": n, "euros": 7 * n + at} for n in range(9)]}
        )
        records += [user(f"What does it cost to go to {town} with a van of six metres, and with my dog?")]
        records += [calling_message(call(f"c{at}", "find_price", f'{{"to": "{town}"}}')), result(f"c{at}", found)]
        records += [assistant(f"To {town} it is {at + 7} euros on deck 1, and the dog is free.")]
    records += [
        user("I want to cancel NFW83L."),
        calling_message(call("last", "get_booking", '{"booking_id": "NFW83L"}')),
    ]
    records += [result("last", json.dumps(booking)), assistant(f"{_SAYS}{asked}")]
    return [*records, user(reply)] if reply else records


def _kept(records: list[Json], ratio: float) -> str:
    return "\n".join(m.text() for m in compact(records, strategy="adaptive", target_ratio=ratio).messages)


_RATIOS = [0.16, 0.18, 0.2, 0.22]


@pytest.mark.parametrize("ratio", _RATIOS)
def test_figures_that_the_agent_did_not_say_of_what_it_asks_about_stay(ratio: float) -> None:
    assert _MADE in _kept(_session(), ratio)


@pytest.mark.parametrize("ratio", _RATIOS[:-1])
@pytest.mark.parametrize("asked", ["", " It was made at 2025-04-07T21:35:40. May I ask why?"])
def test_they_do_not_where_nothing_was_asked_or_all_was_said(asked: str, ratio: float) -> None:
    assert _MADE not in _kept(_session(asked), ratio)


@pytest.mark.parametrize("ratio", _RATIOS)
def test_they_do_not_where_nobody_has_answered_yet(ratio: float) -> None:
    assert _MADE not in _kept(_session(reply=""), ratio)


@pytest.mark.parametrize("key", ["pin", "puk", "ssn", "passcode", "tan", "new_pin"])
def test_no_line_with_what_one_person_knows_alone_does(key: str) -> None:
    kept = _kept(_session(booking={**_BOOKING, key: "8811-7722"}), 0.22)
    assert "8811-7722" not in kept
    assert "8811-7722" in _kept(_session(booking={**_BOOKING, "seal": "8811-7722"}), 0.22)
