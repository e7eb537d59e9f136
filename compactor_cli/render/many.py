"""Show a run over several files: one line per file, the sums, and the failures."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from compactor_cli.model.outcome import FAILURES, Outcome, Sizes
from compactor_cli.render.console import counted, percent
from compactor_cli.render.tables import savings_table


def file_line(outcome: Outcome, *, written: bool) -> str:
    """Return the result of one file as a line."""
    where = f", written to {outcome.place}" if written and outcome.place not in ("-", outcome.path) else ""
    before, after = outcome.before, outcome.after
    if outcome.earlier:
        return f"{outcome.path}: already done, {outcome.place}"
    if not outcome.changed:
        return f"{outcome.path}: {before.tokens:,} tokens, unchanged{where}"
    saved = percent(before.tokens - after.tokens, before.tokens)
    messages = f"{before.messages:,} → {counted(after.messages, 'message')}"
    return f"{outcome.path}: {before.tokens:,} → {after.tokens:,} tokens (-{saved}), {messages}{where}"


def failed_rows(outcome: Outcome) -> str:
    """Return how many rows of a data set failed, and where the details are."""
    of = f"{outcome.failed_rows:,} of {counted(outcome.rows, 'row')}"
    where = f": see {outcome.place}{FAILURES}" if outcome.place else ""
    return f"{outcome.path}: {of} could not be compacted and were left unchanged{where}"


def sums_table(console: Console, outcomes: Sequence[Outcome]) -> Table:
    """Return a table of sums over all compacted files, including those of an earlier run."""
    done = [outcome for outcome in outcomes if not outcome.error]
    before, after = Sizes(), Sizes()
    for outcome in done:
        before, after = before + outcome.before, after + outcome.after
    earlier = sum(outcome.earlier for outcome in done)
    unchanged = sum(not outcome.changed for outcome in done)
    failed = len(outcomes) - len(done)
    words = [f"{len(done):,} of {counted(len(outcomes), 'file')}" if failed else counted(len(done), "file")]
    words += [f"{earlier:,} already done"] if earlier else []
    words += [f"{unchanged:,} unchanged"] if unchanged else []
    words += [f"{failed:,} failed"] if failed else []
    rows, lost = sum(outcome.rows for outcome in done), sum(outcome.failed_rows for outcome in done)
    words += [counted(rows, "row")] if rows else []
    words += [f"{counted(lost, 'row')} failed"] if lost else []
    return savings_table(console, before, after, ", ".join(words))
