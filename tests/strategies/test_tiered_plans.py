"""What strategy tiered plans for sessions of several kinds, to several targets, told whole in golden files.

Each line has the messages, what becomes of them, their tokens before and after, and why.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from compactor_cli import api
from compactor_cli.errors import BudgetError
from compactor_cli.model.plan import Plan
from compactor_cli.model.report import Analysis
from compactor_cli.pipeline.make_plan import make_plan
from compactor_cli.settings import Settings
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for
from tests.asking import ScriptedModel
from tests.pipeline.sessions import Json, assistant, load, long_session, result, user
from tests.strategies import work
from tests.strategies.test_tier_cuts import reading, writing

GOLDEN = Path(__file__).parent / "golden"
SESSIONS: dict[str, list[Json]] = {
    "exchanges": long_session(40),
    "large outputs": reading(900, 30),
    "unequal outputs": [
        record
        for part in range(30)
        for record in (assistant(f"Part {part}.", f"c{part}"), result(f"c{part}", "row of a table\n" * 7 * (part % 9)))
    ],
    "long arguments": writing(1_500),
    "talk": [(user, assistant)[n % 2](f"Row {n} of the table is in, {'as ever, ' * (n % 7)}.") for n in range(150)],
    "work": work.session(8),
    "short": long_session(4, words=400),
}
TARGETS = (None, 0.7, 0.4, 0.2, 0.1, 0.05)


def told(analysis: Analysis, plan: Plan) -> str:
    """A plan in words, runs of exchanges that fare alike on one line."""
    lines = [f"target {plan.target}, demoted {sorted(plan.demoted)}"]
    for (rendition, reason), run in groupby(plan.decisions, lambda d: (d.rendition, d.reason)):
        own = list(run)
        messages = [i for d in own for i in analysis.groups[d.group].messages]
        before = sum(analysis.groups[d.group].tokens for d in own)
        where = f"{min(messages)}-{max(messages)}"
        lines.append(f"{where} {rendition}: {before} -> {sum(d.tokens for d in own)} tokens, {reason}")
    lines += [f"summary of groups {s.groups[0]}-{s.groups[-1]}, {s.budget} tokens" for s in plan.slots]
    return "\n".join(lines)


@pytest.mark.parametrize("summarizer", ["extractive", "llm"])
@pytest.mark.parametrize("name", SESSIONS)
def test_the_plan_of_a_session(name: str, summarizer: str, golden) -> None:  # type: ignore[no-untyped-def]
    settings = Settings(strategy="tiered", summarizer=summarizer)
    source = load(SESSIONS[name])
    model = ScriptedModel("never asked")
    (analysis,) = api.score(source, settings, tokenizer="chars", model=model)
    tools = tools_for(source.transcripts[0], make_counter("chars").counter, settings, model=model)
    blocks = []
    for share in TARGETS:
        target = None if share is None else int(share * source.tokens)
        try:
            plan = make_plan(analysis, tools, settings, target)
        except BudgetError as error:
            blocks.append(f"target {target}: at least {error.floor}")
            continue
        assert [d.group for d in plan.decisions] == [g.index for g in analysis.groups]
        spent = sum(d.tokens for d in plan.decisions) + sum(slot.budget for slot in plan.slots)
        assert target is None or spent <= target
        blocks.append(told(analysis, plan))
    assert not model.requests
    golden(GOLDEN / f"tiered {name}, {summarizer}.txt", "\n\n".join(blocks) + "\n")
