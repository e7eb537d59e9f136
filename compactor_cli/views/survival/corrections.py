"""Sentences in which the user revokes or changes an earlier statement.

A later sentence corrects an earlier one about the same subject if it has a different value of the same kind (another
number, another name). It also does so if it says that it revokes something.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from compactor_cli.views.survival.judged_sentences import Unit
from compactor_cli.views.survival.phrases import COMMON, PROHIBITION, REFUSES, TAKES_BACK
from compactor_cli.views.survival.reader import Places

_WORD = re.compile(r"[^\W_](?:[\w./@:-]*[\w])?")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2,}")
_VALUE = re.compile(r"\w*\d[\w.:/-]*|\S*[/_@.]\S*\w|\w+[A-Z]\w*|\w+-[\w-]+|(?<=\w )[A-Z]\w+")
_LONGEST = 300
"""Maximum characters of a sentence that can correct or be corrected."""
_SEVERAL, _HALF = 2, 0.5
_LOOKED_AT = 8
"""Number of newest earlier sentences with the same word that are compared, which keeps the cost linear."""


class Correction(Struct, frozen=True):
    """A sentence, and the earlier one that it changes (None if it does not say which)."""

    newer: Unit
    older: Unit | None


class _Said(Struct, frozen=True):
    unit: Unit
    words: frozenset[str]
    values: frozenset[str]


def corrections(requests: Sequence[Unit]) -> list[Correction]:
    """Return the corrections among the sentences of requests, in order."""
    claims = [_said(unit) for unit in requests if unit.prose and len(unit.text) <= _LONGEST]
    frequent = _frequent(claims)
    with_word: dict[str, list[_Said]] = defaultdict(list)
    first = claims[0].unit.message if claims else 0
    corrected = []
    repeated: set[str] = set()
    halting = {claim.unit.message for claim in claims if REFUSES.match(claim.unit.key)}
    for claim in claims:
        if claim.unit.key in repeated:  # a repeated sentence does not change anything said along with it
            continue
        repeated.add(claim.unit.key)
        words = claim.words - frequent
        cue = _takes_back(claim.unit.key, halting=claim.unit.message in halting)
        older = _corrected(claim, words, with_word, cue)
        if older is not None or (cue and claim.unit.message > first):
            corrected.append(Correction(claim.unit, older.unit if older else None))
        for word in words:
            with_word[word].append(claim)
    return corrected


def stands(correction: Correction, after: Places, before: Places) -> bool:
    """Return whether the newer sentence is present and the older one does not follow it, unless it did so before.
    `after`, `before`: positions of sentences in the two transcripts."""
    newer, older = correction.newer, correction.older
    if newer.last(after) < 0:
        return False
    if older is None or older.last(after) <= newer.last(after):
        return True
    return older.last(before) > newer.last(before)


def _takes_back(key: str, *, halting: bool) -> bool:
    """Return whether a sentence says that something else applies now. In a message that calls a halt, this includes
    prohibitions."""
    return bool(TAKES_BACK.search(key) or REFUSES.match(key) or (halting and PROHIBITION.search(key)))


def _said(unit: Unit) -> _Said:
    words = {word for word in _WORD.findall(unit.key) if (len(word) > 2 or word.isdigit()) and word not in COMMON}
    for run in _DENSE.findall(unit.key):
        words |= {run[start : start + 2] for start in range(len(run) - 1)}
    values = {match.strip(".,;:!?\"'()`").lower() for match in _VALUE.findall(unit.text)}
    return _Said(unit, frozenset(words), frozenset(values & words))


def _frequent(claims: Sequence[_Said]) -> frozenset[str]:
    """Return words that occur in too many sentences to indicate a topic."""
    counts = Counter(word for claim in claims for word in claim.words)
    most = max(4, len(claims) // 10)
    return frozenset(word for word, count in counts.items() if count > most)


def _corrected(claim: _Said, words: frozenset[str], with_word: Mapping[str, list[_Said]], cue: bool) -> _Said | None:
    """Return the earlier sentence of another message that a sentence changes: the best match, newest among equals."""
    shared: Counter[int] = Counter()
    known: dict[int, _Said] = {}
    for word in words:
        for other in with_word.get(word, ())[-_LOOKED_AT:]:
            if other.unit.message < claim.unit.message and other.unit.key != claim.unit.key:
                shared[id(other)] += 1
                known[id(other)] = other
    for other in sorted(known.values(), key=lambda o: (-shared[id(o)], -o.unit.message, o.unit.key)):
        if _changes(claim, other, shared[id(other)], cue):
            return other
    return None


def _changes(claim: _Said, other: _Said, shared: int, cue: bool) -> bool:
    share = shared / max(1, min(len(claim.words), len(other.words)))
    if cue:
        return shared >= _SEVERAL or share >= _HALF
    differing = bool(claim.values - other.values) and bool(other.values - claim.values)
    return differing and shared >= _SEVERAL and share >= _HALF
