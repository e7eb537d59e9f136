"""Gemini API contents, `{role, parts}`: one content per line, or in a request `{contents, systemInstruction}`.

The API rejects a model turn with calls that follows another model turn, and calls that lack a response in the next
content. SDKs write names in camel case or with underscores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.call_ids import CallIds
from compactor_cli.formats.copies import value_at
from compactor_cli.formats.gemini_parts import edit_part, new_content, new_part, part_kinds, read_parts
from compactor_cli.formats.jsonedit import append_elements
from compactor_cli.formats.turns import add_turn
from compactor_cli.formats.values import inner, sum_of, word
from compactor_cli.model.message import ADDED_ENCODING, Message, Part, Path, Role

_ROLES: dict[str, Role] = {
    "system": "system",
    **dict.fromkeys(("", "user", "function", "tool"), "user"),
    "model": "assistant",
}
_SYSTEMS = ("systemInstruction", "system_instruction")
_BATCH = ("request", "contents")
_PROMPT_COUNTS = ("promptTokenCount", "prompt_token_count")


class GeminiContents(Format):
    name = "gemini"
    title = "Gemini API contents: requests, rows of batches and data sets, one content per line"
    lists = (ListPath(("contents",), _SYSTEMS), ListPath(_BATCH, _SYSTEMS))
    alternates = True

    def recognize(self, value: Any) -> float:
        if not isinstance(value, dict) or "type" in value or word(value, "role") not in _ROLES:
            return 0.0
        kinds = part_kinds(value.get("parts"))
        if not kinds or not all(kinds):
            return 0.0
        return 0.95 if word(value, "role") else 0.75

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build, ids = Builder(counter), CallIds()
        for record, value in enumerate(values):
            role = _ROLES.get(word(value, "role"))
            if role is None or not isinstance(value, dict):
                continue  # not a content: passed through
            content, path = (value, ()) if "content" not in value else (value["content"], ("content",))
            if isinstance(content, dict):
                content, path = content.get("parts"), (*path, "parts")
            add_turn(build, role, read_parts(build, content, path, record, ids), record, None)
        return Reading(build.messages)

    def counted(self, document: Any, path: Path, messages: Sequence[Message]) -> tuple[int, int] | None:
        """Return the request's count as stated in a batch response. The request holds the whole conversation."""
        if path[-len(_BATCH) :] != _BATCH or not messages:
            return None
        response = inner(value_at(document, path[: -len(_BATCH)]), "response")
        tokens = sum_of(response.get("usageMetadata", response.get("usage_metadata")), *_PROMPT_COUNTS)
        return (len(messages) - 1, tokens) if tokens else None

    def new_record(self, message: Message, around: Around) -> Any:
        return new_content(message)

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        changes: dict[Path, str] = {}
        added = []
        for part, text in edited:
            if part.place and part.place.encoding == ADDED_ENCODING:
                added.append(jsonedit.encode(new_part(part)))
            elif part.place:
                path, new = edit_part(part, text)
                changes[path] = new
        return append_elements(raw, changes, "parts", added) if added else changes
