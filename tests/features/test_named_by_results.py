"""What the result of an act says that it made, beside what it only speaks of."""

from __future__ import annotations

import json

import pytest

from tests.builders import call, calling_message, result
from tests.features.working import Session

_LOG = "SUBSCRIPTION start sub_id=FT-771209 price=4.99\nCHARGE 4.99 FT-771209 ok"


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("create_ticket", {"ticket_id": "TK-44188"}),
        ("create_issue", {"id": "99120", "key": "TK-44188"}),
        ("create_list", {"id": "TK-44188"}),
        ("add_label", {"mark": "44188"}),
    ],
)
def test_what_a_tool_is_named_after_keys_and_bare_numbers_are_told_though_known(
    tool: str, said: dict[str, str]
) -> None:
    session = Session().calls("get_draft", "TK-44188 and 44188 are free").calls(tool, json.dumps(said), subject="a")
    assert session.texts() == [f"{tool} {said.get('key') or next(iter(said.values()))} a"]


_MADE = '{"sub_id": "FT-771209"}'


@pytest.mark.parametrize("earlier", ["request", "argument", "failed", "same", "same, looked at", "beside"])
def test_what_no_earlier_result_of_another_tool_had_was_not_there_before(earlier: str) -> None:
    session = Session("Use FT-771209." if earlier == "request" else "Please do it.")
    if earlier == "argument":
        session.calls("get_log", "none", sub="FT-771209")
    elif earlier == "failed":
        session.calls("get_log", '{"error": "no access to FT-771209"}')
    elif earlier.startswith("same"):
        session.calls("set_block", _MADE, block=True)
    if earlier == "same, looked at":
        session.calls("get_log", _LOG)
    if earlier == "beside":
        both = calling_message(call("a", "get_log", "{}"), call("b", "set_block", '{"block": true}'))
        session.records += [both, result("a", _LOG), result("b", _MADE)]
    else:
        session.calls("set_block", _MADE, block=True)
    assert [text for text in session.texts() if "set_block" in text] == ["set_block FT-771209 (block true)"]


def test_a_pin_is_not_what_a_result_names() -> None:
    session = Session().calls("create_card", '{"pin": "991122", "puk": "88117722"}', colour="red")
    assert session.texts() == ["create_card (colour red)"]


def test_what_nobody_spoke_of_before_is() -> None:
    session = Session().calls("get_service_log", "no entries", line="0170555099")
    session.calls("open_ticket", '{"ticket_id": "TK-44188", "status": "open"}', line="0170555099")
    assert session.texts() == ["open_ticket TK-44188 (line 0170555099)"]


@pytest.mark.parametrize("earlier", ["FT-7712091 is open", "see FT-771209-2", "see XFT-771209"])
def test_a_longer_name_with_that_of_the_thing_in_it_is_another_one(earlier: str) -> None:
    session = Session().calls("get_log", earlier).calls("set_block", _MADE, block=True)
    assert session.texts() == ["set_block FT-771209 (block true)"]


def test_a_short_name_may_stand_for_something_else_before() -> None:
    session = Session().calls("get_log", "see F-7").calls("set_block", '{"sub_id": "F-7"}', block=True)
    assert session.texts() == ["set_block F-7 (block true)"]


@pytest.mark.parametrize(
    ("tool", "said", "told"),
    [
        ("refund_charge", {"refund_id": "RF-90031"}, "refund_charge C-558 (refund_id RF-90031, amount 24.93)"),
        ("refund_charge", {"customer_id": "C-559"}, "refund_charge C-558 (amount 24.93)"),
        ("refund_charge", {"refund_id": "pending"}, "refund_charge C-558 (amount 24.93)"),
        ("create_payment", {"payment_id": "P-90031"}, "create_payment C-558 (payment_id P-90031, amount 24.93)"),
    ],
)
def test_an_act_on_a_thing_is_told_with_its_own_number(tool: str, said: dict[str, str], told: str) -> None:
    assert Session().calls(tool, json.dumps(said), customer_id="C-558", amount=24.93).texts() == [told]


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("cancel_order", {"order_id": "A-1200"}),
        ("create_order", {"order_id": "A-1200"}),
        ("pay_invoice", {"invoice_id": "INV-3301"}),
        ("return_order_items", {"item_id": "I-8811"}),
        ("update_payment", {"payment_method_id": "P-7788"}),
        ("create_payment", {"payment_method_id": "P-7788"}),
        ("add_user", {"userId": "U-8811"}),
        ("create_ticket", {"ticket_id": "#A-1199"}),
        ("add_card", {"cardKey": "ZEBRA7711"}),
        ("add_access", {"accessKey": "ab12cd34ef56"}),
        ("create_session", {"sessionId": "ab12cd34ef56"}),
        ("send_code", {"code_id": "ab12cd34ef56"}),
        ("send_token", {"token_id": "ab12cd34ef56"}),
        ("send_pin", {"pin_id": "ab12cd34ef56"}),
    ],
)
def test_what_an_act_was_done_to_and_what_opens_something_is_no_number_of_the_act(
    tool: str, said: dict[str, str]
) -> None:
    assert Session().calls(tool, json.dumps(said), order_id="#A-1199").texts() == [f"{tool} #A-1199"]


def test_an_argument_says_what_the_object_is_without_the_word_of_its_identity_too() -> None:
    session = Session().calls("submit_claim", '{"claim_id": "CL-3301"}', policy_id="A-1199", claim="of May")
    assert session.texts() == ["submit_claim A-1199 (claim of May)"]


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
