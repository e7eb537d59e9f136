"""Lines that need others stand with them, however these need each other."""

from __future__ import annotations

import pytest

from compactor_cli.model.plan import SummaryPart, SummarySlot
from compactor_cli.model.planning import SummaryRequest
from compactor_cli.summaries.extractive import Extractive
from compactor_cli.summaries.items import NeededLines, SummaryItem, add_needs, restrict_needs, without_incomplete
from tests.cost import count_calls
from tests.pipeline.sessions import assistant, transcript, user
from tests.summaries.texts import HEADER, chars, sections, summarize

BUILD = "Build 4711 has 37 errors."


def line(name: str, *needs: str, bonus: float = 0.0) -> SummaryItem:
    return SummaryItem("Done", f'"{name}"', (), 0, bonus, needs=needs)


@pytest.mark.parametrize("again", [BUILD, BUILD.lower()])
@pytest.mark.parametrize("budget", [120, 300, 900])
def test_a_finding_that_is_said_twice_needs_not_itself(again: str, budget: int) -> None:
    talk = [
        user("How is the build of the ferry?"),
        assistant(BUILD),
        user("Go on with the mast of it."),
        assistant("The mast of the ferry was painted by hand over the weekend."),
        user("And how is the build of today?"),
        assistant(again),
        user("Then tell the harbour of it."),
        assistant("The harbour was told, and nobody has asked for more."),
        user("What is left for tomorrow?"),
    ]
    summary = summarize(transcript(talk).messages, budget)
    assert summary.lower().count(BUILD.lower()) <= 1
    if budget == 900:
        assert f'"{BUILD}" [#1]' in sections(summary)["Done"]


def test_lines_that_need_each_other_stand_together() -> None:
    items = [line("a", "b"), line("b", "c", "a"), line("c", "b")]
    needed = NeededLines(items)
    assert sorted(needed.required_group(0, (), max_lines=9)) == [0, 1, 2]
    assert needed.required_group(0, {1}, max_lines=9) == [0]
    assert without_incomplete(items) == items
    assert without_incomplete(items[:2]) == []


def test_what_a_line_needs_comes_before_it() -> None:
    assert NeededLines([line("a", "b"), line("b", "c"), line("c")]).required_group(0, (), max_lines=9) == [2, 1, 0]


def test_more_lines_than_have_room_are_no_group() -> None:
    items = [line(str(at), str(at + 1)) for at in range(2_000)]
    needed = NeededLines(items)
    assert needed.required_group(0, (), max_lines=50) == []
    assert len(needed.required_group(0, (), max_lines=5_000)) == 2_000
    assert count_calls(lambda: needed.required_group(0, (), max_lines=50)) < 300


def test_each_of_thirty_pairs_that_need_both_of_the_next_pair_is_seen_once() -> None:
    items = [line(f"{name}{at}", f"p{at + 1}", f"q{at + 1}") for at in range(30) for name in "pq"]
    needed = NeededLines(items)
    assert len(needed.required_group(0, (), max_lines=100)) == 59
    assert count_calls(lambda: needed.required_group(0, (), max_lines=100)) < 400


def test_a_line_stays_that_needs_what_is_no_line() -> None:
    items = [line("a", "b", "gone"), line("b", "gone"), line("c", "c")]
    left = restrict_needs(items)
    assert [item.needs for item in left] == [("b",), (), ()]
    assert without_incomplete(left) == left
    assert without_incomplete(items[:2]) == []


def test_what_is_needed_is_worth_as_much() -> None:
    items = [line("a", bonus=5.0), line("b"), line("c", bonus=9.0)]
    add_needs(items, 0, [1, 2])
    assert items[0].needs == ("b", "c")
    assert [item.bonus for item in items] == [5.0, 5.0, 9.0]


WRONG = "The gate of lock 4711 leaks at 37 places."
RIGHT = "At lock 4711 the 37 places are dry: the water came from the rain."


@pytest.mark.parametrize("form", ["summary", "handoff", "session"])
def test_a_finding_stays_where_what_corrects_it_stands_at_the_end(form: str) -> None:
    talk = [
        user("Does the gate leak?"),
        assistant(WRONG),
        user("Look again tomorrow, please, and say what you have seen of it then."),
        assistant(RIGHT),
    ]
    summary = summarize(transcript(talk).messages, 900, form=form)
    assert RIGHT in summary
    assert WRONG in summary


def test_a_finding_stays_where_what_corrects_it_is_of_another_part_without_room() -> None:
    messages = transcript(
        [user("Does the gate leak?"), assistant(WRONG), user("Look again tomorrow, please."), assistant(RIGHT)]
    ).messages
    parts = (
        (SummaryPart("The gate", (0,), 1.0), messages[:2]),
        (SummaryPart("The rain", (1,), 0.001), messages[2:]),
    )
    slot = SummarySlot(3, (0, 1), 60, outline="topics", parts=tuple(part for part, _ in parts))
    summary = Extractive().summarize(SummaryRequest(slot, HEADER, messages, frozenset(), 60, parts=parts), chars)
    assert WRONG in summary
    assert RIGHT not in summary


def test_a_few_words_are_no_line_where_what_they_stand_beside_was_taken_back() -> None:
    wish = "Export the ten ferries of September to a sheet with their tonnage and draught."
    talk = [
        user(f"nice. {wish}"),
        assistant("Exported."),
        user(f"{wish[:-1]}, and the harbours of each."),
        assistant("Done."),
        user("Thanks, now go on with the rest of the list."),
    ]
    assert "nice." not in summarize(transcript(talk).messages, 900)
