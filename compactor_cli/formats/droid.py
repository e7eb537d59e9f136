"""Droid (Factory): session files, and the JSON lines that `droid exec` prints.

A session file has a `session_start` header, then entries that form a tree by `id` and `parentId`, with messages of
Anthropic's API. The printed form has one record for each text, call and result, and a `completion` that ends a turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.formats.anthropic_blocks import new_content, read_content
from compactor_cli.formats.base import Around, Builder, Counter, Format, Reading
from compactor_cli.formats.trees import chains, path_from_root
from compactor_cli.formats.turns import turn_role
from compactor_cli.formats.values import as_text, block_kinds, uuid_text, word
from compactor_cli.model.injected import origin_of_parts
from compactor_cli.model.message import Message, Part, Place, Role
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.times import parse_time

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_STATES = frozenset(("todo_state", "compaction_state", "session_settings", "agent_turn_outcome"))
"""Kinds of entries that are never sent as they are."""
_SURE_OF_TEXT = 0.65
"""Recognition of a plain text message. It also looks like one of pi, whose messages carry their own time."""

_FAILED = compiled_later(r"Error: Command failed \(exit code: \d+\)")
"""How the output of a failed command begins; the agent does not mark such results as failed."""


class Droid(Format):
    name = "droid"
    title = "Droid sessions, and the output of droid exec"
    parent_path = ("parentId",)

    def recognize(self, value: Any) -> float:
        kind = word(value, "type")
        if kind == "session_start":
            return 1.0 if word(value, "id") else 0.0
        if kind in _STATES:
            return 0.9
        if kind == "message" and "message" in value:
            return _recognize_message(value)
        return KINDS[kind](value) if kind in KINDS and "message" not in value else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        if not any(word(value, "type") == "message" and "message" in value for value in values):
            return read_stream(values, counter)
        build = Builder(counter)
        parents = _parents(values)
        messages = {record for record in parents if _is_message(values[record])}
        branch = path_from_root(parents, max(messages)) if messages else []
        for record in branch:
            if record in messages:
                _read_message(build, values[record], record)
        session = next((value.get("id") for value in values if word(value, "type") == "session_start"), "")
        links = chains(parents, branch)
        outside, name = messages - set(branch), as_text(session)
        return Reading(build.messages, links=links, outside=outside, session_id=name, branch=branch)

    def new_record(self, message: Message, around: Around) -> Any:
        template = around.template
        if "message" not in template:
            return new_record(message, around)
        key = around.key
        content = new_content(message)
        return {
            "type": "message",
            "id": uuid_text(key),
            **({"parentId": around.parent} if around.parent and "parentId" in template else {}),
            "timestamp": template.get("timestamp"),
            "message": {
                "role": "assistant" if message.role == "assistant" else "user",
                "content": [{"type": "text", "text": content}] if isinstance(content, str) else content,
            },
        }


def _recognize_message(value: Mapping[str, Any]) -> float:
    message = value["message"]
    role = word(message, "role")
    if role not in _ROLES or not word(value, "id") or value.keys() & {"uuid", "sessionId"}:
        return 0.0
    if not isinstance(message.get("content"), (str, list)) or {"timestamp", "api", "stopReason"} & message.keys():
        return 0.0
    return 1.0 if block_kinds(message["content"]) & {"tool_use", "tool_result"} else _SURE_OF_TEXT


def _is_message(value: Any) -> bool:
    return word(value, "type") == "message" and word(value.get("message"), "role") in _ROLES


def _parents(values: Sequence[Any]) -> dict[int, tuple[str, str, int | None]]:
    """Return record -> (id, parent's id, its record); a missing parent is the message before."""
    ids = {record: word(value, "id") for record, value in enumerate(values) if word(value, "id")}
    by_id = {name: record for record, name in ids.items()}
    parents: dict[int, tuple[str, str, int | None]] = {}
    previous: int | None = None
    for record, name in ids.items():
        parent = word(values[record], "parentId")
        is_head = word(values[record], "type") == "session_start"
        parents[record] = (name, parent, None if is_head else by_id.get(parent, previous))
        previous = record if _is_message(values[record]) and by_id[name] == record else previous
    return parents


def _read_message(build: Builder, value: Mapping[str, Any], record: int) -> None:
    message = value["message"]
    parts = [_mark_failed(part) for part in read_content(build, message.get("content"), ("message", "content"), record)]
    role, origin = turn_role(_ROLES[message["role"]], parts)
    build.add(role, parts, (record,), id=word(value, "id"), timestamp=parse_time(value.get("timestamp")), origin=origin)


def _mark_failed(part: Part) -> Part:
    silent = part.kind == "tool_result" and part.failed is None
    return replace(part, failed=True) if silent and _FAILED.match(part.text) else part


def _is_session_record(value: Mapping[str, Any]) -> bool:
    return "session_id" in value or "sessionId" in value


KINDS: dict[str, Callable[[Mapping[str, Any]], float]] = {
    "system": lambda value: 0.6 if _is_session_record(value) and "model" in value and "uuid" not in value else 0.0,
    "message": lambda value: 1.0 if _is_session_record(value) and "role" in value and "text" in value else 0.0,
    "tool_call": lambda value: 1.0 if "toolName" in value and "parameters" in value else 0.0,
    "tool_result": lambda value: 1.0 if _is_session_record(value) and "value" in value else 0.0,
    "completion": lambda value: 1.0 if "finalText" in value else 0.0,
    "error": lambda value: 0.6 if _is_session_record(value) and "source" in value else 0.0,
}
"""Type of a record -> how certainly it is in this form."""


def read_stream(values: Sequence[Any], counter: Counter) -> Reading:
    """Return the messages of the records. Consecutive calls belong to one answer. A completion that repeats a text
    goes with that text's message."""
    build = Builder(counter)
    owners: dict[int, int] = {}
    calling = False
    for record, value in enumerate(values):
        kind = word(value, "type")
        time = parse_time(value.get("timestamp")) if isinstance(value, dict) else None
        if kind == "tool_call":
            call = _call(build, value, record)
            if calling:
                build.extend(len(build.messages) - 1, [call], record)
            else:
                build.add("assistant", [call], (record,), timestamp=time)
        elif kind == "tool_result":
            build.add("tool", [_result(build, value, record)], (record,), timestamp=time)
        elif kind == "message":
            _read_text(build, value, record, time)
        elif kind == "completion" and as_text(value.get("finalText")):
            text = as_text(value["finalText"])
            if build.messages and build.messages[-1].role == "assistant" and build.messages[-1].text() == text:
                owners[record] = len(build.messages) - 1
            else:
                build.add("assistant", build.text(text, record, ("finalText",)), (record,), timestamp=time)
        calling = kind == "tool_call"
    session = next((word(v, "session_id") or word(v, "sessionId") for v in values if isinstance(v, dict)), "")
    return Reading(build.messages, owners, copies=set(owners), session_id=session)


def _read_text(build: Builder, value: Mapping[str, Any], record: int, time: float | None) -> None:
    parts = build.text(as_text(value.get("text")), record, ("text",))
    if word(value, "role") == "assistant":
        build.add("assistant", parts, (record,), timestamp=time)
        return
    build.add("user", parts, (record,), timestamp=time, origin=origin_of_parts(parts, by_user=True))


def _name_of_call(value: Mapping[str, Any]) -> str:
    return word(value, "toolCallId") or word(value, "id")


def _call(build: Builder, value: Mapping[str, Any], record: int) -> Part:
    name = word(value, "toolName") or word(value, "toolId")
    return build.call(value.get("parameters"), record, ("parameters",), name=name, call_id=_name_of_call(value))


def _result(build: Builder, value: Mapping[str, Any], record: int) -> Part:
    """Return a result, which is a text, or an object with a command's output and exit code."""
    content, call = value.get("value"), _name_of_call(value)
    failed = value.get("isError") if isinstance(value.get("isError"), bool) else None
    if isinstance(content, dict) and failed is None and isinstance(content.get("exitCode"), int):
        failed = content["exitCode"] != 0
    if isinstance(content, dict) and isinstance(content.get("stdout"), str) and not content.get("stderr"):
        place: Place | None = Place(record, ("value", "stdout"))
        return build.part("tool_result", content["stdout"], place, call_id=call, failed=failed)
    place = Place(record, ("value",)) if "value" in value else None
    return build.part("tool_result", as_text(content), place, call_id=call, failed=failed)


def new_record(message: Message, around: Around) -> dict[str, Any]:
    """Return a record in the form that the program prints."""
    template = around.template
    ids: dict[str, Any] = {key: template[key] for key in ("session_id", "sessionId") if key in template}
    time, part = template.get("timestamp"), message.parts[0]
    if part.kind == "tool_result":
        result = {"toolCallId": part.call_id, "isError": True, "value": part.text}
        return {"type": "tool_result", **ids, "timestamp": time, **result}
    role = "assistant" if message.role == "assistant" else "user"
    return {"type": "message", **ids, "timestamp": time, "role": role, "text": part.text, "id": around.key[:16]}
