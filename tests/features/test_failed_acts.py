"""Acts that failed: which later one makes up for them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.working import Session

_UNKNOWN = '{"error": "<j.weil@harbour.example>: no such mailbox"}'
_MAIL = {"subject": "Your visit", "body": "We would be glad to see you in May."}


def _failed(session: Session, earlier: tuple[str, ...] = ()) -> list[str]:
    return [text for text in session.texts("effect", earlier) if text.startswith("failed")]


def test_a_mail_about_something_else_does_not() -> None:
    session = Session().calls("email_send", _UNKNOWN, to=["j.weil@harbour.example"], **_MAIL)
    session.calls("email_send", "{}", to=["jonas.weil@harbour.example"], subject="Lunch", body=_MAIL["body"])
    assert len(_failed(session)) == 1


@pytest.mark.parametrize(
    ("sql", "is_over"),
    [
        ("create subscription if not exists tides connection 'c' publication quays", True),
        ("create subscription moon connection 'a' publication quays", False),
        ("create table tides (a int)", False),
        ("drop subscription tides", False),
    ],
)
def test_what_a_data_base_could_not_make_is_made_up_for_once_there_is_one_of_that_name(sql: str, is_over: bool) -> None:
    wanted = "create subscription tides connection 'a' publication quays"
    session = Session().calls("psql", "ERROR: permission denied", db="harbour", sql=wanted)
    assert len(_failed(session)) == 1
    assert len(_failed(session.calls("psql", "CREATE", db="harbour", sql=sql))) == (not is_over)


@pytest.mark.parametrize(
    ("tool", "said", "first", "then"),
    [
        ("delete_user", "Error: invalid user", {"user_name": "ann"}, {"user_name": "bob"}),
        ("submit", "Wrong answer!", {"text": "42"}, {"text": "41"}),
        ("delete_server", '{"error": "it is in use"}', {"server": "atlas-3"}, {"server": "atlas-4"}),
        (
            "transfer_money",
            "Error: limit exceeded",
            {"account": "DE123", "amount": 500, "memo": "rent for january and february"},
            {"account": "DE123", "amount": 500, "memo": "present for mum and dad, happy day"},
        ),
        (
            "create_ticket",
            "Error: quota",
            {"queue": "X", "text": "Login page fails on Safari browsers"},
            {"queue": "X", "text": "Docs are out of date for the API v2"},
        ),
        (
            "create_ticket",
            "Error: quota",
            {"queue": "X", "text": "Please pay order 4711 back to the customer"},
            {"queue": "X", "text": "Please pay order 4712 back to the customer"},
        ),
        ("book_room", "Error: no", {"guest": "Ann", "beds": 2}, {"guest": "Ann", "beds": 3}),
        ("book_room", "Error: no", {"guest": "Anna", "beds": 2}, {"guest": "Ann", "beds": 2}),
        ("book_room", "Error: no", {"guest": "Ann", "beds": 2}, {"guest": "Ann"}),
        ("book_room", "Error: no", {"beds": 2, "guest": "Ann"}, {"guest": "Ann"}),
        ("book_room", "Error: no", {"guest": "Ann", "opts(": "a"}, {"guest": "Ann", "opts(": "b"}),
    ],
)
def test_what_is_asked_of_another_thing_makes_up_for_nothing(
    tool: str, said: str, first: dict[str, Any], then: dict[str, Any]
) -> None:
    session = Session().calls(tool, said, **first)
    told = _failed(session)
    assert len(told) == 1
    assert _failed(session.calls(tool, "ok", **then)) == told


@pytest.mark.parametrize(
    ("wrong", "to", "is_over"),
    [
        ("ann.smith@corp.example", "ann.jones@corp.example", False),
        ("ann.smith@corp.example", "bob.smith@corp.example", False),
        ("tim@corp.example", "tom@corp.example", False),
        ("team1@corp.example", "team2@corp.example", False),
        ("ann.smith@corp.example", "ann.smith@firm.example", False),
    ],
)
def test_an_address_of_somebody_else_makes_up_for_nothing(wrong: str, to: str, is_over: bool) -> None:
    session = Session().calls("send_email", f"Error: unknown recipient {wrong}", to=wrong)
    assert len(_failed(session.calls("send_email", "ok", to=to))) == (not is_over)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("<error><code>409</code><message>etag mismatch</message></error>", "409 etag mismatch"),
        ("<error>no such file</error>", "no such file"),
    ],
)
def test_tags_do_not_stick_to_what_went_wrong(said: str, why: str) -> None:
    session = Session().calls("update_item", f"Error: {said}", item_id="QX-48213")
    assert any(text.endswith(why) for text in session.texts())
    session = Session().calls("uploader", f"Error: {said}", item="QX-48213")
    assert all("><" not in text and "</" not in text for text in session.texts())


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("refund_payment", {"payment_id": "PM104"}, "refund_payment (payment_id PM104, amount 45)"),
        (
            "delete_payment_method",
            {"payment_method_id": "C7"},
            "delete_payment_method (payment_method_id C7, amount 45)",
        ),
        ("book_table", {"payment_id": "PM104"}, "book_table (amount 45)"),  # how it is paid
        ("update_payment", {"payment_method_id": "C7"}, "update_payment (amount 45)"),
        ("close_session", {"session_id": "S104"}, "close_session (amount 45)"),  # may grant access
    ],
)
def test_an_identity_that_the_tool_is_named_after_says_what_failed(
    tool: str, arguments: dict[str, str], told: str
) -> None:
    session = Session().calls(tool, "Error: not possible", **arguments, amount=45)
    assert session.texts() == [f"failed: {told}: Error: not possible"]


def test_another_payment_of_the_same_amount_does_not_make_up_for_one_that_failed() -> None:
    session = Session().calls("refund_payment", "Error: refused", payment_id="PM1", amount=45)
    session.calls("refund_payment", '{"ok": true}', payment_id="PM2", amount=45)
    assert "failed: refund_payment (payment_id PM1, amount 45): Error: refused" in session.texts()
