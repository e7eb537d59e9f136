"""Lines about what the agent has mentioned since the newest request: where it is defined, and where it was seen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import SessionText
from compactor_cli.model.message import Message
from compactor_cli.model.plan import Decision
from compactor_cli.model.replies import reply_in
from compactor_cli.text.identifiers import identifiers
from compactor_cli.text.patterns import compiled_later

WORK_SHARE = 0.04
"""Share of the room for lines about what the agent mentions."""
_MIN_ROOM = 1_500
"""Tokens of room from which on such a share holds more than one line."""
_MAX_READ_CHARS = 4_000
"""Maximum characters of a text to search for names."""
_LINES_PER_NAME = 2
"""Number of lines of each result."""
_MIN_NAME_CHARS = 5
_MAX_SUBJECTS = 4
"""Number of names that the agent mentions most, to look for in each result."""
_LOCATION = compiled_later(r"^\s*(?:[\w./-]+[:-](?=\d))?\d*(?: ?[|\t→:-])?\s*")
"""The file and the line number that tools for reading and searching print."""
_DEFINES = compiled_later(
    r"\b(?:func|fun|def|class|fn|function|type|interface|struct|enum|trait|const|let|var|sub|module)\b[^\n]{0,60}$"
)
"""Keywords before a name that is defined."""


def work_lines(messages: Sequence[Message], lines: SessionLines, room: float) -> Iterator[list[int]]:
    """Yield, one by one, lines of the results since the newest request that hold the names the agent mentions most
    since then.

    Of each result, the line that defines a name comes first, or else the first line with it. The newest results come
    first, and a second line of each follows at the end. In a small room, yield nothing."""
    if room < _MIN_ROOM:
        return
    request, text = _newest_request(messages)
    since = [message for message in messages if message.index > request]
    requested = identifiers(text)
    counts = Counter(
        chain(requested, *(identifiers(m.text("text")[:_MAX_READ_CHARS]) for m in since if m.role == "assistant"))
    )
    words = (name for name in counts if len(name) >= _MIN_NAME_CHARS and name.isidentifier())
    of_work = [name for name in words if counts[name] > 1 or name in requested]
    subjects = sorted(of_work, key=lambda name: (-counts[name], name))[:_MAX_SUBJECTS]
    pieces = lines.session.pieces
    results = [
        n for n in lines.first_of if pieces[n].message > request and not (pieces[n].is_call or pieces[n].is_speech)
    ]
    lines_by_result = [
        _first_lines_with(name, number, lines)
        for name in sorted(subjects, key=lambda name: name not in requested)
        for number in sorted(results, reverse=True)
        if name in pieces[number].text
    ]
    seen: set[str] = set()
    for line in (found[rank] for rank in range(_LINES_PER_NAME) for found in lines_by_result if rank < len(found)):
        stripped = _LOCATION.sub("", lines.text(line), count=1)
        if stripped not in seen:
            seen.add(stripped)
            yield [line]


def _first_lines_with(name: str, piece: int, lines: SessionLines) -> list[int]:
    """Return up to `_LINES_PER_NAME` lines of a piece that hold a name, those that define it first."""
    find = re.compile(rf"\b{re.escape(name)}\b").search
    found = ((line, find(lines.text(line))) for line in lines.piece_lines(piece) if line not in lines.silent)
    ranked = [(_DEFINES.search(lines.text(line), 0, match.start()) is None, line) for line, match in found if match]
    return [line for _, line in sorted(ranked)[:_LINES_PER_NAME]]


def _newest_request(messages: Sequence[Message]) -> tuple[int, str]:
    """Return the index of the newest request, which may be a reply to a call, and the beginning of its text. The index
    is -1 if there is none."""
    for message in reversed(messages):
        text = message.text("text") if message.origin == "request" else reply_in(message)
        if text:
            return message.index, text[:_MAX_READ_CHARS]
    return -1, ""


def names_in(session: SessionText, messages: Set[int], decisions: Iterable[Decision]) -> Iterator[int]:
    """Yield the names of messages as they remain after these decisions: of a part that was cut, only the names left."""
    edited_texts = {(edit.message, edit.part): edit.text for decision in decisions for edit in decision.edits}
    for piece in session.pieces:
        if piece.message in messages:
            text = edited_texts.get((piece.message, piece.part))
            names = piece.names if text is None else session.terms_in(text, speech=piece.is_speech)
            yield from (name for name in names if name >= 0)
