"""What the agent offered and the user has not answered yet: a "yes" behind other questions says nothing without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice, pairwise
from operator import itemgetter

from compactor_cli.features.followed import answers_before_turns
from compactor_cli.features.lines import SessionLines
from compactor_cli.model.message import Message
from compactor_cli.strategies.adaptive.must_keep import ASKS_WITHIN, names_something, speech_of
from compactor_cli.strategies.shared.rooms import share_of
from compactor_cli.text.clauses import split_clauses
from compactor_cli.text.sentences import ASKS

_SHARES, _LONGEST = (0.3, 0.1), 300
"""Shares of a small and of a large room, and tokens, that open offers may take."""
_MOST = 2
"""Answers before the last one that are looked at."""
_END = 3
"""Lines, or sentences, at the end of an answer of which one asks."""


def open_offers(
    messages: Sequence[Message],
    lines: SessionLines,
    cost: Callable[[int], int],
    stays: Callable[[int], bool],
    room: int,
) -> Sequence[int]:
    """Return what the answers before the last one ask the user to agree to, as long as the user answered with nothing
    but questions and the agent asked again: the line that asks and, where it names nothing, the last one before it that
    does. `stays`: whether a line is there anyway."""
    turns = sorted(answers_before_turns(messages), key=itemgetter(1), reverse=True)
    left = min(_LONGEST, share_of(room, *_SHARES))
    found: list[int] = []
    for (again, _), (index, request) in islice(pairwise(turns), _MOST):
        if not (_only_asks(messages[request].text("text")) and _asks_again(messages[again].text("text"))):
            break
        offer = [line for line in _offer(speech_of(lines, index), lines) if not stays(line)]
        used = sum(map(cost, offer))
        if used <= left:
            found += offer
            left -= used
    return sorted(found)


def _asks_again(answer: str) -> bool:
    """Return whether the last question of an answer names nothing: it is about what was said before."""
    asking = [clause.text for clause in split_clauses(answer)[-_END:] if ASKS.search(clause.text)]
    return bool(asking) and not names_something(asking[-1])


def _offer(speech: Sequence[int], lines: SessionLines) -> list[int]:
    """Return the lines of an answer that ask for an agreement at its end, and say to what; none where it asks
    nothing."""
    asking = next((line for line in reversed(speech[-_END:]) if ASKS_WITHIN.search(lines.text(line))), None)
    if asking is None:
        return []
    named = next((line for line in reversed(speech) if line <= asking and names_something(lines.text(line))), None)
    return [] if named is None else sorted({named, asking})


def _only_asks(text: str) -> bool:
    """Return whether a reply is nothing but questions: what else it says may decide."""
    clauses = split_clauses(text)
    return bool(clauses) and all(ASKS.search(clause.text) for clause in clauses)
