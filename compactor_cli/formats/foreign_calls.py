"""Calls and results as agents of no known format write them, which would be lost among messages like known ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from compactor_cli.errors import InputError
from compactor_cli.formats.values import block_kinds, word
from compactor_cli.text.patterns import compiled_later

_CALL = compiled_later("tool[A-Z]")


def are_foreign(kinds: Iterable[str]) -> bool:
    """Return whether types of content blocks include such calls or results, for example `toolRequest`."""
    return any(_CALL.match(kind) for kind in kinds)


def refuse_foreign(head: Sequence[Any]) -> None:
    """Raise InputError if one of the records is a message with such calls or results."""
    for index, value in enumerate(head):
        kinds = block_kinds(value.get("content")) if word(value, "role") else set()
        if are_foreign(kinds):
            blocks = ", ".join(sorted(kinds))
            raise InputError(f"unknown format: no known format has messages with the blocks {blocks}", line=index + 1)
