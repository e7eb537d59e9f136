"""Codex: the history that a `compacted` record holds, as records of its own.

`replacement_history` is a list of the items that the model is sent instead of all that came before. It is read as if
the record held an empty list and each item stood behind it on a line of its own, which means the same to the agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.formats.jsonl import RawRecord, elements
from compactor_cli.model.transcript import Record

HISTORY = ("payload", "replacement_history")


def is_compacted(value: Any) -> bool:
    """Whether a record replaces all history before it."""
    return isinstance(value, dict) and value.get("type") == "compacted"


def history_of(value: Any) -> list[Any] | None:
    """The items of a `compacted` record; None of any other record, and of one that has only a message."""
    payload = value.get("payload") if is_compacted(value) else None
    history = payload.get("replacement_history") if isinstance(payload, dict) else None
    return history if isinstance(history, list) else None


def unfold(data: bytes, records: Sequence[RawRecord], separator: bytes) -> tuple[bytes, list[RawRecord]] | None:
    """The bytes and records of a session with the items of its last compaction on lines of their own; None where
    there are none."""
    last = next((at for at in range(len(records) - 1, -1, -1) if is_compacted(records[at].value)), None)
    if last is None or not history_of(records[last].value):
        return None
    compacted = records[last]
    raw = data[compacted.record.start : compacted.record.end]
    text = raw.decode("utf-8")
    items, _ = elements(text, jsonedit.locate(text, HISTORY)[0])
    stamp = jsonedit.dump(compacted.value.get("timestamp"))
    pieces = [jsonedit.replace(raw, {HISTORY: "[]"})]
    values = [{**compacted.value, "payload": {**compacted.value["payload"], "replacement_history": []}}]
    for start, end, item in items:
        line = f'{{"timestamp":{stamp},"type":"response_item","payload":{text[start:end]}}}'
        pieces.append(line.encode("utf-8"))
        values.append({"timestamp": compacted.value.get("timestamp"), "type": "response_item", "payload": item})
    return _put_in(data, records, last, pieces, values, separator)


def _put_in(
    data: bytes,
    records: Sequence[RawRecord],
    place: int,
    pieces: Sequence[bytes],
    values: Sequence[Any],
    separator: bytes,
) -> tuple[bytes, list[RawRecord]]:
    """The bytes and records with several records in the place of one."""
    line, at, end = records[place].record
    made: list[RawRecord] = []
    for piece, value in zip(pieces, values, strict=True):
        made.append(RawRecord(Record(line, at, at + len(piece)), value))
        at += len(piece) + len(separator)
    moved = at - len(separator) - end
    rest = [
        RawRecord(Record(item.record.line, item.record.start + moved, item.record.end + moved), item.value)
        for item in records[place + 1 :]
    ]
    whole = data[: records[place].record.start] + separator.join(pieces) + data[end:]
    return whole, [*records[:place], *made, *rest]
