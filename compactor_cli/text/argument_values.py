"""The arguments of a call as they are read: values without the keys, quotes and brackets around them, unless a value
alone says nothing, as a number or a switch does."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Set

from msgspec import Struct

from compactor_cli.text.escapes import Place
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.units import outer_spans

_KEY = compiled_later(r'"([^"\\]*(?:\\.[^"\\]*)*)"\s*:\s*')

_RECORD = 3
"""Arguments from which on keys are needed to tell which is which."""
_LONG = 80
"""Characters of the longest argument from which on its key says nothing more."""


class ArgumentValues(Struct, frozen=True):
    """What is left out of the text of a call where it is read, or written otherwise: spans in order, and what stands
    there instead."""

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    instead: tuple[str, ...] = ()

    def shown(self, text: str, start: int, end: int) -> str:
        """Return a piece of the text as it is read; what begins before the piece is written there."""
        pieces, offset = [], start
        for number in range(bisect_right(self.ends, start), bisect_left(self.starts, end)):
            begins = self.starts[number]
            if begins >= start:
                pieces += [text[offset:begins], self.instead[number]]
            offset = min(end, self.ends[number])
        return "".join([*pieces, text[offset:end]])

    def cuts(self, text: str, end: int) -> bool:
        """Return whether a piece that ends there ends inside of a line of a value."""
        number = bisect_right(self.starts, end) - 1
        return number >= 0 and self.ends[number] <= end < len(text) and text[end] != "\n"


def argument_values(text: str, place: Place | None = None, bare: Set[str] = frozenset()) -> ArgumentValues:
    """Return what is read of an object of JSON; of another text all is. `place`: where its characters stand in what is
    read of it. `bare`: keys whose texts say by themselves what they are; others beside them do
    not."""
    keys = [(_KEY.match(text, start, end), end) for start, end in outer_spans(text)]
    members = [(key, end) for key, end in keys if key is not None]
    if not members or len(members) < len(keys):
        return ArgumentValues()
    bare = bare & {key[1] for key, _ in members}
    longest = max(end - key.start() for key, end in members)
    found: list[tuple[int, int, str]] = []
    last = len(text) - len(text.lstrip())
    for key, end in members:
        is_text = text[key.end()] == '"'
        tells = key[1] in bare if bare else len(members) < _RECORD or end - key.start() == longest > _LONG
        is_bare = is_text and tells
        is_empty = is_bare and end - key.end() <= len('""')
        found.append((last, key.start(), " " if found and not is_empty else ""))
        found.append((key.start(), key.end() + is_text, "" if is_bare else f"{key[1]}="))
        last = end - is_text
    found.append((last, len(text), ""))
    at = place or (lambda position: position)
    return ArgumentValues(
        tuple(at(start) for start, _, _ in found),
        tuple(at(end) for _, end, _ in found),
        tuple(instead for _, _, instead in found),
    )
