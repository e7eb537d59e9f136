"""Members put into the text of a JSON document and taken out again; every other byte stays as it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]  # the stdlib's own C scanner, untyped
from typing import Any, NamedTuple

from compactor_cli.formats.jsonedit import locate
from compactor_cli.formats.jsonl import skip_blank

_DECODER = json.JSONDecoder()
Step = str | int


class Member(NamedTuple):
    """A member of an object with its key, or an element of a list, as it stands in a text."""

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
    """Return the text with a member more at the end of the object at `path`, or an element of a list for key None.

    It is laid out as the members before it are.
    """
    start, end = locate(text, tuple(path))
    before = members(text, path)
    unit = _unit(text)
    outer = _indent(text, start)
    if before:
        gap = text[start + 1 : before[0].start]
        inner = gap.rpartition("\n")[2] if "\n" in gap else ""
        position = before[-1].end
        spread, head, tail = "\n" in gap, "," + (gap if "\n" in gap else " "), ""
    else:
        inner, position, spread = outer + unit, start + 1, True
        head, tail = _newline(text) + inner, _newline(text) + outer
        text = text[:position] + text[end - 1 :]
    shown = json.dumps(value, ensure_ascii=False, indent=unit if spread else None)
    shown = shown.replace("\n", _newline(text) + inner)
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    return text[:position] + head + name + shown + tail + text[position:]


def remove(text: str, path: Sequence[Step], number: int) -> str:
    """Return the text without a member of the object or list at `path`, by its number."""
    start, end = locate(text, tuple(path))
    all_members = members(text, path)
    own = all_members[number]
    if len(all_members) == 1:
        return text[: start + 1] + text[end - 1 :]
    if number == len(all_members) - 1:
        return text[: all_members[number - 1].end] + text[own.end :]
    return text[: own.start] + text[all_members[number + 1].start :]


def _unit(text: str) -> str:
    """Return what a level is moved in by, as the first line that is moved in has it."""
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
