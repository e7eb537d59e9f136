"""Which memories say the same. A merge that is wrong loses a fact, so two of them are one only when

- they have the same numbers, names, identifiers and words that turn a statement around, in the same order,
- one has all the words of the other, in the same order, and adds no word that limits or turns it,
- the words that one has besides are few.

Memories with the same marks form a bucket. Within it, each is looked for under its two rarest words, so the cost
grows with the number of memories and not with its square.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from compactor_cli.memory.words import names
from compactor_cli.model.memories import Memory

THRESHOLD = 0.9
"""Share of the words of both that two memories have in common at least."""

_EMPTY = frozenset(
    re.findall(
        r"\w+",
        """
        a an the that this is are was were be please just also really very quite so of
        """,
    )
)
"""Words that one of two statements may lack. Those of time count as marks where they differ: see _TURNING."""
_TENSE = {"is": "present", "are": "present", "be": "present", "was": "past", "were": "past"}
_TURNING = frozenset(
    re.findall(
        r"\w+",
        """
        no not never none nothing nobody nowhere neither nor cannot without unless except only but
        however instead rather if when whenever while until till before after since because although
        though than less more most least fewer always sometimes usually rarely seldom often once
        again any all every each some both either other another may might must should shall would
        could can will need wants want used longer anymore yet still already formerly previously now
        today yesterday tomorrow currently soon later false true yes off on in out up down over
        under above below from to into with and or maybe perhaps possibly probably likely unlikely
        apparently allegedly almost nearly about approximately un stop stopped start started fail
        fails failed failing wrong right kein keine keinen nicht nie niemals ohne nur weder pas jamais sans ne
        ni sin nunca não nem sem non senza mai ikke inte aldrig niet geen zonder nie bez не нет ни без
        никогда 不 没 別 ない
        """,
    )
)
"""Words that make another statement of one; contractions with n't count as well."""
_CHUNK = re.compile(r"\S+")
_NEGATED = re.compile(r"n[’']t\b", re.IGNORECASE)
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|'[^']{2,}'")
_EDGES = "\"'`.,;:!?()[]{}<>“”‘’«»…*_"
_SIGNS = re.compile(r"!(?!=)|[.,;:?…–—*_\"'`()\[\]-]")
"""What means nothing where no letter is: unlike in !=."""
_BEGINNINGS = frozenset(".!?:")
_ALIKE = frozenset(("observation", "learning", "fact"))
"""Categories of statements of what is so; preferences and corrections stay apart."""


@dataclass(frozen=True, slots=True)
class Merge:
    """A memory that stays, and those that say the same."""

    kept: Memory
    others: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class _Statement:
    memory: Memory
    marks: tuple[str, ...]
    words: tuple[str, ...]
    """What is no mark."""
    flow: tuple[str, ...]
    """Both, in the order of the text."""


def merges(memories: Iterable[Memory], threshold: float = THRESHOLD) -> list[Merge]:
    """What can be merged, in the order of the memories that stay. The order of `memories` does not matter."""
    buckets: dict[tuple[str, tuple[str, ...]], list[_Statement]] = defaultdict(list)
    for memory in memories:
        statement = _statement(memory)
        kind = "statement" if memory.category in _ALIKE else memory.category
        buckets[kind, statement.marks].append(statement)
    found = [merge for bucket in buckets.values() if len(bucket) > 1 for merge in _in_bucket(bucket, threshold)]
    return sorted(found, key=lambda merge: (merge.kept.created, merge.kept.digest))


def _in_bucket(bucket: list[_Statement], threshold: float) -> Iterator[Merge]:
    count = Counter(word for statement in bucket for word in set(statement.words))
    # the longest first: what is merged into a statement has no word that it lacks
    bucket = sorted(bucket, key=_worth)
    index: dict[tuple[str, ...], list[int]] = defaultdict(list)
    merged: dict[int, list[Memory]] = defaultdict(list)
    for at, statement in enumerate(bucket):
        rare = sorted(set(statement.words), key=lambda word: (count[word], word))
        home = next((k for k in index.get(tuple(rare[:2]), ()) if _says_all(bucket[k], statement, threshold)), None)
        if home is not None:
            merged[home].append(statement.memory)
            continue
        # a statement may lack as many of these words as the threshold leaves it
        spare = len(rare) - int(threshold * len(rare))
        for key in _keys(rare[: 2 + spare]):
            index[key].append(at)
    for at, others in merged.items():
        yield Merge(bucket[at].memory, tuple(others))


def _keys(rare: Sequence[str]) -> Iterator[tuple[str, ...]]:
    if len(rare) < 2:
        yield tuple(rare)
    else:
        yield from combinations(rare, 2)
        yield from ((word,) for word in rare)


def _worth(statement: _Statement) -> tuple[object, ...]:
    memory = statement.memory
    return (-len(statement.words), -memory.importance, -len(memory.text), memory.created, memory.text)


def _says_all(long: _Statement, short: _Statement, threshold: float) -> bool:
    """Whether all of the short one stands in the long one, in its order."""
    if not short.words and not short.marks:
        return False
    if len(set(short.words)) < threshold * len(set(long.words)):
        return False
    rest = iter(long.flow)
    return all(word in rest for word in short.flow)


def _statement(memory: Memory) -> _Statement:
    """Marks and other words of a memory, each in their order."""
    marks = [_tight(quoted) for quoted in _QUOTED.findall(memory.text)]
    words: list[str] = []
    flow: list[str] = []
    begins = True
    for chunk in _CHUNK.findall(memory.text):
        core = chunk.strip(_EDGES)
        own = " ".join(token.word for name in names(core) for token in name.tokens)
        low = core.casefold()
        # without any letter: => and <= are marks, and a dash means nothing
        found = _TENSE.get(low) or (low if own else _SIGNS.sub("", chunk))
        if found and (not own or low in _TENSE or _is_mark(core, low, begins)):
            marks.append(found)
            flow.append(found)
        elif own and low not in _EMPTY:
            words.append(own)
            flow.append(own)
        begins = chunk[-1] in _BEGINNINGS
    return _Statement(memory, tuple(marks), tuple(words), tuple(flow))


def _is_mark(core: str, low: str, begins: bool) -> bool:
    """A number, a name, an identifier, or a word that turns a statement around."""
    if not core:
        return False
    if low in _TURNING or _NEGATED.search(core):
        return True
    if core.isalpha():
        # the first word of a sentence has a capital that says nothing
        return not core.islower() and not (begins and core[1:].islower()) and core.casefold() != core
    return not (core.replace("-", "").replace("’", "").replace("'", "").isalpha() and core.islower())


def _tight(text: str) -> str:
    return "".join(text.split())
