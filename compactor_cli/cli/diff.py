"""`compactor diff`: what became of the messages, and what survived."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from compactor_cli.cli import options
from compactor_cli.cli.session import Session, open_session
from compactor_cli.errors import ExitCode, UsageError
from compactor_cli.formats import FORMATS
from compactor_cli.model.message import Message
from compactor_cli.model.transcript import Source, Transcript
from compactor_cli.pipeline.compare import CATEGORIES, Fate, Survival, fates, survival
from compactor_cli.pipeline.repair import repair
from compactor_cli.pipeline.verify import faults as find_faults


def diff(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="The transcript as it was.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The transcript as it is now.")],
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-under",
            metavar="NAME=PERCENT",
            help="Exit code 1 when less survives: user_requests, constraints, decisions, errors, files, identifiers; "
            "or when `saved` (percent of the tokens) is less.",
        ),
    ] = None,
    lost: Annotated[int, typer.Option("--lost", min=0, metavar="N", help="How much of what is gone to list.")] = 12,
    format: options.FormatOption = "",
    model: options.ModelOption = "",
    tokenizer: options.TokenizerOption = "",
    skip_damaged: options.SkipDamagedOption = False,
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Compare a transcript with its compacted form: messages, tokens, and what survived.

    Survival is by category: requests of the user, constraints and decisions (sentences that say so),
    errors (first lines), files created or edited, and identifiers.

    Examples:

      compactor diff session.jsonl small.jsonl

      compactor diff session.jsonl small.jsonl --fail-under user_requests=90 --fail-under files=100
    """
    from compactor_cli.render import jsons, tables

    wanted = [_requirement(text) for text in fail_under or ()]
    session = open_session(tokenizer=tokenizer, model=model, format=format, skip_damaged=skip_damaged, quiet=quiet)
    first, second = session.load(before), session.load(after)
    fate, survivals = compare(session, first, second)
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


def compare(session: Session, first: Source, second: Source) -> tuple[Fate, list[Survival]]:
    """Fates and survival over all conversations of two files, paired by their order."""
    if len(first.transcripts) != len(second.transcripts):
        counts = f"{len(first.transcripts)} and {len(second.transcripts)}"
        raise UsageError(f"the files hold different numbers of conversations ({counts}); they cannot be paired")
    results: list[tuple[Fate, Sequence[Survival]]] = []
    for a, b in zip(first.transcripts, second.transcripts, strict=True):
        messages = _mended(session, a) if a.messages != b.messages else a.messages
        fate = fates(messages, b.messages)
        lost = len(a.messages) - sum(bool(m.records) for m in messages)
        extra = tuple(range(len(messages), len(messages) + lost))  # taken out by a repair
        synthetic = {m.index for m in messages if not m.records}
        results.append((_without(fate, synthetic, extra), survival(messages, b.messages)))
    return _sum_fates([fate for fate, _ in results]), _sum_survivals([s for _, s in results])


def _mended(session: Session, transcript: Transcript) -> Sequence[Message]:
    """The messages as compaction numbers them, when the transcript had faults."""
    mended, _ = repair(
        transcript,
        adjacent_results=FORMATS[transcript.format].adjacent_results,
        per_message=session.counter.per_message,
        count=session.counter.count,
    )
    return mended.messages


def _without(fate: Fate, synthetic: set[int], extra: tuple[int, ...]) -> Fate:
    """Results that a repair adds are no messages of the input; those that it takes out are dropped."""

    def own(indices: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(i for i in indices if i not in synthetic)

    added = fate.added + len(synthetic & {*fate.kept, *fate.shortened})
    return Fate(own(fate.kept), own(fate.shortened), own(fate.summarized), (*own(fate.dropped), *extra), added)


def _sum_fates(parts: Sequence[Fate]) -> Fate:
    def joined(name: str) -> tuple[int, ...]:
        return tuple(i for part in parts for i in getattr(part, name))

    names = ("kept", "shortened", "summarized", "dropped")
    return Fate(*(joined(name) for name in names), added=sum(part.added for part in parts))


def _sum_survivals(parts: Sequence[Sequence[Survival]]) -> list[Survival]:
    out = []
    for lines in zip(*parts, strict=True):
        lost = tuple(item for line in lines for item in line.lost)
        out.append(Survival(lines[0].category, sum(x.kept for x in lines), sum(x.total for x in lines), lost))
    return out


def _requirement(text: str) -> tuple[str, float]:
    name, _, least = text.partition("=")
    known = (*CATEGORIES, "saved")
    try:
        percent = float(least.rstrip("%"))
    except ValueError:
        percent = -1.0
    if name not in known or not 0 <= percent <= 100:
        raise UsageError(f"--fail-under {text!r}: write NAME=PERCENT with one of {', '.join(known)}")
    return name, percent
