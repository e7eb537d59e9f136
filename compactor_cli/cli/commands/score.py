"""`compactor score`: how important each message is, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from compactor_cli.cli import options
from compactor_cli.cli.inputs import inputs_of, one_by_one
from compactor_cli.cli.session import Session, open_session
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.model.report import Analysis
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.analysis import analyze
from compactor_cli.settings.frozen import frozen


@frozen(frozen=True, kw_only=True)
class ScoreOptions(options.SessionOptions):
    file: options.FileArgument = ""
    top: int = options.option("N", "Show only the N highest scores; 0 for all.", 0, min=0)


@takes_options("score")
def score(args: ScoreOptions, overrides: Layer) -> None:
    """Score every message and mark the residuals.

    Each row names the factors of the score. Strategy tiered keeps residuals whole; adaptive, which compact
    uses with a target, values single lines instead, as compact --dry-run shows.

    \b
    Examples:
      compactor score session.jsonl
      compactor score session.jsonl --top 20 --threshold 70
      compactor score session.jsonl --scorer classifier --llm-model openai/gpt-4o-mini
      compactor score session.jsonl --json | jq '.messages[] | select(.residual)'
    """
    session = open_session(args, overrides, probes=True)
    session.warn_unused(overrides)
    session.settings = replace(session.settings, summarizer="extractive")  # nothing is summarized here
    one_by_one(session, inputs_of(session, [args.file], args), partial(_score, session, args))
    if not args.json:
        from compactor_cli.render.tables import scope_lines

        for line in scope_lines(session.settings):
            session.out.print(line)


def _score(session: Session, args: ScoreOptions, file: str) -> None:
    before, settings = session.model_use(), session.settings
    source = session.load(file)
    session.print_reading_notes(source)
    analyses = [analyze(t, session.tools(t, settings), settings) for t in source.transcripts]
    everything = [(number, m.index) for number, a in enumerate(analyses) for m in a.transcript.messages]
    if args.top:
        everything = sorted(everything, key=lambda pair: (-analyses[pair[0]].scores[pair[1]].raw, pair))[: args.top]
    session.print_model_use(session.model_use(before))
    _show(session, source, analyses, everything, json=args.json)


def _show(
    session: Session, source: Source, analyses: Sequence[Analysis], selection: Sequence[tuple[int, int]], *, json: bool
) -> None:
    """Show the scores of messages, which are given by conversation and index."""
    from compactor_cli.render import jsons, tables
    from compactor_cli.render.console import count_phrase

    if json:
        value = jsons.score_json(source, session.counter.name, analyses, selection)
        print_json(value | session.model_use_json())
        return
    tables.print_heading(session.out, source, session.counter.name)
    for number, analysis in enumerate(analyses):
        indexes = [index for conversation, index in selection if conversation == number]
        if indexes:
            session.out.print(tables.score_table(session.out, analysis, indexes))
    residual_count = sum(len(a.residuals.kept) for a in analyses)
    limit = sum(a.residuals.limit for a in analyses)
    demoted = sum(len(a.residuals.demoted) for a in analyses)
    session.out.print(f"{count_phrase(residual_count, 'residual')} (at most {limit:,}), {demoted:,} demoted")
