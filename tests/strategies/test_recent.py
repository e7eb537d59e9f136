"""`summarize` and `truncate` (seed 003): the recent messages stay; the rest is summarized, or cut off."""

from __future__ import annotations

from typing import Any

import pytest

from compactor_cli.pipeline.verify import faults
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from compactor_cli.strategies.shared.recent import room_without_target
from compactor_cli.summary_text.headers import covered
from tests.builders import run_process
from tests.pipeline.sessions import assistant, compact, filler, load, long_session, records_of, result, to_bytes, user
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(3)

KEEP_RECENT = sorted(set(STRATEGIES) - {"adaptive", "tiered", "handoff"})
TARGETS: list[dict[str, Any]] = [{}, {"target_ratio": 0.5}, {"target_ratio": 0.25}, {"target_ratio": 0.1}]
EVERY = pytest.mark.parametrize("strategy", sorted(STRATEGIES))


# -- what all of them hold


@pytest.mark.drawn(27)
@EVERY
@pytest.mark.parametrize("ratio", [0.8, 0.5, 0.25, 0.1, 0.05])
@pytest.mark.parametrize("tokenizer", ["chars", "o200k_base"])
def test_every_strategy_meets_a_token_target_offline(strategy: str, ratio: float, tokenizer: str) -> None:
    records = work.session(12)
    part = compact(records, strategy=strategy, target_ratio=ratio, tokenizer=tokenizer)
    assert part.tokens <= int(ratio * load(records, tokenizer=tokenizer).tokens)
    assert not faults(part.messages, adjacent_results=True)
    said = "\n".join(m.text() for m in part.messages)
    for words in (work.SYSTEM, work.FIRST, work.LAST):
        assert words in said


@pytest.mark.drawn(6)
@pytest.mark.parametrize("strategy", ["hybrid", "rolling", "summarize"])
@pytest.mark.parametrize("ratio", [0.5, 0.25])
def test_room_for_which_a_summary_finds_no_line_of_worth_is_for_older_messages(strategy: str, ratio: float) -> None:
    part = compact(work.session(40), strategy=strategy, target_ratio=ratio)
    assert part.target is not None
    assert 0.88 * part.target <= part.tokens <= part.target


def test_lines_have_the_room_that_the_headings_of_a_handoff_do_not_need() -> None:
    """Of 18,114 tokens, 11,305 were used while the lines had a share of their own."""
    assert compact(work.session(40), strategy="handoff", target_ratio=0.25).tokens > 13_500


@EVERY
def test_every_strategy_cuts_something_without_a_target(strategy: str) -> None:
    records = work.session(20)
    part = compact(records, strategy=strategy)
    assert part.changed
    assert part.tokens < load(records).tokens / 2
    assert part.target is None


@EVERY
def test_what_keep_matches_and_keep_last_stay_whole(strategy: str) -> None:
    records = work.session(12)
    part = compact(records, strategy=strategy, target_ratio=0.4, keep=("compute_ledger_2 is wrong",), keep_last=3)
    lines = part.data.splitlines()
    for kept in (records[27], *records[-3:]):
        assert to_bytes([kept]).strip() in lines


@pytest.mark.drawn(14)
@pytest.mark.parametrize("strategy", KEEP_RECENT)
@pytest.mark.parametrize("number", [1, 3, 10, 14])
@pytest.mark.parametrize("target", TARGETS[:2], ids=str)
def test_recent_messages_says_how_many_stay(strategy: str, number: int, target: dict[str, Any]) -> None:
    records = work.session(12)
    part = compact(records, strategy=strategy, recent_messages=number, **target)
    assert part.data.splitlines()[-number:] == to_bytes(records).splitlines()[-number:]


@pytest.mark.parametrize("strategy", KEEP_RECENT)
def test_a_session_of_recent_messages_only_is_left_as_it_is(strategy: str) -> None:
    records = long_session(3)
    assert not compact(records, strategy=strategy).changed
    assert not compact(long_session(12), strategy=strategy, recent_messages=40).changed


