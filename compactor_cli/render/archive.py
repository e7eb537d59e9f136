"""Show what the archive holds about a file, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import PurePath
from typing import Any

from rich.console import Console
from rich.table import Table

from compactor_cli.archive.search import MessageHit
from compactor_cli.hooks.archiving import STRATEGY
from compactor_cli.model.archived import Archived, Manifest, PastRound, Round
from compactor_cli.render.console import make_table
from compactor_cli.summary_text.headers import format_ranges
from compactor_cli.text.clean import plain

MAX_ROWS = 40


def local_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).astimezone().strftime("%Y-%m-%d %H:%M")


def rounds_table(console: Console, past_rounds: Sequence[PastRound]) -> Table:
    has_several = len({past.round.conversation for past in past_rounds}) > 1
    columns = (">round", *((">conversation",) if has_several else ()), "when!", "strategy")
    table = make_table(console, "Rounds", *columns, ">before", ">after", ">messages", "original")
    for past in past_rounds:
        done = past.round
        by_agent = done.strategy == STRATEGY  # its output is unknown
        table.add_row(
            str(done.round),
            *([str(done.conversation)] if has_several else []),
            local_time(past.at),
            done.strategy,
            f"{done.tokens_before:,}",
            "" if by_agent else f"{done.tokens_after:,}",
            f"{done.messages_before:,}" + ("" if by_agent else f" to {done.messages_after:,}"),
            ("kept" if past.kept else "gone") + _unconfirmed_note([past]),
        )
    return table


def _unconfirmed_note(rounds: Sequence[PastRound]) -> str:
    """Return a note if an output is not known to have been written; that of an agent never is."""
    open_ones = [past for past in rounds if not past.written and past.round.strategy != STRATEGY]
    return ", output not confirmed" if open_ones else ""


def hits_table(console: Console, hits: Sequence[MessageHit]) -> Table:
    table = make_table(console, "Found in the archive", ">compaction", ">message", "role", "reference!", "text~")
    for hit in hits:
        table.add_row(str(hit.compaction), str(hit.message), hit.role, hit.reference, plain(hit.snippet))
    return table


def round_json(past_round: PastRound) -> dict[str, Any]:
    """Return a round as JSON; the keys of the events of seeds 000 and 001 are under `compression_event`."""
    return {
        "compaction": past_round.compaction,
        "at": datetime.fromtimestamp(past_round.at, timezone.utc).isoformat(),
        "session": past_round.session,
        "conversation": past_round.round.conversation,
        "strategy": past_round.round.strategy,
        "summarizer": past_round.round.summarizer,
        "target_tokens": past_round.round.target,
        "input": past_round.input_path,
        "output": past_round.output_path,
        "kept": past_round.kept,
        "written": past_round.written,
        "event": compression_event(past_round.round),
    }


def compactions_table(
    console: Console, compactions: Sequence[Archived], past_rounds: Sequence[PastRound], *, of_file: bool
) -> Table:
    """Return a table of compactions: of one file, numbered for --round, or of all, for --compaction."""
    number_column = ">--round" if of_file else ">--compaction"
    table = make_table(console, "Kept", number_column, "when!", ">before", ">after", "original", "file~")
    for number, compaction in enumerate(compactions, start=1):
        own_rounds = [past_round for past_round in past_rounds if past_round.compaction == compaction.id]
        by_agent = any(past_round.round.strategy == STRATEGY for past_round in own_rounds)  # its output size is unknown
        table.add_row(
            str(number if of_file else compaction.id),
            local_time(compaction.at),
            f"{sum(past_round.round.tokens_before for past_round in own_rounds):,}" if own_rounds else "",
            f"{sum(past_round.round.tokens_after for past_round in own_rounds):,}"
            if own_rounds and not by_agent
            else "",
            ("kept" if compaction.kept else "gone" if compaction.changed else "unchanged")
            + _unconfirmed_note(own_rounds),
            plain(PurePath(compaction.input.path).name if of_file else compaction.input.path),
        )
    return table


def removed_table(console: Console, manifest: Manifest, number: int) -> Table:
    """Return a table of the originals that an output changed, first those whose references it shows."""
    has_several = len({entry.conversation for entry in manifest.removed}) > 1
    title = f"Removed in {number} (· the output contains the reference)"
    table = make_table(console, title, "reference!", "messages~", "role", ">tokens", "became", "why~")
    for entry in sorted(manifest.removed, key=lambda entry: not entry.marked)[:MAX_ROWS]:
        where = f"{entry.conversation}: " if has_several else ""
        table.add_row(
            f"{entry.reference}{' ·' if entry.marked else ''}",
            where + (format_ranges(entry.messages) or "none"),
            entry.role,
            f"{entry.tokens:,}",
            entry.loss,
            plain(entry.reason),
        )
    if len(manifest.removed) > MAX_ROWS:
        table.caption = f"and {len(manifest.removed) - MAX_ROWS:,} more, which --json lists"
        table.caption_justify = "left"
    return table


def compression_event(round: Round) -> dict[str, Any]:
    """Return the compression event of seed 000 and the compaction event of seed 001, combined."""
    return {
        "originalTokens": round.tokens_before,
        "optimizedTokens": round.tokens_after,
        "compressionRatio": round.ratio,
        "round": round.round,
        "tokensBefore": round.tokens_before,
        "tokensAfter": round.tokens_after,
        "summaryContent": round.summary,
        "compactedMessageIds": list(round.compacted),
    }
