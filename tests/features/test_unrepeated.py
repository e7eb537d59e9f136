"""What says again what stands before it has its turn later."""

from __future__ import annotations

from compactor_cli.features.unrepeated import rank_unrepeated

WISH = "the shed has to be green like the fence"
RECAP = "Noted: the shed will be green like the fence."
OTHER = "we can only work on weekends"


def test_a_repeated_statement_comes_behind_one_that_says_something_else() -> None:
    order = list(rank_unrepeated([WISH, RECAP, OTHER], [0.9, 0.8, 0.6], [9, 9, 9]))
    assert order == [0, 2, 1]
    assert list(rank_unrepeated(["a b c d", RECAP, OTHER], [0.9, 0.8, 0.6], [9, 9, 9])) == [0, 1, 2]


def test_what_stands_anyway_is_worth_less() -> None:
    assert next(rank_unrepeated([WISH, OTHER], [0.7, 0.6], [9, 9])) == 0
    assert next(rank_unrepeated([WISH, OTHER], [0.7, 0.6], [9, 9], known=WISH)) == 1


def test_short_statements_come_first_and_of_equal_ones_the_newest() -> None:
    assert list(rank_unrepeated(["one", "two", "three"], [0.5, 0.5, 0.5], [9, 90, 9])) == [2, 0, 1]


def test_texts_without_words_have_their_turn() -> None:
    assert sorted(rank_unrepeated(["", "...", WISH], [0.1, 0.2, 0.3], [0, 1, 9])) == [0, 1, 2]
