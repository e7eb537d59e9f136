"""Checks for content that providers reject: thinking without its signature, empty texts, oversized pictures."""

from __future__ import annotations

import binascii
import hashlib
import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

from compactor_cli.doctor.base import DoctorView, Finding
from compactor_cli.formats import jsonedit
from compactor_cli.model.message import Path

_DATA_URL = re.compile(r"data:image/[\w.+-]+;base64,")
_PICTURE_KEYS = frozenset(("data", "url", "image_url"))
"""Members that hold the data of a picture in some format."""
_MIN_PICTURE_CHARS = 1_000
"""Minimum characters of a string that can be a picture."""
_BASE64 = re.compile(r"[A-Za-z0-9+/=_-]+\Z")


def walk_json(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every value inside a JSON value with its path, outer values first."""
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk_json(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from walk_json(item, (*path, index))


def rejected_blocks(view: DoctorView) -> Iterator[Finding]:
    """Yield blocks in `content` lists for which a provider rejects the whole request."""
    for record in sorted(view.transcript.message_records):
        for path, content in walk_json(view.values[record]):
            if path and path[-1] == "content" and isinstance(content, list):
                yield from _block_findings(view, record, path, content)


def _block_findings(view: DoctorView, record: int, path: Path, content: list[Any]) -> Iterator[Finding]:
    bad = {index: kind for index, block in enumerate(content) if (kind := _block_fault(block))}
    if not bad:
        return
    whole = len(bad) == len(content)
    text = jsonedit.remove_elements(view.transcript.raw(record).decode("utf-8"), path, set(bad))
    for number, (index, kind) in enumerate(bad.items()):
        fault = "thinking without a signature" if kind == "unsigned_thinking" else "an empty text block"
        remedy = "message removed" if whole else "block removed"
        drop, edits = record if whole else None, {(record, path): text} if not whole and number == 0 else {}
        detail = f"{fault} (block {index + 1} of {len(content)})"
        yield Finding(kind, view.line(record), detail, remedy, drop=drop, edits=edits)


def _block_fault(block: Any) -> str:
    if not isinstance(block, dict):
        return ""
    if block.get("type") == "thinking" and isinstance(block.get("thinking"), str):
        signature = block.get("signature")
        return "unsigned_thinking" if "signature" in block and not signature else ""
    if block.get("type") == "text" and block.get("text") == "":
        return "empty_text"
    return ""


def empty_messages(view: DoctorView) -> Iterator[Finding]:
    """Yield messages without content, which providers reject and which say nothing."""
    for message in view.transcript.messages:
        empty = all(part.kind == "text" and not part.text for part in message.parts)
        if empty and message.role in ("user", "assistant") and not message.pinned:
            for record in message.records:
                detail = f"a message with role {message.role} and no content"
                yield Finding("empty_message", view.line(record), detail, "left out", drop=record)


def large_pictures(view: DoctorView) -> Iterator[Finding]:
    """Yield pictures larger than providers accept; they are replaced by a note with size and digest."""
    places = {
        (part.place.record, part.place.path): part.place.encoding
        for message in view.transcript.messages
        for part in message.parts
        if part.kind == "image" and part.place is not None
    }
    for record in sorted(view.transcript.message_records):
        raw = view.transcript.raw(record)
        if len(raw) <= view.limits.image_bytes:
            continue
        for path, value in walk_json(view.values[record]):
            if not isinstance(value, str) or not path or path[-1] not in _PICTURE_KEYS:
                continue
            data = picture_data(value)
            if data is not None and len(data) > view.limits.image_bytes:
                yield _picture_finding(view, record, path, data, places)


def picture_data(text: str) -> bytes | None:
    """Return the data of a picture that a string holds as base64 or a data URL; None for any other string."""
    if len(text) < _MIN_PICTURE_CHARS:
        return None
    match = _DATA_URL.match(text)
    encoded = text[match.end() :] if match else text
    if not _BASE64.match(encoded):
        return None
    try:
        return b64decode(
            encoded + "=" * (-len(encoded) % 4), altchars=b"-_" if "-" in encoded or "_" in encoded else None
        )
    except (binascii.Error, ValueError):
        return None


def _picture_finding(
    view: DoctorView, record: int, path: Path, data: bytes, places: dict[tuple[int, Path], str]
) -> Finding:
    note = f"[picture of {len(data):,} bytes left out, sha256 {hashlib.sha256(data).hexdigest()}]"
    detail = f"a picture of {len(data):,} bytes, the limit is {view.limits.image_bytes:,}"
    holder, kind = _enclosing_block(view.values[record], path), "text"
    for end in range(len(path), 0, -1):
        encoding = places.get((record, path[:end]), "")
        if encoding.startswith("block:"):
            holder, kind = path[:end], encoding[6:]
            break
    if holder is None:
        return Finding("large_image", view.line(record), detail)
    block = jsonedit.encode({"type": kind, "text": note})
    return Finding("large_image", view.line(record), detail, "replaced by a note", edits={(record, holder): block})


def _enclosing_block(value: Any, path: Path) -> Path | None:
    """Return the path of the block around a picture: the nearest list element that is an object with a `type`."""
    for end in range(len(path) - 1, 0, -1):
        if not isinstance(path[end - 1], int):
            continue
        block = value
        for step in path[:end]:
            block = block[step]
        if isinstance(block, dict) and "type" in block:
            return path[:end]
    return None
