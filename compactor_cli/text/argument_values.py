"""The arguments of a call in readable form: `key=value` without JSON's quotes and brackets, and commands as they
are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Set

from msgspec import Struct

from compactor_cli.text.escapes import PositionMap
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.units import outer_spans

_KEY = compiled_later(r'"([^"\\]*(?:\\.[^"\\]*)*)"\s*:\s*')


class ArgumentValues(Struct, frozen=True):
    """The parts of a call's text that are left out or replaced when it is shown: spans in order, and their
    replacements."""

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    replacements: tuple[str, ...] = ()

    def readable(self, text: str, start: int, end: int) -> str:
        """Return a piece of the text in readable form. A replacement that begins before the piece is not included."""
        pieces, offset = [], start
        for number in range(bisect_right(self.ends, start), bisect_left(self.starts, end)):
            replacement_start = self.starts[number]
            if replacement_start >= start:
                pieces += [text[offset:replacement_start], self.replacements[number]]
            offset = min(end, self.ends[number])
        return "".join([*pieces, text[offset:end]])

    def ends_within_value(self, text: str, end: int) -> bool:
        """Return whether a piece that ends at `end` stops in the middle of a line of a value."""
        number = bisect_right(self.starts, end) - 1
        return number >= 0 and self.ends[number] <= end < len(text) and text[end] != "\n"


def argument_values(
    text: str, readable: PositionMap | None = None, bare_keys: Set[str] = frozenset()
) -> ArgumentValues:
    """Return the replacements for a JSON object; none for other texts. `readable`: maps positions to those in the text
    as shown. `bare_keys`: keys whose strings need no name."""
    keys = [(_KEY.match(text, start, end), end) for start, end in outer_spans(text)]
    members = [(key, end) for key, end in keys if key is not None]
    if not members or len(members) < len(keys):
        return ArgumentValues()
    replacements: list[tuple[int, int, str]] = []
    last = len(text) - len(text.lstrip())
    for key, end in members:
        is_text = text[key.end()] == '"'
        is_bare = is_text and key[1] in bare_keys and end - key.end() > len('""')
        is_open = is_text and (is_bare or not _needs_quotes(text[key.end() : end]))
        replacements.append((last, key.start(), " " if replacements else ""))
        replacements.append((key.start(), key.end() + is_open, "" if is_bare else f"{key[1]}="))
        last = end - is_open
    replacements.append((last, len(text), ""))
    position_of = readable or (lambda position: position)
    return ArgumentValues(
        tuple(position_of(start) for start, _, _ in replacements),
        tuple(position_of(end) for _, end, _ in replacements),
        tuple(replacement for _, _, replacement in replacements),
    )


def _needs_quotes(value: str) -> bool:
    """Return whether a string needs its quotes, because its end would not be visible otherwise, or because it is
    empty."""
    return value == '""' or ("=" in value and " " in value)
