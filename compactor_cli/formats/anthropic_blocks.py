"""Anthropic content blocks, shared by the formats that use them."""

from __future__ import annotations

from typing import Any

from compactor_cli.formats.base import Builder
from compactor_cli.formats.values import as_text, block_text, is_image, listed, word
from compactor_cli.model.message import Message, Part, Path, Place

BLOCK_TYPES = frozenset(
    ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document", "compaction")
)

COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
"""The counts in an answer's `usage` that add up to the context; they do not overlap."""


def read_content(build: Builder, content: Any, path: Path, record: int) -> list[Part]:
    """Return the parts of a message's `content`, which is at `path` in its record."""
    if isinstance(content, str):
        return build.text(content, record, path)
    return [_part(build, block, (*path, index), record) for index, block in enumerate(listed(content))]


def _part(build: Builder, block: Any, path: Path, record: int) -> Part:
    if not isinstance(block, dict):
        return build.part("text", as_text(block), Place(record, path) if isinstance(block, str) else None)
    kind = word(block, "type")
    if kind == "text":
        return build.part("text", as_text(block.get("text")), Place(record, (*path, "text")))
    if is_image(block):
        return build.image(Place(record, path, "block:text"))
    if kind == "tool_use":
        name, call = str(block.get("name") or ""), str(block.get("id") or "")
        return build.call(block.get("input"), record, (*path, "input"), name=name, call_id=call)
    if kind == "tool_result":
        call = str(block.get("tool_use_id") or "")
        return build.result(block, record, (*path, "content"), call_id=call, failed=block.get("is_error"))
    if kind == "thinking":
        return build.part("thinking", as_text(block.get("thinking")))
    if kind == "redacted_thinking":
        return build.part("thinking", "")
    return build.part("other", block_text(block))


def new_content(message: Message) -> Any:
    """Return the `content` of a new message: a string, or one block for an added tool result."""
    part = message.parts[0]
    if part.kind != "tool_result":
        return part.text
    return [{"type": "tool_result", "tool_use_id": part.call_id, "content": part.text, "is_error": True}]
