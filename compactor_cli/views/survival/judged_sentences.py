"""Find the sentences of a text that are judged, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from compactor_cli.model.message import Message
from compactor_cli.model.replies import reply_in
from compactor_cli.text.clean import plain
from compactor_cli.views.survival.normal_form import is_short, normal_form

_ENDS = re.compile(r"[.!?]+[\"'”’»)\]*`]*\s+|[。！？।॥۔؟።]+[」』”’）)]*\s*")
_UNFINISHED = re.compile(r"(?:^\W*\d{1,3}[.)]|\b(?:\w\.){2,})\s*$")
"""A list number, or an abbreviation with full stops; the sentence continues after it."""
_NOT_TYPED = re.compile(
    r"<(system-reminder|command-name|command-message|local-command-\w+|environment_context)>.*?</\1>", re.DOTALL
)
_INSTRUCTS = re.compile(r"\b(?:AGENTS|CLAUDE)\.md\b|\bclaudeMd\b|<(?:user_instructions|INSTRUCTIONS)>")
_OPENING_CHARS = 500
_TAG = re.compile(r"</?command-args>")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_PASTED = re.compile(r"^\s*(?:\||[$%] |[+@-]{2,}|\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d)|\|\w+\||(?:\w+=\S+ ){2}")
_MIN_LETTER_SHARE = 0.6
_MAX_STATEMENT_CHARS = 600


class Unit(Struct, frozen=True):
    """One sentence of a message, or a line without a sentence end."""

    message: int
    text: str
    key: str
    among: tuple[str, ...] = ()
    """For a short sentence: the sentence with its neighbours on the line, which may be found instead."""
    prose: bool = True
    """False for code, table rows, log lines, and anything too long to be typed."""

    @property
    def asks(self) -> bool:
        """Return whether it is a question."""
        return self.text.rstrip("\"'”’») ").endswith(("?", "？"))

    def last(self, places: Mapping[str, Sequence[int]]) -> int:
        """Return the last position where the sentence was found; -1 if it was not found."""
        return max((places[key][-1] for key in self.keys if key in places), default=-1)

    @property
    def keys(self) -> tuple[str, ...]:
        return self.key, *self.among


def typed_text(message: Message) -> str:
    """Return what a person typed in a message: a request, or the answer to a call; empty for everything else."""
    if message.origin != "request":
        return reply_in(message)
    text = message.text("text")
    return _TAG.sub(" ", _NOT_TYPED.sub("\n", text)) if "<" in text else text


def request_units(messages: Sequence[Message]) -> list[Unit]:
    """Return every sentence of every request in order, each counted once per message."""
    return [unit for message in messages for unit in text_units(message.index, typed_text(message))]


def instruction_units(messages: Sequence[Message]) -> list[Unit]:
    """Return every sentence of the standing instructions injected by a harness, in order, each counted once."""
    by_key: dict[str, Unit] = {}
    for message in messages:
        text = message.text("text") if message.origin == "injected" else ""
        if _INSTRUCTS.search(text[:_OPENING_CHARS]):
            for unit in text_units(message.index, text):
                by_key.setdefault(unit.key, unit)
    return [unit for unit in by_key.values() if unit.prose]


def asked_lines(messages: Sequence[Message]) -> set[str]:
    """Return the complete lines of requests, normalized by `normal_form`."""
    return {normal_form(line) for message in messages for line in typed_text(message).split("\n")}


def text_units(message: int, text: str) -> list[Unit]:
    """Return the distinct sentences of a message's text."""
    by_key: dict[str, Unit] = {}
    fenced = False
    for line in plain(text).split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        for unit in _of_line(message, line, fenced):
            by_key.setdefault(unit.key, unit)
    return list(by_key.values())


def _of_line(message: int, line: str, fenced: bool) -> Iterator[Unit]:
    pieces = _split_sentences(line) if not fenced else [line]
    keys = [normal_form(piece) for piece in pieces]
    for index, (piece, key) in enumerate(zip(pieces, keys, strict=True)):
        if key:
            extended = _extended_keys(pieces, index) if is_short(key) and len(pieces) > 1 else ()
            yield Unit(message, piece.strip(), key, extended, not fenced and _is_prose(piece))


def _split_sentences(line: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for end in _ENDS.finditer(line):
        if not _UNFINISHED.search(line[start : end.end()]):
            pieces.append(line[start : end.end()])
            start = end.end()
    return [*pieces, line[start:]] if start < len(line) else pieces


def _is_prose(text: str) -> bool:
    if len(text) > _MAX_STATEMENT_CHARS or _PASTED.search(text):
        return False
    letters = sum(not sign.isascii() or sign.isalpha() or sign.isspace() for sign in text)
    return letters >= _MIN_LETTER_SHARE * len(text)


def _extended_keys(pieces: Sequence[str], index: int) -> tuple[str, ...]:
    """Return a short sentence extended by neighbours until it is long enough: backwards first, forwards first."""
    end = len(pieces)
    firsts, lasts = range(index - 1, -1, -1), range(index + 2, end + 1)
    before = [(first, index + 1) for first in firsts] + [(0, last) for last in lasts]
    spans_after = [(index, last) for last in lasts] + [(first, end) for first in firsts]
    return tuple(dict.fromkeys((_first_long(pieces, before), _first_long(pieces, spans_after))))


def _first_long(pieces: Sequence[str], spans: Iterable[tuple[int, int]]) -> str:
    """Return the normalized text of the first of the growing spans that is long enough, or else of the last."""
    key = ""
    for first, last in spans:
        key = normal_form("".join(pieces[first:last]))
        if not is_short(key):
            break
    return key
