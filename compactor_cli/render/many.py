"""Show a run over several files: one line per file, the sums, and the failures."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from compactor_cli.model.outcome import FAILURES, Outcome, Sizes
from compactor_cli.render.console import count_phrase, percent
from compactor_cli.render.tables import savings_table


def file_line(outcome: Outcome, *, written: bool) -> str:
    where = f", written to {outcome.place}" if written and outcome.place not in ("-", outcome.path) else ""
    before, after = outcome.before, outcome.after
    if outcome.earlier:
        return f"{outcome.path}: already done, {outcome.place}"
    if not outcome.changed:
        return f"{outcome.path}: {before.tokens:,} tokens, unchanged{where}"
    saved = percent(before.tokens - after.tokens, before.tokens)
    messages = f"{before.messages:,} → {count_phrase(after.messages, 'message')}"
    return f"{outcome.path}: {before.tokens:,} → {after.tokens:,} tokens (-{saved}), {messages}{where}"


def failed_rows(outcome: Outcome) -> str:
    """Return how many rows of a data set failed, and where the details are."""
    share_phrase = f"{outcome.failed_rows:,} of {count_phrase(outcome.rows, 'row')}"
    where = f": see {outcome.place}{FAILURES}" if outcome.place else ""
    return f"{outcome.path}: {share_phrase} could not be compacted and were left unchanged{where}"


def sums_table(console: Console, outcomes: Sequence[Outcome]) -> Table:
    """Return a table of sums over all compacted files, including those of an earlier run."""
    compacted = [outcome for outcome in outcomes if not outcome.error]
    before, after = Sizes(), Sizes()
    for outcome in compacted:
        before, after = before + outcome.before, after + outcome.after
    earlier = sum(outcome.earlier for outcome in compacted)
    unchanged = sum(not outcome.changed for outcome in compacted)
    failed = len(outcomes) - len(compacted)
    words = [
        f"{len(compacted):,} of {count_phrase(len(outcomes), 'file')}"
        if failed
        else count_phrase(len(compacted), "file")
    ]
    words += [f"{earlier:,} already done"] if earlier else []
    words += [f"{unchanged:,} unchanged"] if unchanged else []
    words += [f"{failed:,} failed"] if failed else []
    rows, lost = sum(outcome.rows for outcome in compacted), sum(outcome.failed_rows for outcome in compacted)
    words += [count_phrase(rows, "row")] if rows else []
    words += [f"{count_phrase(lost, 'row')} failed"] if lost else []
    return savings_table(console, before, after, ", ".join(words))
