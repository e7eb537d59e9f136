"""Small rooms of sessions with tools: what it is all about, what the user is answering, and what was done."""

from __future__ import annotations

import json

import pytest

from tests.pipeline.sessions import Json, assistant, compact, result, user

TASK = "Our server atlas-2 has been crawling since monday. Please look, the account is 88120-KR."
OFFER = "Shall I send the confirmation mail to info@brandt-keramik.example?"
NOTED = [
    "and the invoice of march came twice",
    "ok so the second one is void then",
    "we want the backups on tuesday nights",
    "please put the domain brandt-keramik.example on auto renew",
    "the phone number in the profile is 0611-5512",
    "thanks. can the old atlas-3 stay until june",
    "good. what about the certificates",
    "use the wildcard for all of them",
]


def session() -> list[Json]:
    """A customer says many small things, and agrees to what the agent offers last."""
    records = [user(TASK)]
    for n, said in enumerate(NOTED):
        listing = {"entry": n, "log": [f"line {at} of what was looked up for entry {n}" for at in range(12)]}
        records += [assistant(None, (f"c{n}", "look_up", {"entry": n})), result(f"c{n}", str(listing))]
        records += [
            assistant(f"Entry {n} of the list is in order as far as I see."),
            user(said),
        ]
    booked = ("b1", "schedule_migration", {"server": "atlas-2", "region": "ham"})
    records += [assistant(None, booked), result("b1", '{"job": "MIG-4417", "ip": "198.51.100.20"}')]
    records += [assistant(f"The move is booked. The code comes by mail. {OFFER}"), user("yes send it")]
    records += [assistant(None, ("s1", "send_confirmation", {"account": "88120-KR"})), result("s1", '{"sent": true}')]
    return [*records, assistant("It is sent."), user("Confirmed. And when was the move again?")]


@pytest.mark.parametrize("target", [280, 360, 480])
def test_what_the_session_is_about_is_there(target: int) -> None:
    text = "\n".join(m.text() for m in compact(session(), strategy="adaptive", target_tokens=target).messages)
    assert "atlas-2 has been crawling since monday" in text


@pytest.mark.parametrize("target", [360, 480])
def test_what_the_user_agreed_to_is_there(target: int) -> None:
    text = "\n".join(m.text() for m in compact(session(), strategy="adaptive", target_tokens=target).messages)
    assert "yes send it" in text
    assert text.index(OFFER) < text.index("yes send it")


@pytest.mark.parametrize("target", [280, 360, 480])
def test_what_was_done_is_there_with_its_number(target: int) -> None:
    text = "\n".join(m.text() for m in compact(session(), strategy="adaptive", target_tokens=target).messages)
    assert "MIG-4417" in text


WHY = "no route to KR-1, KR-2, KR-3, KR-4, KR-5, KR-6, KR-7, KR-8, KR-9, KR-10, KR-11, KR-12, KR-13, KR-14 or KR-15"


def test_a_line_of_the_state_that_has_no_room_costs_no_other() -> None:
    long = {"subject": "A", **{f"remark{n}": f"as was said on day {n} of the talks" for n in range(5)}}
    acts = [assistant(None, ("m1", "send_mail", long)), result("m1", json.dumps({"error": WHY}))]
    records = session()
    records[-2:-2] = acts
    text = "\n".join(m.text() for m in compact(records, strategy="adaptive", target_tokens=280).messages)
    assert "MIG-4417" in text
    assert f"): {WHY}" not in text, "the line that is too long"
