"""The code that holds of what the agent of a chat wrote: how each definition begins and ends, then all of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.written_code import Definition, WrittenCode
from compactor_cli.model.message import Message
from compactor_cli.strategies.adaptive.offers import newest_draft
from compactor_cli.strategies.shared.rooms import share_of
from compactor_cli.text.clauses import LEADS_ON

_SHARES = (0.2, 0.3)
"""Shares of a small and of a large room for code that holds."""

_SHORTEST = 3
"""Characters of the shortest name that is spoken of."""


def newest_texts(
    code: WrittenCode,
    messages: Sequence[Message],
    lines: SessionLines,
    cost: Callable[[int], int],
    stays: Callable[[int], bool],
    room: int,
) -> Iterator[int]:
    """Yield the lines of the newest draft, and of the code that holds. `stays`: whether a line is there anyway."""
    yield from newest_draft(messages, lines, cost, room)
    yield from _newest_code(code, messages, lines, cost, stays, room)


def _newest_code(
    code: WrittenCode,
    messages: Sequence[Message],
    lines: SessionLines,
    cost: Callable[[int], int],
    stays: Callable[[int], bool],
    room: int,
) -> Iterator[int]:
    """Yield lines of the definitions that hold and that are spoken of elsewhere: with which each begins and ends, as it
    is called by these, then whole ones; those first that the newest request names, then the newest."""
    left = share_of(room, *_SHARES)
    units = [
        unit
        for definition in _in_order(code, messages)
        if (unit := _lines_of(definition, lines)) and not all(map(stays, unit))
    ]
    taken = set[int]()
    for part in chain((_ends(unit, lines) for unit in units), units):
        wanted = [line for line in part if line not in taken]
        used = sum(map(cost, wanted))
        if used <= left:
            left -= used
            taken.update(wanted)
            yield from wanted


def _ends(unit: Sequence[int], lines: SessionLines) -> list[int]:
    """Return with which lines a definition begins and ends; what only leads on comes with the next one."""
    begins = 2 if lines.text(unit[0]).endswith(LEADS_ON) else 1
    return sorted({*unit[:begins], unit[-1]})


def _in_order(code: WrittenCode, messages: Sequence[Message]) -> list[Definition]:
    asked = next((m.text("text") for m in reversed(messages) if m.origin == "request"), "")
    spoken = [one for one in code.newest if any(_names(m, one) for m in messages if m.index != one.spot[0])]
    return sorted(spoken, key=lambda one: (re.search(rf"\b{re.escape(one.name)}\b", asked) is None, -one.spot[0]))


def _names(message: Message, definition: Definition) -> bool:
    name = definition.name
    is_test = name.lower().startswith("test")  # nothing calls it
    return (
        len(name) >= _SHORTEST
        and not is_test
        and any(name in part.text and re.search(rf"\b{re.escape(name)}\b", part.text) for part in message.parts)
    )


def _lines_of(definition: Definition, lines: SessionLines) -> list[int]:
    """Return the lines of a session that a definition takes."""
    for number in sorted(lines.first_of):
        piece = lines.session.pieces[number]
        if (piece.message, piece.part) == definition.spot:
            ends = [at for at, sign in enumerate(piece.text) if sign == "\n"]
            start = ends[definition.first - 1] + 1 if definition.first else 0
            end = ends[definition.last] if definition.last < len(ends) else len(piece.text)
            return [line for line in lines.overlapping(number, start, end) if line not in lines.silent]
    return []
