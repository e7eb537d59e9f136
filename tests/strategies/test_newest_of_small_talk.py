"""Of the newest message of small talk what is small talk makes way for what has to be remembered."""

from __future__ import annotations

import pytest

from tests.builders import assistant, jsonl, user
from tests.strategies.test_rules_in_small_talk import TALK, compacted

RULE = "Invoices go to Petra before anybody pays them."
IDLE = (
    "The lift is broken again, so I walked up six floors with a bicycle under my arm. My neighbour has bought a tuba "
    "and I have never slept so little."
)
ASKS = "What would you do in my place?"


def chat(newest: str) -> bytes:
    said = [record for asked, answer in TALK[:4] for record in (user(asked), assistant(answer))]
    said[4]["content"] += f" {RULE}"
    return jsonl(*said, user(newest))


def kept(newest: str, ratio: float) -> str:
    part = compacted(chat(newest), ratio)
    assert part.target is not None
    assert part.tokens <= part.target
    return "\n".join(message.text() for message in part.messages)


@pytest.mark.parametrize("ratio", [0.17, 0.2])
def test_the_question_of_the_newest_message_stays_and_not_the_small_talk_around_it(ratio: float) -> None:
    text = kept(f"{IDLE} {ASKS}", ratio)
    assert RULE in text
    assert text.endswith(ASKS)
    assert "tuba" not in text


@pytest.mark.parametrize(
    "asked", ["Please write the minutes of the meeting with Oslo.", "Now translate all of it to Danish."]
)
def test_a_request_of_the_newest_message_stays(asked: str) -> None:
    text = kept(f"{IDLE} {asked}", 0.2)
    assert asked in text
    assert "tuba" not in text


def test_what_is_needed_in_the_newest_message_stays_beside_its_question() -> None:
    rule = "Refunds above 90 euros need a signature of Ines."
    text = kept(f"{IDLE} {rule} {ASKS}", 0.25)
    assert rule in text
    assert text.endswith(ASKS)


def test_a_newest_message_that_alone_is_too_large_is_cut_and_not_refused() -> None:
    text = kept(f"{IDLE} {IDLE.replace('six', 'nine')} {ASKS}", 0.1)
    assert text.endswith(ASKS)


def test_where_there_is_room_the_newest_message_stays_whole() -> None:
    newest = f"{IDLE} {ASKS}"
    assert newest in kept(newest, 0.6)
