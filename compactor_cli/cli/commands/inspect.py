"""`compactor inspect`: where the tokens are, what /compact would do, and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from compactor_cli.cli import options
from compactor_cli.cli.databases import existing_database
from compactor_cli.cli.inputs import inputs_of, one_by_one
from compactor_cli.cli.outputs import check_html, check_outputs, find_files_read, write_page
from compactor_cli.cli.session import Session, open_session
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import ExitCode, StoreError, UsageError
from compactor_cli.formats import FORMATS
from compactor_cli.model.archived import PastRound
from compactor_cli.model.report import Analysis
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.analysis import analyze
from compactor_cli.settings.frozen import frozen
from compactor_cli.text.clean import plain
from compactor_cli.tokens.models import model_facts
from compactor_cli.views.forecast import Outlook, forecast_context

if TYPE_CHECKING:
    from compactor_cli.doctor.base import Finding


_HARMLESS = ("outside_context", "other_roles")
"""Kinds of notes on a file that indicate no fault."""


@frozen(frozen=True, kw_only=True)
class InspectOptions(options.SessionOptions):
    file: options.FileArgument = ""
    message: int | None = options.option("N", "Show message N in full, with its score.", None, min=0)
    faults: bool = options.switch("Show only what is wrong with the file; exit with code 1 if anything is.")
    html: options.HtmlOption = ""


@takes_options("inspect")
def inspect(args: InspectOptions, overrides: Layer) -> None:
    """Show what is in a session: how full its context is, where the tokens are, what is wrong.

    Archived rounds (`compact --archive`) are listed as its history.

    \b
    Examples:
      compactor inspect session.jsonl
      compactor inspect session.jsonl --model gpt-4o
      compactor inspect session.jsonl --preset chat
      compactor inspect session.jsonl --message 12
      compactor inspect --latest claude
      compactor inspect session.jsonl --html session.html
      compactor inspect session.jsonl --faults || echo broken
    """
    session = open_session(args, overrides, probes=True)
    session.go_offline()
    inputs = inputs_of(session, [args.file], args)
    check_html(args.html, len(inputs))
    check_outputs(find_files_read(session.configured, [file.path for file in inputs]), {"--html": [args.html]})
    if args.html and args.message is not None:
        raise UsageError("--html shows all messages; use it without --message")
    if args.faults and args.message is not None:
        raise UsageError("--faults checks the whole file; use it without --message")
    one_by_one(session, inputs, partial(_inspect, session, args))


def _inspect(session: Session, args: InspectOptions, file: str) -> int:
    from compactor_cli.render import jsons, tables
    from compactor_cli.render.archive import round_json
    from compactor_cli.render.tables import finding_json

    before, settings = session.model_use(), session.settings
    source = session.load(file)
    analyses = [analyze(t, session.tools(t, settings), settings) for t in source.transcripts]
    faults_found = [fault for analysis in analyses for fault in analysis.faults]
    more = _more_faults(source) if args.faults else []
    faulty = bool(faults_found or more) or any(note.kind not in _HARMLESS for note in source.notes)
    if args.message is not None:
        show_message(session, source, analyses, args.message, json=args.json)
        return ExitCode.OK
    view = _worst_outlook(session, source)
    past_rounds = _archived_rounds(session, source)
    if args.json or args.html:
        from compactor_cli.views.overview import overview

        value = jsons.inspect_json(source, session.counter.name, view, analyses, [overview(a) for a in analyses])
        if args.faults:
            value["findings"] = [finding_json(finding) for finding in more]
        value["history"] = [round_json(analysis) for analysis in past_rounds]
        value |= session.model_use_json()
        if args.html:
            from compactor_cli.views.timelines import of_analyses

            write_page(session, args.html, "inspect", [source.path], value, of_analyses(analyses))
    if args.json:
        print_json(value)
    else:
        tables.print_heading(session.out, source, session.counter.name)
        if not args.faults:
            _show(session, analyses, view, past_rounds)
        if faults_found or more or source.notes:
            session.out.print(tables.fault_table(session.out, faults_found, source.notes, more))
        else:
            session.out.print("no faults found")
    session.print_model_use(session.model_use(before))
    return ExitCode.NO if args.faults and faulty else ExitCode.OK


def _more_faults(source: Source) -> list[Finding]:
    """Return faults of the file other than unmatched calls and results. (`doctor` finds all faults.)"""
    from compactor_cli.doctor.base import Limits
    from compactor_cli.doctor.examine import examine

    examined = examine(source, Limits())
    return [finding for findings in examined.conversations for finding in findings if finding.message is None]


def _archived_rounds(session: Session, source: Source) -> Sequence[PastRound]:
    """Return the archived rounds, oldest first. An unusable database only causes a warning."""
    try:
        with existing_database(session.reading.database_url) as database:
            if database is None:
                return []
            from compactor_cli.archive.manifest import session_keys
            from compactor_cli.archive.stored import archive, rounds

            with database.read() as connection:
                keys = session_keys(source)
                compaction = archive.find_compaction(connection, source.stored, keys)
                return rounds.history(connection, keys, [compaction.id] if compaction else [])
    except StoreError as error:
        session.warn(f"without the history of the session: {error}")
        return []


def _show(session: Session, analyses: Sequence[Analysis], view: Outlook, past_rounds: Sequence[PastRound]) -> None:
    from compactor_cli.render import tables
    from compactor_cli.render.archive import rounds_table
    from compactor_cli.views.overview import overview

    for line in tables.context_lines(session.out, view):
        session.out.print(line)
    for line in tables.scope_lines(session.settings):
        session.out.print(line)
    for analysis in analyses:
        for table in tables.overview_tables(session.out, overview(analysis), analysis.transcript.tokens):
            session.out.print(table)
    if past_rounds:
        session.out.print(rounds_table(session.out, past_rounds))


def _worst_outlook(session: Session, source: Source) -> Outlook:
    """Return the outlook of the conversation that needs compaction most."""
    settings, model = session.settings, session.reading.model
    facts = model_facts(model)
    if model and not (facts.known or settings.context.limit):
        session.warn(f"the context limit of {model} is not known; {facts.context_limit:,} tokens are assumed")
    set_by = str(session.configured.values["context.threshold"].origin)
    views = [
        forecast_context(transcript, FORMATS[transcript.format], facts.context_limit, settings, set_by)
        for transcript in source.transcripts
    ]
    return max(views, key=lambda view: (view.compacts, view.state.tokens))


def show_message(session: Session, source: Source, analyses: list[Analysis], index: int, *, json: bool) -> None:
    """Show one message in full. In a file with several conversations, indexes continue from one to the next."""
    from compactor_cli.render import jsons, tables

    offset = index
    for analysis in analyses:
        messages = analysis.transcript.messages
        if offset < len(messages):
            break
        offset -= len(messages)
    else:
        raise UsageError(f"--message {index}: the file has messages 0 to {source.message_count - 1}")
    message, score = messages[offset], analysis.scores[offset]
    if json:
        value = {
            "index": offset,
            "id": message.id,
            "role": message.role,
            "origin": message.origin,
            "tokens": message.tokens,
            "score": jsons.number(score.value),
            "raw_score": jsons.number(score.raw),
            "factors": jsons.factors_json(score),
            "residual": offset in analysis.residuals.kept,
            "tier": analysis.tiers[offset],
            "lines": [analysis.transcript.records[record].line for record in message.records],
            "parts": [
                {"kind": p.kind, "name": p.name, "call_id": p.call_id, "tokens": p.tokens, "text": p.text}
                for p in message.parts
            ],
        }
        print_json(value)
        return
    lines = ", ".join(str(analysis.transcript.records[record].line) for record in message.records)
    session.out.print(
        f"message {offset} · {message.role} · {message.tokens:,} tokens · line {lines} · id {plain(message.id)}"
    )
    tier = analysis.tiers[offset]
    group = "residual" if offset in analysis.residuals.kept else f"tier {tier}" if tier is not None else "kept"
    session.out.print(f"score {score.value:g} ({tables.factors_of(score)}) · {group}")
    for part in message.parts:
        title = " ".join(word for word in (part.kind, part.name, part.call_id) if word)
        session.out.print(f"\n[{plain(title)} · {part.tokens:,} tokens]", style="bold")
        session.out.print(plain(part.text), soft_wrap=True)
