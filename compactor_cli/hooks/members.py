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
    """The members of the object or list at `path`, in order."""
    at, _ = locate(text, tuple(path))
    keyed = text[at] == "{"
    found: list[Member] = []
    at = skip_blank(text, at + 1)
    while text[at] not in "}]":
        start = at
        if keyed:
            _, at = scanstring(text, at + 1)
            at = skip_blank(text, skip_blank(text, at) + 1)
        end = _DECODER.raw_decode(text, at)[1]
        found.append(Member(start, end))
        at = skip_blank(text, end)
        if text[at] == ",":
            at = skip_blank(text, at + 1)
    return found


def add(text: str, path: Sequence[Step], key: str | None, value: Any) -> str:
    """The text with a member more at the end of the object at `path`, or an element of a list for key None.

    It is laid out as the members before it are.
    """
    start, end = locate(text, tuple(path))
    before = members(text, path)
    unit = _unit(text)
    outer = _indent(text, start)
    if before:
        gap = text[start + 1 : before[0].start]
        inner = gap.rpartition("\n")[2] if "\n" in gap else ""
        at = before[-1].end
        spread, head, tail = "\n" in gap, "," + (gap if "\n" in gap else " "), ""
    else:
        inner, at, spread = outer + unit, start + 1, True
        head, tail = _newline(text) + inner, _newline(text) + outer
        text = text[:at] + text[end - 1 :]
    shown = json.dumps(value, ensure_ascii=False, indent=unit if spread else None)
    shown = shown.replace("\n", _newline(text) + inner)
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    return text[:at] + head + name + shown + tail + text[at:]


def remove(text: str, path: Sequence[Step], number: int) -> str:
    """The text without a member of the object or list at `path`, by its number."""
    start, end = locate(text, tuple(path))
    found = members(text, path)
    own = found[number]
    if len(found) == 1:
        return text[: start + 1] + text[end - 1 :]
    if number == len(found) - 1:
        return text[: found[number - 1].end] + text[own.end :]
    return text[: own.start] + text[found[number + 1].start :]


def _unit(text: str) -> str:
    """Return what a level is moved in by, as the first line that is moved in has it."""
    for line in text.splitlines():
        blank = line[: len(line) - len(line.lstrip(" \t"))]
        if blank and line.strip():
            return blank
    return "  "


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
