"""Antigravity transcripts: steps `{step_index, source, type, status, created_at, content, ...}`.

A `PLANNER_RESPONSE` is an answer with its calls, which have no ids. The steps after it are the results of these
calls, in order; their type names the action. Steps that the agent keeps to itself pass through.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Sequence
from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import Around, Builder, Counter, Format, Reading
from compactor_cli.formats.values import as_text, objects, word
from compactor_cli.model.injected import origin_of, origin_of_parts
from compactor_cli.model.message import LEGACY_ID, Message, Origin, Part, Path, Place, Role
from compactor_cli.text.json_values import parse_json
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.times import parse_time

_TYPE = compiled_later(r"[A-Z][A-Z_]+")
_REQUEST = compiled_later(r"<USER_REQUEST>\s*(?!\s)((?:\S(?:.*?\S)??)??)\s*</USER_REQUEST>", re.DOTALL)
_FAILED_STATES = ("ERROR", "CANCELED", "CANCELLED", "INTERRUPTED", "FAILED")
"""Status values of a failed step."""
_INTERNAL_TYPES = ("CHECKPOINT", "CONVERSATION_HISTORY", "EPHEMERAL_MESSAGE")
"""Types of system steps that the agent keeps to itself."""
_EXIT = compiled_later(r"The command (?:failed|exited) with (?:exit )?code:? -?0*[1-9]")
"""What the step of a failed command says; the call itself succeeded."""


class Antigravity(Format):
    name = "antigravity"
    title = "Antigravity CLI transcripts"
    adjacent_results = False

    def recognize(self, value: Any) -> float:
        return float(_is_step(value))

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        reading = _Reader(values, Builder(counter))
        for record, value in enumerate(values):
            if _is_step(value):
                reading.step(record)
        outside = {
            r for r, v in enumerate(values) if _is_step(v) and v["source"] == "SYSTEM" and v["type"] in _INTERNAL_TYPES
        }
        return Reading(reading.build.messages, outside=outside)

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        changes = super().edits(raw, edited)
        value = json.loads(raw)
        for part, text in edited:
            path = part.place.path if part.place else ()
            if part.kind == "tool_call" and path:
                changes[path] = _encode_arguments(value["tool_calls"][path[1]]["args"], text)
            elif path and (split := _split_request(value)):
                before, _, after = split
                changes[path] = jsonedit.encode(before + text + after)
        return changes

    def new_record(self, message: Message, around: Around) -> Any:
        template = around.template
        source, kind, status = "USER_EXPLICIT", "USER_INPUT", "DONE"
        if message.parts[0].kind == "tool_result":
            source, kind, status = "MODEL", "GENERIC", "ERROR"
        elif message.role == "assistant":
            source, kind = "MODEL", "PLANNER_RESPONSE"
        elif message.origin == "summary" or message.role == "system":
            source, kind = "SYSTEM", "SYSTEM_MESSAGE"
        return {
            "step_index": template.get("step_index", 0),
            "source": source,
            "type": kind,
            "status": status,
            "created_at": template.get("created_at"),
            "content": message.parts[0].text,
        }


def _is_step(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("step_index"), int):
        return False
    return bool(_TYPE.fullmatch(word(value, "type")) and word(value, "source"))


class _Reader:
    """Turns steps into messages. Handles one answer and its results at a time."""

    def __init__(self, values: Sequence[Any], build: Builder) -> None:
        self.build = build
        self._values = values
        self._calls = 0
        self._open_calls: deque[Part] = deque()
        self._turn: int | None = None

    def step(self, record: int) -> None:
        """Add the message of a step, if it is one."""
        value = self._values[record]
        kind, source = value["type"], value["source"]
        if kind == "USER_INPUT":
            parts = _typed_parts(self.build, value, record)
            self._turn = None
            implied = source.startswith("USER_") and source != "USER_EXPLICIT"
            self._add("user", parts, record, "injected" if implied else _origin(parts))
        elif kind == "PLANNER_RESPONSE":
            self._answer(record)
        elif source != "SYSTEM" or (kind == "ERROR_MESSAGE" and self._open_calls):
            self._result(record)
        elif kind in ("SYSTEM_MESSAGE", "ERROR_MESSAGE"):
            parts = _text(self.build, value, record)
            summary = any(origin_of(part.text) == "summary" for part in parts)
            self._add("user", parts, record, "summary" if summary else "injected")

    def _add(
        self, role: Role, parts: Sequence[Part], record: int, origin: Origin = "other", turn: int | None = None
    ) -> None:
        if parts:
            time = parse_time(self._values[record].get("created_at"))
            self.build.add(role, parts, (record,), timestamp=time, origin=origin, turn=turn)

    def _answer(self, record: int) -> None:
        value = self._values[record]
        parts = [self.build.part("thinking", word(value, "thinking"))] if word(value, "thinking") else []
        parts += _text(self.build, value, record)
        calls = [self._call(call, record, index) for index, call in objects(value.get("tool_calls"))]
        summary = origin_of(word(value, "content")) == "summary"
        self._turn = record
        self._add("assistant", [*parts, *calls], record, "summary" if summary else "other", record)
        self._open_calls = deque(calls)
        self._add_missing_results(record)

    def _call(self, call: dict[str, Any], record: int, index: int) -> Part:
        self._calls += 1
        arguments = call.get("args")
        place = Place(record, ("tool_calls", index, "args"), "json") if isinstance(arguments, dict) else None
        text = as_text(_decode_arguments(arguments) if isinstance(arguments, dict) else arguments)
        name = word(call, "name")
        return self.build.part("tool_call", text, place, name=name, call_id=f"{LEGACY_ID}{self._calls}")

    def _add_missing_results(self, record: int) -> None:
        """Add empty results for calls that no step answers. The newest answer's calls are work in flight as long as
        none of them is done."""
        completed, newest = self._count_completed(record)
        if newest and not completed:
            return
        missing = [self._open_calls.pop() for _ in range(len(self._open_calls) - completed)][::-1]
        parts = [self.build.part("tool_result", "", name=c.name, call_id=c.call_id) for c in missing]
        self._add("tool", parts, record, turn=record)

    def _count_completed(self, record: int) -> tuple[int, bool]:
        """Return how many open calls of an answer the following steps complete, and whether the answer is the newest
        one with no user message after it."""
        completed = 0
        for index in range(record + 1, len(self._values)):
            value = self._values[index]
            if not _is_step(value):
                continue
            kind, source = value["type"], value["source"]
            if completed >= len(self._open_calls) or kind in ("PLANNER_RESPONSE", "USER_INPUT"):
                return completed, False
            completed += source != "SYSTEM" or kind == "ERROR_MESSAGE"
        return completed, True

    def _result(self, record: int) -> None:
        value = self._values[record]
        if not self._open_calls:
            # it answers no call: neither the model nor the user asked for it
            self._add("user", _text(self.build, value, record), record, "injected", self._turn)
            return
        call, text = self._open_calls.popleft(), as_text(value.get("content"))
        place = Place(record, ("content",)) if isinstance(value.get("content"), str) else None
        failed = _is_failed(value, text)
        part = self.build.part("tool_result", text, place, name=call.name, call_id=call.call_id, failed=failed)
        self._add("tool", [part], record, turn=self._turn)


def _text(build: Builder, value: dict[str, Any], record: int) -> list[Part]:
    return build.text(value.get("content"), record, ("content",))


def _split_request(value: dict[str, Any]) -> tuple[str, str, str] | None:
    """Return the text before the user's words, these words, and the text after them; None if they are not marked."""
    content = word(value, "content")
    match = _REQUEST.search(content) if word(value, "type") == "USER_INPUT" else None
    if match is None or not match[1]:
        return None
    return content[: match.start(1)], match[1], content[match.end(1) :]


