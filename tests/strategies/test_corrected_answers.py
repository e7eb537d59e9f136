"""A result before a request is kept with what the agent said later of its figures, and not in place of it."""

from __future__ import annotations

from compactor_cli.strategies.adaptive import must_keep
from tests.builders import assistant, call, calling_message, result, user
from tests.features.sessions import Told

WRONG = "Churn a month: basic 7.12 %, plus 5.21 %, team 3.89 %."
RIGHT = "I was wrong: 7.12, 5.21 and 3.89 are inflated by a join of both tables, please leave them out."


def answers(later: str) -> list[str]:
    told = Told(
        user("What is the churn?"),
        assistant(f"{WRONG}\nShall I plot it?"),
        user("Plot it, and check the join of it, as finance has other values."),
        calling_message(call("c1"), content=later),
        result("c1", "40"),
        assistant("The plot is in the folder of the deck."),
        user("Good, now write the caption of the plot for the deck."),
    )
    found = [told.lines.text(line) for lines in must_keep.answers(told.messages, told.lines) for line in lines]
    return [" ".join(found)] if found else []


def test_a_result_comes_with_what_corrects_it_in_the_middle_of_a_turn() -> None:
    (said,) = answers(RIGHT)
    assert said.index("basic 7.12 %") < said.index("7.12, 5.21 and 3.89 are inflated")


def test_a_true_result_stays_though_the_same_figures_come_again() -> None:
    (said,) = answers("The basic churn of 7.12 % and that of plus, 5.21 %, and of team, 3.89 %, are in the deck.")
    assert "basic 7.12 %" in said


def test_a_result_of_which_nothing_is_said_later_stays() -> None:
    (said,) = answers("The join has 40 rows, as it should have.")
    assert "basic 7.12 %" in said
    assert "Shall I plot it?" in said
