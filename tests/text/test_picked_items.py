"""Which items of a numbered list a reply picks."""

from __future__ import annotations

import pytest

from compactor_cli.text.picked_items import picked_items

TIGHT = """Here are the flights:

1. **Option 1:**
   - HAT110 at 14:00, $295

2. **Option 2:**
   - HAT172 at 23:00, $207

3. **Option 3:**
   - HAT139 at 17:00, $216

Which one shall I book?"""
SECTIONS = """Two ways:

## Plan 1: a lock

We hold a lock.

It is slow.

## Plan 2: a queue

We queue the writes.

It is quick."""


def picked(answer: str, reply: str) -> list[str]:
    return [answer[start:end] for start, end in picked_items(answer, reply)]


@pytest.mark.parametrize(
    "reply",
    [
        "I'd like to go with Option 2, the cheaper one.",
        "2",
        "2: yes",
        "Option 2: the late one",
        "option two",
        "No.2",
        "选2",
        "The second one, please.",
        "Nimm die zweite.",
        "I take 2, please.",
    ],
)
def test_the_item_with_its_lines_is_picked(reply: str) -> None:
    assert picked(TIGHT, reply) == ["2. **Option 2:**\n   - HAT172 at 23:00, $207"]


@pytest.mark.parametrize("reply", ["#3 it is", "the last one", "3."])
def test_the_last_item_ends_before_what_is_said_behind_the_list(reply: str) -> None:
    assert picked(TIGHT, reply) == ["3. **Option 3:**\n   - HAT139 at 17:00, $216"]


def test_several_may_be_picked() -> None:
    assert [item[:2] for item in picked(TIGHT, "1 and 3 look fine")] == ["1.", "3."]
    assert [item[:2] for item in picked(TIGHT, "Options 1, 2")] == ["1.", "2."]


def test_a_section_has_all_of_its_paragraphs() -> None:
    assert picked(SECTIONS, "plan 2") == ["## Plan 2: a queue\n\nWe queue the writes.\n\nIt is quick."]
    assert picked(SECTIONS, "Plan 1!")[0].endswith("It is slow.")


@pytest.mark.parametrize(
    "reply",
    [
        "Yes, please.",
        "It costs $2 more",
        "at 2:30 then",
        "2% is too much",
        "v2 of it",
        "option 7",
        "2 " + "words " * 50,
    ],
)
def test_other_replies_pick_nothing(reply: str) -> None:
    assert picked(TIGHT, reply) == []


def test_without_a_list_of_several_nothing_is_picked() -> None:
    assert picked("1. Only this.", "1") == []
    assert picked("I found 3 of them. Which 2 do you want?", "the second") == []
    assert picked("2. Second\n3. Third", "2") == []


def test_of_several_lists_the_last_one_is_meant() -> None:
    done = "I did this:\n\n1. Read the store.\n2. Ran the tests.\n3. Found the lock.\n\n"
    assert picked(f"{done}Options:\n\n1. Drop the lock\n2. Use a queue\n\nWhich?", "option 2") == ["2. Use a queue"]
    assert picked(f"{done}{TIGHT}", "option 3") == ["3. **Option 3:**\n   - HAT139 at 17:00, $216"]
    assert picked(f"{done}Shall I go on with step\n1. now?", "2") == ["2. Ran the tests."], "one item is no list"


def test_prose_and_code_that_begin_with_a_number_are_no_items() -> None:
    hotels = "1. Ritz, suite\n2 nights, $900\n2. Ibis, double\n2 nights, $200"
    assert picked(hotels, "the second") == ["2. Ibis, double\n2 nights, $200"]
    assert picked("```\n1. passed\n2. failed\n```\nGo on?", "2") == []


def test_lines_may_end_as_on_windows() -> None:
    assert picked("1. Split\r\n2. Shard\r\n\r\nWhich one?", "the last one") == ["2. Shard"]
