"""Records whose contents depend on other records, adjusted after a compaction: the newest token count, and lists of
children."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import Format
from compactor_cli.formats.copies import found_at, value_at
from compactor_cli.model.message import Message, Path
from compactor_cli.model.transcript import Transcript
from compactor_cli.text.json_values import json_value

Placed = tuple["int | None", "Message | None"]
"""A record of the output: its number if it comes from the input, and its message."""


def recounted(transcript: Transcript, placed: Sequence[Placed], format: Format) -> dict[int, dict[Path, str]]:
    """Return the newest record with a token count -> its counts, reduced by the share of the context that the
    compaction removed before it.

    Agents compact a session when that count is near the limit. With the old count, they would immediately compact
    what is left. The count is scaled instead of replaced by ours, because it includes the system prompt and tools.
    """
    if all(transcript.source.find(word) < 0 for word in format.usage_words):
        return {}
    for place in range(len(placed) - 1, -1, -1):
        record = placed[place][0]
        if record is None or not any(word in (raw := transcript.raw(record)) for word in format.usage_words):
            continue
        value = json_value(raw)
        if not isinstance(value, dict) or format.usage(value) is None:
            continue
        paths = format.counts(value)
        share = _share_left(transcript, placed[: place + 1]) if paths else 1.0
        return (
            {record: {path: str(math.ceil(share * int(value_at(value, path)))) for path in paths}} if share < 1 else {}
        )
    return {}


def _share_left(transcript: Transcript, placed: Sequence[Placed]) -> float:
    """Return the tokens of the messages in these output records, as a share of those before the last record in the
    input."""
    end = max((record for record, _ in placed if record is not None), default=-1)
    before = sum(m.tokens for m in transcript.messages if m.records and min(m.records) <= end)
    rest = {message.index if message.index >= 0 else -id(message): message.tokens for _, message in placed if message}
    return sum(rest.values()) / before if before else 1.0


def with_children(records: Sequence[bytes], parent_path: Path, children_path: Path) -> tuple[list[bytes], set[int]]:
    """Return the records with lists of children that agree with their parent links, and the indices of changed
    records. Existing children keep their order."""
    values = [json.loads(record) for record in records]
    children: dict[str, list[str]] = defaultdict(list)
    for value in values:
        parent = found_at(value, parent_path)
        if isinstance(parent, str):
            children[parent].append(str(value.get("id")))
    changed: set[int] = set()
    written = list(records)
    for index, value in enumerate(values):
        listed = found_at(value, children_path)
        own = children[str(value.get("id"))]
        if isinstance(listed, list) and sorted(map(str, listed)) != sorted(own):
            kept = [name for name in listed if name in own]
            new = [*kept, *(name for name in own if name not in kept)]
            written[index] = jsonedit.replace(records[index], {children_path: jsonedit.encode(new)})
            changed.add(index)
    return written, changed
