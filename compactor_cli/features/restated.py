"""What people say anew: a later statement on the same subject holds, and the older one misleads without it."""

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
"""Share of what the shorter of two statements speaks of, rarer words counting more, that both have to speak of."""
_FIRST, _SHARED_FIRST = 3, 0.33
"""Words of the older one among which is what it is about, and the share where they share one of these: of "The lunch is
on Sunday" the others are what is changed, or stand everywhere."""
_PAIRED = 0.25
"""The same in scripts without blanks, where what a word ends with pairs with what follows."""
_NEAR, _SHARED_NEAR = 4, 0.1
"""Turns behind a statement within which one with a figure that shares less of it is on the same subject: people put
right what they have just said."""
_COMMON = 3
"""Statements with a word up to which it says what they speak of."""
_STEM = 5
"""Characters by which forms of a word are told to be the same."""
_LIKELY, _LIKELY_FIRST = 0.15, 0.4
"""How likely the newer statement has to be needed, beside the older one, and where they share less: small talk comes
back to its subjects, too. One in a few words that are as much on the subject need not be: such as "I slept on it: the
green ones, please"."""
_LEAST = 0.1
"""How likely the older one has to be: what nobody needs misleads nobody."""

_FIGURES = compiled_later(r"\d+")


def restated(statements: Sequence[Statement], values: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yield (older, newer) of statements in different messages of which the newer speaks of what the older one does,
    and is about as likely to be needed: what it says holds now, in whatever words. Both are of one speaker, or the user
    gives another day, time or number than the agent did. `values`: how likely each is needed."""
    stems = [_stems(statement.text) for statement in statements]
    about = [{*islice(own, _FIRST)} for own in stems]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for index, own in enumerate(stems):
        for stem in own:
            holders[stem].append(index)
    # of two that share a word each has it: it is as rare as what one of them has
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
    """Return whether it is the same who speaks, or the user who puts other values in the place of the agent's."""
    if newer.speaker == older.speaker:
        return True
    if newer.speaker != "user":
        return False
    ours, theirs = _values(newer.text), _values(older.text)
    return bool(ours - theirs and theirs - ours)


def _values(text: str) -> set[str]:
    """Return the days, times and numbers of a text."""
    return {value for values in values_of(text).values() for value in values}.union(_FIGURES.findall(text))


def _stems(text: str) -> dict[str, None]:
    """Return the beginnings of the words of a text that are no figures, and not of those that stand everywhere, in
    order."""
    return dict.fromkeys(
        word[:_STEM]
        for word in words(text)
        if (len(word) > 2 or word[0] >= FIRST_WIDE) and word not in STOP_WORDS and not any(map(str.isdigit, word))
    )
