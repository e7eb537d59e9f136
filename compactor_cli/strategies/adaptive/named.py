"""Lines that tell of what the newest request names: where it is defined, and where it was seen last."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from compactor_cli.features.lines import SessionLines
from compactor_cli.model.message import Message
from compactor_cli.text.identifiers import identifiers

NAMED_SHARE = 0.04
"""Share of the room for such lines."""
_ROOM = 1_500
"""Tokens of room from which on the share holds more than one of them."""
_READ = 4_000
"""Characters of a request in which names are looked for."""
_NAMES = 24
"""Names of a request that are looked for, the first ones."""
_FEW = 40
"""Lines up to which a name is rare enough to say what a line is about."""
_LINES = 2
"""Lines of each name."""
_SHORTEST = 5
_DEFINES = (
    r"\b(?:func|fun|def|class|fn|function|type|interface|struct|enum|trait|const|let|var|sub|module)\b[^\n]{0,60}\b"
)


def named_lines(messages: Sequence[Message], lines: SessionLines, room: float) -> Iterator[list[int]]:
    """Yield, each alone, lines of results and answers with the names of the newest request, those of the rarest name
    first: of each the line that defines it, if there is one, and the newest ones. None for a small room."""
    request = next((m for m in reversed(messages) if m.origin == "request"), None)
    if request is None or room < _ROOM:
        return
    text = request.text("text")[:_READ]
    names = sorted(identifiers(text), key=text.find)
    words = (name for name in names if len(name) >= _SHORTEST and name.isidentifier())
    found = [_holding(name, request.index, lines) for name in islice(words, _NAMES)]
    for held in sorted(filter(None, found), key=len):
        yield from ([line] for _, line in sorted(held, key=lambda found: (not found[0], -found[1]))[:_LINES])


def _holding(name: str, request: int, lines: SessionLines) -> list[tuple[bool, int]]:
    """Return the lines with a name, the newest first, each with whether it defines it; none where too many have it."""
    found: list[tuple[bool, int]] = []
    defines = re.compile(rf"{_DEFINES}{re.escape(name)}\b")
    alone = re.compile(rf"\b{re.escape(name)}\b")
    known: set[str] = set()
    for number in range(len(lines.session.pieces) - 1, -1, -1):
        piece = lines.session.pieces[number]
        if piece.call or piece.message == request or name not in piece.text:
            continue
        for line in reversed(lines.of_piece(number)):
            text = lines.text(line)
            if name not in text or line in lines.silent or text in known or not alone.search(text):
                continue
            known.add(text)
            found.append((defines.search(text) is not None, line))
        if len(found) > _FEW:
            return []
    return found
