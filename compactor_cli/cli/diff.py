"""`compactor diff`: what became of the messages, and what survived."""

from __future__ import annotations

import typer

from compactor_cli.cli import options
from compactor_cli.cli.configured import configure
from compactor_cli.errors import ExitCode, UsageError
from compactor_cli.formats import FORMATS
from compactor_cli.pipeline.verify import faults as find_faults


def diff(
    before: options.BeforeArgument,
    after: options.AfterArgument,
    fail_under: options.FailUnderOption = None,
    lost: options.LostOption = 12,
    format: options.FormatOption = "",
    model: options.ModelOption = "",
    tokenizer: options.TokenizerOption = "",
    skip_damaged: options.SkipDamagedOption = None,
    config: options.ConfigOption = "",
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Compare a transcript with its compacted form: messages, tokens, and what survived.

    Survival is by category: sentences of the user's requests, and of these the rules, corrections and
    constraints; decisions, what was done (files, commits, bookings), what is open, errors, changed
    files, and identifiers. A sentence is there when it stands word for word.

    \b
    Examples:
      compactor diff session.jsonl small.jsonl
      compactor diff session.jsonl small.jsonl --fail-under user_requests=90 --fail-under files=100
    """
    configured = configure(locals())
    from compactor_cli.pipeline.compare_sources import compare_sources
    from compactor_cli.render import jsons, tables

    wanted = [_requirement(text) for text in fail_under or ()]
    session = configured.session(quiet=quiet)
    first, second = session.load(before), session.load(after)
    fate, survivals = compare_sources(first, second)
    found = [
        fault
        for t in second.transcripts
        for fault in find_faults(t.messages, adjacent_results=FORMATS[t.format].adjacent_results)
    ]
    value = jsons.diff_json(first, second, session.counter.name, fate, survivals, found)
    if json:
        typer.echo(jsons.dumps(value))
    else:
        tables.heading(session.out, first, session.counter.name)
        tables.heading(session.out, second, session.counter.name)
        saved = value["tokens"]
        session.out.print(f"{saved['saved']:,} tokens saved ({saved['saved_percent']}%)")
        session.out.print(tables.fate_line(fate))
        session.out.print(tables.survival_table(session.out, survivals))
        session.out.print("present in the output; a model may still overlook it")
        gone = tables.lost_table(session.out, survivals, lost) if lost else None
        if gone is not None:
            session.out.print(gone)
        if found:
            session.out.print(tables.fault_table(session.out, found, ()))
    percents = {s.category: s.percent for s in survivals} | {"saved": value["tokens"]["saved_percent"]}
    short = [f"{name} {percents[name]:g}% < {least:g}%" for name, least in wanted if percents[name] < least]
    if short:
        session.err.print("below --fail-under: " + ", ".join(short), soft_wrap=True)
        raise typer.Exit(ExitCode.NO)


def _requirement(text: str) -> tuple[str, float]:
    from compactor_cli.survival.result import CATEGORIES

    name, _, least = text.partition("=")
    known = (*CATEGORIES, "saved")
    try:
        percent = float(least.rstrip("%"))
    except ValueError:
        percent = -1.0
    if name not in known or not 0 <= percent <= 100:
        raise UsageError(f"--fail-under {text!r}: write NAME=PERCENT with one of {', '.join(known)}")
    return name, percent
