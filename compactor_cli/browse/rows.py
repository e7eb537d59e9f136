"""A session as rows of a list: what each message says, what happens to it, and the sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from rich.cells import cell_len

from compactor_cli.model.content import Content
from compactor_cli.model.decisions import MessageKey
from compactor_cli.model.message import Message
from compactor_cli.model.report import Compaction
from compactor_cli.model.timeline import Entry
from compactor_cli.model.transcript import Source
from compactor_cli.text.clean import one_line, shown
from compactor_cli.views.timelines import of_compactions

FATES = ("kept", "shortened", "summarized", "gone", "added")
"""Possible fates of a message, in the order of the sums."""
_MAX_TEXT_CHARS = 400


class BrowserRow(NamedTuple):
    """One message of the input, or one that only the output contains."""

    spot: MessageKey | None
    """None for an added message."""
    entry: Entry
    fate: str
    """One of FATES; empty if nothing could be computed."""
    who: str
    tools: tuple[str, ...]

    @property
    def before(self) -> int:
        return self.entry.before.tokens if self.entry.before else 0

    @property
    def after(self) -> int:
        return self.entry.after.tokens if self.entry.after else 0

    @property
    def number(self) -> int:
        return self.entry.message.number

    def says(self) -> str:
        """Return the start of its text, or of its calls, on one line."""
        return message_start(self.entry.message)

    def holds(self, words: str) -> bool:
        """Return whether its text contains these lower-case words."""
        return any(words in part.text.lower() or words in part.name.lower() for part in self.entry.message.parts)


class BrowserView(Struct, frozen=True):
    """What a compaction would make of a session."""

    rows: tuple[BrowserRow, ...]
    parts: tuple[Compaction, ...]
    data: Content
    """The output; empty if nothing could be computed."""

    @property
    def tokens(self) -> int:
        return sum(part.tokens for part in self.parts)

    @property
    def target(self) -> int | None:
        targets = [part.target for part in self.parts if part.target is not None]
        return sum(targets) if targets else None

    @property
    def strategy(self) -> str:
        return next((part.plan.strategy for part in self.parts if part.plan), "")

    def counts(self) -> Mapping[str, int]:
        fate_counts = dict.fromkeys(FATES, 0)
        for row in self.rows:
            if row.fate:
                fate_counts[row.fate] += 1
        return fate_counts


def view_of(parts: Sequence[Compaction], data: Content) -> BrowserView:
    return BrowserView(tuple(map(_row, of_compactions(parts))), tuple(parts), data)


def plain_view(source: Source) -> BrowserView:
    """Return the rows for a session for which nothing could be computed."""
    entries = [
        Entry(conversation, "", message, None)
        for conversation, transcript in enumerate(source.transcripts)
        for message in transcript.messages
    ]
    return BrowserView(tuple(map(_row, entries)), (), b"")


def message_start(message: Message) -> str:
    """Return the start of a message's text, or of its calls, on one line, safe for a terminal."""
    for part in message.parts:
        if part.kind == "text" and part.text.strip():
            return _line(part.text)
    calls = [f"{part.name} {part.text[:_MAX_TEXT_CHARS]}" for part in message.calls]
    if calls:
        return _line("→ " + "; ".join(calls))
    text = next((part.text for part in message.parts if part.text.strip()), "")
    return _line(text or "(" + ", ".join(part.kind for part in message.parts) + ")")


def display_name(text: str) -> str:
    return safe_line(one_line(text, 80))


def _line(text: str) -> str:
    return safe_line(one_line(text, _MAX_TEXT_CHARS))


def _row(entry: Entry) -> BrowserRow:
    message = entry.message
    tools = tuple(map(display_name, entry.tools))
    added = entry.fate == "added"
    message_spot = None if added or entry.before is None else MessageKey(entry.conversation, message.number)
    fate = {"dropped": "gone"}.get(entry.fate, entry.fate)
    return BrowserRow(message_spot, entry, fate, _role_name(message, tools), tools)


def _role_name(message: Message, tools: tuple[str, ...]) -> str:
    if message.origin == "summary":
        return "summary"
    if message.role == "tool" and tools:
        return tools[0]
    return "harness" if message.role == "user" and message.origin == "injected" else message.role


_TAB_WIDTH = 4


def safe_line(text: str) -> str:
    """Return a line without control characters and without characters that cannot be printed."""
    if text.isascii() and text.isprintable():
        return text
    return shown(text.expandtabs(_TAB_WIDTH))


def wrap_line(line: str, width: int) -> Iterator[str]:
    """Yield pieces of at most this width, split at blanks if possible; a wider character is a piece of its own."""
    start, end = 0, len(line)
    while end - start > width or cell_len(line[start:]) > width:
        piece = _fitting_start(line[start : start + max(1, width)], width)
        piece_end = start + len(piece)
        if piece_end >= end:
            break
        blank = piece.rfind(" ", width // 2)
        if line[piece_end] == " ":
            piece_end += 1
        elif blank > 0:
            piece, piece_end = piece[:blank], start + blank + 1
        yield piece.rstrip()
        start = piece_end
    yield line[start:]


def _fitting_start(text: str, width: int) -> str:
    """Return as much of a text as fits, but at least one character."""
    while len(text) > 1 and cell_len(text) > width:
        text = text[:-1]
    return text
