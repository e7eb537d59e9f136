"""Read what `droid exec --output-format stream-json` prints: a record for each text, call and result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from compactor_cli.formats.base import Around, Builder, Counter, Reading, arguments_place, as_text, word
from compactor_cli.model.injected import origin_of
from compactor_cli.model.message import Message, Origin, Part, Place
from compactor_cli.text.times import parse_time


def _in_session(value: Mapping[str, Any]) -> bool:
    return "session_id" in value or "sessionId" in value


KINDS: dict[str, Callable[[Mapping[str, Any]], float]] = {
    "system": lambda value: 0.6 if _in_session(value) and "model" in value and "uuid" not in value else 0.0,
    "message": lambda value: 1.0 if _in_session(value) and "role" in value and "text" in value else 0.0,
    "tool_call": lambda value: 1.0 if "toolName" in value and "parameters" in value else 0.0,
    "tool_result": lambda value: 1.0 if _in_session(value) and "value" in value else 0.0,
    "completion": lambda value: 1.0 if "finalText" in value else 0.0,
    "error": lambda value: 0.6 if _in_session(value) and "source" in value else 0.0,
}
"""Type of a record -> how surely one is of this form."""


def read_stream(values: Sequence[Any], counter: Counter) -> Reading:
    """Return messages of the records. Calls in a row are those of one answer; what a completion says again goes with
    it."""
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
                build.add(
                    "assistant", [build.part("text", text, Place(record, ("finalText",)))], (record,), timestamp=time
                )
        calling = kind == "tool_call"
    session = next((word(v, "session_id") or word(v, "sessionId") for v in values if isinstance(v, dict)), "")
    return Reading(build.messages, owners, copies=set(owners), session_id=session)


def _read_text(build: Builder, value: Mapping[str, Any], record: int, time: float | None) -> None:
    text = as_text(value.get("text"))
    parts = [build.part("text", text, Place(record, ("text",)))] if text else []
    if word(value, "role") == "assistant":
        build.add("assistant", parts, (record,), timestamp=time)
        return
    origin: Origin = origin_of(text)
    build.add("user", parts, (record,), timestamp=time, origin="request" if origin == "other" and text else origin)


def _name_of_call(value: Mapping[str, Any]) -> str:
    return word(value, "toolCallId") or word(value, "id")


def _call(build: Builder, value: Mapping[str, Any], record: int) -> Part:
    place = arguments_place(value.get("parameters"), record, ("parameters",))
    name = word(value, "toolName") or word(value, "toolId")
    return build.part("tool_call", as_text(value.get("parameters")), place, name=name, call_id=_name_of_call(value))


def _result(build: Builder, value: Mapping[str, Any], record: int) -> Part:
    """Return a result is a text, or an object with what a command printed and its exit code."""
    inside, call = value.get("value"), _name_of_call(value)
    failed = value.get("isError") if isinstance(value.get("isError"), bool) else None
    if isinstance(inside, dict) and failed is None and isinstance(inside.get("exitCode"), int):
        failed = inside["exitCode"] != 0
    if isinstance(inside, dict) and isinstance(inside.get("stdout"), str) and not inside.get("stderr"):
        place: Place | None = Place(record, ("value", "stdout"))
        return build.part("tool_result", inside["stdout"], place, call_id=call, failed=failed)
    place = Place(record, ("value",)) if "value" in value else None
    return build.part("tool_result", as_text(inside), place, call_id=call, failed=failed)


def new_record(message: Message, around: Around) -> dict[str, Any]:
    """Return a record as the program prints it."""
    template = around.template if isinstance(around.template, dict) else {}
    ids = {key: template[key] for key in ("session_id", "sessionId") if key in template}
    time, part = template.get("timestamp"), message.parts[0]
    if part.kind == "tool_result":
        return {
            "type": "tool_result",
            **ids,
            "timestamp": time,
            "toolCallId": part.call_id,
            "isError": True,
            "value": part.text,
        }
    role = "assistant" if message.role == "assistant" else "user"
    return {"type": "message", **ids, "timestamp": time, "role": role, "text": part.text, "id": around.key[:16]}
