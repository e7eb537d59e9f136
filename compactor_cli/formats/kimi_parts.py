"""Content parts of Kimi, the same in both of its agents."""

from __future__ import annotations

from typing import Any

from compactor_cli.formats.base import Builder, as_text, block_text, is_image, word
from compactor_cli.model.message import Part, Path, Place


def content_parts(build: Builder, content: Any, path: Path, record: int, *, sealed: bool = False) -> list[Part]:
    """Return parts of a message's content, which stands at `path` of its record. `sealed`: no text may change."""
    if isinstance(content, str):
        return [build.part("text", content, None if sealed else Place(record, path))] if content else []
    blocks = enumerate(content if isinstance(content, list) else ())
    return [content_part(build, block, (*path, index), record, sealed=sealed) for index, block in blocks]


def content_part(build: Builder, block: Any, path: Path, record: int, *, sealed: bool = False) -> Part:
    """Return the part that a block is; thinking is never changed, for it may be sealed (`encrypted`)."""
    kind = word(block, "type")
    if kind == "text":
        place = None if sealed else Place(record, (*path, "text"))
        return build.part("text", as_text(block.get("text")), place)
    if kind == "think":
        return build.part("thinking", as_text(block.get("think")))
    if is_image(block):
        return build.image(None if sealed else Place(record, path, "block:text"))
    return build.part("other", block_text(block))
