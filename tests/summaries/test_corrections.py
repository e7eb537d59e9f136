"""A finding of the agent stands in a summary only together with what corrects it; a nod with what it answers."""

from __future__ import annotations

import pytest

from compactor_cli.summaries.items import SummaryItem, with_corrections, without_incomplete
from compactor_cli.summaries.sections import candidates
from tests.pipeline.sessions import assistant, filler, transcript, user
from tests.summaries.texts import summarize

WRONG = "L3 says column I includes the bonus, while row 8 of `Opex` has another -980 for it."
THEN = "So -980 must come out."
RIGHT = "The formulas of column I have no bonus in them: the note in L3 is old, and row 8 is right."
TALK = [
    user("Does the sheet count the bonus twice?"),
    assistant(f"{WRONG} {THEN}"),
    user("Is that sure?"),
    assistant(RIGHT),
    user("Then leave it as it is, and read the sheet of the board."),
    assistant("The board sees 38,950 of revenue, a margin of 9.5 % and 214 heads at the end of the year."),
    user("Good, I will tell them so in the meeting of Monday."),
]


@pytest.mark.parametrize("budget", range(60, 420, 20))
def test_a_finding_does_not_stand_without_what_corrects_it(budget: int) -> None:
    summary = summarize(transcript(TALK).messages, budget)
    assert RIGHT in summary or (WRONG not in summary and THEN not in summary)


def test_what_corrects_a_finding_is_worth_as_much_and_both_stand_where_they_have_room() -> None:
    items = {
        item.text.strip('"'): item for item in with_corrections(candidates(transcript(TALK).messages, frozenset()))
    }
    assert items[RIGHT].bonus >= items[WRONG].bonus
    assert items[WRONG].needs == items[THEN].needs == (RIGHT.lower(),)
    summary = summarize(transcript(TALK).messages, 900)
    assert all(said in summary for said in (WRONG, THEN, RIGHT))


def test_what_was_said_later_corrects_though_it_stands_first_among_the_lines() -> None:
    said, later = (SummaryItem("Done", f'"{text}"', (at,), 1000 * at) for at, text in ((1, WRONG), (3, RIGHT)))
    assert [item.needs for item in with_corrections([later, said])] == [(), (RIGHT.lower(),)]


def test_what_needs_a_line_that_needs_another_goes_with_both() -> None:
    last, middle, first = (
        SummaryItem("Done", text, (), 0, needs=needs) for text, needs in (("c", ("d",)), ("b", ("c",)), ("a", ("b",)))
    )
    assert without_incomplete([first, middle, last]) == []
    other = SummaryItem("Done", "d", (), 0)
    assert without_incomplete([first, middle, last, other]) == [first, middle, last, other]


OLD = (
    "The valve behind the wall of hall 21 is tight since its seal was changed.",
    "Pump 7 lost oil on Tuesday, as the screw of its lid was loose.",
    "Nobody had written down when the boiler was cleaned last.",
    "The meter near the gate counts litres, and the others count gallons.",
    "A new filter costs 48 EUR and comes from Bremen within a week.",
    "Sensor readings jump whenever the crane passes above the tank.",
)


@pytest.mark.parametrize("budget", range(170, 600, 70))
def test_in_a_second_round_what_the_work_came_to_has_room_before_lines_of_the_first(budget: int) -> None:
    came_to = "All halls are tight now, and the report is signed by the inspector."
    done = "\n".join(f'- "{said}" [#{3 * n + 4}]' for n, said in enumerate(OLD))
    head = "## Session Summary (Compaction Round 1)\nStands for messages 1-22 (7,929 tokens; ctx_b5eb01fc)."
    first = f'{head}\n### Goal\n- "Check the halls." [#1]\n### Done\n{done}'
    again = [
        user(first),
        user("Is the whole plant tight now?"),
        assistant(came_to),
        user("Then write to the owner that the plant starts on Monday."),
        assistant("The letter to the owner is in the folder of the plant, and names Monday at six."),
        user("Good, now the same to the town, please, and to the fire brigade."),
        *(message for number in range(2) for message in filler(number)),
    ]
    summary = summarize(transcript(again).messages, budget)
    assert came_to in summary
    assert "[earlier #" in summary


def test_a_nod_stands_with_what_it_answers() -> None:
    plan = "The plan has 2 changes and destroys nothing."
    messages = transcript(
        [user("Plan the move of the volumes."), assistant(plan), user("nice. apply that one"), *filler(1)]
    ).messages
    (nod,) = [item.text for item in candidates(messages, frozenset()) if "apply that one" in item.text]
    assert nod == f'"nice. apply that one" answers: "{plan}"'


def test_a_nod_to_what_asks_nothing_is_no_line_and_one_to_a_question_is() -> None:
    def nods(said: str) -> list[str]:
        messages = transcript([user("Plan the move."), assistant(said), user("Good."), *filler(1)]).messages
        return [item.text for item in candidates(messages, frozenset()) if "Good." in item.text]

    assert nods("The plan has 2 changes.") == []
    assert nods("May I apply the plan with 2 changes?") == ['"Good." answers: "May I apply the plan with 2 changes?"']


def test_a_nod_beside_other_sentences_does_not_stand_alone() -> None:
    wish = "Export the top decile of September, with the name of each customer and what it pays."
    messages = transcript([user("Load the data."), assistant("Loaded."), user(f"nice. {wish}"), *filler(1)]).messages
    items = {item.text: item for item in candidates(messages, frozenset())}
    assert items['"nice."'].needs == (wish.lower(),)
