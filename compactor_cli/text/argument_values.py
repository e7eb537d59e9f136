"""The arguments of a call as they are read: values without the keys, quotes and brackets around them, unless a value
alone does not say which one it is, as a number, a switch, or the second of two texts."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence, Set

from msgspec import Struct

from compactor_cli.text.escapes import Place
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.units import outer_spans

_KEY = compiled_later(r'"([^"\\]*(?:\\.[^"\\]*)*)"\s*:\s*')

_RECORD = 3
"""Arguments from which on keys are needed to tell which is which."""
_LONG = 80
"""Characters of the longest argument from which on its key says nothing more."""


_Member = tuple[re.Match[str], int]
"""The key of a member, and where the member ends."""


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


def argument_values(
    text: str, place: Place | None = None, bare: Set[str] = frozenset(), paths: Set[str] = frozenset()
) -> ArgumentValues:
    """Return what is read of an object of JSON; of another text all is. `place`: where its characters stand in what is
    read of it. `bare`: keys whose texts say by themselves what they are; others beside them do not. `paths`: keys of
    paths, which are told from another text."""
    keys = [(_KEY.match(text, start, end), end) for start, end in outer_spans(text)]
    members = [(key, end) for key, end in keys if key is not None]
    if not members or len(members) < len(keys):
        return ArgumentValues()
    without_key = _without_key(text, members, bare, paths)
    found: list[tuple[int, int, str]] = []
    last = len(text) - len(text.lstrip())
    for number, (key, end) in enumerate(members):
        is_bare = number in without_key
        is_text = text[key.end()] == '"'
        is_open = is_text and not _needs_quotes(
            text[key.end() : end], is_bare, alone=len(members) == 1 or key[1] in bare
        )
        found.append((last, key.start(), " " if found else ""))
        found.append((key.start(), key.end() + is_open, "" if is_bare else f"{key[1]}="))
        last = end - is_open
    found.append((last, len(text), ""))
    at = place or (lambda position: position)
    return ArgumentValues(
        tuple(at(start) for start, _, _ in found),
        tuple(at(end) for _, end, _ in found),
        tuple(instead for _, _, instead in found),
    )


def _without_key(text: str, members: Sequence[_Member], bare: Set[str], paths: Set[str]) -> frozenset[int]:
    """Return the numbers of the members whose texts are read without their keys: which one is which shows."""
    texts = [n for n, (key, end) in enumerate(members) if text[key.end()] == '"' and end - key.end() > len('""')]
    if told := [n for n, (key, _) in enumerate(members) if key[1] in bare]:
        return frozenset(told).intersection(texts)
    longest = max(texts, key=lambda n: _size(members[n]), default=-1)
    if longest >= 0 and _size(members[longest]) > _LONG:
        is_path = {n for n in texts if members[n][0][1] in paths} if len(members) < _RECORD else set()
        return frozenset({longest, *is_path})
    if len(members) >= _RECORD:
        return frozenset()
    of_paths = sum(members[n][0][1] in paths for n in texts)
    return frozenset(texts if of_paths == 1 else texts[:1])


def _size(member: _Member) -> int:
    return member[1] - member[0].start()


def _needs_quotes(value: str, is_bare: bool, *, alone: bool) -> bool:
    """Return whether a text is read with its quotes: without them its end would not show, or that it is empty."""
    if value == '""':
        return True
    return "=" in value and " " in value and not (is_bare and (alone or len(value) > _LONG))
