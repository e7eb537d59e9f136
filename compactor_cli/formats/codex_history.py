"""Codex: the history that a `compacted` record holds, as records of its own.

`replacement_history` is a list of the items that the model is sent instead of all that came before. It is read as if
the record held an empty list and each item stood behind it on a line of its own, which means the same to the agent.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.formats.jsonl import ReadRecord
from compactor_cli.formats.unfolding import Unfolded, emptied, put_in, taken_out
from compactor_cli.model.content import Content
from compactor_cli.model.transcript import Transcript

HISTORY = ("payload", "replacement_history")
_ENVELOPE = ("timestamp", "ordinal")


def is_compacted(value: Any) -> bool:
    """Return whether a record replaces all history before it."""
    return isinstance(value, dict) and value.get("type") == "compacted"


def history_of(value: Any) -> list[Any] | None:
    """Return the items of a `compacted` record; None of any other record, and of one that has only a message."""
    payload = value.get("payload") if is_compacted(value) else None
    history = payload.get("replacement_history") if isinstance(payload, dict) else None
    return history if isinstance(history, list) else None


def unfold(data: Content, records: Sequence[ReadRecord], separator: bytes) -> tuple[Content, list[ReadRecord]] | None:
    """Return the bytes and records of a session with the items of its last compaction on lines of their own; None where
    there are none."""
    last = next((index for index in range(len(records) - 1, -1, -1) if is_compacted(records[index].value)), None)
    if last is None or not history_of(records[last].value):
        return None
    compacted = records[last]
    head, items = taken_out(data[compacted.record.start : compacted.record.end], HISTORY)
    known = {name: compacted.value[name] for name in _ENVELOPE if name in compacted.value}
    pieces = [Unfolded(head, emptied(compacted.value, HISTORY))]
    for text, item in items:
        made = {"timestamp": None, **known, "type": "response_item"}
        line = f'{jsonedit.dump(made)[:-1]},"payload":{text}}}'
        pieces.append(Unfolded(line.encode("utf-8"), {**made, "payload": item}))
    return put_in(data, records, {last: pieces}, separator)


def next_ordinal(transcript: Transcript) -> int | None:
    """Return the number behind that of the last record of a rollout whose records have one: the agent counts on from
    there, and refuses a rollout whose last record has none."""
    if not transcript.records:
        return None
    last = json.loads(transcript.raw(len(transcript.records) - 1))
    ordinal = last.get("ordinal") if isinstance(last, dict) else None
    return ordinal + 1 if isinstance(ordinal, int) else None
