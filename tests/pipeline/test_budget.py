"""Sharing out a token budget: seed 000's example, surplus, and what holds for any sizes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.model.budget import FixedParts
from compactor_cli.pipeline.share_budget import allocate
from tests.builders import run_process
from tests.properties.profile import examples

SEED_EXAMPLE = FixedParts(
    system_prompt=500, agent_identity=200, task_prompt=150, actions=100, system_llm=50, current_message=50
)


def test_the_example_of_the_seed_comes_out_exactly() -> None:
    budget = allocate(4000, SEED_EXAMPLE, 400)
    assert budget.fixed.total == 1050
    assert budget.residuals == 400
    assert budget.tiers == (1715, 490, 171, 73)
    assert budget.used == 3899
    assert budget.remaining == 101
    assert budget.utilization_percent == 97.5


def test_residuals_take_at_most_a_fifth_of_the_total() -> None:
    assert allocate(4000, SEED_EXAMPLE, 5000).residuals == 800


def test_current_message_is_50_tokens_unless_given() -> None:
    assert allocate(1000, FixedParts(), 0).fixed.current_message == 50


def test_tiers_that_need_all_they_get_keep_their_shares() -> None:
    assert allocate(4000, SEED_EXAMPLE, 400, needs=(9999, 9999, 9999, 9999)).tiers == (1715, 490, 171, 73)


def test_surplus_goes_to_tier_0_first() -> None:
    budget = allocate(4000, SEED_EXAMPLE, 400, needs=(5000, 0, 100, 0))
    assert budget.tiers == (1715 + 490 + 71 + 73, 0, 100, 0)


def test_a_tier_takes_no_more_than_it_lacks() -> None:
    budget = allocate(4000, SEED_EXAMPLE, 400, needs=(1720, 400, 180, 73))
    assert budget.tiers == (1720, 490 - 5 - 9, 180, 73)
    budget = allocate(4000, SEED_EXAMPLE, 400, needs=(1716, 489, 171, 73))
    assert budget.tiers == (1716, 489, 171, 73), "a single token moves as well"


def test_what_tier_0_cannot_use_goes_to_tiers_1_2_and_3_in_this_order() -> None:
    budget = allocate(4000, SEED_EXAMPLE, 400, needs=(1000, 700, 300, 9999))
    assert budget.tiers == (1000, 700, 300, 1715 + 490 + 171 + 73 - 2000)


def test_a_budget_that_nobody_fills_keeps_its_shares() -> None:
    assert sum(allocate(4000, SEED_EXAMPLE, 400, needs=(10, 10, 10, 10)).tiers) == 1715 + 490 + 171 + 73


def test_fixed_parts_that_are_too_large_leave_nothing_and_nothing_is_negative() -> None:
    budget = allocate(500, SEED_EXAMPLE, 400)
    assert budget.residuals == 0
    assert budget.tiers == (0, 0, 0, 0)
    assert budget.remaining == 500 - 1050


_SIZES = st.integers(0, 50_000)
_FIXED = st.builds(FixedParts, _SIZES, _SIZES, _SIZES, _SIZES, _SIZES, st.integers(0, 100))
_NEEDS = st.one_of(st.none(), st.tuples(_SIZES, _SIZES, _SIZES, _SIZES))


@examples(300)
@given(st.integers(0, 400_000), _FIXED, _SIZES, _NEEDS, st.integers(0, 200), st.floats(0, 1))
def test_the_parts_never_exceed_the_total_and_are_never_negative(
    total: int, fixed: FixedParts, residuals: int, needs: Any, margin: int, share: float
) -> None:
    budget = allocate(total, fixed, residuals, needs=needs, safety_margin=margin, residual_share=share)
    assert min(budget.residuals, *budget.tiers) >= 0
    assert budget.residuals <= share * total + 1e-6
    if total >= fixed.total + margin:
        assert budget.used <= total
        assert budget.remaining >= 0
        assert 0 <= budget.utilization_percent <= 100


@examples(300)
@given(st.integers(0, 400_000), _SIZES, st.tuples(_SIZES, _SIZES, _SIZES, _SIZES))
def test_redistribution_keeps_the_sum_and_starves_no_tier_that_had_enough(
    total: int, residuals: int, needs: tuple[int, int, int, int]
) -> None:
    before = allocate(total, FixedParts(), residuals).tiers
    after = allocate(total, FixedParts(), residuals, needs=needs).tiers
    assert sum(after) == sum(before)
    for tier in range(4):
        assert after[tier] >= min(before[tier], needs[tier])
    if sum(needs) >= sum(before):  # then no token may lie idle while some tier lacks it
        assert all(after[tier] <= max(needs[tier], 0) for tier in range(4))
    lacking = next((tier for tier in range(4) if after[tier] < needs[tier]), None)
    if lacking is not None:  # later tiers got nothing beyond their own share
        assert all(after[tier] <= before[tier] for tier in range(lacking + 1, 4))


PROMPT = """\
system_prompt: {tokens: 500}
agent_identity: {tokens: 200}
task_prompt: {tokens: 150}
actions: 100
system_llm: {tokens: 50}
current_message: {tokens: 50}
residuals: {tokens: 400}
"""


@pytest.fixture
def long_session(tmp_path: Path) -> Path:
    """Enough in every tier that nothing is left over."""
    file = tmp_path / "session.jsonl"
    records = [
        {"role": ("user", "assistant")[i % 2], "content": f"message {i} says " + "plain words " * 200}
        for i in range(80)
    ]
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def test_the_command_gives_the_example_of_the_seed_from_a_prompt_file(long_session: Path, tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.yaml"
    prompt.write_text(PROMPT)
    done = run_process("budget", long_session, "--total", "4000", "--prompt", prompt, "--json")
    assert done.code == 0, done.stderr
    assert json.loads(done.stdout) == {
        "total": 4000,
        "safety_margin": 100,
        "allocated": {
            "system_prompt": 500,
            "agent_identity": 200,
            "residuals": 400,
            "tier0": 1715,
            "tier1": 490,
            "tier2": 171,
            "tier3": 73,
            "task_prompt": 150,
            "actions": 100,
            "system_llm": 50,
            "current_message": 50,
        },
        "remaining": 101,
        "utilization_percent": 97.5,
    }
