"""What says again what stands before it has its turn later."""

from __future__ import annotations

from compactor_cli.features.talk import Statement
from compactor_cli.features.unrepeated import rank_unrepeated

WISH = "the shed has to be green like the fence"
RECAP = "Noted: the shed will be green like the fence."
OTHER = "we can only work on weekends"


def ranked(*said: tuple[str, float], speakers: str = "") -> list[int]:
    """The order of statements of eight tokens; `speakers`: a letter for each, `a` is an agent."""
    who = {"a": "assistant", "u": "user"}
    letters = speakers or "u" * len(said)
    statements = [
        Statement(at, who[letter], text) for at, (letter, (text, _)) in enumerate(zip(letters, said, strict=True))
    ]
    return list(rank_unrepeated(statements, [value for _, value in said], [8] * len(said)))


def test_a_repeated_statement_comes_behind_one_that_says_something_else() -> None:
    assert ranked((WISH, 0.9), (RECAP, 0.8), (OTHER, 0.6), speakers="uau") == [0, 2, 1]
    assert ranked(("a b c d", 0.9), (RECAP, 0.8), (OTHER, 0.6), speakers="uau") == [0, 1, 2]


def test_of_what_is_said_again_word_for_word_the_newest_counts() -> None:
    assert ranked((WISH, 0.9), (OTHER, 0.6), (WISH, 0.5)) == [1, 2]
    assert ranked((WISH, 0.9), (OTHER, 0.6), (WISH, 0.5), speakers="uua") == [0, 1, 2]


def test_short_statements_come_first_and_of_equal_ones_the_newest() -> None:
    statements = [Statement(at, "user", text) for at, text in enumerate(("one", "two", "three"))]
    assert list(rank_unrepeated(statements, [0.5, 0.5, 0.5], [9, 90, 9])) == [2, 0, 1]


def test_texts_without_words_have_their_turn() -> None:
    assert sorted(ranked(("", 0.1), ("...", 0.2), (WISH, 0.3))) == [0, 1, 2]
