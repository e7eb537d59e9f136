"""`compactor budget`: how a token budget would be split."""

from __future__ import annotations

from functools import partial

from compactor_cli.cli import options
from compactor_cli.cli.inputs import inputs_of, one_by_one
from compactor_cli.cli.prompt import read_prompt
from compactor_cli.cli.session import Session, open_session
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import ExitCode, UsageError
from compactor_cli.model.budget import TIERS, Budget, FixedParts
from compactor_cli.model.message import system_tokens
from compactor_cli.model.report import Analysis
from compactor_cli.model.transcript import Source, Transcript
from compactor_cli.pipeline.analysis import analyze
from compactor_cli.pipeline.share_budget import allocate
from compactor_cli.prompt.definition import Prompt, SegmentChoice
from compactor_cli.prompt.segments import choose_segments, fixed_parts, size_parts
from compactor_cli.settings.frozen import frozen
from compactor_cli.tokens.base import TokenCounter


@frozen(frozen=True, kw_only=True)
class BudgetOptions(options.SessionOptions):
    total: options.TotalOption
    file: options.FileArgument = ""
    prompt: options.PromptOption = ""
    context: options.ContextOption = None


@takes_options("budget")
def budget(args: BudgetOptions, overrides: Layer) -> None:
    """Split a token budget among fixed parts, residuals and tiers.

    Fixed parts and a margin of 100 tokens come off first, residuals take up to their share, and the
    tiers get 70, 20, 7 and 3 percent of the rest. What a tier cannot use goes to the others. Strategy
    tiered splits its tokens like that; adaptive, which compact uses with a target, has no tiers.

    \b
    Examples:
      compactor budget session.jsonl --total 8000
      compactor budget session.jsonl --total 4000 --prompt prompt.yaml --json

    \b
    A prompt.yaml gives each part a size, a text or a file:
      system_prompt: {file: system.md}
      agent_identity: {tokens: 200}
      task_prompt: "Fix the rounding bug."
    """
    session = open_session(args, overrides, probes=True)
    session.go_offline()
    prompt = read_prompt(args.prompt, args.context or ())[0] if args.prompt else None
    one_by_one(session, inputs_of(session, [args.file], args), partial(_budget, session, args, prompt))


def _budget(session: Session, args: BudgetOptions, prompt: Prompt | None, file: str) -> int:
    total, settings = args.total, session.settings
    source = session.load(file)
    session.print_reading_notes(source)
    if len(source.transcripts) > 1:
        raise UsageError(
            f"{file} holds {len(source.transcripts)} conversations, but a budget is for one; split the file"
        )
    transcript, counter = source.transcripts[0], session.counter
    analysis = analyze(transcript, session.tools(transcript, settings), settings, target=total)
    choices = choose_segments(prompt, counter.count) if prompt else ()
    fixed = _fixed_parts(transcript, prompt, choices, counter)
    residuals = _residual_tokens(analysis, prompt, counter)
    messages = analysis.transcript.messages
    needs = [sum(m.tokens for m in messages if analysis.tiers[m.index] == tier) for tier in range(TIERS)]
    margin, share = settings.budget.safety_margin, settings.scoring.max_residuals
    allocated = allocate(total, fixed, residuals, needs=needs, safety_margin=margin, residual_share=share)
    _show(session, source, allocated, prompt, choices, json=args.json)
    if allocated.remaining < 0:
        session.warn(f"the fixed parts alone take {fixed.total:,} tokens, more than the budget of {total:,}")
        return ExitCode.BUDGET
    return ExitCode.OK


def _fixed_parts(
    transcript: Transcript, prompt: Prompt | None, choices: tuple[SegmentChoice, ...], counter: TokenCounter
) -> FixedParts:
    system = system_tokens(transcript.messages)
    if prompt is None:
        return FixedParts(system_prompt=system)
    return fixed_parts(size_parts(prompt, choices, counter.count, counter.per_message, system))


def _residual_tokens(analysis: Analysis, prompt: Prompt | None, counter: TokenCounter) -> int:
    """Return the tokens of the residuals: as given in the prompt, otherwise those of the transcript."""
    residuals = prompt.residuals if prompt else None
    if residuals is None:
        return sum(analysis.transcript.messages[i].tokens for i in analysis.residuals.kept)
    return residuals if isinstance(residuals, int) else counter.count(residuals)


def _show(
    session: Session,
    source: Source,
    allocated: Budget,
    prompt: Prompt | None,
    choices: tuple[SegmentChoice, ...],
    *,
    json: bool,
) -> None:
    from compactor_cli.render import jsons, prompts, tables

    session.print_model_use(session.model_use())
    if json:
        segments = prompts.segments_json(prompt, choices) if prompt and choices else {}
        print_json({**jsons.budget_json(allocated), **segments, **session.model_use_json()})
        return
    tables.print_heading(session.out, source, session.counter.name)
    session.out.print(tables.budget_table(session.out, allocated))
    if prompt and choices:
        session.out.print(prompts.segments_table(session.out, prompt, choices))
    for line in tables.scope_lines(session.settings):
        session.out.print(line)
