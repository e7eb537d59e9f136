"""Lines of acts by which a reader knows what they were about."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.adaptive.must_keep import fit_state
from compactor_cli.summary_text.state_line import StateLine
from tests.features.working import Session


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("npm publish --tag v4.1 --otp 123456", "npm publish v4.1"),
        ("npm publish --access public", "npm publish"),
        ("cargo publish -p parser", "cargo publish parser"),
        ("npm publish ./dist --registry https://r.example", "npm publish ./dist"),
        ("yarn npm publish", "yarn publish"),
    ],
)
def test_what_was_published_is_told(command: str, told: str) -> None:
    assert Session().runs(command, "ok").texts("effect") == [told]


def test_the_number_of_a_booking_stands_with_what_was_booked() -> None:
    said = '{"booking": "BK-12345", "bookings_left": 3, "status": "confirmed"}'
    assert Session().calls("book_hotel", said, hotel_id="HTL-42").texts("effect") == [
        "book_hotel HTL-42 (booking BK-12345)"
    ]


def test_the_number_of_a_request_stands_behind_what_is_asked_for() -> None:
    said = '{"status": "pending_approval", "request": "rq7711"}'
    session = Session().calls("transfer_money", said, from_account="DE1 3", amount=5, reference="INV-9")
    line = "waits: transfer_money (reference INV-9, from_account DE1 3, amount 5, as rq7711): pending_approval"
    assert session.texts("effect") == [line]
    state = [StateLine("effect", line, 1, open=True)]
    short = [each.text for each in fit_state(70, state, len, lambda _: False)]
    assert short == ["waits: transfer_money (reference INV-9): pending_approval"]
