"""`compactor budget`: how a token budget would be shared out."""

from __future__ import annotations

import typer

from compactor_cli.cli import options
from compactor_cli.cli.prompt import read_prompt
from compactor_cli.cli.session import open_session, scoring_settings
from compactor_cli.errors import ExitCode, UsageError
from compactor_cli.model.budget import TIERS, FixedParts
from compactor_cli.pipeline.budget import allocate
from compactor_cli.pipeline.run import analyze
from compactor_cli.settings import Settings


def budget(
    file: options.FileArgument,
    total: options.TotalOption,
    prompt: options.PromptOption = "",
    scorer: options.ScorerOption = "factors",
    threshold: options.ThresholdOption = 60,
    max_residuals: options.MaxResidualsOption = 0.20,
    now: options.NowOption = "",
    format: options.FormatOption = "",
    model: options.ModelOption = "",
    tokenizer: options.TokenizerOption = "",
    skip_damaged: options.SkipDamagedOption = False,
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Share out a token budget over fixed parts, residuals and tiers.

    Fixed parts and a margin of 100 tokens come off first, residuals take up to their share, and the
    tiers get 70, 20, 7 and 3 percent of the rest. What a tier cannot use goes to the others.

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
    from compactor_cli.render import jsons, tables

    session = open_session(tokenizer=tokenizer, model=model, format=format, skip_damaged=skip_damaged, quiet=quiet)
    settings = Settings(scoring=scoring_settings(scorer, threshold, max_residuals, now))
    source = session.load(file)
    session.note_reading(source)
    if len(source.transcripts) > 1:
        raise UsageError(f"{file} holds {len(source.transcripts)} conversations; a budget is for one, split the file")
    transcript = source.transcripts[0]
    analysis = analyze(transcript, session.tools(transcript, settings), settings, target=total)
    system = sum(m.tokens for m in transcript.messages if m.role == "system")
    fixed, residuals = FixedParts(system_prompt=system), None
    if prompt:
        fixed, residuals = read_prompt(prompt, session.counter.count, system)
    if residuals is None:
        residuals = sum(transcript.messages[i].tokens for i in analysis.residuals.kept)
    tokens = [(analysis.tiers[m.index], m.tokens) for m in transcript.messages]
    needs = [sum(size for at, size in tokens if at == tier) for tier in range(TIERS)]
    allocated = allocate(total, fixed, residuals, needs=needs, residual_share=max_residuals)
    if json:
        typer.echo(jsons.dumps(jsons.budget_json(allocated)))
    else:
        tables.heading(session.out, source, session.counter.name)
        session.out.print(tables.budget_table(session.out, allocated))
    if allocated.remaining < 0:
        session.warn(f"the fixed parts alone take {fixed.total:,} tokens, more than the {total:,} of the budget")
        raise typer.Exit(ExitCode.BUDGET)
