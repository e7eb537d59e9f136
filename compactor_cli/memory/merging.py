"""How a memory changes when it is repeated, imported again, merged with an equal one, or not used; which say the same.

A wrong merge loses a fact. Two memories are therefore merged only if no difference could change the meaning: they have
the same words, signs and capitals in the same order, except for

- white space, the capital of the first word, and a full stop or exclamation mark at the end,
- backticks and typographic quotes around something, and whether an apostrophe is straight,
- the words of `_FILLERS`, which never change what is said.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.errors import UsageError
from compactor_cli.model.memory import CATEGORIES, Memory, MemorySource

MAX_TEXT_CHARS = 2_000
MAX_TIMESTAMP = 253_370_764_800.0
"""The year 9999 in seconds since 1970; later times cannot be displayed."""
MAX_USES = 2**31 - 1
_DAY_SECONDS = 86_400.0
_MIN_FADING = 0.05
"""Minimum loss of importance to apply; anything smaller waits, because nobody would notice it."""


def check_memory(memory: Memory) -> Memory:
    """Return a memory in the form that every database stores. Raises UsageError if it cannot be stored."""
    clean = replace(
        memory,
        text=storable(memory.text),
        tags=tuple(sorted({tag for tag in map(normalize_tag, memory.tags) if tag})),
        sources=tuple(dict.fromkeys(map(_source, memory.sources))),
    )
    if not any(unicodedata.category(letter)[0] in "LNS" for letter in clean.text):
        raise UsageError("a memory needs a text: letters, digits or symbols")
    if len(clean.text) > MAX_TEXT_CHARS:
        raise UsageError(
            f"a memory has at most {MAX_TEXT_CHARS:,} characters, this one {len(clean.text):,}: "
            f"{' '.join(clean.text[:60].split())!r}...; say it in fewer words, or in several memories"
        )
    if clean.category not in CATEGORIES:
        raise UsageError(f"unknown category {clean.category!r}; use {', '.join(CATEGORIES)}")
    within_bounds(clean)
    return clean


def within_bounds(memory: Memory) -> Memory:
    """Return the memory if its numbers and times are within the storable range. Raises UsageError otherwise."""
    _check("importance", memory.importance, 100)
    _check("confidence", memory.confidence, 1)
    _check("uses", memory.uses, MAX_USES)
    for name, moment in (("created", memory.created), ("used", memory.used), ("decayed", memory.decayed)):
        if moment is not None:
            _check(name, moment, MAX_TIMESTAMP)
    return memory


def storable(text: str) -> str:
    """Return a text that every database accepts: NUL and lone surrogates become U+FFFD."""
    return text.replace("\0", "\ufffd").encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def freshness(memory: Memory) -> float:
    """Return when its importance was last exact: when it was remembered, used, or lowered by decay."""
    return max(memory.created, memory.used or 0.0, memory.decayed or 0.0)


def repeat_memory(existing: Memory, repetition: Memory, now: float) -> Memory:
    """Return a memory after it was repeated: its decay starts again."""
    return replace(_join_memories(existing, repetition), decayed=now if now > freshness(existing) else existing.decayed)


def import_memory(existing: Memory, line: Memory) -> Memory:
    """Return a known memory after an import. The later state's importance counts, so an old export undoes no decay."""
    newest = max(freshness(existing), freshness(line))
    created, used = min(existing.created, line.created), _latest(existing.used, line.used)
    return replace(
        _join_memories(existing, line),
        importance=max(memory.importance for memory in (existing, line) if freshness(memory) == newest),
        created=created,
        used=used,
        uses=max(existing.uses, line.uses),
        decayed=_decayed_at(newest, created, used, _latest(existing.decayed, line.decayed)),
    )


def consolidate_memories(kept: Memory, merged: Iterable[Memory], half_life_days: float) -> Memory:
    """Return one memory with the text of the first, and the highest importance left at the time of the newest."""
    for merged_memory in merged:
        newest = max(freshness(kept), freshness(merged_memory))
        created, used = min(kept.created, merged_memory.created), _latest(kept.used, merged_memory.used)
        kept = replace(
            _join_memories(kept, merged_memory),
            importance=max(remaining_importance(memory, newest, half_life_days) for memory in (kept, merged_memory)),
            created=created,
            used=used,
            uses=min(MAX_USES, kept.uses + merged_memory.uses),
            decayed=_decayed_at(newest, created, used, None),
        )
    return kept


def remaining_importance(memory: Memory, moment: float, half_life_days: float) -> float:
    """Return the importance left at a time: half for each half life, all of it for pinned memories."""
    days = (moment - freshness(memory)) / _DAY_SECONDS
    return memory.importance if memory.pinned or days <= 0 else memory.importance * 0.5 ** (days / half_life_days)


def _decayed_at(newest: float, created: float, used: float | None, decayed: float | None) -> float | None:
    """Return the value of `decayed` for an importance that is exact at `newest`."""
    return newest if newest > max(created, used or 0.0) else decayed


def _join_memories(first: Memory, second: Memory) -> Memory:
    """Return the first memory with the tags and sources of both, and the higher value of each number."""
    return replace(
        first,
        importance=max(first.importance, second.importance),
        confidence=max(first.confidence, second.confidence),
        tags=tuple(sorted({*first.tags, *second.tags})),
        sources=tuple(dict.fromkeys((*first.sources, *second.sources))),
        pinned=first.pinned or second.pinned,
    )


def _latest(first: float | None, second: float | None) -> float | None:
    return max((moment for moment in (first, second) if moment is not None), default=None)


def _source(source: MemorySource) -> MemorySource:
    return MemorySource(
        storable(source.transcript), storable(source.session), source.messages, tuple(map(storable, source.ids))
    )


def normalize_tag(tag: str) -> str:
    return " ".join(storable(tag).split())


def _check(name: str, value: float, maximum: float) -> None:
    if not 0 <= value <= maximum:
        raise UsageError(f"{name} {value} is not between 0 and {maximum:,g}")


class Faded(Struct, frozen=True):
    """A memory before and after decay."""

    before: Memory
    after: Memory


def check_half_life(days: float) -> float:
    """Return the number of days if it is a valid half life. Raises UsageError otherwise."""
    if not (math.isfinite(days) and days > 0):
        raise UsageError(f"a half-life of {days} days is not possible; use a number above 0")
    return days


def fade_memory(memory: Memory, now: float, half_life_days: float) -> Memory:
    """Return the memory with its present importance, which halves with each half life without use.

    Pinned memories stay unchanged. Decay that was applied up to a time is not applied again for that time.
    """
    importance = remaining_importance(memory, now, half_life_days)
    return (
        memory if memory.importance - importance < _MIN_FADING else replace(memory, importance=importance, decayed=now)
    )


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
