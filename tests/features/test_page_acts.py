"""What a page says to have been done, in answer to a click of an agent in a browser."""

from __future__ import annotations

import pytest

from tests.features.working import Session


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('Clicked [e606]. Toast: "Draft D-7730 saved. Valid until Friday."', "Draft D-7730 saved"),
        ("Saved as draft QX-1188.", "Saved as draft QX-1188"),
        ("Your order #10234 has been placed!", "Your order #10234 has been placed"),
        ("Clicked. Claim CL991 was successfully submitted", "Claim CL991 was successfully submitted"),
    ],
)
def test_what_a_page_says_to_be_done_is_told_in_its_words(said: str, told: str) -> None:
    assert Session().calls("browser_click", said, ref="e6").texts() == [f'browser_click → "{told}"']


@pytest.mark.parametrize(
    "said",
    [
        "Form not submitted.",
        "Draft D-7730 could not be saved.",
        "Draft D-7730 was not saved.",
        "Order W-1002 will be sent tomorrow.",
        'Clicked link "Order W-1002 paid on Monday".',
        "Last order W-1002 confirmed.",
        "Shall draft D-7730 be deleted?",
        "Added to cart: 6 x GL-20418.",
        "You saved 1200 points since 2019.",
        "Order W-1002",
        "Changes saved.",
        "Order #12344 cancelled | Order #12343 confirmed",
        "Order #12344 cancelled. Order #12343 confirmed.",
        "Order #12344 cancelled. Open: order #12343.",
        "My orders:\nOrder #12344 cancelled",
        "These are yours.\nOrder #12344 cancelled",
        "My orders · Order #12344 cancelled",
        "Created by User2024",
        "Published in IEEE802",
        "Sent from iPhone 1234",
        "Posted at Quay1200",
        "Created on 20260102",
        "Order W-1002 placed. " + "More of the page. " * 40,
    ],
)
def test_what_a_page_shows_is_nothing_that_was_done(said: str) -> None:
    assert Session().calls("click", said, ref="e6").texts() == []


def test_what_was_typed_and_what_other_tools_say_is_not_told() -> None:
    session = Session().calls("type", 'Typed "Order W-1002 paid" into [e3].', text="Order W-1002 paid")
    assert session.calls("read_page", "Order W-1002 paid").texts() == []


@pytest.mark.parametrize(
    ("tool", "is_told"),
    [
        *(("tap", True), ("page_click", True), ("press_button", True), ("browser_press", True)),
        *(("select_rows", False), ("key_lookup", False), ("get_key", False), ("enter_text", False)),
        *(("last_click_info", False), ("type", False), ("read_press_release", False)),
    ],
)
def test_only_tools_that_click_or_press_do_something_on_a_page(tool: str, is_told: bool) -> None:
    assert len(Session().calls(tool, "Order W-1002 placed.", ref="e6").texts()) == is_told
