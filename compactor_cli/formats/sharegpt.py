"""ShareGPT rows, `{"conversations": [{from, value}]}`, and LLaMA-Factory's typed parts, `{type, value}`.

Calls and results have no ids: results answer the last calls in order, and one row may answer several. A call is JSON
in a string; a call row that is not JSON is an action written as text, which the next row answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from compactor_cli.errors import InputError
from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.chat import mark_outputs
from compactor_cli.formats.copies import value_at
from compactor_cli.formats.jsonl import parse
from compactor_cli.formats.roles import AGENT_ROLES, OUTPUT_ROLES, PEOPLE
from compactor_cli.formats.values import as_text, block_text, edit_value, listed, word
from compactor_cli.model.injected import origin_of_parts
from compactor_cli.model.message import LEGACY_ID, Message, Origin, Part, Path, Place, Role

_ROLES: dict[str, Role] = {
    **dict.fromkeys(("system",), "system"),
    **dict.fromkeys(("user", *PEOPLE), "user"),
    **dict.fromkeys(("assistant", *AGENT_ROLES), "assistant"),
    **dict.fromkeys(("function_call", "function-call", "tool_call"), "assistant"),
    **dict.fromkeys(("tool", *OUTPUT_ROLES), "tool"),
}
_CALLING = frozenset(("function_call", "function-call", "tool_call"))
_NAMES: dict[Role, str] = {"system": "system", "user": "human", "assistant": "gpt", "tool": "observation"}
_SYSTEMS = ("system", "system_prompt")


class _Piece(NamedTuple):
    """A text of a row: its kind, content and path."""

    kind: str
    text: str
    path: Path


class ShareGPT(Format):
    name = "sharegpt"
    title = "ShareGPT rows, also with LLaMA-Factory's typed parts"
    summary_roles = ("user", "assistant", "system")
    lists = (*(ListPath((key,), _SYSTEMS) for key in ("conversations", "conversation", "messages")), ListPath(()))
    adjacent_results = False

    def recognize(self, value: Any) -> float:
        if word(value, "from").lower() in _ROLES:
            return 1.0 if "value" in value and "role" not in value else 0.0
        return 1.0 if word(value, "role") in _ROLES and _is_typed(value.get("content")) else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        rows = [(record, value) for record, value in enumerate(values) if _role(value) is not None]
        reader = _Reader(build, rows)
        for index in range(len(rows)):
            reader.read(index)
        return Reading(mark_outputs(build.messages))

    def new_record(self, message: Message, around: Around) -> Any:
        text, template = message.parts[0].text, around.template
        if "from" not in template and _is_typed(template.get("content")):
            return {"role": message.role, "content": [{"type": "text", "value": text}]}
        return {"from": _NAMES[message.role], "value": text}

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        value = json.loads(raw)
        changes: dict[Path, str] = {}
        inner: dict[Path, dict[Path, str]] = {}
        for part, text in edited:
            assert part.place is not None
            outer = _string_path(value, part.place.path)
            if outer == part.place.path:
                changes[outer] = edit_value(part, text)
            else:
                inner.setdefault(outer, {})[part.place.path[len(outer) :]] = edit_value(part, text)
        for outer, values in inner.items():
            changes[outer] = jsonedit.encode(jsonedit.replace(value_at(value, outer).encode(), values).decode())
        return changes


class _Reader:
    """Reads rows in order and tracks which calls are waiting for a result."""

    def __init__(self, build: Builder, rows: Sequence[tuple[int, Any]]) -> None:
        self.build, self.rows = build, rows
        self._open_calls: list[Part] = []
        self._caller: int | None = None
        """The message of the last calls or of an action written as text, as long as results may follow."""
        self._acted = False
        """Whether the last row was an action written as text."""
        self._count = 0

    def read(self, index: int) -> None:
        record, value = self.rows[index]
        role = _role(value)
        assert role is not None
        pieces = list(_pieces(value))
        if role == "tool" and self._open_calls:
            self._add("tool", self._results(index, pieces), record, "other")
            return
        parts = [part for piece in pieces for part in self._parts(piece, record)]
        origin = origin_of_parts(parts, by_user=role in ("user", "tool"))
        calls = [part for part in parts if part.kind == "tool_call"]
        answer = role == "tool" or (role == "user" and self._acted and origin == "request")
        if answer:
            self._add("user", parts, record, "injected" if origin in ("request", "other") else origin, joined=True)
            self._acted = False
            return
        self._add(role, parts, record, origin)
        self._acted = word(value, "from").lower() in _CALLING and not calls
        if calls or self._acted:
            self._caller = len(self.build.messages) - 1
            self._open_calls += calls
        elif role != "assistant":
            self._open_calls, self._caller = [], None

    def _add(self, role: Role, parts: Sequence[Part], record: int, origin: Origin, *, joined: bool = False) -> None:
        """Add a message. A `joined` message is part of the last action's turn."""
        turn = None
        if joined and self._caller is not None:
            turn = self._caller
            self.build.messages[turn] = replace(self.build.messages[turn], turn=turn)
        self.build.add(role, parts, (record,), origin=origin, turn=turn)

    def _results(self, index: int, pieces: Sequence[_Piece]) -> list[Part]:
        """Return the results of a row. It answers the first open call; the last of several result rows answers all
        that are left."""
        record = self.rows[index][0]
        has_more = index + 1 < len(self.rows) and _role(self.rows[index + 1][1]) == "tool"
        answered = self._open_calls[:1] if has_more else self._open_calls
        self._open_calls = self._open_calls[len(answered) :]
        text = "\n".join(piece.text for piece in pieces)
        place = Place(record, pieces[0].path) if len(pieces) == 1 else None
        first = answered[0]
        result = self.build.part("tool_result", text, place, name=first.name, call_id=first.call_id)
        return [result, *(self.build.part("tool_result", "", name=c.name, call_id=c.call_id) for c in answered[1:])]

    def _parts(self, piece: _Piece, record: int) -> list[Part]:
        place = Place(record, piece.path)
        if piece.kind == "call":
            calls = [self._call(call, inner, place) for call, inner in _calls(piece.text)]
            return calls or [self.build.part("text", piece.text, place)]
        if piece.kind == "reasoning":
            return [self.build.part("thinking", piece.text)]
        if piece.kind == "image":
            return [self.build.image()]
        if piece.kind == "other":
            return [self.build.part("other", piece.text)]
        return [self.build.part("text", piece.text, place)] if piece.text else []

    def _call(self, call: dict[str, Any], inner: Path, place: Place) -> Part:
        self._count += 1
        path, name, call_id = (*place.path, *inner, "arguments"), as_text(call["name"]), f"{LEGACY_ID}{self._count}"
        return self.build.call(call.get("arguments"), place.record, path, name=name, call_id=call_id)


