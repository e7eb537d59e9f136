"""Read `chats.txt`: chats of a user and an agent, written for these benchmarks, in which needed text is marked.

A chat begins with a line `=== number | language | what it is about`, each message with `user: ` or `assistant: `. ⟦⟧
marks what somebody needs to continue the chat who has only the marked text and the last message. ⟨⟩ marks text that
repeats it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from compactor_cli.features.talk import Statement
from compactor_cli.text.units import clause_spans, line_units

_CHATS_FILE = Path(__file__).with_name("chats.txt")
_CHAT_HEADING = re.compile(r"=== \d+ \| (?P<language>[^|]+) \| (?P<about>.+)\n")
_MESSAGE = re.compile(r"^(user|assistant): ?", re.MULTILINE)
_MARKS = re.compile("[⟦⟧⟨⟩]")
_MIN_MARKED_SHARE = 0.3
"""Minimum share of marked characters in a statement that counts as needed."""
_OPENING_MARKS = "⟦⟨"


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat, split into statements: the user's sentences and the agent's lines."""

    name: str
    language: str
    messages: tuple[tuple[str, str], ...]
    """Role and text of each message."""
    statements: tuple[Statement, ...]
    needed: tuple[bool, ...]


@cache
def read_chats() -> tuple[Chat, ...]:
    """Return all chats of `chats.txt`."""
    _, *parts = re.split(r"(?m)^(?==== )", _CHATS_FILE.read_text(encoding="utf-8"))
    return tuple(map(_parse_chat, parts, range(len(parts))))


def _parse_chat(text: str, number: int) -> Chat:
    heading = _CHAT_HEADING.match(text)
    if heading is None:
        raise ValueError(f"{_CHATS_FILE.name}: chat {number} has no heading: {text[:60]!r}")
    _, *texts = _MESSAGE.split(text[heading.end() :])
    marked_messages = [(role, text.strip("\n")) for role, text in zip(texts[::2], texts[1::2], strict=True)]
    labelled = [*_statements(marked_messages)]
    return Chat(
        f"chat-{number}",
        heading["language"].strip(),
        tuple((role, _MARKS.sub("", text)) for role, text in marked_messages),
        tuple(statement for statement, _ in labelled),
        tuple(needed for _, needed in labelled),
    )


def _statements(marked_messages: Sequence[tuple[str, str]]) -> Iterator[tuple[Statement, bool]]:
    """Yield each statement, and whether it is needed."""
    for index, (role, marked_text) in enumerate(marked_messages):
        text, spans = _without_marks(marked_text)
        for start, end in _spans(role, text):
            inside = sum(max(0, min(end, span_end) - max(start, span_start)) for span_start, span_end in spans)
            yield Statement(index, role, text[start:end]), inside >= _MIN_MARKED_SHARE * (end - start)


def statements_of(message: int, role: str, text: str) -> Iterator[Statement]:
    """Return the sentences of a user's message, or the lines of an agent's."""
    return (Statement(message, role, text[start:end]) for start, end in _spans(role, text))


def _spans(role: str, text: str) -> Iterator[tuple[int, int]]:
    for start, end in clause_spans(text) if role == "user" else line_units(text):
        if text[start:end].strip():
            yield start, end


def _without_marks(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a text without its marks, and the spans that were marked."""
    spans, span_starts = [], 0
    for before, mark in enumerate(_MARKS.finditer(text)):
        position = mark.start() - before
        if mark[0] in _OPENING_MARKS:
            span_starts = position
        else:
            spans.append((span_starts, position))
    return _MARKS.sub("", text), spans
