"""Parquet files in and out: each row group is read, compacted and written before the next one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from compactor_cli.datasets.batches import Make, RowSums, compact_rows
from compactor_cli.datasets.columns import find_column
from compactor_cli.errors import InputError

_BATCH_ROWS = 256
"""Rows per batch, which limits how many conversations exist as Python objects at a time."""


@dataclass(slots=True, kw_only=True)
class Shard(RowSums):
    """What was done to the rows of a file."""

    column: str
    rows: int


def compact_shard(
    source: IO[bytes], sink: IO[bytes], column: str, make: Make, on_batch: Callable[[int], object] = lambda rows: None
) -> Shard:
    """Compact a Parquet file into another one with the same schema, metadata, row groups and compression. `column`:
    empty to detect it. `on_batch`: gets the rows finished. Raises InputError and UsageError."""
    try:
        file = pq.ParquetFile(source)
        name = find_column(_first_rows(file), column)
        shard = Shard(column=name, rows=file.metadata.num_rows)
        with pq.ParquetWriter(sink, file.schema_arrow, **_writer_options(file)) as writer:
            first = 0
            for group in range(file.metadata.num_row_groups):
                batches = []
                for rows in file.iter_batches(_BATCH_ROWS, row_groups=[group]):
                    batch = compact_rows(rows, name, make)
                    batches.append(batch.rows)
                    shard.add(batch.done, first)
                    first += rows.num_rows
                    on_batch(first)
                table = pa.Table.from_batches(batches, file.schema_arrow)
                writer.write_table(table, row_group_size=max(1, table.num_rows))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise InputError(f"cannot be read as Parquet: {error}") from None
    return shard


def _first_rows(file: Any) -> Any:
    """Return the first rows, from which the column is detected; an empty batch if the file has none."""
    rows = next(file.iter_batches(_BATCH_ROWS), None)
    return rows if rows is not None else pa.RecordBatch.from_pylist([], file.schema_arrow)


def _writer_options(file: Any) -> dict[str, Any]:
    """Return the compression of each column, dictionary encoding, and the naming of list elements."""
    if not file.metadata.num_row_groups:
        return {}
    group = file.metadata.row_group(0)
    columns = [group.column(index) for index in range(group.num_columns)]
    codecs = {chunk.path_in_schema: chunk.compression for chunk in columns}
    plain = {"UNCOMPRESSED": "NONE"}
    return {
        "compression": {path: plain.get(codec, codec) for path, codec in codecs.items()},
        "use_compliant_nested_type": not any(".list.item" in path for path in codecs),
        "use_dictionary": [chunk.path_in_schema for chunk in columns if chunk.has_dictionary_page],
    }
