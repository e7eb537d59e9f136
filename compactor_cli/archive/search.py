"""Search the messages of archived sessions by words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from compactor_cli.model.message import Message
from compactor_cli.text.clean import one_line, plain

_SNIPPET_CHARS = 120
"""Characters of a snippet before the first match; twice as many follow it."""


class MessageHit(Struct, frozen=True):
    """A message that contains some of the words."""

    path: str
    compaction: int
    message: int
    role: str
    reference: str
    """Empty if no reference leads to this message alone."""
    matched: int
    snippet: str


def query_words(query: str) -> tuple[str, ...]:
    """Return the distinct words of a query in case-folded form."""
    return tuple(dict.fromkeys(query.casefold().split()))


def find_hits(
    messages: Sequence[Message], words: Sequence[str], references: Mapping[int, str], path: str, compaction: int
) -> Iterable[MessageHit]:
    """Yield the messages with at least one of the words, newest first."""
    for message in reversed(messages):
        text = message.text()
        low = text.casefold()
        places = [position for word in words if (position := low.find(word)) >= 0]
        if places:
            reference = references.get(message.index, "")
            snippet = _snippet(text, min(places))
            yield MessageHit(path, compaction, message.index, message.role, reference, len(places), snippet)


def select_best(candidates: Iterable[MessageHit], limit: int) -> list[MessageHit]:
    """Return the hits with the most words, newest first among equals, each message once."""
    ranked = sorted(candidates, key=lambda hit: (hit.matched, hit.compaction, hit.message), reverse=True)
    by_message: dict[tuple[str, str], MessageHit] = {}
    for hit in ranked:
        by_message.setdefault((hit.role, hit.reference or hit.snippet), hit)
    return list(by_message.values())[:limit]


def _snippet(text: str, position: int) -> str:
    start = max(0, position - _SNIPPET_CHARS)
    return ("…" if start else "") + one_line(plain(text[start : position + 4 * _SNIPPET_CHARS]), 3 * _SNIPPET_CHARS)
