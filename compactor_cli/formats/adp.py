"""Agent Data Protocol, `std` form: `{id, content: [...], details}`; each record gives its kind in `class_`.

Calls have no ids: an observation answers the action before it. (The `sft` form is ShareGPT or chat messages. The
`raw` form is whatever the source data set uses.)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.values import as_text, objects, word
from compactor_cli.model.injected import origin_of, origin_of_parts
from compactor_cli.model.message import LEGACY_ID, Message, Part, Path, Place, Role

_ACTIONS = frozenset(("message_action", "api_action", "code_action"))
_OBSERVATIONS = frozenset(("text_observation", "web_observation", "image_observation"))


class ADP(Format):
    name = "adp"
    title = "Agent Data Protocol, std form"
    lists = (ListPath(("content",)), ListPath(()))

    def recognize(self, value: Any) -> float:
        return 1.0 if word(value, "class_") in _ACTIONS | _OBSERVATIONS else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        reader = _Reader(Builder(counter), _is_task_in_action(values))
        for record, value in enumerate(values):
            kind = word(value, "class_")
            if kind in _ACTIONS:
                reader.add_action(value, kind, record)
            elif kind in _OBSERVATIONS:
                reader.add_observation(value, kind, record)
        session = as_text(document.get("id")) if isinstance(document, dict) else ""
        return Reading(reader.build.messages, session_id=session)

    def new_record(self, message: Message, around: Around) -> Any:
        text = message.parts[0].text
        if message.role == "assistant":
            return {"class_": "message_action", "content": text, "description": None}
        source = "environment" if message.role == "tool" else "user"
        return {"class_": "text_observation", "content": text, "name": None, "source": source}

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        changes = super().edits(raw, edited)
        if any(part.kind == "tool_result" for part, _ in edited) and json.loads(raw).get("image_observation"):
            changes[("image_observation",)] = "null"  # a shortened result loses its picture
        return changes


class _Reader:
    """Reads records in order and tracks which call is waiting for its result."""

    def __init__(self, build: Builder, first_is_task: bool) -> None:
        self.build, self.first_is_task = build, first_is_task
        self._open_call: Part | None = None
        self._last_call_message: int | None = None
        """The message of the last call, as long as further output of it may follow."""
        self._count = 0

    def add_action(self, value: dict[str, Any], kind: str, record: int) -> None:
        parts = self.build.text(value.get("description"), record, ("description",))
        self._open_call = self._last_call_message = None
        if kind == "message_action":
            parts += self.build.text(value.get("content"), record, ("content",))
            is_request = self.first_is_task and record == 0
            role: Role = "user" if is_request else "assistant"
            self.build.add(role, parts, (record,), origin=origin_of_parts(parts, by_user=is_request))
            return
        self._open_call = self._call(value, kind, record)
        self._last_call_message = self.build.add("assistant", [*parts, self._open_call], (record,))

    def _call(self, value: dict[str, Any], kind: str, record: int) -> Part:
        self._count += 1
        key, name = ("kwargs", "function") if kind == "api_action" else ("content", "language")
        call_id = f"{LEGACY_ID}{self._count}"
        return self.build.call(value.get(key), record, (key,), name=as_text(value.get(name)), call_id=call_id)

    def add_observation(self, value: dict[str, Any], kind: str, record: int) -> None:
        if kind == "text_observation" and value.get("source") == "user":
            self._open_call = self._last_call_message = None
            parts = self.build.text(value.get("content"), record, ("content",))
            self.build.add("user", parts, (record,), origin=origin_of_parts(parts, by_user=True))
            return
        text, place, images, further = _observation(self.build, value, kind, record)
        if self._open_call is not None:
            call, self._open_call = self._open_call, None
            name, call_id = call.name, call.call_id
            result = self.build.part("tool_result", text, place, name=name, call_id=call_id, images=int(images))
            self.build.add("tool", [result, *further], (record,))
            return
        parts = [self.build.part("text", text, place)] if text else []
        parts += [self.build.image()] if images else []
        turn = self._last_call_message
        if turn is not None:  # more output of the same call
            self.build.messages[turn] = replace(self.build.messages[turn], turn=turn)
        self.build.add("user", [*parts, *further], (record,), origin="injected", turn=turn)


def _observation(
    build: Builder, value: dict[str, Any], kind: str, record: int
) -> tuple[str, Place | None, bool, list[Part]]:
    """Return an observation's text, its place, whether there is a picture, and further parts that the model sees."""
    if kind == "image_observation":
        return _screen_text(value.get("annotations")), None, True, []
    if kind == "text_observation":
        text = value.get("content")
        return as_text(text), Place(record, ("content",)) if isinstance(text, str) else None, False, []
    key = next((key for key in ("axtree", "html") if isinstance(value.get(key), str) and value[key]), "")
    further = [build.part("other", value["url"])] if isinstance(value.get("url"), str) and value["url"] else []
    place = Place(record, (key,)) if key else None
    return as_text(value.get(key)), place, bool(value.get("image_observation")), further


def _screen_text(annotations: Any) -> str:
    """Return the texts of the elements on a screen, one per line."""
    texts = (element.get("text") for _, element in objects(annotations))
    return "\n".join(text for text in texts if isinstance(text, str) and text.strip())


def _is_task_in_action(values: Sequence[Any]) -> bool:
    """Return whether the only speaker is the first record, an action without a thought. Some data sets store the
    task there."""
    if not values or word(values[0], "class_") != "message_action" or word(values[0], "description"):
        return False
    texts = [v for v in values if word(v, "class_") == "text_observation" and v.get("source") == "user"]
    return all(origin_of(word(value, "content")) == "summary" for value in texts)
