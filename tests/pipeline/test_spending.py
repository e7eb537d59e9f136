"""Where the tokens of an output went: the sum is the output's, and each name has what belongs to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli import api
from compactor_cli.model.message import Message, Part
from compactor_cli.model.report import Compaction, total_spent
from compactor_cli.pipeline import token_use as spending
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from compactor_cli.summary_text.headers import lines_header
from tests.pipeline.sessions import assistant, compact, long_session, result, system, transcript, user
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(3)

SAMPLES = Path(__file__).resolve().parents[2] / "sample_transcripts"
REAL = Path(__file__).resolve().parents[3] / "shared" / "transcripts"


def spent(part: Compaction) -> dict[str, int]:
    return {line.name: line.tokens for line in part.spent}


def compacted(path: Path, **settings: Any) -> list[Compaction]:
    source = api.load(path.read_bytes(), str(path), tokenizer="chars")
    return list(api.compact(source, Settings(**settings), tokenizer="chars").parts)


@pytest.mark.drawn(10)
@pytest.mark.parametrize("ratio", [0.8, 0.5, 0.25, 0.1])
@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_sum_is_the_tokens_of_the_output(path: Path, ratio: float) -> None:
    parts = compacted(path, target_ratio=ratio)
    for part in parts:
        assert sum(spent(part).values()) == part.tokens
        assert min(spent(part).values()) > 0, "what nothing went to is not named"
    assert sum(line.tokens for line in total_spent(parts)) == sum(part.tokens for part in parts)


@pytest.mark.drawn(24)
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("target", [700, 3_000, 12_000])
def test_the_sum_holds_in_every_strategy(strategy: str, target: int) -> None:
    part = compact(work.session(20), strategy=strategy, target_tokens=target)
    assert sum(spent(part).values()) == part.tokens


@pytest.mark.drawn(4)
@pytest.mark.skipif(not REAL.is_dir(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("folder", ["claude-code", "codex", "openai-long", "tau-bench"])
@pytest.mark.parametrize("ratio", [0.25, 0.1])
def test_the_sum_holds_for_real_sessions_and_their_second_round(folder: str, ratio: float) -> None:
    files = [p for p in sorted((REAL / folder).rglob("*.json*")) if 20_000 < p.stat().st_size < 400_000]
    for path in files[:2]:
        for part in compacted(path, target_ratio=ratio):
            assert sum(spent(part).values()) == part.tokens
            again = compact_bytes(part.data, part.before.format, int(part.tokens * 0.7))
            assert sum(spent(again).values()) == again.tokens


def compact_bytes(data: bytes, format: str, target: int) -> Compaction:
    source = api.load(data, "again.jsonl", format=format, tokenizer="chars")
    return api.compact(source, Settings(target_tokens=target), tokenizer="chars").parts[0]


def test_the_requests_are_those_of_the_user_at_their_place_or_quoted() -> None:
    part = compact(work.session(20), target_ratio=0.25)
    asked = sum(m.tokens for m in part.before.messages if m.origin == "request")
    assert asked * 0.8 < spent(part)["requests"] < asked * 1.1, "all of them fit"


def test_what_is_there_for_being_new_is_told_from_what_is_worth_its_tokens() -> None:
    part = compact(work.session(20), target_ratio=0.25)
    assert part.plan is not None
    kept = [d for d in part.plan.decisions if d.reason == "newest"]
    requests = sum(
        m.tokens
        for d in kept
        for i in part.groups[d.group].messages
        if (m := part.repaired.messages[i]).origin == "request"
    )
    assert spent(part)["newest"] == sum(d.tokens for d in kept) - requests > 0
    assert spent(part)["tool outputs"] > 0
    assert spent(part)["calls"] > 0


def test_the_state_has_what_its_block_takes() -> None:
    part = compact(work.session(20), target_ratio=0.25)
    (text,) = [m.text() for m in part.messages if "\nState" in m.text()]
    block = text[text.index("\nState") + 1 :]
    assert spent(part)["state"] == pytest.approx(len(block) / 4, rel=0.1), "four characters are a token here"


def test_headings_and_marks_are_a_small_rest() -> None:
    part = compact(work.session(20), target_ratio=0.25)
    assert 0 < spent(part)["headings and marks"] < 0.15 * part.tokens


LINES = {
    "requests": "#1 user: Never push to main.\n … and keep the names",
    "calls": '#2 Read: {"path": "src/totals.py"}',
    "tool outputs": "#3 Read src/totals.py → def totals(rows):\n     return sum(rows)",
    "agent's words": "#2: I read it first.",
    "earlier summaries": "earlier summary: 12 tests passed",
    "state": "State at the end:\n- Changed: src/totals.py",
}
"""What a summary quotes, and what that counts for."""


@given(st.lists(st.sampled_from(sorted(LINES)), min_size=1, unique=True), st.integers(1, 5_000))
def test_lines_of_a_summary_count_for_who_says_them(names: list[str], tokens: int) -> None:
    names = [*(name for name in names if name != "state"), *(name for name in names if name == "state")]
    text = "\n".join(["## Session Summary of #1-3", *(LINES[name] for name in names)])
    summary = Message(-1, "summary-1", "user", (Part("text", text, tokens),), (), tokens, origin="summary")
    told = transcript([system(), user("Never push to main."), assistant("I read it first.", "a"), result("a")])
    lines = spending.spent_by_use(told.messages, (), (), [summary])
    assert sum(line.tokens for line in lines) == tokens
    assert {line.name for line in lines} <= {*names, "headings and marks"}
    if tokens > len(text):
        assert {line.name for line in lines} == {*names, "headings and marks"}


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("earlier #2 user: ", "requests"),
        ("earlier #3 Bash: ", "calls"),
        ("earlier #4 instructions: ", "instructions"),
        ("earlier #5 → ", "tool outputs"),
        ("earlier #6: ", "agent's words"),
        ("earlier #7 harness: ", "harness's notes"),
        ("earlier summary: ", "earlier summaries"),
    ],
)
def test_lines_of_earlier_rounds_count_for_who_said_them(heading: str, name: str) -> None:
    text = f"{lines_header(range(2, 9))}\n{heading}{'amber ' * 150}"
    summary = Message(-1, "s", "assistant", (Part("text", text, 1_000),), (), 1_000, origin="summary")
    found = {line.name: line.tokens for line in spending.spent_by_use([], [], [], [summary])}
    assert set(found) == {name, "headings and marks"}
    assert found[name] > 940


def test_an_unchanged_output_went_to_nothing_but_itself() -> None:
    part = compact(long_session(3), target_tokens=100_000)
    assert spent(part) == {"unchanged": part.tokens}


def test_numbers_of_a_summary_are_those_of_the_input_where_repairs_removed_messages() -> None:
    session = work.session(8)
    orphans = [result(f"gone-{number}", "nobody asked for this") for number in range(len(session))]
    part = compact([*orphans, *session], strategy="adaptive", target_tokens=700)
    assert len(part.repairs) >= len(orphans)
    assert sum(spent(part).values()) == part.tokens
    assert spent(part)["calls"] > 0
