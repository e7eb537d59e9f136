"""OpenAI chat messages, shared by the formats that contain them, including agents that write actions as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.formats.base import Builder
from compactor_cli.formats.call_ids import CallIds
from compactor_cli.formats.values import block_text, objects, word
from compactor_cli.model.injected import origin_of_blocks
from compactor_cli.model.message import LEGACY_ID, Message, Origin, Part, Path, Place, Role
from compactor_cli.text.patterns import compiled_later

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_ACTION = compiled_later(r"(?:```|~~~|</(?:command|function|action|execute\w*|bash|tool_call|code)>)\s*\Z")
"""Matches the end of a message that closes with an action."""
_LEAST_ACTING = 2
"""Minimum number of the agent's messages that end with an action, to conclude that it writes actions as text."""
_MOSTLY_ACTING = 0.9
"""Minimum share of its messages that end with an action. An assistant that answers people with code also ends
messages in other ways."""


def message_parts(build: Builder, value: dict[str, Any], role: Role, record: int, legacy: CallIds) -> list[Part]:
    """Return all parts of a record that is a message."""
    if role == "tool":
        return _result_parts(build, value, record, legacy)
    parts = content_parts(build, value, (), record)
    return [*parts, *call_parts(build, value, (), record, legacy)] if role == "assistant" else parts


def new_message(message: Message) -> dict[str, Any]:
    """Return a new message in the form that the API accepts."""
    part = message.parts[0]
    if part.kind != "tool_result":
        return {"role": message.role, "content": part.text}
    if part.call_id.startswith(LEGACY_ID):
        return {"role": "function", "name": part.name, "content": part.text}
    return {"role": "tool", "tool_call_id": part.call_id, "content": part.text}


def origin_in_chat(role: Role, value: dict[str, Any], parts: Sequence[Part], *, answering: bool) -> Origin:
    """Return who speaks in a message. `answering`: the assistant has spoken before."""
    if role not in ("user", "assistant", "system"):
        return "other"
    origin = origin_of_blocks(parts)
    if role != "user":
        return origin if origin == "summary" else "other"
    if origin == "request" and answering and value.get("message_type") == "observation":
        return "injected"  # SWE-agent stores the output of commands under the role user
    if origin == "other" and any(p.kind in ("image", "other") for p in parts):
        return "request"
    return origin


def name_speakers(build: Builder, names: Mapping[int, str]) -> None:
    """Record who speaks, if there are several speakers. `names`: index of a message under the role user -> name."""
    if len(set(names.values())) > 1:
        for index, name in names.items():
            build.messages[index] = replace(build.messages[index], speaker=name)


def content_parts(build: Builder, value: dict[str, Any], base: Path, record: int) -> list[Part]:
    """Return the thinking, texts and pictures of a message, which is at `base` in its record."""
    content, thought = value.get("content"), word(value, "reasoning_content")
    parts = [build.part("thinking", thought)] if thought else []
    if isinstance(content, str):
        parts += build.text(content, record, (*base, "content"))
    elif isinstance(content, list):
        parts += [_block(build, block, (*base, "content", index), record) for index, block in enumerate(content)]
    elif content is not None:
        parts.append(build.part("other", block_text(content)))
    return parts


def _block(build: Builder, block: Any, path: Path, record: int) -> Part:
    if isinstance(block, str):
        return build.part("text", block, Place(record, path))
    return build.block(block, record, path)


def call_parts(build: Builder, value: dict[str, Any], base: Path, record: int, legacy: CallIds) -> list[Part]:
    """Return the calls of a message: `tool_calls`, or else the old `function_call`."""
    parts = []
    for index, call in objects(value.get("tool_calls")):
        path: Path = (*base, "tool_calls", index)
        function, holder = call.get("function"), call
        if isinstance(function, dict):
            name, holder, path = str(function.get("name") or ""), function, (*path, "function")
        else:  # Inspect logs: `function` is the name, and the arguments are next to it
            name = str(function or call.get("name") or "")
        arguments, call_id = holder.get("arguments"), str(call.get("id") or "")
        parts.append(build.call(arguments, record, (*path, "arguments"), name=name, call_id=call_id))
    function = value.get("function_call")
    if isinstance(function, dict) and not parts:
        name = str(function.get("name") or "")
        path = (*base, "function_call", "arguments")
        parts.append(build.call(function.get("arguments"), record, path, name=name, call_id=legacy.call(None, name)))
    return parts


def _result_parts(build: Builder, value: dict[str, Any], record: int, legacy: CallIds) -> list[Part]:
    """Return the result parts of a message. A result for several calls has its text only once."""
    name = str(value.get("name") or value.get("function") or "")
    ids = value.get("tool_call_ids")
    ids = [str(i) for i in ids] if isinstance(ids, list) and ids else [str(value.get("tool_call_id") or "")]
    if value["role"] == "function":
        ids = [legacy.response(None, name)]
    failed = True if value.get("error") else None
    first = build.result(value, record, ("content",), name=name, call_id=ids[0], failed=failed)
    return [first, *(build.part("tool_result", "", call_id=call_id) for call_id in ids[1:])]


def mark_outputs(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with answers to actions marked as injected instead of as requests. An action and its
    answer get the same turn, so that they stay or go together like a call and its result."""
    spoken = [m for m in messages if m.role == "assistant" and m.origin != "summary"]
    acting = {m.index for m in spoken if not m.calls and _ACTION.search(m.text("text")[-200:])}
    if len(acting) < _LEAST_ACTING or len(acting) < _MOSTLY_ACTING * len(spoken):
        return list(messages)
    answers = {m.index for m in messages if m.origin in ("request", "injected") and m.index - 1 in acting}
    return [
        replace(message, origin="injected", turn=message.index - 1)
        if message.index in answers
        else replace(message, turn=message.index)
        if message.index + 1 in answers
        else message
        for message in messages
    ]
