"""Sentences of the user that take back or change an earlier one.

A later sentence corrects an earlier one when it is about the same and says something else of the same kind (another
number, another name), or when it says that it takes something back.
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
"""Letters of a sentence that can be a correction, or be corrected."""
_SEVERAL, _HALF = 2, 0.5
_LOOKED_AT = 8
"""Earlier sentences with a word that are compared, the newest ones: the cost stays linear."""


class Correction(Struct, frozen=True):
    """A sentence, and the earlier one that it changes (None when it does not show which)."""

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
        if claim.unit.key in repeated:  # what was said before changes nothing that was said with it
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
    """Return whether the newer sentence is there, and the older one does not stand behind it (but where it did before).
    `after`, `before`: where the sentences stand in the two transcripts."""
    newer, older = correction.newer, correction.older
    if newer.last(after) < 0:
        return False
    if older is None or older.last(after) <= newer.last(after):
        return True
    return older.last(before) > newer.last(before)


def _takes_back(key: str, *, halting: bool) -> bool:
    """Return whether a sentence says that something else holds now; in a message that calls a halt, also what it
    forbids."""
    return bool(TAKES_BACK.search(key) or REFUSES.match(key) or (halting and PROHIBITION.search(key)))


def _said(unit: Unit) -> _Said:
    words = {word for word in _WORD.findall(unit.key) if (len(word) > 2 or word.isdigit()) and word not in COMMON}
    for run in _DENSE.findall(unit.key):
        words |= {run[start : start + 2] for start in range(len(run) - 1)}
    values = {match.strip(".,;:!?\"'()`").lower() for match in _VALUE.findall(unit.text)}
    return _Said(unit, frozenset(words), frozenset(values & words))


def _frequent(claims: Sequence[_Said]) -> frozenset[str]:
    """Return words of so many sentences that they tell nothing of the topic."""
    counts = Counter(word for claim in claims for word in claim.words)
    most = max(4, len(claims) // 10)
    return frozenset(word for word, count in counts.items() if count > most)


def _corrected(claim: _Said, words: frozenset[str], with_word: Mapping[str, list[_Said]], cue: bool) -> _Said | None:
    """Return the earlier sentence of another message that a sentence changes, the newest of the best ones."""
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
