"""Change, insert and remove values, members and elements inside a JSON text without touching anything else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from json.decoder import scanstring  # type: ignore[attr-defined]  # the stdlib's own C scanner, untyped
from typing import Any, NamedTuple

from compactor_cli.formats.jsonl import elements, skip_blank
from compactor_cli.model.message import Path

_DECODER = json.JSONDecoder()
_encode_unicode, _encode_ascii = json.JSONEncoder(ensure_ascii=False).encode, json.JSONEncoder().encode
"""Encoders that `json.dumps` would otherwise create anew for every non-ASCII value."""
_COMMA = re.compile(r"[ \t\n\r]*(?:,[ \t\n\r]*)?")
_NAME = re.compile(rf'{_COMMA.pattern}("[^"\\]*(?:\\.[^"\\]*)*")[ \t\n\r]*:[ \t\n\r]*')
"""A name in an object, with the white space and comma before it and the colon after it."""
_Tree = dict["str | int", Any]
"""Step of a path -> the steps that follow it."""
Step = str | int


def locate(text: str, path: Path) -> tuple[int, int]:
    """Return the span of the value at `path` in a JSON text. Raises KeyError when there is none."""
    start = skip_blank(text, 0)
    if not path:
        return start, _DECODER.raw_decode(text, start)[1]
    end = start
    for step in path:
        start, end = _member(text, start, step)
    return start, end


def locate_all(text: str, paths: Iterable[Path]) -> dict[Path, tuple[int, int]]:
    """Return the spans of the values at several existing paths, in one pass over a JSON text."""
    tree: _Tree = {}
    targets = set(paths)
    for path in targets:
        branch = tree
        for step in path:
            branch = branch.setdefault(step, {})
    spans: dict[Path, tuple[int, int]] = {}
    _walk(text, skip_blank(text, 0), (), tree, targets, spans)
    return spans


def _walk(
    text: str, start: int, path: Path, tree: _Tree, targets: Set[Path], spans: dict[Path, tuple[int, int]]
) -> int:
    """Record the wanted spans within the value that starts at `start`, and return its end."""
    if not tree:
        end = _DECODER.raw_decode(text, start)[1]
    else:
        closing = "}" if text[start] == "{" else "]"
        count, end = 0, skip_blank(text, start + 1)
        while text[end] != closing:
            key: str | int = count
            if closing == "}":
                key, end = scanstring(text, end + 1)
                end = skip_blank(text, skip_blank(text, end) + 1)
            end = _walk(text, end, (*path, key), tree.get(key, {}), targets, spans)
            end = skip_blank(text, end)
            if text[end] == ",":
                end = skip_blank(text, end + 1)
            count += 1
        end += 1
    if path in targets:
        spans[path] = (start, end)  # readers use the last one of repeated keys
    return end


def remove_elements(text: str, path: Path, removed: Set[int]) -> str:
    """Return the JSON text of the list at `path` without the elements in `removed`; the others are unchanged."""
    start, _ = locate(text, path)
    spans, _ = elements(text, start)
    return "[" + ", ".join(text[a:b] for index, (a, b, _) in enumerate(spans) if index not in removed) + "]"


def _member(text: str, position: int, step: str | int) -> tuple[int, int]:
    """Return the span of member `step` in the object or array that starts at `position`."""
    if text[position] == "{":
        return _named_member(text, position, step)
    if text[position] != "[":
        raise KeyError(step)
    count, position = 0, skip_blank(text, position + 1)
    while text[position] != "]":
        end = _end_of(text, position)
        if count == step:
            return position, end
        position = _COMMA.match(text, end).end()  # type: ignore[union-attr]  # it is JSON
        count += 1
    raise KeyError(step)


def _named_member(text: str, position: int, name: str | int) -> tuple[int, int]:
    """Return the span of the value under this name in the object that starts at `position`."""
    span: tuple[int, int] | None = None
    plain, end = f'"{name}"', position + 1
    while match := _NAME.match(text, end):
        found, start = match[1], match.end()
        end = _end_of(text, start)
        if (scanstring(found, 1)[0] == name) if "\\" in found else found == plain:
            span = start, end  # readers use the last one of repeated keys
    if span is None or not isinstance(name, str):
        raise KeyError(name)
    return span


def _end_of(text: str, start: int) -> int:
    """Return the end of the value that starts at `start`."""
    if text[start] != '"':
        return int(_DECODER.raw_decode(text, start)[1])
    end = text.index('"', start + 1)  # a scanner would build the string as well
    while text[end - 1] == "\\" and (text[end - 2] != "\\" or _is_escaped(text, end)):
        end = text.index('"', end + 1)
    return end + 1


def _is_escaped(text: str, position: int) -> bool:
    """Return whether a quotation mark is part of the string: an odd number of backslashes precedes it."""
    start = position
    while text[start - 1] == "\\":
        start -= 1
    return (position - start) % 2 == 1


def encode(value: Any, like: str = "") -> str:
    """Return the JSON text of a value, escaped like `like`: if that is escaped to ASCII, so is the result."""
    ascii_only = like.isascii() and "\\u" in like
    text = (_encode_ascii if ascii_only else _encode_unicode)(value)
    if not ascii_only and not _encodable(text):
        text = json.dumps(value)
    return text


def dump(value: Any) -> str:
    """Return the compact JSON text of a value; lone surrogates stay escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if _encodable(text) else json.dumps(value, separators=(",", ":"))


