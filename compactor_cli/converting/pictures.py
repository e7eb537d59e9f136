"""Pictures in the blocks of any format: each keeps the data under names of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from compactor_cli.converting.message_content import Picture

_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,", re.ASCII)
_TYPES = ("media_type", "mimeType", "mime_type", "mediaType", "mime")
_HOLDERS = ("source", "image_url", "image", "url", "inlineData", "inline_data", "fileData", "file_data", "file", "data")
"""Members of a block that hold a picture, the nearest to the data last."""
_ADDRESSES = ("url", "fileUri", "file_uri", "uri")
_DEPTH = 4


def picture_in(value: Any, media_type: str = "") -> Picture | None:
    """Return the picture that a block holds; None where it holds no data and no address of one."""
    if isinstance(value, str):
        return _from_text(value, media_type)
    if not isinstance(value, dict):
        return None
    named = next((value[key] for key in _TYPES if isinstance(value.get(key), str)), media_type)
    for key in _HOLDERS:
        inner = picture_in(value[key], named) if key in value else None
        if inner is not None:
            return inner
    return next((Picture(named, url=value[key]) for key in _ADDRESSES if _is_url(value.get(key))), None)


def pictures_in(value: Any, depth: int = _DEPTH) -> Iterator[Picture]:
    """Yield all pictures of a tool result's body, in order."""
    if isinstance(value, list) and depth:
        for item in value:
            yield from pictures_in(item, depth - 1)
    elif isinstance(value, dict):
        picture = picture_in(value) if "text" not in value else None
        if picture is not None:
            yield picture
        elif depth:
            for item in value.values():
                yield from pictures_in(item, depth - 1) if isinstance(item, (dict, list)) else ()


def _from_text(text: str, media_type: str) -> Picture | None:
    match = _DATA_URL.match(text)
    if match:
        return Picture(match[1], text[match.end() :])
    if _is_url(text):
        return Picture(media_type, url=text)
    return Picture(media_type, text) if media_type.startswith("image/") and _is_base64(text) else None


def _is_url(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(("http://", "https://", "gs://"))


def _is_base64(text: str) -> bool:
    return len(text) >= 4 and re.fullmatch(r"[A-Za-z0-9+/_=-]+", text[:400]) is not None
