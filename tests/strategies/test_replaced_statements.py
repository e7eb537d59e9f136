"""In talk, what the user tells of a change stands before what it changes, and this not without it."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.adaptive.replaced_statements import newer_first
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


@pytest.mark.parametrize("ratio", [0.3, 0.35, 0.4, 0.45, 0.5, 0.6])
def test_what_was_changed_does_not_stand_without_the_change(ratio: float) -> None:
    (part,) = compact(jsonl(*chat()), target_ratio=ratio).parts
    text = "\n".join(message.text() for message in part.messages)
    assert (OLD in text) <= (NEW in text)


@pytest.mark.parametrize("ratio", [0.4, 0.5])
def test_the_change_stands(ratio: float) -> None:
    (part,) = compact(jsonl(*chat()), target_ratio=ratio).parts
    assert NEW in "\n".join(message.text() for message in part.messages)


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
