"""Which items of a numbered list a reply picks."""

from __future__ import annotations

import pytest

from compactor_cli.text.picked_items import picked_items, rejected_items

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


@pytest.mark.parametrize(
    "reply",
    [
        "I'd like to go with Option 2.",
        "I'd like to go with Option 2, the cheaper option.",
        "The second option, please.",
        "Option 2",
        "Yes, option 2. Thank you!",
        "I'll take option 2, thanks!",
        "Great! Please book me the second option.",
        "Ich nehme die zweite Option.",
        "选2",
    ],
)
def test_of_options_the_others_are_passed_over(reply: str) -> None:
    others = [TIGHT[start:end] for start, end in rejected_items(TIGHT, reply)]
    assert [text[:2] for text in others] == ["1.", "3."]


@pytest.mark.parametrize(
    "reply",
    [
        "2",
        "Begin with the second one.",
        "Options 1 and 2",
        "Which option is best?",
        "I don't want option 2.",
        "Not option 2, please.",
        "Anything but option 2",
        "Option 2 doesn't work for me.",
        "Skip option 1.",
        "Option 1 is out",
        "Nicht Variante 2!",
        "Bitte keine Option 1",
        "La opción 2 no me gusta",
        "不要选2",
        "What does option 3 cost with bags?",
        "Do you recommend option 2?",
        "Good plan, start with 1.",
        "I like your approach. Do step 2 first.",
        "I choose option B. Then rerun 3.",
        "Option 3 is close, but it's still above my budget.",
        "I like option 2 more if it has a window",
        "I would like to know more about option 2.",
        "Please explain option 2.",
        "Option 2 looks risky to me.",
        "Option 1 seems expensive. Show the rest again.",
        "take option 3 off the list",
        "Option 3 please explain.",
        "I have option 1 already, show me the rest",
        "Something more like option 2",
        "The first option is what we had before.",
        "Go with option 1 first, then do the others.",
        "Option 2 and all the rest",
        "Use option 1 as the fallback for the others",
        "Go with option 2 for now",
        "Go with option 1 plus Redis on top.",
        "use option 2 for prod and SQLite for dev",
    ],
)
def test_where_it_is_not_sure_that_one_option_is_taken_none_is_passed_over(reply: str) -> None:
    assert rejected_items(TIGHT, reply) == []


def test_the_parts_of_an_option_are_no_options() -> None:
    legs = "The fastest is **Option 2**:\n- **Flight 1:** DEN to LAS, HAT229\n- **Flight 2:** LAS to IAH, HAT266"
    assert rejected_items(legs, "I'd like to go with Option 2.") == []


def test_what_stands_behind_the_options_is_of_all_of_them() -> None:
    stores = "1. Redis\n2. Memcached\n   - quick\nBoth need port 6380.\nWhich?"
    assert [stores[start:end] for start, end in rejected_items(stores, "Option 1.")] == ["2. Memcached\n   - quick"]