def _role(value: Any) -> Role | None:
    """Return the role of a row. A system prompt stored next to the rows has the shape `{role, content}`."""
    return _ROLES.get(word(value, "from").lower() or word(value, "role"))


def _is_typed(content: Any) -> bool:
    """Return whether a content is a list of LLaMA-Factory parts."""
    return bool(listed(content)) and all(word(part, "type") and "value" in part for part in content)


def _pieces(value: dict[str, Any]) -> Iterator[_Piece]:
    if "from" in value:
        kind = "call" if value["from"].lower() in _CALLING else "text"
        text = value.get("value")
        yield _Piece(kind if isinstance(text, str) else "other", as_text(text), ("value",))
        return
    content = value.get("content")
    if isinstance(content, str):
        yield _Piece("text", content, ("content",))
    for index, part in enumerate(listed(content)):
        kind, text = word(part, "type"), part.get("value") if isinstance(part, dict) else part
        kind = {"text": "text", "tool_call": "call", "reasoning": "reasoning"}.get(kind, kind)
        if kind.startswith(("image", "video", "audio")):
            yield _Piece("image" if kind.startswith("image") else "other", "", ("content", index, "value"))
        elif kind in ("text", "call", "reasoning") and isinstance(text, str):
            yield _Piece(kind, text, ("content", index, "value"))
        else:
            yield _Piece("other", block_text(part), ("content", index))


def _calls(text: str) -> list[tuple[dict[str, Any], Path]]:
    """Return the calls that a text holds as JSON, one or a list, each with its path; none if it is not such JSON."""
    if not text.lstrip().startswith(("{", "[")):
        return []
    try:
        text.encode()  # an unpaired surrogate has no bytes to point into
        parsed = parse(text)
    except (InputError, UnicodeEncodeError):
        return []
    calls: list[tuple[Any, Path]] = [(parsed, ())]
    if isinstance(parsed, list):
        calls = [(call, (index,)) for index, call in enumerate(parsed)]
    named_calls = [(call, path) for call, path in calls if word(call, "name")]
    return named_calls if len(named_calls) == len(calls) else []


def _string_path(value: Any, path: Path) -> Path:
    """Return the part of a path that leads to a string; the rest leads into the JSON of that string."""
    for index, step in enumerate(path):
        if isinstance(value, str):
            return path[:index]
        value = value[step]
    return path
