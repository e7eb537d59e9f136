"""Lines about what the newest request names, and about what the agent has mentioned since: where it is defined, and
where it was seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain, islice

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import SessionText
from compactor_cli.model.message import Message
from compactor_cli.model.plan import Decision
from compactor_cli.model.replies import reply_in
from compactor_cli.text.identifiers import identifiers
from compactor_cli.text.patterns import compiled_later

NAMED_SHARE, WORK_SHARE = 0.04, 0.04
"""Shares of the room for lines about what the newest request names, and about what the agent mentions."""
_MIN_ROOM = 1_500
"""Tokens of room from which on such a share holds more than one line."""
_MAX_READ_CHARS = 4_000
"""Maximum characters of a text to search for names."""
_MAX_NAMES = 24
"""Maximum number of names of a request to look for, from its beginning."""
_MAX_LINES_WITH_NAME = 40
"""Maximum number of lines with a name that is rare enough to say what a line is about."""
_LINES_PER_NAME = 2
"""Number of lines for each name."""
_MIN_NAME_CHARS = 5
_MAX_SUBJECTS = 4
"""Number of names that the agent mentions most, to look for in each result."""
_LOCATION = compiled_later(r"^\s*(?:[\w./-]+[:-](?=\d))?\d*(?: ?[|\t→:-])?\s*")
"""The file and the line number that tools for reading and searching print."""
_DEFINES = compiled_later(
    r"\b(?:func|fun|def|class|fn|function|type|interface|struct|enum|trait|const|let|var|sub|module)\b[^\n]{0,60}$"
)
"""Keywords before a name that is defined."""


def named_lines(messages: Sequence[Message], lines: SessionLines, room: float) -> Iterator[list[int]]:
    """Yield, one by one, lines of results and answers that hold names of the newest request, the rarest name first. For
    each name, the line that defines it comes first, then the newest ones. In a small room, yield nothing."""
    if room < _MIN_ROOM:
        return
    request, text = _newest_request(messages)
    names = sorted(identifiers(text), key=lambda name: (text.find(name), name))
    words = filter(_is_word, names)
    found = [_lines_with(name, request, lines) for name in islice(words, _MAX_NAMES)]
    for name_lines in sorted(filter(None, found), key=len):
        best = [line for _, line in sorted(name_lines, key=lambda found: (not found[0], -found[1]))]
        first = {lines.message_of(line): line for line in reversed(best)}  # lines of different results come first
        chosen = sorted(best, key=lambda line: first[lines.message_of(line)] != line)
        yield from ([line] for line in chosen[:_LINES_PER_NAME])


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
    of_work = [name for name, count in counts.items() if (count > 1 or name in requested) and _is_word(name)]
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
        stripped = _without_location(lines.text(line))
        if stripped not in seen:
            seen.add(stripped)
            yield [line]


def _first_lines_with(name: str, piece: int, lines: SessionLines) -> list[int]:
    """Return up to `_LINES_PER_NAME` lines of a piece that hold a name, those that define it first."""
    telling = (line for line in lines.piece_lines(piece) if line not in lines.silent)
    positions = ((line, _find_name(name, lines.text(line))) for line in telling)
    ranked = [(_DEFINES.search(lines.text(line), 0, start) is None, line) for line, start in positions if start >= 0]
    return [line for _, line in sorted(ranked)[:_LINES_PER_NAME]]


def _newest_request(messages: Sequence[Message]) -> tuple[int, str]:
    """Return the index of the newest request, which may be a reply to a call, and the beginning of its text. The index
    is -1 if there is none."""
    for message in reversed(messages):
        text = message.text("text") if message.origin == "request" else reply_in(message)
        if text:
            return message.index, text[:_MAX_READ_CHARS]
    return -1, ""


def _without_location(text: str) -> str:
    """Return a line without its file and line number, as these do not make it a different line."""
    return _LOCATION.sub("", text, count=1)


def _is_word(name: str) -> bool:
    return len(name) >= _MIN_NAME_CHARS and name.isidentifier()


def _lines_with(name: str, request: int, lines: SessionLines) -> list[tuple[bool, int]]:
    """Return the lines with a name, the newest first, each with whether it defines the name. Return an empty list if
    too many lines have it."""
    found: list[tuple[bool, int]] = []
    seen: set[str] = set()
    for number in range(len(lines.session.pieces) - 1, -1, -1):
        piece = lines.session.pieces[number]
        if piece.is_call or piece.message == request or name not in piece.text:
            continue
        for line in reversed(lines.piece_lines(number)):
            text = lines.text(line)
            start = _find_name(name, text)
            stripped = _without_location(text) if start >= 0 else ""
            if start < 0 or line in lines.silent or stripped in seen:
                continue
            seen.add(stripped)
            found.append((_DEFINES.search(text, 0, start) is not None, line))
        if len(found) > _MAX_LINES_WITH_NAME:
            return []
    return found


def _find_name(name: str, text: str) -> int:
    """Return where a name occurs in a text other than as a part of another name, or -1 if it does not."""
    start = text.find(name)
    while start >= 0 and any(char.isalnum() or char == "_" for char in _adjacent_chars(text, start, start + len(name))):
        start = text.find(name, start + 1)
    return start


def _adjacent_chars(text: str, start: int, end: int) -> str:
    """Return the characters right before and right after a span."""
    return text[max(0, start - 1) : start] + text[end : end + 1]


def names_in(session: SessionText, messages: Set[int], decisions: Iterable[Decision]) -> Iterator[int]:
    """Yield the names of messages as they remain after these decisions: of a part that was cut, only the names left."""
    edited_texts = {(edit.message, edit.part): edit.text for decision in decisions for edit in decision.edits}
    for piece in session.pieces:
        if piece.message in messages:
            text = edited_texts.get((piece.message, piece.part))
            names = piece.names if text is None else session.terms_in(text, speech=piece.is_speech)
            yield from (name for name in names if name >= 0)
