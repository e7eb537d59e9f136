"""The formats, and how one is chosen for a file.

A new format is one file here and one line in FORMATS; see CONTRIBUTING.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compactor_cli.errors import InputError, UsageError
from compactor_cli.formats import documents
from compactor_cli.formats.ai_sdk import AISDK
from compactor_cli.formats.anthropic_messages import AnthropicMessages
from compactor_cli.formats.base import Format
from compactor_cli.formats.claude_code import ClaudeCode
from compactor_cli.formats.codex import Codex
from compactor_cli.formats.memory_entries import MemoryEntries
from compactor_cli.formats.openai_chat import OpenAIChat

FORMATS: dict[str, Format] = {
    known.name: known for known in (OpenAIChat(), AnthropicMessages(), ClaudeCode(), Codex(), MemoryEntries(), AISDK())
}
NAMES = (*FORMATS, documents.NAME)

_HEAD = 200
"""Records that are looked at to tell the format."""
_SURE = 0.55
"""Mean recognition below which a file is of no known format."""
_MIXED = 0.2


def choose(values: Sequence[Any], name: str = "") -> Format:
    """The format of records: the one named, or the one that recognises them best."""
    if name and name != documents.NAME:
        if name not in FORMATS:
            raise UsageError(f"unknown format {name!r}; known formats: {', '.join(NAMES)}")
        return FORMATS[name]
    head = values[:_HEAD]
    best = max(FORMATS.values(), key=lambda known: _fit(known, head))
    # a file of two formats fits neither well: let `foreign` name the line where they meet
    mixed = _fit(best, head) >= _MIXED and any(_claimant(value) for value in head)
    if _fit(best, head) < _SURE and not mixed:
        raise InputError(f"no known format; name it with --format ({', '.join(NAMES)})", line=1)
    return best


def _fit(format: Format, values: Sequence[Any]) -> float:
    return sum(format.recognize(value) for value in values) / max(1, len(values))


def _claimant(value: Any) -> str:
    """The format that recognises a record beyond doubt, or an empty string."""
    return next((f.name for f in FORMATS.values() if f.recognize(value) >= 0.9), "")


def foreign(format: Format, values: Sequence[Any]) -> tuple[int, str] | None:
    """Index of the first record that plainly belongs to another format, and that format's name."""
    for index, value in enumerate(values):
        if format.recognize(value) == 0:
            name = _claimant(value)
            if name:
                return index, name
    return None
