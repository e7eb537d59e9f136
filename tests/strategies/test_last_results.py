"""The results with which everything ends in a small room come before older words."""

from __future__ import annotations

import json

import pytest

from compactor_cli.model.message import Message
from compactor_cli.strategies.adaptive.required import bare_replies
from compactor_cli.text.json_values import without_blanks
from tests.builders import assistant, call, calling_message, compact, jsonl, result, user
from tests.pipeline.sessions import load

WORDS = [
    "the barge reports no position since the lock, and we sail on friday, so this has to be sorted out before",
    "the plug of the aerial is fine, my mate looked at it twice, and the lamp above the door is green too",
    "no, we have not changed anything on board since the yard, apart from the paint of the wheelhouse",
    "and please no calls at night, my mate sleeps in the cabin right below the telephone and wakes up",
]
CHECKS = [
    {"name": "power", "result": "ok"},
    {"name": "aerial", "result": "ok"},
    {"name": "firmware", "result": "ok"},
    {"name": "almanac", "result": "ok"},
    {"name": "gateway", "result": "refused", "expected": "gw4.tide.example", "found": "gw1.tide.example"},
    {"name": "clock", "result": "ok"},
    {"name": "storage", "result": "ok"},
    {"name": "licence", "result": "ok"},
]
RESULT = json.dumps({"unit": "U-7714", "checks": CHECKS})
SESSION = [record for words in WORDS for record in (user(words), assistant("I see, and I take a note of it."))]
ASKED = [user("is it fixed now?"), calling_message(call("c1", "run_checks", json.dumps({"unit": "U-7714"})))]


def told(target: int, *records: dict[str, object]) -> list[str]:
    lines = compact(jsonl(*records), strategy="adaptive", target_tokens=target).data.splitlines()
    return [without_blanks(str(json.loads(line)["content"])) for line in lines]


@pytest.mark.parametrize("target", [160, 170])
def test_the_last_result_has_room_before_older_words(target: int) -> None:
    messages = told(target, *SESSION, *ASKED, result("c1", RESULT))
    assert without_blanks(RESULT) in messages[-1]
    assert all(words not in messages for words in WORDS[:2])


@pytest.mark.parametrize("target", [130, 150])
def test_a_third_of_the_room_is_for_what_the_user_said_before_the_last_result(target: int) -> None:
    messages = told(target, *SESSION, *ASKED, result("c1", RESULT))
    assert any(WORDS[-1] in words for words in messages[:-1])
    assert "gw4.tide.example" in messages[-1]
    assert without_blanks(RESULT) not in messages[-1]


def requests(*said: str) -> list[str]:
    """Return which of the user's words say nothing without the question that stands before them."""
    records = [user("Move my mooring, please."), assistant("Which one do you want?")]
    for words in said:
        records += [user(words), assistant("Shall I go on?")]
    messages: list[Message] = list(load([*records, user("fine")]).transcripts[0].messages)
    return [messages[index].text("text") for index in sorted(bare_replies(messages))]


def test_a_word_or_two_that_answer_a_question_say_nothing_alone() -> None:
    assert requests(
        "the northern one", "yes", "确认", "número 14", "M_77", "not before we have paid the harbour dues"
    ) == [
        "the northern one",
        "yes",
        "确认",
    ]


@pytest.mark.parametrize("target", (130, 160, 200))
def test_such_a_word_makes_way_where_not_all_has_room(target: int) -> None:
    asked = [assistant("Shall I reset the unit?"), user("yes"), assistant("It is reset, and it starts anew.")]
    messages = told(target, *SESSION, *asked, *ASKED, result("c1", RESULT))
    assert "yes" not in messages
    assert "is it fixed now?" in messages
