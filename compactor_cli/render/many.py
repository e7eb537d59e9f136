"""What people see of a run over several files: a line for each, the sums, and what failed."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from compactor_cli.model.outcome import FAILURES, Outcome, Sizes
from compactor_cli.render.console import counted, percent
from compactor_cli.render.tables import savings_table


def file_line(outcome: Outcome, *, written: bool) -> str:
    """One file's result."""
    where = f", written to {outcome.place}" if written and outcome.place not in ("-", outcome.path) else ""
    before, after = outcome.before, outcome.after
    if outcome.earlier:
        return f"{outcome.path}: done before, {outcome.place}"
    if not outcome.changed:
        return f"{outcome.path}: {before.tokens:,} tokens, unchanged{where}"
    saved = percent(before.tokens - after.tokens, before.tokens)
    messages = f"{before.messages:,} → {counted(after.messages, 'message')}"
    return f"{outcome.path}: {before.tokens:,} → {after.tokens:,} tokens (-{saved}), {messages}{where}"


def failed_rows(outcome: Outcome) -> str:
    """Return what failed in a data set, and where it is told."""
    of = f"{outcome.failed_rows:,} of {counted(outcome.rows, 'row')}"
    where = f": see {outcome.place}{FAILURES}" if outcome.place else ""
    return f"{outcome.path}: {of} could not be compacted and stay as they were{where}"


def sums_table(console: Console, outcomes: Sequence[Outcome]) -> Table:
    """The sums over all files that were compacted, now or by an earlier run."""
    done = [one for one in outcomes if not one.error]
    before, after = Sizes(), Sizes()
    for one in done:
        before, after = before + one.before, after + one.after
    earlier = sum(one.earlier for one in done)
    unchanged = sum(not one.changed for one in done)
    failed = len(outcomes) - len(done)
    said = [f"{len(done):,} of {counted(len(outcomes), 'file')}" if failed else counted(len(done), "file")]
    said += [f"{earlier:,} done before"] if earlier else []
    said += [f"{unchanged:,} unchanged"] if unchanged else []
    said += [f"{failed:,} failed"] if failed else []
    rows, lost = sum(one.rows for one in done), sum(one.failed_rows for one in done)
    said += [counted(rows, "row")] if rows else []
    said += [f"{counted(lost, 'row')} failed"] if lost else []
    return savings_table(console, before, after, ", ".join(said))
