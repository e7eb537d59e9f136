"""Find memories that say the same. A merge that is wrong loses a fact, so two of them are one only when nothing differs
that could mean something: they have the same words, signs and capitals in the same order, but for

- white space, the capital of the first word, and a full stop or exclamation mark at the end,
- backticks and typographic quotes around something, and whether an apostrophe is straight,
- the words of `_FILLERS`, which never change what is said.

Each memory is looked at once.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct

from compactor_cli.model.memory import Memory

_FILLERS = frozenset(("the", "please", "actually", "indeed"))
"""No word that limits or weakens belongs here, nor one that does so behind a negation (just, very, really, quite)."""
_AMOUNT = re.compile(
    r"\d|(?:few|little|most|least|more|less|one|two|three|only|other|first|last|same)\b", re.IGNORECASE
)
"""What means something else behind `the`: few and the few."""
_MARKED = re.compile(r"(?<!\S)(?:`([^`]+)`|“([^“”]+)”|«([^«»]+)»)(?=[.,;:!?]*(?!\S))")
"""Something in backticks or typographic quotes, with blanks around it."""
_AS_IT_IS = "\0"
"""Stands before and between the words of it: no database stores a text that has one."""
_STOP = re.compile(r"(?<=[\w)\]\"'])(?:[.,]|!+)$")
"""The end of a sentence; behind a sign it is none, as in `../..`."""
_ALIKE = frozenset(("observation", "learning", "fact"))
"""Categories of statements of what is so; preferences and corrections stay apart."""


class Merge(Struct, frozen=True):
    """A memory that stays, and those that say the same."""

    kept: Memory
    others: tuple[Memory, ...]


def merges(memories: Iterable[Memory]) -> list[Merge]:
    """Return what can be merged, in the order of the memories that stay. The order of `memories` does not matter."""
    alike: dict[tuple[str, tuple[str, ...]], list[Memory]] = defaultdict(list)
    for memory in memories:
        kind = "statement" if memory.category in _ALIKE else memory.category
        alike[kind, _canonical(memory.text)].append(memory)
    merged = []
    for same in alike.values():
        if len(same) > 1:
            first, *others = sorted(same, key=_worth)
            merged.append(Merge(first, tuple(others)))
    return sorted(merged, key=lambda merge: (merge.kept.created, merge.kept.digest))


def _worth(memory: Memory) -> tuple[object, ...]:
    return (-len(memory.text.split()), -memory.importance, -len(memory.text), memory.created, memory.text)


def _canonical(text: str) -> tuple[str, ...]:
    """Return what a memory says, without what never makes a difference."""
    plain = unicodedata.normalize("NFC", text).replace("’", "'")
    words = _MARKED.sub(_as_it_is, plain).split()
    if words and words[0].replace("'", "").isalpha() and words[0][1:].islower():
        words[0] = words[0].lower()
    kept = [word for word, following in zip(words, [*words[1:], ""], strict=True) if not _is_filler(word, following)]
    return tuple(_STOP.sub("", " ".join(kept or words)).replace(_AS_IT_IS, " ").split())


def _as_it_is(match: re.Match[str]) -> str:
    """Return something that was set apart: none of its words is a filler, or the first word of a sentence."""
    return _AS_IT_IS + _AS_IT_IS.join((match[1] or match[2] or match[3]).split())


def _is_filler(word: str, following: str) -> bool:
    return word.rstrip(".!") in _FILLERS and not (word == "the" and _AMOUNT.match(following))
