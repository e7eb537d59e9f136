"""The parts of seed 000 that a setting turns off: residuals, tiers, the budget."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from compactor_cli import api
from compactor_cli.model.report import Analysis, Compaction
from compactor_cli.pipeline.make_plan import make_plan
from compactor_cli.pipeline.one_compaction import resolve_target
from compactor_cli.settings import BudgetSettings, ScoringSettings, Settings, TierSettings
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for
from tests.builders import run_process
from tests.pipeline.sessions import Json, assistant, compact, load, long_session, to_bytes
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(2)

NONE = ScoringSettings(residuals=False)
NO_TIERS = TierSettings(enabled=False)
NO_BUDGET = BudgetSettings(enabled=False)
IMPORTANT = "The task is done: we decided and agreed on the objective."


def told() -> list[Json]:
    """A session with one message of 70 points, far back."""
    records = long_session(40)
    records.insert(8, assistant(IMPORTANT))
    return records


def analysis(records: list[Json], settings: Settings) -> Analysis:
    (found,) = api.score(load(records), settings, tokenizer="chars")
    return found


def texts(part: Compaction) -> list[str]:
    return [m.text() for m in part.messages]


# -- residuals


def test_without_residuals_no_message_bypasses_compression() -> None:
    assert analysis(told(), Settings()).residuals.kept == {8}
    assert analysis(told(), Settings(scoring=NONE)).residuals.kept == frozenset()
    with_them = compact(told(), strategy="tiered", target_ratio=0.3)
    without = compact(told(), strategy="tiered", target_ratio=0.3, scoring=NONE)
    assert IMPORTANT in texts(with_them)
    assert IMPORTANT not in texts(without)
    assert len(with_them.residuals) == 1
    assert len(without.residuals) == 0


def test_scores_stay_the_same_without_residuals() -> None:
    assert analysis(told(), Settings(scoring=NONE)).scores == analysis(told(), Settings()).scores


# -- tiers


def test_without_tiers_every_message_is_recent() -> None:
    tiers = analysis(long_session(60), Settings(tiers=NO_TIERS)).tiers
    assert set(tiers[1:]) == {0}
    assert set(analysis(long_session(60), Settings()).tiers[1:]) == {0, 1, 2, 3}


def test_without_tiers_and_without_a_target_nothing_is_cut() -> None:
    records = long_session(60)
    assert compact(records, strategy="tiered").changed
    assert not compact(records, strategy="tiered", tiers=NO_TIERS).changed


@pytest.mark.parametrize("ratio", [0.6, 0.3, 0.1])
def test_without_tiers_the_target_still_holds_and_the_newest_stay(ratio: float) -> None:
    records = work.session(12)
    part = compact(records, strategy="tiered", target_ratio=ratio, tiers=NO_TIERS)
    assert part.tokens <= int(ratio * load(records).tokens)
    assert part.data.splitlines()[-2:] == to_bytes(records).splitlines()[-2:]


# -- the budget


def allowances(records: list[Json], settings: Settings) -> tuple[int, ...]:
    """What each tier may have of the target, as the strategy is told."""
    (one,) = load(records).transcripts
    tools = tools_for(one, make_counter("chars").counter, settings)
    seen: list[Any] = []

    class Asks:
        name, purpose, suits, learned, closes, tiers = "asks", "", "", False, False, False

        def plan(self, given: Any) -> Any:
            seen.append(given.allocate(100, 0))
            return tools.strategy.plan(given)

    target, _ = resolve_target(one, settings)
    make_plan(analysis(records, settings), replace(tools, strategy=Asks()), settings, target)
    return tuple(seen[0].tiers)


def test_without_the_budget_newer_tiers_are_served_first() -> None:
    records = long_session(100)
    shared = allowances(records, Settings(strategy="tiered", target_tokens=800))
    newest_first = allowances(records, Settings(strategy="tiered", target_tokens=800, budget=NO_BUDGET))
    assert shared[0] < newest_first[0], "tier 0 has all that it needs"
    assert shared[3] > newest_first[3] == 0, "tier 3 has what the others leave: nothing"
    assert abs(sum(newest_first) - sum(shared)) < 4


@pytest.mark.parametrize("ratio", [0.6, 0.3, 0.1])
def test_without_the_budget_the_target_still_holds(ratio: float) -> None:
    records = work.session(12)
    part = compact(records, strategy="tiered", target_ratio=ratio, budget=NO_BUDGET)
    assert part.tokens <= int(ratio * load(records).tokens)


@pytest.mark.parametrize(
    ("variable", "settings"),
    [
        ("PROMPT_COMPACTION_RESIDUALS_ENABLED", {"scoring": NONE}),
        ("PROMPT_COMPACTION_TIERED_ENABLED", {"tiers": NO_TIERS}),
        ("PROMPT_COMPACTION_BUDGET_ENABLED", {"budget": NO_BUDGET}),
    ],
)
def test_the_variables_of_seed_000_turn_them_off(variable: str, settings: dict[str, Any], tmp_path: Any) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(to_bytes(told()))
    options = ("--strategy", "tiered", "--target-ratio", "0.3", "--tokenizer", "chars", "--quiet")
    done = run_process("compact", path, *options, **{variable: "false"})
    assert done.code == 0, done.stderr
    assert done.stdout == compact(told(), strategy="tiered", target_ratio=0.3, **settings).data
