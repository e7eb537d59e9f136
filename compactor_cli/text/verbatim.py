"""Requests of the user that a summary repeats in full, so that later rounds find and carry them.

    ### Original Task (first request, #1, 44 characters)
    Mend the rounding. Never touch the importer.

The length tells where the words end, whatever they are. The last request may also stand at the very end:

    Last request from user was: Write the changelog entry.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

QUOTED = "\n\n### Lines of the session\n"
"""Stands before the lines that a summary quotes besides what it says under its other headings."""
LAST_REQUEST_WAS = "\n\nLast request from user was: "
_BLOCK = re.compile(r"^(### .+?) \((first|last) request, (?:#\d+|earlier), (\d+) characters\)\n", re.MULTILINE)

Kind = Literal["first", "last"]


@dataclass(frozen=True, slots=True)
class Carried:
    """What a summary repeats in full (empty when it does not), and the rest of its text."""

    first: str
    last: str
    rest: str


def block(title: str, kind: Kind, message: int | None, text: str) -> str:
    """A heading with a request under it; without a message the words come from an earlier summary."""
    where = "earlier" if message is None else f"#{message}"
    return f"### {title} ({kind} request, {where}, {len(text)} characters)\n{text}"


def carried(text: str) -> Carried:
    """The requests that a summary repeats."""
    found = {"first": "", "last": ""}
    rest: list[str] = []
    at = 0
    while match := _BLOCK.search(text, at):
        end = match.end() + int(match.group(3))
        found[match.group(2)] = text[match.end() : end]
        rest.append(text[at : match.start()] + match.group(1))
        at = end
    tail, marked, last = text[at:].partition(LAST_REQUEST_WAS)
    if marked:
        found["last"] = last
    return Carried(found["first"], found["last"], "".join(rest) + tail)


def quoted_span(text: str) -> tuple[int, int]:
    """Where in a summary the lines stand that it quotes; an empty span at its end when it quotes none."""
    mark = text.rfind(QUOTED)
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
