"""Records that list those which name them as their parent: the lists say again what the parents say."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence

from compactor_cli.formats import jsonedit
from compactor_cli.formats.copies import found_at
from compactor_cli.model.message import Path


def with_children(records: Sequence[bytes], parent_path: Path, children_path: Path) -> tuple[list[bytes], set[int]]:
    """Return records whose lists of children are as the parents say, and the indices of those that changed. Children
    that were there keep their order."""
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
