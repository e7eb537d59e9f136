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
from compactor_cli.text.changed_values import values_by_kind
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.terms import STOP_WORDS

_MIN_SHARE = 0.5
"""Share of the content of the shorter of two statements, with rarer words counting more, that both must have in
common."""
_SUBJECT_WORDS, _MIN_SUBJECT_SHARE = 3, 0.33
"""Number of words at the beginning of the older statement that state its subject, and the share if the newer one has
one of them. In "The lunch is on Sunday" the other words are what changes, or occur everywhere."""
_MIN_UNSPACED_SHARE = 0.25
"""The same in scripts without spaces, where the end of one word pairs with the beginning of the next."""
_MAX_CORRECTION_GAP, _MIN_NEAR_SHARE = 4, 0.1
"""Maximum distance in messages, and the lower share, for a newer statement with a figure to count as being on the
same subject. People correct what they have just said."""
_MAX_WORD_STATEMENTS = 3
"""Maximum number of statements with a word for it to indicate the subject."""
_STEM_CHARS = 5
"""Characters that forms of the same word have in common."""
_MIN_VALUE_RATIO, _MIN_LOOSE_VALUE_RATIO = 0.15, 0.4
"""Minimum value of the newer statement relative to the older one, and the minimum if they share less, since small
talk also returns to its subjects. A short statement that is just as much on the subject may have a lower value, such
as "I slept on it: the green ones, please"."""
_MIN_OLDER_VALUE = 0.1
"""Minimum value of the older statement: what nobody needs misleads nobody."""

_FIGURES = compiled_later(r"\d+")


def restated_pairs(statements: Sequence[Statement], values: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yield (older, newer) for statements of different messages on the same subject, if the newer one is about as
    likely to be needed; it is then the valid one. Either both have the same speaker, or the user gives another date,
    time or number than the agent did. `values`: how likely each is to be needed."""
    stems = [_stems(statement.text) for statement in statements]
    subjects = [{*islice(own_stems, _SUBJECT_WORDS)} for own_stems in stems]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for index, own_stems in enumerate(stems):
        for stem in own_stems:
            holders[stem].append(index)
    # two statements that share a word both contain it; so it counts as rare as a word of one statement
    rarity = {stem: log((len(statements) + 1) / max(1, len(indices) - 1)) for stem, indices in holders.items()}
    totals = [fsum(rarity[stem] for stem in sorted(own_stems)) for own_stems in stems]
    for index, own_stems in enumerate(stems):
        if values[index] < _MIN_OLDER_VALUE:
            continue
        rare_holders = [holders[stem] for stem in sorted(own_stems) if len(holders[stem]) <= _MAX_WORD_STATEMENTS]
        candidates = Counter(other for indices in rare_holders for other in indices if other > index)
        default_share = _MIN_UNSPACED_SHARE if any(len(stem) == 2 for stem in own_stems) else _MIN_SHARE
        for other in sorted(candidates):
            distance = statements[other].message - statements[index].message
            required = default_share
            shared = fsum(rarity[stem] for stem in sorted(own_stems.keys() & stems[other].keys()))
            likely = values[other] >= _MIN_LOOSE_VALUE_RATIO * values[index]
            if distance <= _MAX_CORRECTION_GAP and any(map(str.isdigit, statements[other].text)):
                required = _MIN_NEAR_SHARE
            elif likely or shared >= _MIN_SUBJECT_SHARE * max(totals[index], totals[other]):
                required = (
                    default_share
                    if subjects[index].isdisjoint(stems[other])
                    else min(default_share, _MIN_SUBJECT_SHARE)
                )
            if (
                shared >= required * min(totals[index], totals[other])
                and values[other] >= _MIN_VALUE_RATIO * values[index]
                and distance
                and _may_correct(statements[other], statements[index])
            ):
                yield index, other


def _may_correct(newer: Statement, older: Statement) -> bool:
    """Return whether both have the same speaker, or the user replaces values of the agent by others."""
    if newer.speaker == older.speaker:
        return True
    if newer.speaker != "user":
        return False
    new_values, old_values = _values(newer.text), _values(older.text)
    return bool(new_values - old_values and old_values - new_values)


def _values(text: str) -> set[str]:
    """Return the dates, times and numbers in a text."""
    return {value for values in values_by_kind(text).values() for value in values}.union(_FIGURES.findall(text))


def _stems(text: str) -> dict[str, None]:
    """Return the beginnings of the words of a text, in order, without figures and stop words."""
    return dict.fromkeys(
        word[:_STEM_CHARS]
        for word in words(text)
        if (len(word) > 2 or word[0] >= FIRST_WIDE) and word not in STOP_WORDS and not any(map(str.isdigit, word))
    )
