"""The kernel: a pure function from a batch of rows to a batch of rows, which every engine can call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import pyarrow as pa
from msgspec import Struct

from compactor_cli.datasets import columns
from compactor_cli.errors import BudgetError, InputError, ModelError
from compactor_cli.formats.loading import load
from compactor_cli.model.content import read_all
from compactor_cli.model.outcome import NOTHING, Sizes
from compactor_cli.model.report import Compaction
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.run import compact_source
from compactor_cli.settings import Settings
from compactor_cli.text.patterns import compiled_later
from compactor_cli.tokens import make_counter
from compactor_cli.tokens.base import TokenCounter
from compactor_cli.wiring import tools_for


class RowResult(Struct, frozen=True):
    """The result of compacting a row's document."""

    line: bytes
    before: Sizes
    after: Sizes
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class RowSums:
    """What was done to rows."""

    before: Sizes = NOTHING
    after: Sizes = NOTHING
    changed: int = 0
    failures: dict[int, str] = field(default_factory=dict)
    """Row -> why it was left unchanged."""
    notes: Counter[str] = field(default_factory=Counter)
    """Note for people -> number of rows that it applies to."""

    def add(self, other: RowSums, first: int) -> None:
        """Add what was done to further rows, the first of which has the number `first`."""
        self.before, self.after = self.before + other.before, self.after + other.after
        self.changed += other.changed
        self.failures |= {first + index: why for index, why in other.failures.items()}
        self.notes.update(other.notes)


class Batch(NamedTuple):
    """A batch of rows, and what was done to them."""

    rows: Any
    done: RowSums


_FIGURES = compiled_later(r"\d[\d,]*(?:, \d[\d,]*)*")
"""Numbers, which differ between otherwise equal notes of many rows."""
Make = Callable[[bytes], RowResult]
"""Compacts a document. Raises CompactorError if that is impossible."""


def row_of(source: Source, line: bytes, parts: Sequence[Compaction]) -> RowResult:
    """Return the result for a document that was read as `source`."""
    warnings = [note.detail.partition(":")[0] for note in source.notes if note.kind == "other_roles"]
    warnings += [_FIGURES.sub("…", warning) for part in parts for warning in part.warnings]
    warnings += [f"repaired: {note.kind}" for part in parts for note in part.repairs]
    return RowResult(
        line,
        Sizes(source.message_count, source.tokens, len(source.data)),
        Sizes(sum(len(part.messages) for part in parts), sum(part.tokens for part in parts), len(line)),
        tuple(dict.fromkeys(warnings)),
    )


def compact_rows(batch: Any, column: str, make: Make) -> Batch:
    """Compact the conversation in each row. A row that cannot be compacted stays unchanged and is listed in
    `failures`. A row without a conversation (null, an empty list) stays unchanged too."""
    context_columns = columns.context_column_names(batch.schema, column)
    values = columns.to_plain(batch.column(column)).to_pylist()
    context_values = {name: columns.to_plain(batch.column(name)).to_pylist() for name in context_columns}
    failures: dict[int, str] = {}
    compacted: dict[int, tuple[bytes, RowResult]] = {}
    for index, value in enumerate(values):
        if not value or (isinstance(value, str) and not value.strip()):
            continue
        line = columns.row_document(
            columns.without_nulls(value), column, {name: context_values[name][index] for name in context_columns}
        )
        try:
            compacted[index] = line, make(line)
        except (InputError, BudgetError, ModelError) as error:
            failures[index] = error.what if isinstance(error, InputError) else str(error)
    rows, refused = _with_new_values(
        batch, column, context_values, {a: row.line for a, (line, row) in compacted.items() if row.line != line}
    )
    return _sum_batch(rows, compacted, {**failures, **refused})


def _with_new_values(
    batch: Any, column: str, context_values: Mapping[str, list[Any]], lines: Mapping[int, bytes]
) -> tuple[Any, dict[int, str]]:
    """Return the batch with the values of the new documents, and row -> why its new value was refused."""
    new: dict[str, dict[int, Any]] = {column: {}, **{name: {} for name in context_values}}
    for index, line in lines.items():
        new[column][index], new_context = columns.document_values(line, column, context_values)
        for name, value in new_context.items():
            if value != context_values[name][index]:  # a system prompt that had to be shortened
                new[name][index] = value
    refused: dict[int, str] = {}
    for name, values in new.items():
        array, why = columns.replace_values(batch.column(name), {a: v for a, v in values.items() if a not in refused})
        refused |= why
        if array is not batch.column(name):
            index = batch.schema.get_field_index(name)
            batch = pa.RecordBatch.from_arrays(
                [array if i == index else old for i, old in enumerate(batch.columns)], schema=batch.schema
            )
    return batch, refused


def _sum_batch(rows: Any, compacted: Mapping[int, tuple[bytes, RowResult]], failures: Mapping[int, str]) -> Batch:
    done = RowSums(failures=dict(sorted(failures.items())))
    for index, (line, row) in compacted.items():
        is_kept = index in failures
        done.before += row.before
        done.after += row.before if is_kept else row.after
        done.changed += not is_kept and row.line != line
        done.notes.update(row.notes)
    return Batch(rows, done)


@cache
def _shared_counter(tokenizer: str) -> TokenCounter:
    """Return the counter for all batches. It is shared because a tokenizer is slow to start."""
    return make_counter(tokenizer).counter


def compact_batch(
    batch: Any, settings: Settings | None = None, *, column: str = "", tokenizer: str = "", errors: str = ""
) -> Any:
    """Return a `pyarrow.RecordBatch` with the conversation of each row compacted: same rows, same order, same schema.

    `column`: the column with the conversations; detected by content if not named. `errors`: name of a text column to
    add, which states why a row was left unchanged and is null otherwise; without it, such a row raises InputError.
    Raises UsageError when the column cannot be determined."""
    settings, counter = settings or Settings(), _shared_counter(tokenizer)

    def make(line: bytes) -> RowResult:
        source = load(line, "row", counter)
        tools = [tools_for(transcript, counter, settings) for transcript in source.transcripts]
        data, parts = compact_source(source, tools, settings)
        return row_of(source, read_all(data), parts)

    rows, done = compact_rows(batch, columns.find_column(batch, column), make)
    if errors:
        messages = pa.array([done.failures.get(index) for index in range(batch.num_rows)], pa.string())
        return rows.append_column(errors, messages)
    for index, why in done.failures.items():
        raise InputError(f"row {index} of the batch: {why}", path="batch")
    return rows
