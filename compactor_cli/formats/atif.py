"""ATIF trajectories (Agent Trajectory Interchange Format, v1.0 to v1.8): `{schema_version, agent, steps}`.

An agent's step holds its text, its calls and their results; `step_id` numbers the steps. Trajectories of subagents
in the same document are separate conversations and stay unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.values import as_text, body, inner, listed, objects, sum_of, word
from compactor_cli.model.injected import origin_of_parts
from compactor_cli.model.message import LEGACY_ID, Message, Origin, Part, Path, Role
from compactor_cli.text.times import parse_time

_ROLES: dict[str, Role] = {"system": "system", "user": "user", "agent": "assistant"}
_SOURCES = {role: source for source, role in _ROLES.items()}


class ATIF(Format):
    name = "atif"
    title = "ATIF trajectories (Agent Trajectory Interchange Format)"
    summary_roles = ("user", "assistant", "system")
    lists = (ListPath(("steps",)), ListPath(()))
    number_path = ("step_id",)

    def recognize(self, value: Any) -> float:
        if word(value, "source") not in _ROLES or "message" not in value:
            return 0.0
        return 1.0 if isinstance(value.get("step_id"), int) else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        late_results = _late_result_ids(values)
        last = max((record for record, value in enumerate(values) if _role(value)), default=-1)
        for record, value in enumerate(values):
            role = _role(value)
            if role is None:
                continue  # not a step: passed through
            _read_step(build, value, role, record, late_results if record < last else None)
        session = document.get("session_id") if isinstance(document, dict) else ""
        return Reading(build.messages, session_id=as_text(session))

    usage_words = (b'"metrics"',)

    def usage(self, value: Any) -> int | None:
        return sum_of(value.get("metrics"), "prompt_tokens", "completion_tokens")

    def new_record(self, message: Message, around: Around) -> Any:
        part = message.parts[0]
        step: dict[str, Any] = {"step_id": 0}
        if isinstance(around.template.get("timestamp"), str):
            step["timestamp"] = around.template["timestamp"]
        if part.kind != "tool_result":
            return {**step, "source": _SOURCES.get(message.role, "user"), "message": part.text}
        results = [{"source_call_id": part.call_id, "content": part.text}]
        return {**step, "source": "system", "message": "", "observation": {"results": results}}


def _role(value: Any) -> Role | None:
    return _ROLES.get(word(value, "source"))


def _read_step(
    build: Builder, value: dict[str, Any], role: Role, record: int, late_results: frozenset[str] | None
) -> None:
    """Add the messages of a step: what was said, then its observation. `late_results`: calls answered in other steps;
    None for the last step, whose calls may still be open."""
    calls = _calls(build, value, record)
    thought = word(value, "reasoning_content")
    parts = [build.part("thinking", thought)] if thought else []
    parts += [*_content(build, value.get("message"), ("message",), record), *calls]
    seen = _results(build, value, calls, record)
    answered = {part.call_id for part in seen if part.kind == "tool_result"}
    if late_results is not None:
        # no result of these calls was recorded
        open_calls = [part for part in calls if part.call_id not in answered | late_results]
        seen += [build.part("tool_result", "", name=part.name, call_id=part.call_id) for part in open_calls]
    results = any(part.kind == "tool_result" for part in seen)
    # without a call to link them, the step's words and its observation form one turn
    turn = record if parts and seen and not results else None
    time = parse_time(value.get("timestamp"))
    if parts or not seen:
        own = origin_of_parts(parts, by_user=role == "user")
        build.add(role, parts, (record,), timestamp=time, origin=own, turn=turn)
    if seen:
        origin: Origin = "other" if results else "injected"
        build.add("tool" if results else "user", seen, (record,), timestamp=time, origin=origin, turn=turn)


def _content(build: Builder, content: Any, path: Path, record: int) -> list[Part]:
    """Return the parts of a message, which is a string or a list of content parts."""
    if isinstance(content, str):
        return build.text(content, record, path)
    return [build.block(block, record, (*path, index)) for index, block in enumerate(listed(content))]


def _calls(build: Builder, value: dict[str, Any], record: int) -> list[Part]:
    parts = []
    for index, call in objects(value.get("tool_calls")):
        call_id = as_text(call.get("tool_call_id")) or f"{LEGACY_ID}{record}-{index}"
        path, name = ("tool_calls", index, "arguments"), as_text(call.get("function_name"))
        parts.append(build.call(call.get("arguments"), record, path, name=name, call_id=call_id))
    return parts


def _results(build: Builder, value: dict[str, Any], calls: Sequence[Part], record: int) -> list[Part]:
    """Return the parts of a step's observation: results name their call or answer in order, anything else is text."""
    results = _observation_results(value)
    answered_ids = {as_text(result.get("source_call_id")) for _, result in results}
    waiting = [part for part in calls if part.call_id not in answered_ids]
    tool_by_call = {part.call_id: part.name for part in calls}
    parts: list[Part] = []
    for index, result in results:
        path: Path = ("observation", "results", index, "content")
        call_id = as_text(result.get("source_call_id"))
        if not call_id and waiting:
            call_id = waiting.pop(0).call_id
        if call_id and (call_id in tool_by_call or not calls):
            text, images, place = body(result.get("content"), path, record)
            text_place = place if result.get("content") is not None else None
            name = tool_by_call.pop(call_id, "")  # a second result for the same call is text
            parts.append(build.part("tool_result", text, text_place, name=name, call_id=call_id, images=images))
        else:
            parts += _content(build, result.get("content"), path, record)
    return parts


def _observation_results(value: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    return objects(inner(value, "observation").get("results"))


def _late_result_ids(values: Sequence[Any]) -> frozenset[str]:
    """Return the ids of calls whose result is in a step without calls."""
    steps = (value for value in values if _role(value) and not value.get("tool_calls"))
    return frozenset(
        as_text(result.get("source_call_id")) for value in steps for _, result in _observation_results(value)
    )
