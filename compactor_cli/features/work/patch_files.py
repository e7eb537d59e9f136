"""Files that a patch changes, as its headers name them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compactor_cli.text.patterns import compiled_later

_PATCH = compiled_later(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_DIFF = compiled_later(r"^--- (?:a/)?(\S+).*\n\+\+\+ (?:b/)?(\S+)", re.MULTILINE)
_ACTIONS = {"Add": "created", "Update": "edited", "Delete": "deleted"}


def patched_files(text: str) -> Iterator[tuple[str, str]]:
    """Yield (path, action) for the files of the patches in a text: those of agents, and unified diffs."""
    if "*** " in text:
        yield from ((path.strip(), _ACTIONS[verb]) for verb, path in _PATCH.findall(text))
    if "\n+++ " in text:
        for old, new in _DIFF.findall(text):
            action = "created" if old == "/dev/null" else "deleted" if new == "/dev/null" else "edited"
            yield (old if action == "deleted" else new), action
