"""Messages of archived sessions, found by words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from compactor_cli.model.message import Message
from compactor_cli.text.clean import one_line, plain

_AROUND = 120
"""Characters of a snippet before the first word that was found; twice as many follow."""


class MessageHit(Struct, frozen=True):
    """A message that has some of the words."""

    path: str
    """The file that was archived."""
    compaction: int
    message: int
    role: str
    reference: str
    """Empty where nothing leads to the message alone."""
    matched: int
    """How many of the words it has."""
    snippet: str


def words_of(query: str) -> tuple[str, ...]:
    """Return the words of a query, each once, without regard to case."""
    return tuple(dict.fromkeys(query.casefold().split()))


def hits(
    messages: Sequence[Message], words: Sequence[str], references: Mapping[int, str], path: str, compaction: int
) -> Iterable[MessageHit]:
    """Yield the messages with at least one of the words, the newest first."""
    for message in reversed(messages):
        text = message.text()
        low = text.casefold()
        places = [position for word in words if (position := low.find(word)) >= 0]
        if places:
            reference = references.get(message.index, "")
            snippet = _snippet(text, min(places))
            yield MessageHit(path, compaction, message.index, message.role, reference, len(places), snippet)


def best(candidates: Iterable[MessageHit], limit: int) -> list[MessageHit]:
    """Return those with most of the words, the newest of these first; a message that several states have stands
    once."""
    ranked = sorted(candidates, key=lambda hit: (hit.matched, hit.compaction, hit.message), reverse=True)
    seen: dict[tuple[str, str], MessageHit] = {}
    for hit in ranked:
        seen.setdefault((hit.role, hit.reference or hit.snippet), hit)
    return list(seen.values())[:limit]


def _snippet(text: str, position: int) -> str:
    start = max(0, position - _AROUND)
    return ("…" if start else "") + one_line(plain(text[start : position + 4 * _AROUND]), 3 * _AROUND)
