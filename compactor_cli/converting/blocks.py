"""Anthropic content blocks, which several targets write."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from compactor_cli.converting import fitting
from compactor_cli.converting.message_content import Item, Picture, SpeakerTurn

_TYPES = frozenset(("image/jpeg", "image/png", "image/gif", "image/webp"))
Turns = fitting.Turns


def fit_blocks(turns: Turns) -> Turns:
    """Return turns in the form that the API accepts: nothing empty, only thoughts with Anthropic's signature, only
    user-side pictures of four types, object arguments, and the user first."""
    turns = fitting.other_as_text(turns)
    turns = fitting.drop_thoughts(turns, "anthropic")
    turns = fitting.drop_pictures(turns, _holds)
    turns = fitting.drop_empty(turns)
    turns = fitting.merge_neighbours(turns, "assistant")
    turns = fitting.begin_with_user(turns)
    return fitting.wrap_arguments(fitting.limit_calls(turns, 128, 64))


def _holds(turn: SpeakerTurn, item: Item, picture: Picture) -> bool:
    if turn.role not in ("user", "tool"):
        return False
    return picture.media_type in _TYPES if picture.data else picture.url.startswith("https://")


def blocks(items: Iterable[Item]) -> list[dict[str, Any]]:
    return [block for item in items for block in _blocks(item)]


def _blocks(item: Item) -> list[dict[str, Any]]:
    if item.kind == "call":
        return [{"type": "tool_use", "id": item.call_id, "name": item.name, "input": fitting.arguments(item)}]
    if item.kind == "result":
        block = {"type": "tool_result", "tool_use_id": item.call_id, "content": _body(item)}
        return [block if item.failed is None else {**block, "is_error": item.failed}]
    if item.kind == "thinking" and item.seal is not None:
        if item.seal.redacted:
            return [{"type": "redacted_thinking", "data": item.seal.value}]
        return [{"type": "thinking", "thinking": item.text, "signature": item.seal.value}]
    text = [{"type": "text", "text": item.text}] if item.kind == "text" else []
    return text + [_image(picture) for picture in item.pictures]


def _body(item: Item) -> Any:
    """Return the content of a result: a string, or blocks if it has pictures."""
    if not item.pictures:
        return item.text
    text = [{"type": "text", "text": item.text}] if item.text else []
    return text + [_image(picture) for picture in item.pictures]


def _image(picture: Picture) -> dict[str, Any]:
    if picture.data:
        source = {"type": "base64", "media_type": picture.media_type, "data": picture.data}
    else:
        source = {"type": "url", "url": picture.url}
    return {"type": "image", "source": source}
