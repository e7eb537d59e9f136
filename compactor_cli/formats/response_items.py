"""Items of OpenAI's Responses API, shared by the formats that contain them."""

from __future__ import annotations

from typing import Any

from compactor_cli.formats.base import Builder
from compactor_cli.formats.values import as_text, block_text, body, listed, word
from compactor_cli.model.message import Message, Part, Path, Place, Role

_ROLES: dict[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_CALLS = {"function_call": "arguments", "custom_tool_call": "input", "tool_search_call": "arguments"}
AGENTS = "agent_message"
"""A message from another agent to this one."""
_SETTINGS = frozenset(("additional_tools", "configuration_update"))
"""Kinds of items that inform the provider about tools and settings; nobody says them."""
_OUTPUTS = frozenset(("function_call_output", "custom_tool_call_output", "tool_search_output"))


def role_of(item: dict[str, Any]) -> Role:
    """Return the role of an item; everything that the model does counts as the assistant's."""
    kind = word(item, "type")
    if kind in _OUTPUTS:
        return "tool"
    if kind in _SETTINGS:
        return "system"
    if kind == AGENTS:
        return "user"
    return _ROLES.get(word(item, "role"), "assistant") if kind == "message" else "assistant"


def new_item(message: Message) -> dict[str, Any]:
    """Return a new item in the form that the API accepts."""
    part = message.parts[0]
    if part.kind == "tool_result":
        return {"type": "function_call_output", "call_id": part.call_id, "output": part.text}
    kind = "output_text" if message.role == "assistant" else "input_text"
    role = "developer" if message.role == "system" else message.role
    return {"type": "message", "role": role, "content": [{"type": kind, "text": part.text}]}


def read_item(build: Builder, payload: dict[str, Any], base: Path, record: int) -> list[Part]:
    """Return the parts of an item at `base` in its record."""
    kind = word(payload, "type")
    if kind in ("message", AGENTS):
        return _content(build, payload.get("content"), (*base, "content"), record)
    if kind == "reasoning":
        return [build.part("thinking", "\n".join(thoughts(payload)))]
    if kind in _CALLS:
        key = _CALLS[kind]
        name, call = as_text(payload.get("name") or kind), as_text(payload.get("call_id"))
        return [build.call(payload.get(key), record, (*base, key), name=name, call_id=call)]
    if kind == "local_shell_call":
        call = as_text(payload.get("call_id") or payload.get("id"))  # without an own id, results name the item's
        return [build.call(payload.get("action"), record, (*base, "action"), name="local_shell", call_id=call)]
    if kind in _OUTPUTS:
        return [_output(build, payload, base, record)]
    return [build.part("other", block_text({k: v for k, v in payload.items() if k not in ("id", "encrypted_content")}))]


def thoughts(payload: dict[str, Any]) -> list[str]:
    """Return the texts of a reasoning item; usually there is only an encrypted form."""
    lists = [payload.get(key) for key in ("summary", "content")]
    return [block_text(block) for blocks in lists if isinstance(blocks, list) for block in blocks]


def _output(build: Builder, payload: dict[str, Any], base: Path, record: int) -> Part:
    output, path, failed = payload.get("output"), (*base, "output"), None
    if isinstance(output, dict):
        success = output.get("success")
        failed = not success if isinstance(success, bool) else None
        output, path = output.get("content"), (*path, "content")
    text, images, place = body(output, path, record)
    own, call = place if output is not None else None, as_text(payload.get("call_id"))
    return build.part("tool_result", text, own, call_id=call, failed=failed, images=images)


def _content(build: Builder, content: Any, path: Path, record: int) -> list[Part]:
    if isinstance(content, str):
        return [build.part("text", content, Place(record, path))]
    return [build.block(block, record, (*path, n), "block:input_text") for n, block in enumerate(listed(content))]
