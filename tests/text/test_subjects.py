"""Which sentences of a user may take the place of earlier ones."""

from __future__ import annotations

import pytest

from compactor_cli.text.subjects import changed_name_pairs, changed_value_pairs, later_replacements

PAIRS = [
    ("I would prefer to leave on a Tuesday.", "Leaving on a Thursday is better for us, so take that."),
    ("We stay in Rome for the night.", "No, we will stay in Milan instead."),
    ("Wir fahren mit Lufthansa nach Wien.", "Dann fahren wir eben mit Ryanair, das ist billiger."),
    ("Rends-le à Camille avant midi.", "Finalement rends-le à Sandrine, elle passe ce soir."),
]
VALUES = [
    ("Take the ferry at 7:20.", "We missed that, so the ferry of 9:05 it is."),
    ("There will be five guests.", "It has become seven guests by now."),
    ("会場は駅前です。", "会場は体育館になりました。"),
    ("회의실은 3층이에요.", "회의실은 지하로 바뀌었어요."),
]
OTHER_VALUES = [
    ("Take the ferry at 7:20.", "Dinner is at 9:05."),
    ("Take the ferry at 7:20.", "The ferry at 7:20 has a bar."),
    ("There will be five guests.", "The guests like seven dishes."),
    ("会場は駅前です。", "駅前は混んでいます。"),
]
OTHERS = [
    ("I would prefer to leave on a Tuesday.", "Send it on a Thursday, please."),
    ("I would prefer to leave on a Tuesday.", "Leaving on a Tuesday is fine."),
    ("We stay in Rome for the night.", "We stay with Milan and Anna."),
    ("We stay in Rome for the night.", "We will stay for long."),
]


@pytest.mark.parametrize(("earlier", "later"), PAIRS)
def test_a_sentence_with_another_name_in_its_place_may_replace_one(earlier: str, later: str) -> None:
    assert later_replacements([earlier, "Thanks so far.", later])[0] == (2,)


@pytest.mark.parametrize(("earlier", "later"), OTHERS)
def test_one_with_the_same_name_another_place_or_another_matter_does_not(earlier: str, later: str) -> None:
    assert changed_name_pairs([earlier, later]) == []


def test_of_many_names_behind_one_word_the_nearest_are_looked_at() -> None:
    said = [f"We stay in {chr(65 + n % 26)}{chr(97 + n // 26) * 3} this week." for n in range(400)]
    assert 400 < len(changed_name_pairs(said)) <= 400 * 40


@pytest.mark.parametrize(("earlier", "later"), VALUES)
def test_a_sentence_with_another_value_of_the_same_may_replace_one(earlier: str, later: str) -> None:
    assert later_replacements([earlier, "Thanks so far.", later])[0] == (2,)


@pytest.mark.parametrize(("earlier", "later"), OTHER_VALUES)
def test_one_with_the_same_value_or_one_of_something_else_does_not(earlier: str, later: str) -> None:
    assert changed_value_pairs([earlier, later]) == []
