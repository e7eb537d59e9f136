"""What the other strategies plan for sessions of several kinds, to several targets, told whole in golden files.

A line for all messages that fare alike, and one for each summary.
"""

from __future__ import annotations

import pytest

from compactor_cli import api
from compactor_cli.errors import BudgetError
from compactor_cli.model.plan import Decision, Plan
from compactor_cli.model.report import Analysis
from compactor_cli.pipeline.make_plan import make_plan
from compactor_cli.profiles import default_profile
from compactor_cli.settings import Settings
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for
from tests.asking import ScriptedModel
from tests.pipeline.sessions import Json, assistant, compact, filler, load, records_of, result, system, user
from tests.strategies import work
from tests.strategies.test_tiered_plans import GOLDEN, SESSIONS, told_of_summary

INSTRUCTIONS = "<system-reminder>\n# claudeMd\nContents of /work/CLAUDE.md:\n\n{}\n</system-reminder>"


def asking() -> list[Json]:
    """Requests short and long, with pastes, corrections and instructions among them, and little work between."""
    records = [system(), user("Rename module_0 to gate_0, and keep `limit_0` at 30 seconds. It is used in 4 places.")]
    records.append(user(INSTRUCTIONS.format("\n".join(f"Rule {n}: never touch table_{n} by hand." for n in range(9)))))
    for number in range(1, 14):
        pasted = "\n".join(f"    row_{number}_{at} = {at * number}" for at in range(number % 4 * 6))
        asked = f"Now rename module_{number} to gate_{number}. " + "It is as before, I think. " * (number % 3)
        more = f"The limit of `limit_{number % 5}` is {number * 5} seconds after all." if number % 2 else "Go on."
        records.append(user(f"{asked}\n{pasted}\n{more}" if pasted else f"{asked}{more}"))
        records += filler(number, 12 * (number % 4) + 3)
        records.append(assistant(f"Renamed: gate_{number} is in src/gate_{number}.py, and limit_{number % 5} is set."))
    return [*records, user("Do the last one, module_14, as well. Its limit is 90. " + "Mind the callers. " * 12)]


def asked_again() -> list[Json]:
    """The output of a round, with what came since."""
    once = records_of(compact(asking(), strategy="rolling", target_ratio=0.4))
    return [*once, assistant("Done."), *asking()[-20:]]


CASES: dict[str, list[Json]] = {
    **{name: SESSIONS[name] for name in ("interrupted", "rounds")},
    "work": work.session(4),
    "asking": asking(),
    "asked again": asked_again(),
    "one long request": [user("Add up the parts. " * 9), *filler(1, 300), assistant("Done."), user("Why? " * 90)],
    "one request": [user("Add up all parts of the table."), *(record for n in range(12) for record in filler(n, 30))],
    "an answer by a tool": [
        *work.session(3, end=False),
        assistant(None, ("q1", "AskUserQuestion", {"questions": [{"question": "Which one?"}]})),
        result("q1", 'User has answered your questions: "Which one?"="The second, in src/second.py". Go on.'),
        *work.session(2)[2:],
    ],
}
TARGETS = (None, 0.5, 0.3, 0.15, 0.06)
PLANNED = [
    *((name, "extractive") for name in ("rolling", "handoff", "hybrid", "truncate", "adaptive")),
    ("rolling", "llm"),
]


def told(analysis: Analysis, plan: Plan) -> str:
    """A plan in words."""
    alike: dict[tuple[str, str], list[Decision]] = {}
    for decision in plan.decisions:
        alike.setdefault((decision.rendition, decision.reason), []).append(decision)
    lines = [f"target {plan.target}, demoted {sorted(plan.not_whole & analysis.residuals.kept)}"]
    for (rendition, reason), own in alike.items():
        messages = sorted(i for d in own for i in analysis.groups[d.group].messages)
        begins = [i for i in messages if i - 1 not in messages]
        ends = [i for i in messages if i + 1 not in messages]
        spans = " ".join(
            f"{first}-{last}" if first < last else str(first) for first, last in zip(begins, ends, strict=True)
        )
        before = sum(analysis.groups[d.group].tokens for d in own)
        lines.append(f"{rendition}: {before} -> {sum(d.tokens for d in own)} tokens, {reason}: {spans}")
    return "\n".join([*lines, *map(told_of_summary, plan.slots)])


@pytest.mark.parametrize(("name", "summarizer"), PLANNED)
def test_the_plans_of_a_strategy(name: str, summarizer: str, golden) -> None:
    settings = Settings(strategy=name, summarizer=summarizer)
    model = ScriptedModel("never asked")
    blocks = []
    for case, records in CASES.items():
        source = load(records)
        (analysis,) = api.score(source, settings, tokenizer="chars", model=model)
        counter = make_counter("chars").counter
        tools = tools_for(source.transcripts[0], counter, settings, default_profile(), model=model)
        for share in TARGETS:
            target = None if share is None else int(share * source.tokens)
            try:
                plan = make_plan(analysis, tools, settings, target)
            except BudgetError as error:
                blocks.append(f"{case}, target {target}: at least {error.floor}")
                continue
            spent = sum(d.tokens for d in plan.decisions) + sum(slot.budget for slot in plan.slots)
            assert target is None or spent <= target
            blocks.append(f"{case}, {told(analysis, plan)}")
    golden(GOLDEN / f"plans of {name}, {summarizer}.txt", "\n\n".join(blocks) + "\n")
