"""Seals of thoughts, found in the records of a message: readers leave them where they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from compactor_cli.converting.message_content import Seal


class Thought(NamedTuple):
    """A thought as a record holds it."""

    text: str
    seal: Seal | None


def thoughts_in(value: Any) -> Iterator[Thought]:
    """Yield thoughts of a record in their order."""
    if isinstance(value, list):
        for item in value:
            yield from thoughts_in(item)
    elif isinstance(value, dict):
        thought = _thought(value)
        if thought is not None:
            yield thought
            return
        for item in value.values():
            if isinstance(item, (dict, list)):
                yield from thoughts_in(item)


def _thought(block: dict[str, Any]) -> Thought | None:
    kind = block.get("type")
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        signature = block.get("signature")
        sealed = isinstance(signature, str) and signature
        return Thought(block["thinking"], Seal("anthropic", str(signature)) if sealed else None)
    if kind == "redacted_thinking" and isinstance(block.get("data"), str):
        return Thought("", Seal("anthropic", block["data"], redacted=True))
    if kind == "reasoning" and isinstance(block.get("summary"), list):
        encrypted = block.get("encrypted_content")
        texts = [part.get("text") for part in block["summary"] if isinstance(part, dict)]
        text = "\n".join(text for text in texts if isinstance(text, str))
        return Thought(text, Seal("openai", encrypted) if isinstance(encrypted, str) and encrypted else None)
    return None
