"""In talk, what the user tells of a change stands before what it changes, and this not without it."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.adaptive.replaced_statements import find_newer, newer_first
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
    return [(text(line), [*map(text, others)]) for line, others in find_newer(told.messages, told.lines).items()]


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
        ("The meeting with the landlord is on Friday", "they have postponed the meeting with him until Monday"),
        ("Die Prüfung ist am Donnerstag um zehn", "die Prüfung wurde verschoben, auf Freitag"),
        ("발표는 다음 주 목요일 오후 두 시예요.", "아까 목요일이라고 했는데 금요일로 바뀌었어요."),
        ("会议是六月十六号上午。", "领导说，六月十六号太赶了，改成六月十八号。"),
        ("Please paint the kitchen in yellow", "On second thoughts, leave the kitchen as it is"),
        ("The rehearsal is at 10:30 in the hall", "I told you 10:30 for the rehearsal, it is 11:45"),
        ("The rehearsal is at 10:30 in the hall", "the rehearsal was moved to 11am"),
        ("The rehearsal is in Room 3 of the annex", "they changed the rehearsal to room 5"),
        ("We need 12 chairs for the choir", "the choir order was changed to 15 chairs"),
        ("The choir meets in the annex", "I said the choir needs the annex, but it does not"),
        ("La réunion est jeudi, à la mairie", "la réunion est reportée à lundi"),
    ],
)
def test_a_sentence_that_tells_of_a_change_is_of_what_it_changes(old: str, new: str) -> None:
    assert found(old, new) == [(old, [new])]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My brother Anton lives in Oslo", "I told you about my brother, he now has a dog"),
        ("My brother Anton lives in Oslo", "I told you my brother plays chess"),
        ("We lived in Berlin for ten years", "We moved to Berlin in 2019"),
        ("The novel is about Lisbon in spring", "I wrote a novel about Lisbon last year"),
        ("The parser branch has three tests", "I pushed the parser branch to origin"),
        ("The parser of ours is on Kotlin", "the company moved the parser to Java on Monday"),
        ("The meeting is at 10:30 in the office", "They moved the meeting to Monday"),  # of another kind
        ("The meeting is on Monday in the office", "They moved the meeting to Monday"),  # the same
        ("The garden is nice on Saturday", "J'ai dit à ma sœur que le jardin est en garden"),
        ("Mein Vater ist Arzt in Bonn", "Ich habe gesagt, dass mein Vater Arzt ist"),
        ("Das Haus am Markt ist alt", "Das Haus wurde verlegt"),
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
    anew = {5: [7], 7: [8], 9: (), 11: [7]}
    assert [*newer_first([5, 9, 11, 5], anew, told.lines, lambda line: 40)] == [8, 7, 5, 9, 11, 5]


@pytest.mark.parametrize(("size", "ahead"), [(22, 2), (1_500, 1)])
def test_changes_of_changes_are_walked_once_each(size: int, ahead: int) -> None:
    told = Told(user("\n".join(f"line {at} of the plan" for at in range(size + ahead))))
    looked_up: list[int] = []

    class Changes(dict[int, range]):
        def get(self, key: int, default: object = None) -> range:
            looked_up.append(key)
            return super().get(key, range(0))

    anew = Changes({at: range(at + 1, at + 1 + ahead) for at in range(size)})
    newest = [*newer_first(range(size), anew, told.lines, lambda line: 40)]
    assert newest[: size + ahead] == [*range(size + ahead - 1, -1, -1)]
    assert len(looked_up) == size + ahead