def _typed_parts(build: Builder, value: dict[str, Any], record: int) -> list[Part]:
    split = _split_request(value)
    if split is None:
        return _text(build, value, record)
    before, words, after = split
    added = (before + after).replace("<USER_REQUEST>", "").replace("</USER_REQUEST>", "").strip()
    request = build.part("text", words, Place(record, ("content",)))
    return [request, build.part("other", added)] if added else [request]


def _origin(parts: Sequence[Part]) -> Origin:
    return origin_of_parts(parts, by_user=True, text=_REQUEST.sub(r"\1", parts[0].text if parts else ""))


def _decode_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments as the model wrote them. Usually each value is saved as JSON in a string."""
    decoded: dict[str, Any] = {}
    for key, value in arguments.items():
        try:
            decoded[key] = parse_json(value) if isinstance(value, str) else value
        except ValueError:
            return arguments
    return decoded


def _encode_arguments(arguments: dict[str, Any], text: str) -> str:
    """Return arguments as JSON text in the form in which they were saved."""
    old, new = _decode_arguments(arguments), json.loads(text)
    if old is arguments or not isinstance(new, dict):
        return text
    unchanged = {key: arguments[key] if key in old and old[key] == v else jsonedit.dump(v) for key, v in new.items()}
    return jsonedit.dump(unchanged)


def _is_failed(value: dict[str, Any], text: str) -> bool | None:
    if value["type"] == "ERROR_MESSAGE" or word(value, "status") in _FAILED_STATES or _EXIT.search(text):
        return True
    code = value.get("exit_code")
    return code != 0 if isinstance(code, int) else None
