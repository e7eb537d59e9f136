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
_MAX_KEY_CHARS = 300
_SEVERAL, _HALF = 2, 0.5
_MAX_CANDIDATES = 8
"""Number of newest earlier sentences with the same word that are compared, which keeps the cost linear."""


class Correction(Struct, frozen=True):
    """A sentence, and the earlier one that it changes (None if it does not say which)."""

    newer: Unit
    older: Unit | None


class _Claim(Struct, frozen=True):
    unit: Unit
    words: frozenset[str]
    values: frozenset[str]


def corrections(requests: Sequence[Unit]) -> list[Correction]:
    """Return the corrections among the sentences of requests, in order."""
    claims = [_make_claim(unit) for unit in requests if unit.prose and len(unit.text) <= _MAX_KEY_CHARS]
    frequent = _frequent(claims)
    with_word: dict[str, list[_Claim]] = defaultdict(list)
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
        older = _find_corrected(claim, words, with_word, cue)
        if older is not None or (cue and claim.unit.message > first):
            corrected.append(Correction(claim.unit, older.unit if older else None))
        for word in words:
            with_word[word].append(claim)
    return corrected


def is_kept(correction: Correction, after: Places, before: Places) -> bool:
    """Return whether the newer sentence is present and the older one does not follow it, unless it did so before."""
    newer, older = correction.newer, correction.older
    if newer.last(after) < 0:
        return False
    if older is None or older.last(after) <= newer.last(after):
        return True
    return older.last(before) > newer.last(before)


def _takes_back(key: str, *, halting: bool) -> bool:
    """Return whether a sentence says that something else applies now."""
    return bool(TAKES_BACK.search(key) or REFUSES.match(key) or (halting and PROHIBITION.search(key)))


def _make_claim(unit: Unit) -> _Claim:
    words = {word for word in _WORD.findall(unit.key) if (len(word) > 2 or word.isdigit()) and word not in COMMON}
    for run in _DENSE.findall(unit.key):
        words |= {run[start : start + 2] for start in range(len(run) - 1)}
    values = {match.strip(".,;:!?\"'()`").lower() for match in _VALUE.findall(unit.text)}
    return _Claim(unit, frozenset(words), frozenset(values & words))


def _frequent(claims: Sequence[_Claim]) -> frozenset[str]:
    """Return words that occur in too many sentences to indicate a topic."""
    claim_counts = Counter(word for claim in claims for word in claim.words)
    max_claims = max(4, len(claims) // 10)
    return frozenset(word for word, count in claim_counts.items() if count > max_claims)


def _find_corrected(
    claim: _Claim, words: frozenset[str], with_word: Mapping[str, list[_Claim]], cue: bool
) -> _Claim | None:
    """Return the earlier sentence of another message that a sentence changes: the best match, newest among equals."""
    shared: Counter[int] = Counter()
    candidates: dict[int, _Claim] = {}
    for word in words:
        for earlier in with_word.get(word, ())[-_MAX_CANDIDATES:]:
            if earlier.unit.message < claim.unit.message and earlier.unit.key != claim.unit.key:
                shared[id(earlier)] += 1
                candidates[id(earlier)] = earlier
    for earlier in sorted(candidates.values(), key=lambda o: (-shared[id(o)], -o.unit.message, o.unit.key)):
        if _is_change(claim, earlier, shared[id(earlier)], cue):
            return earlier
    return None


def _is_change(claim: _Claim, earlier: _Claim, shared: int, cue: bool) -> bool:
    share = shared / max(1, min(len(claim.words), len(earlier.words)))
    if cue:
        return shared >= _SEVERAL or share >= _HALF
    differing = bool(claim.values - earlier.values) and bool(earlier.values - claim.values)
    return differing and shared >= _SEVERAL and share >= _HALF
