"""Parts of Gemini API contents, shared by the formats of agents that store them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import Builder
from compactor_cli.formats.call_ids import CallIds
from compactor_cli.formats.values import arguments_place, as_text, block_text, edit_value, listed, word
from compactor_cli.model.message import LEGACY_ID, Message, Part, Path, Place
from compactor_cli.text.patterns import compiled_later

SHELL = "run_shell_command"
_FAILED_COMMAND = compiled_later(r"Exit Code: [1-9]")
"""Matches the output of a failed command; the call itself succeeded."""
_FILES_MARK = "--- Content from referenced files ---"
"""The part that precedes the files named in a request, as the agent read them."""
_PICTURE = "block:part"
"""Encoding of a picture's place: a text part replaces the whole part."""


_CALL, _RESPONSE = ("functionCall", "function_call"), ("functionResponse", "function_response")
_DATA, _FILE = ("inlineData", "inline_data"), ("fileData", "file_data")
_SEALS = ("thoughtSignature", "thought_signature")
_MEDIA_TYPES = ("mimeType", "mime_type")
_CODE = ("executableCode", "executable_code", "codeExecutionResult", "code_execution_result")
_KINDS = frozenset(("text", *_CALL, *_RESPONSE, *_DATA, *_FILE, *_CODE))
"""Members that identify the kind of a part; each part has one."""


def read_parts(build: Builder, content: Any, path: Path, record: int, ids: CallIds) -> list[Part]:
    """Return the parts of a content, which is a string, a part, or a list of both. `path`: its path in the record."""
    if isinstance(content, str):
        return build.text(content, record, path)
    if isinstance(content, dict):
        return [_part(build, content, path, record, ids)]
    return [_part(build, part, (*path, index), record, ids) for index, part in enumerate(listed(content))]


def part_kinds(parts: Any) -> list[str]:
    """Return, for each part of a content, the member that identifies its kind; empty if it is not a part of the API."""
    return [_kind(part) for part in listed(parts)]


def _kind(part: Any) -> str:
    if not isinstance(part, dict) or "type" in part:
        return ""
    return next((key for key, value in part.items() if key in _KINDS and value is not None), "")


def _member(part: dict[str, Any], names: Sequence[str]) -> tuple[str, Any]:
    """Return a part's member and the name under which the part has it."""
    return next(((name, part[name]) for name in names if part.get(name) is not None), (names[0], None))


def split_request(parts: list[Part]) -> tuple[list[Part], list[Part]]:
    """Return the parts that the user wrote, and those that the agent added after them: the files that the user
    named."""
    first = next((index for index, part in enumerate(parts) if index and part.text.strip() == _FILES_MARK), len(parts))
    return parts[:first], parts[first:]


def _part(build: Builder, part: Any, path: Path, record: int, ids: CallIds) -> Part:
    if isinstance(part, str):
        return build.part("text", part, Place(record, path))
    if not isinstance(part, dict):
        return build.part("other", as_text(part))
    sealed = any(part.get(key) for key in _SEALS)
    (calling, call), (answering, response) = _member(part, _CALL), _member(part, _RESPONSE)
    if isinstance(call, dict):
        name = word(call, "name")
        place = None if sealed else arguments_place(call.get("args"), record, (*path, calling, "args"))
        call_id = ids.call(call.get("id"), name)
        return build.part("tool_call", as_text(call.get("args")), place, name=name, call_id=call_id)
    if isinstance(response, dict):
        call_id = ids.response(response.get("id"), word(response, "name"))
        return read_response(build, response, (*path, answering), record, call_id)
    if isinstance(part.get("text"), str):
        if part.get("thought") is True:
            return build.part("thinking", part["text"])
        return build.part("text", part["text"], None if sealed else Place(record, (*path, "text")))
    if _is_picture(part):
        return build.image(None if sealed else Place(record, path, _PICTURE))
    visible = {key: value for key, value in part.items() if key not in _SEALS and value is not None}
    return build.part("other", block_text(visible))


def _is_picture(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    return any(
        word(_member(part, names)[1], key).startswith("image/") for names in (_DATA, _FILE) for key in _MEDIA_TYPES
    )


def read_response(
    build: Builder, response: dict[str, Any], path: Path, record: int, call_id: str, failed: bool | None = None
) -> Part:
    """Return the function response at `path`. `failed`: whether the call is already known to have failed."""
    body, path = response.get("response"), (*path, "response")
    text, place = as_text(body), Place(record, path) if body is not None else None
    if isinstance(body, dict) and len(body) == 1:
        ((key, value),) = body.items()
        if isinstance(value, str):
            text, place = value, Place(record, (*path, key))
    if isinstance(body, dict) and "error" in body:
        failed = True
    name, nested_parts = word(response, "name"), response.get("parts")
    if name == SHELL and _FAILED_COMMAND.search(text):
        failed = True
    images = sum(_is_picture(part) for part in listed(nested_parts))
    return build.part("tool_result", text, place, name=name, call_id=call_id, failed=failed, images=images)


def edit_part(part: Part, text: str) -> tuple[Path, str]:
    """Return the path to change, and the JSON text that holds the part's new text."""
    assert part.place is not None
    path = part.place.path
    response = next((index for index, step in enumerate(path) if step in _RESPONSE), None)
    if part.kind == "text" and response is not None:
        return path[:response], jsonedit.encode({"text": text})  # a repair turned the response into text
    if part.place.encoding == _PICTURE:
        return path, jsonedit.encode({"text": text})
    if part.kind == "tool_result" and path[-1] == "response":
        return path, jsonedit.encode({"output": text})  # a response must be an object
    return path, edit_value(part, text)


def new_content(message: Message) -> dict[str, Any]:
    """Return a new content of the API."""
    role = "model" if message.role == "assistant" else "user"
    return {"role": role, "parts": [new_part(part) for part in message.parts]}


def new_part(part: Part) -> dict[str, Any]:
    """Return a new part of the API."""
    if part.kind != "tool_result":
        return {"text": part.text}
    own_id = {} if part.call_id.startswith(LEGACY_ID) else {"id": part.call_id}
    return {"functionResponse": {**own_id, "name": part.name, "response": {"output": part.text}}}
