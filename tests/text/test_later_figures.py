"""A statement, and the later one that speaks of its figures again."""

from __future__ import annotations

import pytest

from compactor_cli.text.later_figures import later_on_figures
from tests.cost import count_calls


@pytest.mark.parametrize(
    ("said", "later"),
    [
        (
            "The pool of quotes is full (100/100) since 13:32.",
            "At 15 s the pool reaches 100/100 at 13:33:15, not 13:32.",
        ),
        ("L3 says column I includes the bonus, row 8 has −980.", "The bonus note in L3 is old: row 8 has all of it."),
        ("Basic 7.12 %, plus 5.21 %, team 3.89 %.", "The values 7.12 / 5.21 / 3.89 are inflated, don't use them."),
        ("The rounding in compute_tax_3 is wrong.", "Mended: compute_tax_3 now rounds its total half up."),
        ("Die Pauschale beträgt 1.260 Euro im Jahr.", "Dann sind es 171 Tage, also 1.026 Euro statt 1.260 Euro."),
        ("差は 12,429 件です。", "12,429 件の差は stg にありません。"),
        ("The figure 4711 of the gate is right.", "The figure 4711 of the gate is wrong."),
        ("Room 4711 from 13:32 on, with a meal: Yes. Paid: by Ann.", "Room 4711 from 13:32 on, with a meal: No. Paid."),
        ("It takes 14 days and 12 hours.", "It takes 12 hours and 15 days, not 14."),
        ("Gate v7 has 37 leaks at 10:42.", "At 10:42 gate v7 had no leaks, the 37 are old."),
    ],
)
def test_what_is_said_later_of_the_same_figures_belongs_to_a_statement(said: str, later: str) -> None:
    between = (4, "The meeting with the supplier was moved to Monday.")
    assert later_on_figures([(2, said), between, (6, later)]) == [(2,), (), ()]


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("Room 12 is booked for the 4th.", "Room 14 is booked for the 5th."),
        ("The tests of part 3 take 2 s.", "Part 7 has 2 tests in 3 files."),
        ("The move is on May 24.", "The 24 chairs are in the cellar."),
        ("Tax 19 %, fee 35 EUR, rent 1,150, deposit 3,450.", "The rent of the flat is 1,150 from now on."),
        ("The figures look good.", "The figures look bad."),
        ("The 2023 report shows growth.", "The growth of 2023 is in the chart."),
        ("The parser has 12 tests.", "The lexer and the parser have 12 tests."),
    ],
)
def test_what_is_said_of_something_else_does_not(said: str, later: str) -> None:
    assert later_on_figures([(2, said), (6, later)]) == [(), ()]


def test_sentences_of_one_message_do_not_correct_each_other() -> None:
    assert later_on_figures([(2, "The pool is full since 13:32."), (2, "At 13:32 the pool was full.")]) == [(), ()]


def test_looking_for_it_costs_no_more_than_the_statements() -> None:
    def calls(count: int) -> int:
        said = [(n, f"Step {n} takes {n + 7} ms, {n}.5 % of the limit of lane {n % 9}.") for n in range(count)]
        return count_calls(lambda: later_on_figures(said))

    assert calls(800) < 2.3 * calls(400)


def test_a_figure_that_many_statements_have_names_none_and_costs_nothing() -> None:
    def said(count: int) -> list[tuple[int, str]]:
        return [(n, f"Row {at} of the gates has 4711 and 812 bolts.") for n in (1, 2, 3) for at in range(count)]

    assert count_calls(lambda: later_on_figures(said(200))) < 2.3 * count_calls(lambda: later_on_figures(said(100)))
    assert later_on_figures([(1, "The gate has 812 bolts."), (2, "Of 812 bolts of the gate 3 are old.")])[0] == (1,)
    (first, *_) = later_on_figures([(1, "The gate has 812 bolts."), *((2, f"812 bolts, {n}") for n in "abcdefgh")])
    assert first == ()
