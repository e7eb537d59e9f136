"""In talk, what the user tells of a change stands before what it changes, and this not without it."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.adaptive.said_anew import anew_first, said_anew
from tests.builders import assistant, compact, jsonl, user
from tests.features.sessions import Told

OLD = "I was thinking of baking something for the birthday of my sister on Saturday"
NEW = "actually I said Saturday, but mum just texted, they've moved it to Sunday because Dave has to work"
CHATTER = [
    ("slept terribly, the dog next door barked until three", "That sounds rough, poor you."),
    ("we watched that new detective thing last night, everyone was very damp", "Damp is the genre!"),
    ("it was the vicar in the end, and I was livid about it", "The vicar! That is cheating."),
    ("the tram was late again and full of people with umbrellas", "A day for staying in."),
]


def chat(old: str = OLD, new: str = NEW) -> list[dict[str, object]]:
    turns = [*CHATTER[:1], (old, "A rainy day is perfect for that."), *CHATTER[1:3], (new, "So it is."), *CHATTER[3:]]
    records = [record for said, answer in turns for record in (user(said), assistant(answer))]
    return [*records, user("haha. right, give me the full recipe then please")]


def found(old: str, new: str) -> list[tuple[str, list[str]]]:
    told = Told(*chat(old, new))
    text = told.lines.text
    return [(text(line), [*map(text, others)]) for line, others in said_anew(told.messages, told.lines).items()]


@pytest.mark.parametrize("ratio", [0.3, 0.35, 0.4, 0.45, 0.5, 0.6])
def test_what_was_changed_does_not_stand_without_the_change(ratio: float) -> None:
    (part,) = compact(jsonl(*chat()), target_ratio=ratio).parts
    text = "\n".join(message.text() for message in part.messages)
    assert (OLD in text) <= (NEW in text)


@pytest.mark.parametrize("ratio", [0.4, 0.5])
def test_the_change_stands(ratio: float) -> None:
    (part,) = compact(jsonl(*chat()), target_ratio=ratio).parts
    assert NEW in "\n".join(message.text() for message in part.messages)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, NEW),
        ("The meeting with the landlord is at three", "they have postponed the meeting with him until Monday"),
        ("Die Prüfung ist am Donnerstag um zehn", "die Prüfung wurde verschoben, auf Freitag"),
        ("발표는 다음 주 목요일 오후 두 시예요.", "아까 목요일이라고 했는데 금요일로 바뀌었어요."),
        ("会议是六月十六号上午。", "领导说，六月十六号太赶了，改成六月十八号。"),
        ("Please paint the kitchen in yellow", "On second thoughts, leave the kitchen as it is"),
        ("La réunion est jeudi, à la mairie", "la réunion est reportée à lundi"),
    ],
)
def test_a_sentence_that_tells_of_a_change_is_of_what_it_changes(old: str, new: str) -> None:
    assert found(old, new) == [(old, [new])]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, "as I said, Saturday is when we bake"),
        (OLD, "I said no to the vicar on Saturday"),
        (OLD, "on Saturday we saw the sea, and it moved me"),
        (OLD, "Saturday is still fine with all of us"),
        (OLD, "Dave moved to Leeds for his new work"),  # of nothing that was told
        (OLD, "should we say that they moved it from Saturday to Sunday?"),  # asks
        ("Could we bake on Saturday?", NEW),
        (OLD, "my cousin has changed a lot, he wants to help on Saturday"),
        ("会议是六月十六号上午。", "他说过颜色不好看。"),
        ("안녕하세요! 반가워요.", "부장님은 바뀌었다는 말을 싫어하세요."),
    ],
)
def test_other_sentences_tell_of_no_change_to_it(old: str, new: str) -> None:
    assert not found(old, new)


def test_a_change_comes_first_and_the_change_of_that_before_it() -> None:
    told = Told(*chat())
    newest = anew_first([5, 9], {5: [7], 7: [8], 9: ()}, told.lines, lambda line: 40)
    assert [*newest] == [8, 7, 5, 9]
