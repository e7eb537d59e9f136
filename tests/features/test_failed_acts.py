"""Acts that failed: which later one makes up for them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.working import Session

_UNKNOWN = '{"error": "<j.weil@harbour.example>: no such mailbox"}'
_MAIL = {"subject": "Your visit", "body": "We would be glad to see you in May."}


def _failed(session: Session, earlier: tuple[str, ...] = ()) -> list[str]:
    return [text for text in session.texts("effect", earlier) if text.startswith("failed")]


@pytest.mark.parametrize(
    ("to", "said", "is_over"),
    [
        ("jonas.weil@harbour.example", _UNKNOWN, True),
        ("j.weil@harbour-office.example", _UNKNOWN, True),
        ("anna.berg@harbour.example", _UNKNOWN, False),
        ("j.weil@quay.test", _UNKNOWN, False),
        ("jonas.weil@harbour.example", '{"error": "the server is down"}', False),
    ],
)
def test_a_mail_to_the_right_address_makes_up_for_one_to_a_wrong_address(to: str, said: str, is_over: bool) -> None:
    session = Session().calls("email_send", said, to=["j.weil@harbour.example"], **_MAIL)
    assert len(_failed(session)) == 1
    assert len(_failed(session.calls("email_send", '{"ok": true}', to=[to], **_MAIL))) == (not is_over)


@pytest.mark.parametrize(
    ("done", "is_over"),
    [
        ({"action": "send", "to": "jonas.weil@harbour.example"}, True),
        ({"action": "send", "to": "anna.berg@harbour.example"}, False),
        ({"action": "forward", "to": "jonas.weil@harbour.example"}, False),
        ({"to": "jonas.weil@harbour.example"}, False),
    ],
)
def test_so_does_one_of_a_tool_that_is_told_by_an_argument_to_send_it(done: dict[str, str], is_over: bool) -> None:
    session = Session().calls("outlook", _UNKNOWN, action="send", to="j.weil@harbour.example", **_MAIL)
    assert len(_failed(session)) == 1
    assert len(_failed(session.calls("outlook", '{"ok": true}', **done, **_MAIL))) == (not is_over)


def test_a_mail_about_something_else_does_not() -> None:
    session = Session().calls("email_send", _UNKNOWN, to=["j.weil@harbour.example"], **_MAIL)
    session.calls("email_send", "{}", to=["jonas.weil@harbour.example"], subject="Lunch", body=_MAIL["body"])
    assert len(_failed(session)) == 1


_TICKET = {"queue": "TEC", "customer": "Reiss", "text": "The line crackles since Monday."}


@pytest.mark.parametrize(
    ("asked", "is_over"),
    [
        (_TICKET, True),
        ({**_TICKET, "window": "2026-10-12 08-12"}, True),
        ({**_TICKET, "text": "The line crackles, please call before you come."}, True),
        ({**_TICKET, "customer": "Berg"}, False),
        ({"queue": "BIL", "customer": "Reiss", "text": "The invoice is wrong."}, False),
        ({"action": "update", "ticket": "TEC-7"}, False),
    ],
)
def test_an_act_without_a_name_is_made_up_for_when_the_same_is_asked_also_in_a_later_round(
    asked: dict[str, Any], is_over: bool
) -> None:
    told = _failed(Session().calls("open_ticket", '{"error": "no window"}', **_TICKET, window="2026-10-11 08-12"))
    assert len(told) == 1
    session = Session().calls("open_ticket", '{"error": "no window"}', **_TICKET, window="2026-10-11 08-12")
    assert _failed(session.calls("open_ticket", '{"ok": true}', **asked)) == ([] if is_over else told)
    later = Session().calls("open_ticket", '{"ok": true}', **asked)
    assert _failed(later, tuple(told)) == ([] if is_over else told)


@pytest.mark.parametrize(
    ("asked", "is_over"),
    [
        ({"action": "book", **_TICKET, "window": "2026-10-12 08-12"}, True),
        ({"action": "book", **_TICKET, "customer": "Berg"}, False),
        ({"action": "submit", **_TICKET}, False),
    ],
)
def test_so_it_is_where_an_argument_says_what_is_to_be_done(asked: dict[str, Any], is_over: bool) -> None:
    first = {"action": "book", **_TICKET, "window": "2026-10-11 08-12"}
    told = _failed(Session().calls("visits", '{"error": "no window"}', **first))
    assert [line.partition(" (")[0] for line in told] == ["failed: visits book"]
    session = Session().calls("visits", '{"error": "no window"}', **first)
    assert _failed(session.calls("visits", '{"ok": true}', **asked)) == ([] if is_over else told)
    later = Session().calls("visits", '{"ok": true}', **asked)
    assert _failed(later, tuple(told)) == ([] if is_over else told)


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


def test_columns_that_could_not_be_added_are_made_up_for_by_all_of_them() -> None:
    session = Session().calls("psql", "ERROR: no space", sql="alter table ships add a numeric(4,2) not null, add b int")
    assert len(_failed(session.calls("psql", "ALTER TABLE", sql="alter table ships add a int"))) == 1
    assert _failed(session.calls("psql", "ALTER TABLE", sql="alter table ships add column a numeric, add b int")) == []
    assert len(session.calls("psql", "ALTER TABLE", sql="alter table ships drop column a").texts()) == 2


def test_what_was_wrong_is_made_up_for_by_what_is_right() -> None:
    wrong = Session().calls("submit", "Wrong answer!", text="42")
    assert len(_failed(wrong)) == 1
    assert _failed(wrong.calls("submit", "Correct.", text="41")) == []
    told = Session().calls("exam", "Wrong answer!", action="submit", text="42")
    assert len(_failed(told)) == 1
    assert _failed(told.calls("exam", "Correct.", action="submit", text="41")) == []
    busy = Session().calls("delete_server", '{"error": "it is in use"}', server="atlas-3")
    assert len(_failed(busy.calls("delete_server", "{}", server="atlas-4"))) == 1
