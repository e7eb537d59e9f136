"""Lines of the results that the agent answers next: what is new in them, what they were asked for, the best of them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from itertools import pairwise

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.work.endings import BEGINS_AS_FAILED, refuses_edit
from compactor_cli.strategies.shared.selection import Selector
from compactor_cli.text.line_numbers import is_numbered
from compactor_cli.text.noise import is_prompt
from compactor_cli.text.outcomes import result_errors

_END = 3
"""Lines at the end of a result that count as new."""
_ROOM = 300
"""Tokens for results from which on there is room for what stands between chosen lines."""
_FOR_HOLES, _HOLE = 0.15, 4
"""Share of the room for what stands between chosen lines, and how many lines these are."""
_BEFORE = 20
"""Results before that are looked at for what an output says again."""


def take_pending(
    pending: Sequence[int],
    lines: SessionLines,
    selector: Selector,
    asked_for: Callable[[int], Iterable[int]],
    rooms: tuple[int, int, int],
) -> None:
    """Take the lines of small results, or those that hold what they were asked for, and the best of the others; what
    earlier results say, too, comes last. `asked_for`: the lines of a piece that do. `rooms`: tokens of results that are
    small, for all lines, and of these for what was asked for."""
    small, room, left = rooms
    telling = [line for line in pending if not is_prompt(lines.text(line))]
    if sum(map(selector.tokens, telling)) <= min(small, room):
        for line in telling:
            selector.take(line)
        return
    again = seen_before(telling, lines)
    room -= left
    first = {lines.piece_of[line]: line for line in reversed(telling)}
    for piece in dict.fromkeys(lines.piece_of[line] for line in pending):
        begins = [first[piece]] if piece in first and _begins_as_failed(lines.session.pieces[piece].text) else []
        for line in (*begins, *asked_for(piece)):
            if selector.cost(line) <= left:
                left -= selector.take(line)
    left += room
    apart = int(left * _FOR_HOLES) if left >= _ROOM and any(lines.scope(line) >= 0 for line in pending) else 0
    left = apart + selector.fill((line for line in pending if line not in again), left - apart)
    if apart:
        for hole in holes(telling, lines, selector.taken):
            if sum(map(selector.cost, hole)) <= left:
                left -= sum(map(selector.take, hole))
        left = selector.fill((line for line in pending if line not in again), left)
    selector.fill(again, left)


def holes(telling: Sequence[int], lines: SessionLines, taken: Container[int]) -> list[Sequence[int]]:
    """Return the few lines between two that are taken, the fewest first: without a condition and what it leads to, a
    statement of code says the opposite of what it does."""
    found: list[Sequence[int]] = []
    known = [at for at, line in enumerate(telling) if line in taken]
    for first, last in pairwise(known):
        between = telling[first + 1 : last]
        same = lines.piece_of[telling[first]] == lines.piece_of[telling[last]]
        if 0 < len(between) <= _HOLE and same and lines.scope(telling[last]) >= 0:
            found.append(between)
    return sorted(found, key=len)


def _begins_as_failed(said: str) -> bool:
    """Return whether a result begins with that the call failed, or changed nothing."""
    return BEGINS_AS_FAILED.match(said) is not None or refuses_edit(said)


def seen_before(telling: Sequence[int], lines: SessionLines) -> frozenset[int]:
    """Return which of the lines of the newest results stand in one of the results before, such as the page around what
    changes, but for errors, which are there again, and the end, where tools say how they stand now."""
    first = lines.piece_of[telling[0]] if telling else 0
    before = [piece for piece in lines.session.pieces[:first] if not piece.speech and not piece.call][-_BEFORE:]
    texts = (piece.text for piece in before if not is_numbered(piece.text))  # what is read again may have been lost
    known = {line.strip() for text in texts for line in text.split("\n")}
    for number in dict.fromkeys(lines.piece_of[line] for line in telling) if known else ():
        known -= {line.strip() for line in result_errors(lines.session.pieces[number].text, None)}
    told = {line: lines.text(line).split("\n") for line in telling[:-_END]}
    return frozenset(line for line, text in told.items() if known.issuperset(map(str.strip, text)))
