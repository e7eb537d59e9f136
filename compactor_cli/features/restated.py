"""Statements that people make again: the later statement on a subject is valid, and the older one misleads without
it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from math import fsum, log

from compactor_cli.features.talk import Statement
from compactor_cli.features.talk_words import words
from compactor_cli.features.wording import FIRST_WIDE
from compactor_cli.text.changed_values import values_of
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.terms import STOP_WORDS

_SHARED = 0.5
"""Share of the content of the shorter of two statements, with rarer words counting more, that both must have in
common."""
_FIRST, _SHARED_FIRST = 3, 0.33
"""Number of words at the beginning of the older statement that state its subject, and the share if the newer one has
one of them. In "The lunch is on Sunday" the other words are what changes, or occur everywhere."""
_PAIRED = 0.25
"""The same in scripts without spaces, where the end of one word pairs with the beginning of the next."""
_NEAR, _SHARED_NEAR = 4, 0.1
"""Maximum distance in messages, and the lower share, for a newer statement with a figure to count as being on the
same subject. People correct what they have just said."""
_COMMON = 3
"""Maximum number of statements with a word for it to indicate the subject."""
_STEM = 5
"""Characters that forms of the same word have in common."""
_LIKELY, _LIKELY_FIRST = 0.15, 0.4
"""Minimum value of the newer statement relative to the older one, and the minimum if they share less, since small
talk also returns to its subjects. A short statement that is just as much on the subject may have a lower value, such
as "I slept on it: the green ones, please"."""
_LEAST = 0.1
"""Minimum value of the older statement: what nobody needs misleads nobody."""

_FIGURES = compiled_later(r"\d+")


def restated(statements: Sequence[Statement], values: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yield (older, newer) for statements of different messages on the same subject, if the newer one is about as
    likely to be needed; it is then the valid one. Either both have the same speaker, or the user gives another date,
    time or number than the agent did. `values`: how likely each is to be needed."""
    stems = [_stems(statement.text) for statement in statements]
    about = [{*islice(own, _FIRST)} for own in stems]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for index, own in enumerate(stems):
        for stem in own:
            holders[stem].append(index)
    # two statements that share a word both contain it; so it counts as rare as a word of one statement
    rarity = {stem: log((len(statements) + 1) / max(1, len(places) - 1)) for stem, places in holders.items()}
    totals = [fsum(rarity[stem] for stem in sorted(own)) for own in stems]
    for index, own in enumerate(stems):
        if values[index] < _LEAST:
            continue
        few = [holders[stem] for stem in sorted(own) if len(holders[stem]) <= _COMMON]
        near = Counter(other for places in few for other in places if other > index)
        usual = _PAIRED if any(len(stem) == 2 for stem in own) else _SHARED
        for other in sorted(near):
            apart = statements[other].message - statements[index].message
            needed = usual
            shared = fsum(rarity[stem] for stem in sorted(own.keys() & stems[other].keys()))
            likely = values[other] >= _LIKELY_FIRST * values[index]
            if apart <= _NEAR and any(map(str.isdigit, statements[other].text)):
                needed = _SHARED_NEAR
            elif likely or shared >= _SHARED_FIRST * max(totals[index], totals[other]):
                needed = usual if about[index].isdisjoint(stems[other]) else min(usual, _SHARED_FIRST)
            if (
                shared >= needed * min(totals[index], totals[other])
                and values[other] >= _LIKELY * values[index]
                and apart
                and _may_correct(statements[other], statements[index])
            ):
                yield index, other


def _may_correct(newer: Statement, older: Statement) -> bool:
    """Return whether both have the same speaker, or the user replaces values of the agent by others."""
    if newer.speaker == older.speaker:
        return True
    if newer.speaker != "user":
        return False
    ours, theirs = _values(newer.text), _values(older.text)
    return bool(ours - theirs and theirs - ours)


def _values(text: str) -> set[str]:
    """Return the dates, times and numbers in a text."""
    return {value for values in values_of(text).values() for value in values}.union(_FIGURES.findall(text))


def _stems(text: str) -> dict[str, None]:
    """Return the beginnings of the words of a text, in order, without figures and stop words."""
    return dict.fromkeys(
        word[:_STEM]
        for word in words(text)
        if (len(word) > 2 or word[0] >= FIRST_WIDE) and word not in STOP_WORDS and not any(map(str.isdigit, word))
    )
