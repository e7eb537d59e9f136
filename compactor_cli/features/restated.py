"""What people say anew: a later statement on the same subject holds, and the older one misleads without it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import fsum, log

from compactor_cli.features.talk import Statement
from compactor_cli.features.talk_words import words
from compactor_cli.features.wording import FIRST_WIDE
from compactor_cli.text.terms import STOP_WORDS

_SHARED = 0.5
"""Share of what the shorter of two statements speaks of, rarer words counting more, that both have to speak of."""
_PAIRED = 0.25
"""The same in scripts without blanks, where what a word ends with pairs with what follows."""
_NEAR, _SHARED_NEAR = 4, 0.1
"""Turns behind a statement within which one with a figure that shares less of it is on the same subject: people put
right what they have just said."""
_COMMON = 3
"""Statements with a word up to which it says what they speak of."""
_STEM = 5
"""Characters by which forms of a word are told to be the same."""
_LIKELY = 0.15
"""How likely the newer statement has to be needed, beside the older one: small talk comes back to its subjects, too."""
_LEAST = 0.2
"""How likely the older one has to be: what nobody needs misleads nobody."""


def restated(statements: Sequence[Statement], values: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yield (older, newer) of statements of one speaker, in different messages, of which the newer speaks of what the
    older one does, and is about as likely to be needed: what it says holds now, in whatever words. `values`: how likely
    each is needed."""
    stems = [_stems(statement.text) for statement in statements]
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
            needed = _SHARED_NEAR if apart <= _NEAR and any(map(str.isdigit, statements[other].text)) else usual
            shared = fsum(rarity[stem] for stem in sorted(own & stems[other]))
            if (
                shared >= needed * min(totals[index], totals[other])
                and values[other] >= _LIKELY * values[index]
                and statements[other].speaker == statements[index].speaker
                and statements[other].message != statements[index].message
            ):
                yield index, other


def _stems(text: str) -> set[str]:
    """Return the beginnings of the words of a text that are no figures, and not of those that stand everywhere."""
    return {
        word[:_STEM]
        for word in words(text)
        if (len(word) > 2 or word[0] >= FIRST_WIDE) and word not in STOP_WORDS and not any(map(str.isdigit, word))
    }
