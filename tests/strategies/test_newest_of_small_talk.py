"""Of the newest message of small talk what is small talk makes way for what has to be remembered."""

from __future__ import annotations

import pytest

from compactor_cli import api
from compactor_cli.errors import BudgetError
from compactor_cli.settings import Settings
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


def test_a_newest_message_without_a_word_is_refused_where_it_has_no_room() -> None:
    source = api.load(jsonl({"role": "user", "content": [{"type": "text", "text": ""}]}), tokenizer="chars")
    with pytest.raises(BudgetError) as refused:
        api.compact(source, Settings(strategy="adaptive", target_tokens=1), tokenizer="chars")
    assert refused.value.floor == source.tokens


@pytest.mark.parametrize("signs", ["!" * 100, "\N{HORIZONTAL ELLIPSIS}" * 40, "\u200b" * 20], ids=ascii)
@pytest.mark.parametrize("ratio", [0.08, 0.1])
def test_a_newest_message_without_any_word_stays(signs: str, ratio: float) -> None:
    assert kept(signs, ratio).endswith(signs)


def test_where_there_is_room_the_newest_message_stays_whole() -> None:
    newest = f"{IDLE} {ASKS}"
    assert newest in kept(newest, 0.65)


def test_all_that_has_to_be_done_stays_before_older_words() -> None:
    asked = "Make a list of the guests for Petra. Put the names of the children behind their parents."
    said = [record for told, answer in TALK[:4] for record in (user(told), assistant(answer))]
    for at, told in enumerate(("Petra keeps the list of the guests.", "The hall has 48 chairs.", RULE)):
        said[2 * at]["content"] += f" {told}"
    part = compacted(jsonl(*said, user(f"{IDLE} {asked}")), 0.22)
    text = "\n".join(message.text() for message in part.messages)
    assert asked in text
    assert "tuba" not in text


@pytest.mark.parametrize("ratio", [0.15, 0.2, 0.23])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The light blinks red.", "I looked again, the light blinks orange and not red."),
        ("We have 12 workers.", "I looked it up, we have 16 workers and not 12."),
    ],
)
def test_what_was_said_stays_only_with_what_changes_it_in_any_words(old: str, new: str, ratio: float) -> None:
    said = [record for told, answer in TALK[:6] for record in (user(told), assistant(answer))]
    said[0]["content"] += f" {old}"
    said[8]["content"] += f" {new}"
    text = "\n".join(message.text() for message in compacted(jsonl(*said, user("Bye!")), ratio).messages)
    assert new in text


NEVER_ALONE = [
    ("We eat at nine.", "No, we eat at half past ten, the ferry comes in late and Ines has to walk up from there."),
    ("Der Zug fährt am Montag.", "Der Zug fährt doch erst am Freitag, die Strecke ist bis dahin wegen Holz gesperrt."),
    ("El ensayo es el martes.", "Al final el ensayo es el jueves, porque la sala está ocupada por los de teatro."),
]


@pytest.mark.parametrize("ratio", [0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2])
@pytest.mark.parametrize(("old", "new"), NEVER_ALONE)
def test_what_is_said_anew_goes_with_what_changes_it(old: str, new: str, ratio: float) -> None:
    said = [record for told, answer in TALK[:6] for record in (user(told), assistant(answer))]
    said[4:4] = [user(old), assistant("All right.")]
    said[10:10] = [user(new), assistant("Noted.")]
    text = "\n".join(message.text() for message in compacted(jsonl(*said, user("Bye!")), ratio).messages)
    assert old not in text or new in text


def test_what_is_said_anew_stays_with_what_changes_it() -> None:
    old, new = NEVER_ALONE[0]
    said = [record for told, answer in TALK[:4] for record in (user(told), assistant(answer))]
    said[4:4] = [user(old), assistant("All right."), user(new), assistant("Noted.")]
    text = "\n".join(message.text() for message in compacted(jsonl(*said, user("Bye!")), 0.4).messages)
    assert old in text
    assert new in text
