"""What the archive holds of a file, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

from rich.console import Console
from rich.table import Table

from compactor_cli.archive.events import event
from compactor_cli.model.archive import Manifest, PastRound
from compactor_cli.render.console import make_table
from compactor_cli.text.clean import plain
from compactor_cli.text.headers import format_ranges


def when(seconds: float) -> str:
    """A time as the user's clock has it."""
    return datetime.fromtimestamp(seconds, timezone.utc).astimezone().strftime("%Y-%m-%d %H:%M")


def rounds_table(console: Console, past: Sequence[PastRound]) -> Table:
    """The rounds of a session, the oldest first."""
    several = len({each.round.conversation for each in past}) > 1
    table = make_table(console, "Rounds")
    for name in ("round", *(("conversation",) if several else ())):
        table.add_column(name, justify="right")
    table.add_column("when", no_wrap=True)
    table.add_column("strategy")
    for name in ("before", "after", "messages"):
        table.add_column(name, justify="right")
    table.add_column("original")
    for each in past:
        one = each.round
        table.add_row(
            str(one.round),
            *([str(one.conversation)] if several else []),
            when(each.at),
            one.strategy,
            f"{one.tokens_before:,}",
            f"{one.tokens_after:,}",
            f"{one.messages_before:,} to {one.messages_after:,}",
            "kept" if each.kept else "gone",
        )
    return table


def round_json(each: PastRound) -> dict[str, Any]:
    """A round, with the keys of the events of seeds 000 and 001 under `event`."""
    return {
        "compaction": each.compaction,
        "at": datetime.fromtimestamp(each.at, timezone.utc).isoformat(),
        "session": each.session,
        "conversation": each.round.conversation,
        "strategy": each.round.strategy,
        "summarizer": each.round.summarizer,
        "target_tokens": each.round.target,
        "input": each.input_path,
        "output": each.output_path,
        "kept": each.kept,
        "written": each.written,
        "event": event(each.round),
    }


def removed_table(console: Console, manifest: Manifest) -> Table:
    """Every original that is not in an output as it was. A dot marks a reference that stands in the output."""
    several = len({entry.conversation for entry in manifest.removed}) > 1
    number = max((one.round for one in manifest.rounds), default=0)
    table = make_table(console, f"Taken away in round {number} (· the reference stands in the output)")
    table.add_column("reference", no_wrap=True)
    table.add_column("messages", overflow="fold")
    table.add_column("role")
    table.add_column("tokens", justify="right")
    table.add_column("became")
    table.add_column("why", overflow="fold")
    for entry in manifest.removed:
        where = f"{entry.conversation}: " if several else ""
        table.add_row(
            f"{entry.reference}{' ·' if entry.marked else ''}",
            where + (format_ranges(entry.messages) or "none"),
            entry.role,
            f"{entry.tokens:,}",
            entry.loss,
            plain(entry.reason),
        )
    return table
