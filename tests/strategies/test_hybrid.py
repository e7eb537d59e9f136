"""`hybrid` (seed 003): older messages are grouped by topic, and each topic is summarized."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from compactor_cli.model.report import Compaction
from compactor_cli.summary_text.headers import covered, parse_ranges
from tests.builders import run_process
from tests.features.test_topics import AREAS, session, task
from tests.pipeline.sessions import Json, assistant, filler, load, records_of, system, to_bytes, user
from tests.pipeline.sessions import compact as compact_with
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(3)

compact = partial(compact_with, strategy="hybrid")
TARGETS: list[dict[str, Any]] = [{}, {"target_ratio": 0.6}, {"target_ratio": 0.4}]
TOO_SHORT = "hybrid: too short to group by topic; one summary replaces all of it"


def told(*areas: str, times: int = 6) -> list[Json]:
    """Topics in turn, and ten messages at the end that are about none of them."""
    end = [user("Now tidy up."), *(r for n in range(4) for r in filler(n)), assistant("Tidied.")]
    return [system(), user("Work through the list."), *session(*areas, times=times)[1:], *end]


def summary_of(part: Compaction) -> str:
    (text,) = [m.text("text") for m in part.messages if m.origin == "summary"]
    return text


def parts_of(text: str) -> dict[str, list[str]]:
    """Title of a topic -> its lines."""
    found: dict[str, list[str]] = {}
    for line in text.partition("\n\n### Lines of the session\n")[0].splitlines():
        if line.startswith("### "):
            found[line[4:]] = []
        elif found:
            found[next(reversed(found))].append(line)
    return found


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_the_summary_has_a_part_for_each_topic(target: dict[str, Any]) -> None:
    found = parts_of(summary_of(compact(told("billing", "search", "deploy"), **target)))
    assert [next(area for area in AREAS if area in title) for title in found if title.startswith("Topic: ")] == [
        "billing",
        "search",
        "deploy",
    ]


@pytest.mark.drawn(3)
@pytest.mark.parametrize("number", [2, 4, 5, 6, 7])
def test_there_are_at_most_five_topics(number: int) -> None:
    found = parts_of(summary_of(compact(told(*list(AREAS)[:number], times=9))))
    topics = [title for title in found if title.startswith("Topic: ")]
    assert 2 <= len(topics) <= 5


@pytest.mark.drawn(3)
@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize("records", [told(*AREAS), work.session(20)], ids=["areas", "work"])
def test_every_group_that_is_summarized_is_in_exactly_one_topic(records: list[Json], target: dict[str, Any]) -> None:
    part = compact(records, **target)
    assert part.plan is not None
    (slot,) = part.plan.slots
    held = [group for piece in slot.parts for group in piece.groups]
    assert sorted(held) == sorted(slot.groups)
    assert {d.group for d in part.plan.decisions if d.rendition == "summarized"} == set(held)


def test_a_topic_has_lines_of_its_own_messages_only() -> None:
    records = told("billing", "search", "deploy")
    for title, lines in parts_of(summary_of(compact(records))).items():
        if not title.startswith("Topic: "):
            continue
        own = parse_ranges(title.rpartition("(messages ")[2].rstrip(")"))
        named = {int(n) for line in lines for n in line.rpartition("[#")[2].rstrip("]").replace("#", "").split(", ")}
        assert named
        assert named <= set(own)


def test_a_topic_that_matters_next_to_nothing_is_only_named() -> None:
    records = [
        system(),
        user("Go."),
        *task("charts", 0),
        *40 * task("billing", 0),
        *(r for n in range(6) for r in filler(n)),
    ]
    part = compact(records)
    found = parts_of(summary_of(part))
    (title,) = [title for title in found if "charts" in title]
    assert found[title] == []
    assert part.plan is not None
    (piece,) = [piece for piece in part.plan.slots[0].parts if piece.title == title]
    assert piece.weight == 0.0


def test_what_matters_more_has_more_lines() -> None:
    records = [system(), user("Go."), *session("search", times=3)[1:], *session("billing", times=12)[1:]]
    found = parts_of(summary_of(compact([*records, *(r for n in range(6) for r in filler(n))], target_ratio=0.7)))
    search, billing = (sum(len(v) for t, v in found.items() if area in t) for area in ("search", "billing"))
    assert 0 < search < billing


@pytest.mark.parametrize("target", TARGETS[:2], ids=str)
def test_a_short_conversation_falls_back_to_one_summary_and_says_so(target: dict[str, Any]) -> None:
    records = [system(), user("Hello. " + "word " * 900), assistant("Yes. " + "word " * 900), *work.session(1)[2:]]
    part = compact(records, **target)
    text = summary_of(part)
    assert "### Topic" not in text
    assert TOO_SHORT in part.warnings


def test_a_session_with_topics_has_no_such_warning() -> None:
    assert compact(told("billing", "search")).warnings == ()


def test_the_recent_messages_stay_as_they_are() -> None:
    records = told("billing", "search", "deploy")
    part = compact(records, target_ratio=0.8)
    assert part.data.splitlines()[-10:] == to_bytes(records).splitlines()[-10:]
    assert records_of(part)[:2] == records[:2]


def test_an_earlier_round_is_a_part_of_its_own() -> None:
    first = compact(told("billing", "search", "deploy"))
    more = [*session("mailer", "login", times=6)[1:], *(r for n in range(10, 15) for r in filler(n))]
    second = compact([*records_of(first), *more], target_ratio=0.75)
    text = summary_of(second)
    assert second.round == 2
    assert text.count("## Session Summary") == 1
    assert any("mailer" in title for title in parts_of(text))
    lines = {title: [line for line in part if line.startswith("- ")] for title, part in parts_of(text).items()}
    assert lines["Earlier rounds"]
    assert all(
        ("[earlier #" in line) is (title == "Earlier rounds") for title in lines for line in lines[title] if "[" in line
    )


@pytest.mark.drawn(3)
@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_the_same_session_gives_the_same_bytes(target: dict[str, Any]) -> None:
    assert compact(told(*AREAS), **target).data == compact(told(*AREAS), **target).data


def test_processes_with_other_hash_seeds_write_the_same_bytes(tmp_path: Any) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(to_bytes(told(*AREAS)))
    arguments = ("compact", path, "--strategy", "hybrid", "--target-ratio", "0.5", "--quiet")
    first, second = (run_process(*arguments, PYTHONHASHSEED=seed) for seed in ("1", "4242"))
    assert first.code == second.code == 0, first.stderr
    assert first.stdout == second.stdout
    assert b"### Topic: " in first.stdout
    assert load(told(*AREAS)).tokens > 0


@pytest.mark.parametrize("strategy", ["hybrid", "ranked"])
@pytest.mark.parametrize("target", [1_000, 3_000])
def test_where_not_even_the_titles_fit_a_summary_still_says_what_it_stands_for(strategy: str, target: int) -> None:
    records = [system(), user("word " * 4_000), *work.session(8)[2:]]
    part = compact_with(records, strategy=strategy, target_tokens=target)
    assert part.tokens <= target
    assert covered(summary_of(part))
