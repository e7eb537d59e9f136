"""Parts that a repair puts behind those of a message: written into its record behind the last one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from compactor_cli.formats import jsonedit
from compactor_cli.model.message import Path


def with_added(raw: bytes, changes: Mapping[Path, str], key: str, added: Sequence[str]) -> dict[Path, str]:
    """Return changes of a record with those that put more elements, as JSON, behind the list at `key`, which is not
    empty."""
    last: Path = (key, len(json.loads(raw)[key]) - 1)
    text = raw.decode()
    start, end = jsonedit.locate(text, last)
    inside = {path[2:]: new for path, new in changes.items() if path[:2] == last and path != last}
    element = changes.get(last) or jsonedit.replace(text[start:end].encode(), inside).decode()
    others = {path: new for path, new in changes.items() if path[:2] != last}
    return {**others, last: ", ".join((element, *added))}
