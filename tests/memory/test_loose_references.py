"""What makes a resolution unusable, to the letter."""

from __future__ import annotations

import pytest

from compactor_cli.memory.decontextualize import refers_back, resolution_fault

NEGATIONS = """
not never no none nobody nothing neither nor without cannot avoid avoids nicht nie niemals ohne kein keine pas jamais
sans nunca sin não sem нет не без isn't isn’t 不 没 別 ない
"""


@pytest.mark.parametrize("word", NEGATIONS.split())
def test_a_negation_is_neither_lost_nor_added(word: str) -> None:
    without, negated = "importer reads all rows", f"importer {word} reads all rows"
    assert resolution_fault(without, negated, without) == "a negation of the original is missing"
    assert resolution_fault(negated, without, without) == "a negation was added"
    assert resolution_fault(negated, negated, without) == ""


REFERENCES = """
it its itself that this these those they them their theirs he him his she her hers there here above below aforementioned
diese dieser jene jenem dort davon damit dafür daran darauf darin darüber dadurch deshalb erstere letzteres
cela ça ceci celui-ci celle-là ceux-ci eso esto aquello isso isto aquilo
它 这个 那个 这样 那样 他们 她们 それ これ あれ その この
"""
PHRASES = (
    "have one",
    "try one",
    "the one",
    "that ones",
    "the former",
    "the latter",
    "the same",
    "the other one",
    "the first one",
    "the last one",
    "as before",
    "as discussed",
    "you did",
    "I just did",
    "do so",
    "doing so",
)


@pytest.mark.parametrize("words", [*REFERENCES.split(), *PHRASES])
def test_what_may_stand_for_something_said_before(words: str) -> None:
    assert refers_back(f"Rows need {words} now.")
    assert not refers_back(f"Rows need x{words}x now.") or not words.isascii() or " " in words


@pytest.mark.parametrize(
    "words",
    [
        *(f"there {word} rows" for word in ("is", "are", "was", "were", "has", "have", "will", "can", "should")),
        "there's a row",
        *(f"{word} that rows stay" for word in ("so", "such", "now", "given", "agree", "ensured", "wish", "wished")),
        *(f"{word} that rows stay" for word in ("knew", "learned", "made sure", "want", "says", "guaranteed", "fear")),
    ],
)
def test_the_same_words_where_they_stand_for_nothing(words: str) -> None:
    assert not refers_back(words)


PRONOUNS = """
It Its That This These Those They Them Their He Him His She Her Cela Ça Ceci Eso Esto Isso Isto
它 这个 那个 それ これ あれ
"""


@pytest.mark.parametrize("begin", [*PRONOUNS.split(), "The former", "The latter"])
def test_a_resolution_must_not_begin_with_a_pronoun(begin: str) -> None:
    text = f"{begin} reads all rows"
    assert resolution_fault(text, text, "") == "the statement still begins with a pronoun"
    assert resolution_fault(f"Importer reads all rows of {begin}", f"Importer reads all rows of {begin}", "") == ""


def test_a_resolution_has_at_most_three_times_the_characters_and_80_more() -> None:
    original = "importer reads rows"
    longest = 3 * len(original) + 80
    assert resolution_fault(("importer reads rows " * 9)[:longest], original, "") == ""
    assert resolution_fault(("importer reads rows " * 9)[: longest + 1], original, "") == (
        "the statement is far longer than the original"
    )


def test_half_of_the_characters_and_of_the_words_are_enough() -> None:
    original = "importer reads rows, as it has to do so"
    half = "importer reads rows."
    assert 2 * len(half) == len(original) + 1
    assert resolution_fault(half[:-1], original, "") == "less than half of the statement is left"
    assert resolution_fault(half, original, "") == ""
    assert resolution_fault("amber basalt", "amber basalt cedar delta", "") == ""
    assert (
        resolution_fault("amber basalt reads", "amber cedar delta ember", "")
        == "it says something else than the original"
    )


def test_half_of_the_words_of_a_resolution_may_be_new() -> None:
    assert resolution_fault("amber basalt cedar delta", "amber basalt", "") == ""
    assert resolution_fault("amber basalt cedar delta ember", "amber basalt", "") == (
        "most of its words occur neither in the original nor in the messages before it"
    )
    assert resolution_fault("amber basalt of the user and the users of the assistant", "amber basalt", "") == ""


@pytest.mark.parametrize(
    ("fact", "other"),
    [("AWS", "AW"), ("RS256", "RS25"), ("12", "122"), ("1.5", "1"), ("`read_rows`", "`read_row_s`"), ("Dana", "Dan")],
)
def test_a_fact_is_there_only_as_a_whole(fact: str, other: str) -> None:
    original, changed = f"importer of {fact} reads all rows", f"importer of {other} reads all rows"
    assert resolution_fault(original, original, "") == ""
    assert "of the original is missing" in resolution_fault(changed, original, other)


@pytest.mark.parametrize(("said", "kept"), [("Dana", "Dana's"), ("Dana", "dana"), ("Danas", "Dana"), ("CSVs", "CSV")])
def test_a_genitive_a_plural_and_capitals_do_not_matter(said: str, kept: str) -> None:
    assert resolution_fault(f"importer of {kept} reads all rows", f"importer of {said} reads all rows", "") == ""


def test_three_facts_are_named_and_the_others_counted() -> None:
    words = resolution_fault("importer reads all rows", "importer reads 1 22 333 4444 55555 rows", "")
    assert words == "'1', '22', '333' and 2 more of the original is missing"
