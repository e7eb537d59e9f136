"""Records whose contents depend on other records, adjusted after a compaction: the newest token count, and lists of
children."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import Format
from compactor_cli.formats.copies import find_at, value_at
from compactor_cli.model.message import Message, Path
from compactor_cli.model.transcript import Transcript
from compactor_cli.text.json_values import json_value

OutputRecord = tuple["int | None", "Message | None"]


def updated_counts(
    transcript: Transcript, output_records: Sequence[OutputRecord], format: Format
) -> dict[int, dict[Path, str]]:
    """Return the newest record with a token count -> its counts, reduced by the share of the context that the
    compaction removed before it. Agents compact a session when that count is near the limit. With the old count, they
    would immediately compact what is left. The count is scaled instead of replaced by ours, because it includes the
    system prompt and tools."""
    if all(transcript.source.find(word) < 0 for word in format.usage_words):
        return {}
    for index in range(len(output_records) - 1, -1, -1):
        record = output_records[index][0]
        if record is None or not any(word in (raw := transcript.raw(record)) for word in format.usage_words):
            continue
        value = json_value(raw)
        if not isinstance(value, dict) or format.usage(value) is None:
            continue
        paths = format.counts(value)
        share = _share_left(transcript, output_records[: index + 1]) if paths else 1.0
        return (
            {record: {path: str(math.ceil(share * int(value_at(value, path)))) for path in paths}} if share < 1 else {}
        )
    return {}


def _share_left(transcript: Transcript, output_records: Sequence[OutputRecord]) -> float:
    """Return the tokens of the messages in these records, as a share of those before the last one in the input."""
    end = max((record for record, _ in output_records if record is not None), default=-1)
    tokens_before = sum(m.tokens for m in transcript.messages if m.records and min(m.records) <= end)
    remaining = {
        message.index if message.index >= 0 else -id(message): message.tokens
        for _, message in output_records
        if message
    }
    return sum(remaining.values()) / tokens_before if tokens_before else 1.0


def update_children(records: Sequence[bytes], parent_path: Path, children_path: Path) -> tuple[list[bytes], set[int]]:
    """Return the records with lists of children that agree with their parent links, and the changed indices."""
    values = [json.loads(record) for record in records]
    children: dict[str, list[str]] = defaultdict(list)
    for value in values:
        parent = find_at(value, parent_path)
        if isinstance(parent, str):
            children[parent].append(str(value.get("id")))
    changed: set[int] = set()
    written = list(records)
    for index, value in enumerate(values):
        old_children = find_at(value, children_path)
        new_children = children[str(value.get("id"))]
        if isinstance(old_children, list) and sorted(map(str, old_children)) != sorted(new_children):
            kept = [name for name in old_children if name in new_children]
            updated = [*kept, *(name for name in new_children if name not in kept)]
            written[index] = jsonedit.replace(records[index], {children_path: jsonedit.encode(updated)})
            changed.add(index)
    return written, changed