# -- summarize


@pytest.mark.parametrize("target", TARGETS[:3], ids=str)
def test_summarize_puts_one_summary_between_the_first_request_and_the_recent_messages(target: dict[str, Any]) -> None:
    records = work.session(12)
    part = compact(records, strategy="summarize", **target)
    first, second, third, *recent = part.messages
    assert (first.index, second.index, third.origin) == (0, 1, "summary")
    kept = [m.index for m in recent]
    assert kept == list(range(kept[0], len(records)))
    assert covered(third.text("text")) == tuple(range(2, kept[0]))
    assert f"\n- edited {work.changed_file(0)}" in third.text("text")
    assert '"Mended: compute_' in third.text("text")


# -- truncate


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_truncate_keeps_recent_messages_and_a_mark_and_nothing_else(target: dict[str, Any]) -> None:
    records = work.session(12)
    part = compact(records, strategy="truncate", **target)
    first, second, mark, *recent = part.messages
    assert (first.index, second.index, mark.origin) == (0, 1, "summary")
    kept = [m.index for m in recent]
    assert covered(mark.text("text")) == tuple(range(2, kept[0]))
    head, *said = mark.text("text").splitlines()
    assert head.startswith(f"## Session Summary of #2-{kept[0] - 1} (ctx_"), "it says what it stands for"
    assert said == ["Cut off: nothing of them is kept here."]
    assert part.dispositions.summarized == 0
    assert part.dispositions.dropped == kept[0] - 2
    last = to_bytes(records).splitlines()[kept[0] :]
    if target.get("target_ratio") != 0.1:
        assert part.data.splitlines()[-len(last) :] == last


def test_truncate_takes_as_many_of_the_newest_messages_as_fit() -> None:
    records = work.session(20)
    part = compact(records, strategy="truncate", target_ratio=0.5)
    assert part.target is not None
    newest = [m.index for m in part.messages if m.index > 1]
    before = [g for g in part.groups if g.messages[-1] == newest[0] - 1]
    assert part.tokens + before[0].tokens > part.target - 72


def test_truncate_cuts_a_newest_result_that_is_larger_than_the_target() -> None:
    huge = "\n".join(f"row {n} of the dump" for n in range(20_000))
    part = compact(
        [*work.session(4), assistant(None, "c1"), result("c1", huge)], strategy="truncate", target_tokens=700
    )
    assert part.tokens <= 700
    assert part.messages[-1].parts[0].edited


@pytest.mark.parametrize("strategy", ["summarize", "truncate", "hybrid"])
def test_rounds_join_their_summaries_to_one(strategy: str) -> None:
    records = work.session(8)
    for number in range(1, 5):
        part = compact(records, strategy=strategy, target_tokens=3_500)
        assert part.round == number
        assert part.tokens <= 3_500
        (text,) = [m.text("text") for m in part.messages if m.origin == "summary"]
        assert text.count("## Session Summary") == 1
        records = [*records_of(part), *(r for n in range(8 * number, 8 * number + 8) for r in work.task(n)), *filler(1)]


@pytest.mark.parametrize("strategy", ["summarize", "truncate"])
def test_a_process_compacts_by_it(strategy: str, tmp_path: Any) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(to_bytes([*work.session(12), user("And now?")]))
    done = run_process("compact", path, "--strategy", strategy, "--target-ratio", "0.4", "-o", tmp_path / "o", "--json")
    assert done.code == 0, done.stderr
    assert done.json["strategy"] == strategy
    assert done.json["fits"] is True


def test_the_default_is_neither_of_them() -> None:
    assert Settings().strategy_name == "tiered"
    assert Settings(target_ratio=0.5).strategy_name == "adaptive"


@pytest.mark.parametrize(("replaced", "room"), [(10_000, 1_500), (40_000, 6_000), (1_000, 1_000), (100_000, 8_000)])
def test_without_a_target_a_summary_may_have_15_percent_of_what_it_replaces(replaced: int, room: int) -> None:
    assert room_without_target(replaced) == room
