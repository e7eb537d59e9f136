"""Find memories that say the same.

A wrong merge loses a fact. Two memories are therefore merged only if no difference could change the meaning: they have
the same words, signs and capitals in the same order, except for

- white space, the capital of the first word, and a full stop or exclamation mark at the end,
- backticks and typographic quotes around something, and whether an apostrophe is straight,
- the words of `_FILLERS`, which never change what is said.

Each memory is examined once.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct

from compactor_cli.model.memory import Memory

_FILLERS = frozenset(("the", "please", "actually", "indeed"))
"""Words that limit or weaken do not belong here, nor words that do so after a negation (just, very, really, quite)."""
_AMOUNT = re.compile(
    r"\d|(?:few|little|most|least|more|less|one|two|three|only|other|first|last|same)\b", re.IGNORECASE
)
"""Words that mean something else after `the`: few and the few."""
_MARKED = re.compile(r"(?<!\S)(?:`([^`]+)`|“([^“”]+)”|«([^«»]+)»)(?=[.,;:!?]*(?!\S))")
"""Something in backticks or typographic quotes, surrounded by blanks."""
_QUOTE_MARK = "\0"
"""Marks the words of such a quotation; no stored text contains this character."""
_STOP = re.compile(r"(?<=[\w)\]\"'])(?:[.,]|!+)$")
"""The end of a sentence; not after a sign, as in `../..`."""
_MERGEABLE_CATEGORIES = frozenset(("observation", "learning", "fact"))
"""Categories of plain statements; preferences and corrections are kept apart."""


class Merge(Struct, frozen=True):
    """A memory to keep, and the others that say the same."""

    kept: Memory
    others: tuple[Memory, ...]


def merges(memories: Iterable[Memory]) -> list[Merge]:
    """Return the possible merges, ordered by the memories to keep. The order of `memories` does not matter."""
    alike: dict[tuple[str, tuple[str, ...]], list[Memory]] = defaultdict(list)
    for memory in memories:
        kind = "statement" if memory.category in _MERGEABLE_CATEGORIES else memory.category
        alike[kind, _canonical_words(memory.text)].append(memory)
    merged = []
    for same in alike.values():
        if len(same) > 1:
            first, *equal_memories = sorted(
                same, key=lambda m: (-len(m.text.split()), -m.importance, -len(m.text), m.created, m.text)
            )
            merged.append(Merge(first, tuple(equal_memories)))
    return sorted(merged, key=lambda merge: (merge.kept.created, merge.kept.digest))


def _canonical_words(text: str) -> tuple[str, ...]:
    """Return the words of a memory without differences that never matter."""
    plain = unicodedata.normalize("NFC", text).replace("’", "'")
    words = _MARKED.sub(_mark_quote, plain).split()
    if words and words[0].replace("'", "").isalpha() and words[0][1:].islower():
        words[0] = words[0].lower()
    kept_words = [
        word for word, following in zip(words, [*words[1:], ""], strict=True) if not _is_filler(word, following)
    ]
    return tuple(_STOP.sub("", " ".join(kept_words or words)).replace(_QUOTE_MARK, " ").split())


def _mark_quote(match: re.Match[str]) -> str:
    """Return a marked quotation, in which no word counts as a filler or as the first word of a sentence."""
    return _QUOTE_MARK + _QUOTE_MARK.join((match[1] or match[2] or match[3]).split())


def _is_filler(word: str, following: str) -> bool:
    return word.rstrip(".!") in _FILLERS and not (word == "the" and _AMOUNT.match(following))
