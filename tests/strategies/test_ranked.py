"""`ranked` (seed 002): recent messages stay; of the older ones the lowest scores are compressed first, in batches."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest

from compactor_cli.model.group import Group
from compactor_cli.model.report import Compaction
from compactor_cli.model.score import Score
from compactor_cli.pipeline.groups import form_groups
from compactor_cli.pipeline.verify import faults
from compactor_cli.scoring.weighted import WeightedScorer
from compactor_cli.settings import Settings, SummarizationSettings
from compactor_cli.strategies.ranked import score_of, split_batches, split_history
from tests.builders import run_process
from tests.pipeline.sessions import (
    Json,
    assistant,
    filler,
    long_session,
    records_of,
    result,
    to_bytes,
    transcript,
    user,
)
from tests.pipeline.sessions import compact as compact_with
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(3)

compact = partial(compact_with, strategy="ranked")
RATIOS = [0.9, 0.7, 0.5, 0.3, 0.2, 0.1]
_BATCH = re.compile(r"^### (Batch(?:es)? .*) \((\d+) messages?, scores ([\d.]+) to ([\d.]+)\)$", re.MULTILINE)


def summary_of(part: Compaction) -> str:
    (text,) = [m.text("text") for m in part.messages if m.origin == "summary"]
    return text


def titles(part: Compaction) -> list[tuple[str, int, float, float]]:
    """(name, messages, lowest score, highest score) of each batch."""
    found = _BATCH.findall(summary_of(part))
    return [(name, int(n), float(low), float(high)) for name, n, low, high in found]


def settings(**of_summaries: Any) -> dict[str, Any]:
    return {"summarization": SummarizationSettings(**of_summaries)}


def scored(*raw: float) -> tuple[list[Group], list[Score]]:
    """One message a group, with these scores."""
    return [Group(i, (i,), 10) for i in range(len(raw))], [Score(points, points) for points in raw]


IN_ORDER = ("repeated in the summary", "smaller than a summary", "no room for a summary at its place")
"""Reasons of groups that the order in time decided about, not their score."""


def kept_and_compressed(part: Compaction, recent: int = 10) -> tuple[dict[int, float], dict[int, float]]:
    """Score of each older group that nothing protects, by what became of it."""
    assert part.plan is not None
    scores = WeightedScorer().score(part.repaired, Settings(strategy="ranked"))
    border = len(part.repaired.messages) - recent
    kept: dict[int, float] = {}
    compressed: dict[int, float] = {}
    for decision in part.plan.decisions:
        group = part.groups[decision.group]
        if group.messages[-1] >= border or group.messages[0] in (0, 1):
            continue
        if decision.reason in IN_ORDER:
            continue
        into = compressed if decision.rendition in ("summarized", "gone") else kept
        into[group.index] = score_of(group, scores)
    return kept, compressed


# -- the acceptance criteria of seed 002 that are about the order


def test_ac3_4_split_history_returns_the_lowest_scores_first() -> None:
    groups, scores = scored(9, 3, 7, 5, 8, 1, 2, 6)
    older, recent = split_history(groups, scores, 8, 3)
    assert [score_of(g, scores) for g in older] == [3, 5, 7, 8, 9]
    assert [g.index for g in recent] == [5, 6, 7], "recent ones stay, whatever their scores"


def test_ac3_4_a_tool_exchange_counts_by_its_best_message_and_is_never_parted() -> None:
    messages = transcript(long_session(6)).messages
    groups = form_groups(messages)
    scores = WeightedScorer().score(transcript(long_session(6)), Settings())
    for number in range(1, len(messages)):
        older, recent = split_history(groups, scores, len(messages), number)
        assert sorted([*older, *recent], key=lambda g: g.index) == list(groups)
        assert sum(len(g.messages) for g in recent) >= number
        values = [max(scores[i].raw for i in g.messages) for g in older]
        assert values == sorted(values)


def test_ac3_6_equal_scores_keep_their_order() -> None:
    groups, scores = scored(5, 2, 5, 2, 5, 2, 9)
    older, _ = split_history(groups, scores, 7, 1)
    assert [g.index for g in older] == [1, 3, 5, 0, 2, 4]


@pytest.mark.drawn(3)
@pytest.mark.parametrize("ratio", RATIOS)
def test_ac3_4_no_message_is_compressed_whose_score_is_higher_than_a_kept_one(ratio: float) -> None:
    kept, compressed = kept_and_compressed(compact(work.session(20), target_ratio=ratio))
    assert compressed
    assert not kept or max(compressed.values()) <= min(kept.values())


def test_the_highest_scores_survive_longest_as_the_target_falls() -> None:
    before: set[int] = set()
    for ratio in RATIOS:
        compressed = kept_and_compressed(compact(work.session(20), target_ratio=ratio))[1]
        assert before <= set(compressed), "what was compressed at a larger target is compressed at a smaller one"
        before = set(compressed)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("ratio", RATIOS[:-1])
def test_the_recent_messages_stay_as_they_are_while_there_is_room(ratio: float) -> None:
    records = work.session(20)
    part = compact(records, target_ratio=ratio)
    assert part.data.splitlines()[-10:] == to_bytes(records).splitlines()[-10:]
    assert records_of(part)[:2] == records[:2]


def test_weights_of_your_own_decide_what_stays() -> None:
    records = long_session(40)
    for number in (5, 9, 14):
        records[2 + 2 * number] = assistant(f"The zebra of part {number}.", f"fill_{number}")
    heavy = compact(records, target_ratio=0.5, **settings(important_keywords=("zebra",), keyword_bonus=80))
    said = [m.text() for m in heavy.messages if m.origin != "summary"]
    assert sum("The zebra of part" in text for text in said) == 3


def test_another_scorer_can_be_named() -> None:
    from compactor_cli.settings import ScoringSettings

    records = work.session(20)
    by_weights = compact(records, target_ratio=0.5)
    by_factors = compact(records, target_ratio=0.5, scoring=ScoringSettings(scorer="factors"))
    assert by_weights.data != by_factors.data


# -- batches


@pytest.mark.parametrize("size", [1, 2, 5, 20, 100])
def test_batches_hold_about_as_many_messages_as_are_set_in_their_order(size: int) -> None:
    groups = [Group(i, (2 * i, 2 * i + 1), 10) for i in range(17)]
    found = split_batches(groups, size, 1_000)
    assert [g for batch in found for g in batch] == groups
    sizes = [sum(len(g.messages) for g in batch) for batch in found]
    assert all(size <= n <= size + 1 for n in sizes[:-1])
    assert 0 < sizes[-1] <= size + 1


@pytest.mark.parametrize("most", [1, 2, 3, 7, 8, 50])
def test_of_more_batches_than_are_set_the_least_important_are_joined(most: int) -> None:
    groups = [Group(i, (i,), 10) for i in range(24)]
    found = split_batches(groups, 3, most)
    assert len(found) == min(8, most)
    assert [g for batch in found for g in batch] == groups
    assert all(len(batch) == 3 for batch in found[1:])


@pytest.mark.drawn(3)
@pytest.mark.parametrize(("size", "most"), [(10, 3), (20, 5), (40, 2), (500, 5), (5, 1)])
def test_the_clip_archive_has_a_title_for_each_batch_with_the_lowest_scores_first(size: int, most: int) -> None:
    found = titles(compact(work.session(20), target_ratio=0.3, **settings(chunk_size=size, max_summaries=most)))
    assert 1 <= len(found) <= most
    bounds = [score for _, _, low, high in found for score in (low, high)]
    assert bounds == sorted(bounds)


def test_batches_that_are_summarized_again_say_so() -> None:
    first, *others = titles(compact(work.session(20), target_ratio=0.3, **settings(chunk_size=10, max_summaries=3)))
    found = re.fullmatch(r"Batches 1-(\d+) of (\d+), summarized again", first[0])
    assert found
    joined, whole = map(int, found.groups())
    assert [name for name, *_ in others] == [f"Batch {n} of {whole}" for n in range(joined + 1, whole + 1)]


def test_the_batches_hold_all_that_was_compressed() -> None:
    part = compact(work.session(20), target_ratio=0.3)
    assert part.plan is not None
    gone = sum(
        len(part.groups[d.group].messages)
        for d in part.plan.decisions
        if d.rendition == "summarized" and d.reason not in IN_ORDER
    )
    assert sum(number for _, number, _, _ in titles(part)) == gone


# -- the clip-archive message


@pytest.mark.drawn(3)
@pytest.mark.parametrize("target", [{}, {"target_ratio": 0.3}, {"target_ratio": 0.1}], ids=str)
def test_one_message_says_what_was_archived(target: dict[str, Any]) -> None:
    part = compact(work.session(20), **target)
    text = summary_of(part)
    assert text.startswith("## Session Summary (Compaction Round 1)\nStands for messages ")
    assert "\nClip-archive: the messages with the lowest scores were summarized in batches.\n" in text
    assert "### Files\n" in text
    assert f"- `{work.changed_file(0)}` edited, read" in text
    assert not faults(part.messages, adjacent_results=True)


def test_the_clip_archive_can_have_the_role_of_the_system() -> None:
    part = compact(work.session(20), summary_role="system")
    assert [r["role"] for r in records_of(part)][:3] == ["system", "user", "system"]


def test_no_line_stands_in_two_batches() -> None:
    text = summary_of(compact(work.session(25), target_ratio=0.2)).partition("\n\n### Lines of the session\n")[0]
    lines = [re.sub(r"(?: \[[^\]]*\])+$", "", line) for line in text.splitlines() if line.startswith("- ")]
    assert len(lines) == len(set(lines))


def test_an_earlier_round_goes_into_the_new_message_whatever_its_score() -> None:
    first = compact(work.session(12), target_tokens=4_000)
    more: list[Json] = [record for number in range(12, 20) for record in work.task(number)]
    second = compact([*records_of(first), *more], target_tokens=4_000)
    assert second.round == 2
    text = summary_of(second)
    assert text.count("## Session Summary") == 1
    assert "### Earlier rounds" in text
    for number in (0, 15):
        assert f"- `{work.changed_file(number)}` edited, read" in text


def test_a_short_session_stays_as_it_is() -> None:
    records = long_session(3)
    assert not compact(records).changed


def test_a_huge_newest_result_is_cut_so_that_the_target_holds() -> None:
    huge = "\n".join(f"row {n} of the dump" for n in range(20_000))
    part = compact([*work.session(6), assistant(None, "c1"), result("c1", huge)], target_tokens=1_500)
    assert part.tokens <= 1_500
    assert part.messages[-1].parts[0].edited


def test_a_process_compacts_by_ranked_and_its_dry_run_names_the_scores(tmp_path: Any) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(to_bytes([*work.session(12), *filler(1), user("Go on.")]))
    done = run_process("compact", path, "--strategy", "ranked", "--target-ratio", "0.4", "--quiet")
    assert done.code == 0, done.stderr
    assert b"Clip-archive" in done.stdout
    plan = run_process("compact", path, "--strategy", "ranked", "--target-ratio", "0.4", "--dry-run", "--quiet").text
    assert re.search(r"compressed,\s+score", plan)
