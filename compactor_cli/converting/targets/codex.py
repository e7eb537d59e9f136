"""Convert to Codex rollouts: `session_meta`, response items, and events for its session list and screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from compactor_cli.converting import fitting
from compactor_cli.converting.base import Attribute, Home, Target, WriteContext, first_time, iso, moment, times
from compactor_cli.converting.message_content import Conversation, Item, SpeakerTurn

_ROLES = {"system": "developer"}


class ToCodex(Target):
    name = "codex"
    purpose = "a session that Codex can resume"
    holds = frozenset[Attribute](("time", "injected"))

    def fit(self, turns: fitting.Turns) -> fitting.Turns:
        turns = fitting.drop_pictures(fitting.other_as_text(turns), fitting.is_input)
        # the API rejects a thought without its seal
        turns = fitting.drop_thoughts(turns, "openai")
        turns = fitting.limit_calls(turns, 64, 64)
        return tuple(turn for turn in turns if turn.items)

    def records(self, conversation: Conversation, context: WriteContext) -> Iterable[Any]:
        start = iso(first_time(conversation, context))
        meta = {
            "id": conversation.session_id,
            "timestamp": start,
            "cwd": conversation.cwd,
            "originator": "compactor",
            "cli_version": "0.0.0",
            "source": "cli",
        }
        lines = [{"timestamp": start, "type": "session_meta", "payload": meta}]
        instructions = _instructions_turn(conversation.turns)
        custom = {item.call_id for _, item in conversation.items() if item.kind == "call" and _is_custom(item)}
        for turn, time in zip(conversation.turns, times(conversation, context), strict=True):
            items = [{"type": "response_item", "payload": payload} for payload in _payloads(turn, custom)]
            events = [{"type": "event_msg", "payload": payload} for payload in _events(turn, turn is instructions)]
            lines += [{"timestamp": iso(time), **line} for line in (*items, *events)]
        return lines

    def file_name(self, conversation: Conversation, context: WriteContext) -> str:
        began = moment(first_time(conversation, context))
        return f"rollout-{began:%Y-%m-%dT%H-%M-%S}-{conversation.session_id}.jsonl"

    def home(self, conversation: Conversation, context: WriteContext) -> Home | None:
        began = moment(first_time(conversation, context))
        place = f"~/.codex/sessions/{began:%Y/%m/%d}/{self.file_name(conversation, context)}"
        return Home(place, f"codex resume {conversation.session_id}")


def _instructions_turn(turns: Sequence[SpeakerTurn]) -> SpeakerTurn | None:
    """Return the turn to show if there is no request, without which no list has the thread."""
    users = [turn for turn in turns if turn.role == "user"]
    return None if any(turn.origin == "request" for turn in users) or not users else users[0]


def _payloads(turn: SpeakerTurn, custom: set[str]) -> Iterator[dict[str, Any]]:
    content: list[dict[str, Any]] = []
    for item in turn.items:
        if item.kind in ("text", "picture"):
            content += _content(turn, item)
            continue
        yield from _message(turn, content)
        content = []
        if item.kind == "result":
            kind = "custom_tool_call_output" if item.call_id in custom else "function_call_output"
            yield {"type": kind, "call_id": item.call_id, "output": _output(item)}
        elif item.kind == "call" and _is_custom(item):
            call = {"call_id": item.call_id, "name": item.name, "input": item.text}
            yield {"type": "custom_tool_call", "status": "completed", **call}
        elif item.kind == "call":
            yield {"type": "function_call", "name": item.name, "arguments": item.text or "{}", "call_id": item.call_id}
        elif item.seal is not None:
            summary = [{"type": "summary_text", "text": item.text}] if item.text else []
            yield {"type": "reasoning", "summary": summary, "content": None, "encrypted_content": item.seal.value}
    yield from _message(turn, content)


def _message(turn: SpeakerTurn, content: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    if content:
        yield {"type": "message", "role": _ROLES.get(turn.role, turn.role), "content": content}


def _content(turn: SpeakerTurn, item: Item) -> list[dict[str, Any]]:
    kind = "output_text" if turn.role == "assistant" else "input_text"
    return ([{"type": kind, "text": item.text}] if item.kind == "text" else []) + _images(item)


def _images(item: Item) -> list[dict[str, Any]]:
    return [{"type": "input_image", "image_url": picture.address} for picture in item.pictures]


def _output(item: Item) -> Any:
    if not item.pictures:
        return item.text
    return ([{"type": "input_text", "text": item.text}] if item.text else []) + _images(item)


def _is_custom(call: Item) -> bool:
    """Return whether a call's arguments are free text, or JSON that is not an object."""
    return not isinstance(fitting.arguments(call), dict)


def _events(turn: SpeakerTurn, is_listed: bool) -> Iterator[dict[str, Any]]:
    """Yield the events that display a turn. A thread is only listed if it has an event of the user."""
    text = "\n".join(item.text for item in turn.items if item.kind == "text")
    if turn.role == "user" and (is_listed or turn.origin == "request"):
        yield {"type": "user_message", "message": text, "images": [p.address for i in turn.items for p in i.pictures]}
    elif turn.role == "assistant" and text.strip():
        yield {"type": "agent_message", "message": text}
