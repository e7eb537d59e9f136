"""What the result of an act says that it made, beside what it only speaks of."""

from __future__ import annotations

import json

import pytest

from tests.features.working import Session

_LOG = "SUBSCRIPTION start sub_id=FT-771209 price=4.99\nCHARGE 4.99 FT-771209 ok"
_BLOCKED = json.dumps({"line": "0170555099", "sub_id": "FT-771209", "subscription": "still_active"})


def test_what_was_there_before_a_call_is_not_what_it_acted_on() -> None:
    session = Session().calls("get_service_log", _LOG, line="0170555099")
    session.calls("set_third_party_block", _BLOCKED, line="0170555099", block=True)
    assert session.texts() == ["set_third_party_block (block true, line 0170555099)"]


def test_what_nobody_spoke_of_before_is() -> None:
    session = Session().calls("get_service_log", "no entries", line="0170555099")
    session.calls("open_ticket", '{"ticket_id": "TK-44188", "status": "open"}', line="0170555099")
    assert session.texts() == ["open_ticket TK-44188 (line 0170555099)"]


@pytest.mark.parametrize("earlier", ["TK-441881 is open", "see TK-44188-2", "see XTK-44188"])
def test_a_longer_name_with_that_of_the_thing_in_it_is_another_one(earlier: str) -> None:
    session = Session(earlier).calls("open_ticket", '{"ticket_id": "TK-44188"}', line="0170555099")
    assert session.texts() == ["open_ticket TK-44188 (line 0170555099)"]


def test_a_short_number_may_stand_for_something_else_before() -> None:
    session = Session("We are 7 people.").calls("create_list", '{"id": "7"}', colour="red")
    assert session.texts() == ["create_list 7 (colour red)"]


@pytest.mark.parametrize(
    ("tool", "said", "told"),
    [
        ("refund_charge", {"refund_id": "RF-90031"}, "refund_charge C-558 (refund_id RF-90031, amount 24.93)"),
        ("refund_charge", {"refund_id": "RF-10000"}, "refund_charge C-558 (amount 24.93)"),
        ("refund_charge", {"customer_id": "C-559"}, "refund_charge C-558 (amount 24.93)"),
        ("refund_charge", {"refund_id": "pending"}, "refund_charge C-558 (amount 24.93)"),
        ("create_payment", {"payment_id": "P-90031"}, "create_payment C-558 (payment_id P-90031, amount 24.93)"),
    ],
)
def test_an_act_on_a_thing_is_told_with_its_own_number(tool: str, said: dict[str, str], told: str) -> None:
    session = Session("The refund RF-10000 is another one.")
    assert session.calls(tool, json.dumps(said), customer_id="C-558", amount=24.93).texts() == [told]


def test_a_refund_that_failed_has_no_number() -> None:
    said = '{"error": "refused", "refund_id": "RF-90031"}'
    assert Session().calls("refund_charge", said, customer_id="C-558").texts() == [
        "failed: refund_charge C-558: refused"
    ]


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        ("set_barring", "set_barring 8801 (data false)"),
        ("update_line", "update_line 8801 (data false)"),
        ("send_report", "send_report 8801"),
    ],
)
def test_what_is_switched_off_is_told_of_a_tool_that_sets_something(tool: str, told: str) -> None:
    assert Session().calls(tool, '{"ok": true}', line_id="8801", data=False).texts() == [told]