def lines(values: Iterable[Any]) -> bytes:
    """Return new records, one per line."""
    return "".join(dump(value) + "\n" for value in values).encode()


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def replace(raw: bytes, values: Mapping[Path, str]) -> bytes:
    """Return a record with the values at the given paths replaced by JSON texts."""
    text = raw.decode("utf-8")
    spans = sorted((*locate(text, path), new) for path, new in values.items())
    out, position = [], 0
    for start, end, new in spans:
        out += [text[position:start], new]
        position = end
    return "".join([*out, text[position:]]).encode("utf-8")


def append_elements(raw: bytes, changes: Mapping[Path, str], key: str, added: Sequence[str]) -> dict[Path, str]:
    """Return changes to a record, extended so that they append elements, given as JSON, to the non-empty list at
    `key`."""
    last: Path = (key, len(json.loads(raw)[key]) - 1)
    text = raw.decode()
    start, end = locate(text, last)
    inner_changes = {path[2:]: new for path, new in changes.items() if path[:2] == last and path != last}
    element = changes.get(last) or replace(text[start:end].encode(), inner_changes).decode()
    other_changes = {path: new for path, new in changes.items() if path[:2] != last}
    return {**other_changes, last: ", ".join((element, *added))}


class Member(NamedTuple):
    """A member of an object including its key, or an element of a list, as a span of a text."""

    start: int
    end: int


def members(text: str, path: Sequence[Step]) -> list[Member]:
    """Return the members of the object or list at `path`, in order."""
    position, _ = locate(text, tuple(path))
    keyed = text[position] == "{"
    members_found: list[Member] = []
    position = skip_blank(text, position + 1)
    while text[position] not in "}]":
        start = position
        if keyed:
            _, position = scanstring(text, position + 1)
            position = skip_blank(text, skip_blank(text, position) + 1)
        end = _DECODER.raw_decode(text, position)[1]
        members_found.append(Member(start, end))
        position = skip_blank(text, end)
        if text[position] == ",":
            position = skip_blank(text, position + 1)
    return members_found


def add(text: str, path: Sequence[Step], key: str | None, value: Any) -> str:
    """Return the text with a new member at the end of the object at `path`, or a new element of a list for key None.

    It is laid out like the members before it.
    """
    start, end = locate(text, tuple(path))
    old_members = members(text, path)
    unit = _unit(text)
    outer = _indent(text, start)
    if old_members:
        gap = text[start + 1 : old_members[0].start]
        inner = gap.rpartition("\n")[2] if "\n" in gap else ""
        position = old_members[-1].end
        spread, head, tail = "\n" in gap, "," + (gap if "\n" in gap else " "), ""
    else:
        inner, position, spread = outer + unit, start + 1, True
        head, tail = _newline(text) + inner, _newline(text) + outer
        text = text[:position] + text[end - 1 :]
    indented = json.dumps(value, ensure_ascii=False, indent=unit if spread else None)
    indented = indented.replace("\n", _newline(text) + inner)
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    return text[:position] + head + name + indented + tail + text[position:]


def remove(text: str, path: Sequence[Step], number: int) -> str:
    """Return the text without member `number` of the object or list at `path`."""
    start, end = locate(text, tuple(path))
    all_members = members(text, path)
    member = all_members[number]
    if len(all_members) == 1:
        return text[: start + 1] + text[end - 1 :]
    if number == len(all_members) - 1:
        return text[: all_members[number - 1].end] + text[member.end :]
    return text[: member.start] + text[all_members[number + 1].start :]


def _unit(text: str) -> str:
    """Return the indentation unit: that of the first indented line."""
    for line in text.splitlines():
        blank = line[: len(line) - len(line.lstrip(" \t"))]
        if blank and line.strip():
            return blank
    return "  "


def _indent(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
