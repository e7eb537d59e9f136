"""The forms of summaries: each has its headings, and each is read back by the next round into the same sections."""

from __future__ import annotations

from typing import Any

import pytest

from compactor_cli.model.message import Message
from compactor_cli.summaries.facts import Fact
from compactor_cli.summaries.items import WEIGHTS
from compactor_cli.summaries.outline import OUTLINES, cells, outline_of, row, section_of
from compactor_cli.summaries.sections import candidates
from compactor_cli.summary_text.verbatim import QUOTED
from tests.pipeline.sessions import assistant, compact, filler, records_of, transcript, user
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(2)

FORM_OF = {"tiered": "tiers", "rolling": "session", "handoff": "handoff", "ranked": "batches", "hybrid": "topics"}
EVERY = pytest.mark.parametrize("strategy", FORM_OF)
FACTS_FIRST = pytest.mark.parametrize("strategy", ["rolling", "handoff", "ranked"])
DECIDED = "We decided to use Decimal instead of float, because of the cents."
OPEN = "Next, the importer still needs a look."


def summaries_of(strategy: str, records: list[Any]) -> list[Message]:
    part = compact(records, strategy=strategy)
    return [m for m in part.messages if m.origin == "summary"]


def told() -> list[Any]:
    """Work, a decision and an open point, and ten messages behind them."""
    return [*work.session(9, end=False), assistant(DECIDED), assistant(OPEN), *(r for n in range(6) for r in filler(n))]


def facts_of(messages: list[Message]) -> dict[tuple[str, str], Fact]:
    items = candidates(messages, frozenset())
    return {(item.section, item.fact.subject): item.fact for item in items if item.fact is not None}


def test_of_a_task_that_stands_above_a_summary_it_says_so() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    first = {"role": "user", "content": [{"type": "text", "text": "Make it look like this."}, picture]}
    (summary,) = summaries_of("rolling", [first, *told()[2:]])
    assert "### Original Task\n(it stands above)\n" in summary.text("text")


def test_every_heading_leads_to_sections_that_have_a_weight() -> None:
    for form in OUTLINES.values():
        for heading in form.headings:
            assert heading.sections
            for section in heading.sections:
                assert section in WEIGHTS


def test_no_form_says_a_section_twice_and_every_form_has_the_facts() -> None:
    for form in (*OUTLINES.values(), outline_of("tiers", 1), outline_of("tiers", 2)):
        named = [section for heading in form.headings for section in heading.sections]
        assert len(named) == len(set(named))
        assert {"Files", "Errors"} <= set(named)
        assert "Commands" in named or form.changes_only


@pytest.mark.parametrize(
    ("form", "titles"),
    [
        (
            "session",
            "Original Task|Completed Work|Key Technical Decisions|Current State|Pending Work|Errors & Resolutions",
        ),
        (
            "handoff",
            "1. User's Primary Goals and Intent|2. Conversation Timeline and Progress|"
            "3. Technical Context and Decisions|4. Files and Code Changes|5. Active Work and Last Actions|"
            "6. Unresolved Issues and Pending Tasks|7. Immediate Next Step",
        ),
    ],
)
def test_the_headings_of_the_seeds_stand_in_their_order(form: str, titles: str) -> None:
    found = [heading.title for heading in OUTLINES[form].headings]
    assert [title for title in found if title in titles.split("|")] == titles.split("|")


# -- one line


@pytest.mark.parametrize("form", sorted(OUTLINES))
def test_facts_find_their_section_under_every_heading_that_holds_them(form: str) -> None:
    lines = {"Files": "`src/a.py` edited 2x [#3]", "Commands": "`make` (2x) [#4]", "Errors": "`KeyError: 1` [#5]"}
    for heading in OUTLINES[form].headings:
        for section in heading.sections:
            if section in lines:
                assert section_of(heading.title, lines[section]) == section


@pytest.mark.parametrize(
    ("title", "line", "section"),
    [
        ("Original Task", '"Mend the rounding." [#1]', "Goal"),
        ("Completed Work", '"All tests pass." [#3]', "Done"),
        ("Key Technical Decisions", '"We decided it." [#4]', "Decisions"),
        ("Current State", '"I look at it." [#5]', "In progress"),
        ("Pending Work", '"Next, the importer." [#6]', "Next"),
        ("2. Conversation Timeline and Progress", '"All tests pass." [#3]', "Done"),
        ("3. Technical Context and Decisions", '"We decided it." [#4]', "Decisions"),
        ("Decisions", '"We decided it." [#4]', "Decisions"),
        ("A title that nobody knows", '"We decided it." [#4]', "Earlier summary"),
        ('Topic: "Mend it" (messages 2-9)', '"All tests pass." [#3]', "Earlier summary"),
    ],
)
def test_a_sentence_finds_its_section_by_its_heading(title: str, line: str, section: str) -> None:
    assert section_of(title, line) == section


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    assert row(("`a|b.py`", "read", "[#1]")) == "| `a\\|b.py` | read | [#1] |"
    assert cells("| `a\\|b.py` | read | [#1] |") == ["`a|b.py`", "read", "[#1]"]


# -- whole summaries


@FACTS_FIRST
def test_every_fact_of_a_summary_is_read_back_into_its_section(strategy: str) -> None:
    found = facts_of(summaries_of(strategy, told()))
    for number in range(7):
        file, command = work.changed_file(number), f"pytest -q tests/test_module_{number}.py"
        assert found["Files", file].text == f"`{file}` edited, read"
        assert found["Commands", command].text == f"`{command}` (2x, last ok)"
        assert found["Errors", work.error(number)].text == f"`{work.error(number)}` (passed since)"
    assert all(fact.earlier_numbers for fact in found.values())


@EVERY
def test_every_file_of_a_summary_is_read_back_as_a_file(strategy: str) -> None:
    summaries = summaries_of(strategy, told())
    said = "\n".join(m.text("text").partition(QUOTED)[0] for m in summaries)
    names = map(work.changed_file, range(9))
    stated = {name for name in names if any(f"{begin}{name}" in said for begin in ("- `", "| `", "- edited "))}
    assert stated
    assert {about for section, about in facts_of(summaries) if section == "Files"} >= stated


@pytest.mark.parametrize("strategy", ["summarize", "rolling", "handoff"])
def test_what_was_decided_is_still_a_decision_in_the_next_round(strategy: str) -> None:
    items = candidates(summaries_of(strategy, told()), frozenset())
    assert {item.section for item in items if DECIDED in item.text} == {"Decisions"}
    assert {item.section for item in items if OPEN in item.text} <= {"Next", "Immediate"}


@FACTS_FIRST
def test_a_second_round_says_of_every_file_what_both_did(strategy: str) -> None:
    first = compact(told(), strategy=strategy)
    more = [
        *(r for n in range(9) for r in work.task(n)),
        *(r for n in range(10, 16) for r in filler(n)),
        user("Go on."),
    ]
    second = summaries_of(strategy, [*records_of(first), *more])
    found = facts_of(second)
    for number in range(7):
        counts = found["Files", work.changed_file(number)].counts
        assert counts["edited"] == 2
        assert counts["read"] == 2


@EVERY
def test_the_form_of_a_strategy_is_the_one_that_its_slots_name(strategy: str) -> None:
    part = compact(told(), strategy=strategy)
    assert part.plan is not None
    assert {slot.outline for slot in part.plan.slots} == {FORM_OF[strategy]}
    assert transcript(told()).messages
