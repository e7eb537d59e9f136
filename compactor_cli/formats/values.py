"""Read members, lists and blocks of a record's JSON value, whatever else the value may be, and say where they are."""

from __future__ import annotations

from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.model.message import Part, Path, Place


def as_text(value: Any) -> str:
    """Return a string unchanged, None as an empty string, and anything else as compact JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else jsonedit.dump(value)


def uuid_text(key: str, *, version: int = 4, variant: str = "8") -> str:
    """Return hex digits in the form of a UUID with this version and variant."""
    return f"{key[:8]}-{key[8:12]}-{version}{key[13:16]}-{variant}{key[17:20]}-{key[20:32]}"


def word(value: Any, key: str) -> str:
    """Return the string at `key`; empty if there is none or `value` is not an object."""
    text = value.get(key) if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""


def inner(value: Any, *path: str) -> dict[str, Any]:
    """Return the object at a path of members; empty if there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """Return a list unchanged; an empty one for any other value."""
    return value if isinstance(value, list) else []


def objects(value: Any) -> list[tuple[int, dict[str, Any]]]:
    """Return the objects in a list, with their positions; none if the value is no list."""
    return [(index, item) for index, item in enumerate(listed(value)) if isinstance(item, dict)]


def block_kinds(content: Any) -> set[str]:
    """Return the set of `type`s in a list of content blocks."""
    return {word(block, "type") for _, block in objects(content)}


def is_image(block: Any) -> bool:
    """Return whether a content block is a picture, under any format's name for it."""
    named = word(block, "type") in ("image", "image_url", "input_image", "image-data", "image-url")
    return named or word(block, "mediaType").startswith("image/")


def body(value: Any, path: Path, record: int) -> tuple[str, int, Place]:
    """Return the text, the number of pictures and the place of a tool result's body: a string or a list of blocks."""
    if isinstance(value, list):
        images = sum(1 for block in value if is_image(block))
        texts = [block_text(block) for block in value if not is_image(block)]
        kind = next((word(b, "type") for b in value if isinstance(b, dict) and "text" in b and word(b, "type")), "text")
        return "\n".join(t for t in texts if t), images, Place(record, path, kind)
    return as_text(value), 0, Place(record, path)


def block_text(block: Any) -> str:
    """Return what a model reads of a content block, without the data of files and sounds."""
    if isinstance(block, str):
        return block
    if isinstance(block, dict):
        for key in ("text", "thinking", "refusal", "content"):
            if isinstance(block.get(key), str):
                return str(block[key])
        return jsonedit.dump(without_data(block))
    return as_text(block)


def without_data(value: Any) -> Any:
    """Return a value in which long strings without white space (base64) are replaced by their length."""
    if isinstance(value, str):
        opaque = len(value) > 256 and not any(c in value for c in " \n\t")
        return f"<{len(value)} characters of data>" if opaque else value
    if isinstance(value, list):
        return [without_data(item) for item in value]
    if isinstance(value, dict):
        return {key: without_data(item) for key, item in value.items()}
    return value


def edit_value(part: Part, text: str) -> str:
    """Return the JSON text that holds a part's new text at its place."""
    assert part.place is not None
    key, _, kind = part.place.encoding.partition(":")
    if key == "json":
        return text
    if key == "string":
        return jsonedit.encode(text)
    if kind:
        return jsonedit.encode({"type": kind, "text" if key == "block" else key: text})
    return jsonedit.encode([{"type": key, "text": text}])


def sum_of(counts: Any, *names: str) -> int | None:
    """Return the sum of the positive integers under these names; None if there are none."""
    if not isinstance(counts, dict):
        return None
    present = [counts[name] for name in names if isinstance(counts.get(name), int) and counts[name] > 0]
    return sum(present) or None


def numbers_in(counts: Any, path: Path, *names: str) -> list[Path]:
    """Return the paths of the integers in an object at `path`: those under `names`, or all if no name is given."""
    if not isinstance(counts, dict):
        return []
    kinds = {name: type(value) for name, value in counts.items() if not names or name in names}
    return [(*path, name) for name, kind in kinds.items() if kind is int]


def arguments_place(value: Any, record: int, path: Path) -> Place | None:
    """Return the place of a call's arguments, depending on how they are saved: a string (JSON or any text), or JSON
    that stays JSON when shortened. None for arguments that cannot be shortened."""
    if isinstance(value, str):
        return Place(record, path)
    return Place(record, path, "json") if isinstance(value, (dict, list)) else None
