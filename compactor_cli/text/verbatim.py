"""Requests of the user that a summary repeats in full, so that later rounds find and carry them.

    ### Original Task (first request, #1, 44 characters)
    Mend the rounding. Never touch the importer.

The length tells where the words end, whatever they are. The last request may also stand at the very end,
and be the first one at the same time:

    ### Original Task (first request: the last one, at the end)

    Last request from user was: Write the changelog entry.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

QUOTED = "\n\n### Lines of the session\n"
"""Stands before the lines that a summary quotes besides what it says under its other headings."""
LAST_REQUEST_WAS = "\n\nLast request from user was: "
_ONLY = " (first request: the last one, at the end)"
_BLOCK = re.compile(r"^(### .+?) \((first|last) request, (?:#\d+|earlier), (\d+) characters\)\n", re.MULTILINE)

Kind = Literal["first", "last", "only"]


@dataclass(frozen=True, slots=True)
class Carried:
    """What a summary repeats in full (empty when it does not), and the rest of its text."""

    first: str
    last: str
    rest: str


def block(title: str, kind: Kind, message: int | None, text: str) -> str:
    """A heading with a request under it; without a message the words come from an earlier summary. The
    `only` request stands at the end, and the heading says so."""
    if kind == "only":
        return f"### {title}{_ONLY}"
    where = "earlier" if message is None else f"#{message}"
    return f"### {title} ({kind} request, {where}, {len(text)} characters)\n{text}"


def carried(text: str) -> Carried:
    """The requests that a summary repeats."""
    blocks, at = _blocks(text)
    found = {match.group(2): text[match.end() : end] for match, end in reversed(blocks)}
    starts = [0, *(end for _, end in blocks)]
    rest = "".join(text[start : m.start()] + m.group(1) for start, (m, _) in zip(starts, blocks, strict=False))
    tail, marked, last = text[at:].partition(LAST_REQUEST_WAS)
    if marked:
        found["last"] = last
        before, only, behind = tail.partition(_ONLY + "\n")
        if only and "first" not in found:
            found["first"], tail = last, f"{before}\n{behind}"
    return Carried(found.get("first", ""), found.get("last", ""), rest + tail)


def _blocks(text: str) -> tuple[list[tuple[re.Match[str], int]], int]:
    """Headings with a request under them and where its words end, and where the last one ends. Lines of the
    session that look like them are none."""
    found = []
    at = 0
    while match := _BLOCK.search(text, at):
        if QUOTED in text[at : match.start() + 1]:
            break
        at = match.end() + int(match.group(3))
        found.append((match, at))
    return found, at


def quoted_span(text: str) -> tuple[int, int]:
    """Where in a summary the lines stand that it quotes; an empty span at its end when it quotes none."""
    mark = text.find(QUOTED, _blocks(text)[1])
    if mark < 0:
        return len(text), len(text)
    end = text.find(LAST_REQUEST_WAS, mark)
    return mark + len(QUOTED), len(text) if end < 0 else end


def can_repeat(text: str) -> bool:
    """Whether words can stand in a summary as they are: they can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return bool(text.strip())
