"""What strategy tiered plans for sessions of several kinds, to several targets, told whole in golden files.

Each line has the messages, what becomes of them, their tokens before and after, and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import pytest

from compactor_cli import api
from compactor_cli.errors import BudgetError
from compactor_cli.model.plan import Plan, SummarySlot
from compactor_cli.model.report import Analysis
from compactor_cli.pipeline.make_plan import make_plan
from compactor_cli.settings import Settings
from compactor_cli.summary_text.excerpts import Excerpt
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for
from tests.asking import ScriptedModel
from tests.pipeline.sessions import Json, assistant, compact, load, long_session, records_of, result, system, user
from tests.strategies import work
from tests.strategies.test_tier_cuts import reading, writing

GOLDEN = Path(__file__).parent / "golden"


def interrupted(number: int) -> list[Json]:
    """A request, parallel calls whose results come one late, behind words of the user, and now and then a residual."""
    first, second, third = (f"{name}{number}" for name in "abc")
    why = (
        "We decided to keep totals in cents, because the tool failed with an error: ValueError."
        if number % 4
        else "Ok."
    )
    return [
        user(f"Add up part {number}, " + "as ever, " * (number % 5) + "and say what is off."),
        assistant("I look at three files.", first, (second, "mcp:Read", {"path": f"data/{number}.csv"}), third),
        result(first, f"row {number}\n" * (30 * (number % 4) + 1)),
        result(second, "nothing" if number % 3 else f"total {number}\n" * 150),
        user("Wait for the last one."),
        result(third, f"sum {number}\n" * 20 * (number % 6)),
        assistant(why),
    ]


def rounds() -> list[Json]:
    """The output of two rounds, with what came since."""
    once = records_of(compact([*work.session(4, end=False)], strategy="tiered", target_ratio=0.4))
    more = [record for number in range(4, 7) for record in work.task(number)]
    twice = records_of(compact([*once, *more], strategy="tiered", target_ratio=0.5))
    return [*twice, *(record for number in range(7, 10) for record in work.task(number)), user(work.LAST)]


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
    "interrupted": [system(), *(record for number in range(14) for record in interrupted(number))],
    "rounds": rounds(),
    "system between": [*work.session(3, end=False), system("Now be brief." * 9), *work.session(3)[2:]],
}
TARGETS = (None, 0.9, 0.7, 0.55, 0.4, 0.3, 0.2, 0.15, 0.1, 0.05)


def quoted(lines: Sequence[Excerpt]) -> str:
    """Which lines a summary quotes: the messages that they are of, and their characters."""
    messages = ", ".join(line.heading.strip(" :") for line in lines if line.joint in ("heading", "middle"))
    return f", quotes {len(lines)} lines ({sum(len(line.text) for line in lines)}) of {messages}" if lines else ""


def told(analysis: Analysis, plan: Plan) -> str:
    """A plan in words, runs of exchanges that fare alike on one line."""
    lines = [f"target {plan.target}, demoted {sorted(plan.not_whole & analysis.residuals.kept)}"]
    for (rendition, reason), run in groupby(plan.decisions, lambda d: (d.rendition, d.reason)):
        own = list(run)
        messages = [i for d in own for i in analysis.groups[d.group].messages]
        before = sum(analysis.groups[d.group].tokens for d in own)
        where = f"{min(messages)}-{max(messages)}"
        lines.append(f"{where} {rendition}: {before} -> {sum(d.tokens for d in own)} tokens, {reason}")
    return "\n".join([*lines, *map(told_of_summary, plan.slots)])


def told_of_summary(slot: SummarySlot) -> str:
    repeated = "".join(f", repeats {quote.label or quote.kind} ({len(quote.text)})" for quote in slot.quotes)
    return (
        f"summary of tier {slot.tier}, groups {slot.groups[0]}-{slot.groups[-1]}, {len(slot.groups)} of them, "
        f"{slot.budget} tokens{repeated}{quoted(slot.lines or slot.excerpts or ())}"
    )


@pytest.mark.parametrize("summarizer", ["extractive", "llm"])
@pytest.mark.parametrize("name", SESSIONS)
def test_the_plan_of_a_session(name: str, summarizer: str, golden) -> None:
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
