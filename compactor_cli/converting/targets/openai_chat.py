"""Convert to OpenAI chat messages: one per line or, for several conversations, one `{"messages": [...]}` per line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compactor_cli.converting import fitting
from compactor_cli.converting.base import Attribute, Target, WriteContext
from compactor_cli.converting.message_content import Conversation, Item, SpeakerTurn
from compactor_cli.formats import jsonedit


class ToOpenAIChat(Target):
    name = "openai-chat"
    purpose = "messages for OpenAI's chat API and compatible ones, one per line"
    many = True
    holds = frozenset[Attribute](("author",))

    def fit(self, turns: fitting.Turns) -> fitting.Turns:
        turns = fitting.drop_seals(fitting.other_as_text(turns))
        # the API accepts pictures only from the user
        turns = fitting.move_pictures_after(fitting.drop_pictures(turns, fitting.is_input))
        turns = fitting.merge_kind(fitting.order_items(turns, "thinking", "text", "call"), "thinking", "assistant")
        return fitting.limit_calls(turns, 64, 40)

    def write(self, conversations: Sequence[Conversation], context: WriteContext) -> bytes:
        lists = [[_message(turn) for turn in conversation.turns] for conversation in conversations]
        values: list[Any] = lists[0] if len(lists) == 1 else [{"messages": messages} for messages in lists]
        return jsonedit.lines(values)


def _message(turn: SpeakerTurn) -> dict[str, Any]:
    if turn.role == "tool":
        (result,) = turn.items
        return {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
    value: dict[str, Any] = {"role": turn.role}
    if turn.author:
        value["name"] = turn.author
    thoughts = [item.text for item in turn.items if item.kind == "thinking"]
    if thoughts:
        value["reasoning_content"] = thoughts[0]
    calls = [_call(item) for item in turn.items if item.kind == "call"]
    value["content"] = _content(turn.items, calls)
    if calls:
        value["tool_calls"] = calls
    return value


def _content(items: Sequence[Item], calls: Sequence[Any]) -> Any:
    visible = [item for item in items if item.kind in ("text", "picture")]
    if not visible:
        return None if calls else ""
    if len(visible) == 1 and visible[0].kind == "text" and visible[0].text and not visible[0].pictures:
        return visible[0].text
    return [part for item in visible for part in _parts(item)]


def _parts(item: Item) -> list[dict[str, Any]]:
    text = [{"type": "text", "text": item.text}] if item.kind == "text" else []
    return text + [{"type": "image_url", "image_url": {"url": picture.address}} for picture in item.pictures]


def _call(item: Item) -> dict[str, Any]:
    function = {"name": item.name, "arguments": item.text or "{}"}
    return {"id": item.call_id, "type": "function", "function": function}
