"""Cuts calls that stay in place: the arguments remain valid JSON, and gaps are marked."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from compactor_cli.features.call_lines import ADDED, COMMANDS, REMOVED, changed_lines
from compactor_cli.model.message import Part
from compactor_cli.text.clean import one_line
from compactor_cli.text.json_values import parse_json
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shorten import ends, shorten_prose, text_reference

_SHORT_STRING = 120
"""Maximum characters of a string in a call's arguments that stays unchanged."""
_LINE_END = 2
"""Characters of the end of a line in JSON."""
_CHANGED = 500
"""Characters of added lines that an edit in the newest exchanges shows, whatever was chosen of it."""
_CHARACTERS = 3
"""Minimum characters of a token in most arguments."""
_WORD, _WORDS = compiled_later(r"\w"), compiled_later(r"\w+")


class CallCutter:
    """Cuts the arguments of calls. Each text is counted once."""

    def __init__(self, count: Callable[[str], int]) -> None:
        """`count`: returns the tokens of a text."""
        self._count = count
        self._lengths: dict[tuple[int, int], int] = {}

    def cut(self, part: Part, wanted: Iterable[str], least: int, *, number: int = -1, room: int = 0) -> tuple[str, int]:
        """Return the arguments of a call with the `wanted` lines of long strings, and the tokens of the call.

        With `room` tokens, the heads and tails of these strings stay too, as far as they fit. `least`: the minimum
        tokens of arguments that are not JSON. `number`: identifies the call."""
        kept, name = {*wanted}, self._count(part.name)
        try:
            value = parse_json(part.text)
        except ValueError:
            value = None
        if not isinstance(value, (dict, list)):
            short = shorten_prose(part.text, part.tokens, max(least, room, sum(map(len, kept)) // 3), self._count)
            return short.text, short.tokens + name
        text = _written(value, kept, self._length(value, room - name, number) if room else 0)
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return part.text, part.tokens
        if len(text) >= len(part.text):
            return part.text, part.tokens
        return text, self._count(text) + name

    def _length(self, value: Any, room: int, number: int) -> int:
        """Return the number of characters for the head and tail of each long string that fit into `room` tokens."""
        if (number, room) not in self._lengths:
            lengths = range(_SHORT_STRING, max(map(len, _texts(value)), default=0) + 1, _SHORT_STRING // 4)
            fitting = bisect_right(lengths, room, key=lambda length: self._count(_written(value, (), length)))
            self._lengths[number, room] = lengths[fitting - 1] if fitting else 0
        return self._lengths[number, room]


def changes(part: Part, room: int) -> Iterator[str]:
    """Yield the lines that an edit adds, or removes if it adds none, as far as they fit into `room` tokens.

    Lines with words that the edit does not remove come first. If a call is wrapped around strings that stay the same,
    these are the call and not the strings."""
    most = min(_CHANGED, _CHARACTERS * room)
    for _, lines in changed_lines(part):
        by_mark = {mark: [line[len(mark) :] for line in lines if line.startswith(mark)] for mark in (ADDED, REMOVED)}
        known = {word for line in by_mark[REMOVED] for word in _WORDS.findall(line)}
        changed = sorted(by_mark[ADDED], key=lambda line: known.issuperset(_WORDS.findall(line))) or by_mark[REMOVED]
        sizes = accumulate(len(line) for line in changed)
        yield from (line for line, size in zip(changed, sizes, strict=True) if size <= most)


def _written(value: Any, wanted: Collection[str], length: int) -> str:
    return json.dumps(_cut(value, wanted, length), ensure_ascii=False, separators=(",", ":"))


def _texts(value: Any) -> Iterator[str]:
    """Yield the strings in arguments."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _is_kept(line: str, wanted: Collection[str], *, follows: bool) -> bool:
    """Return whether a line of an argument stays. A line without words stays only if it `follows` one that does."""
    bare = line.strip()
    if not _WORD.search(bare):
        return follows and bool(bare)
    # the first and last line of a piece may have quotes and keys around them
    return any(bare in text or text in line for text in wanted)


def _begun(command: Any, cut: Any) -> Any:
    """Return a command that was cut together with its beginning, which says what it does."""
    if not isinstance(cut, str) or cut == command or not cut.startswith("[…"):
        return cut
    begins = command.lstrip().split("\n", 1)[0]
    return f"{one_line(begins, _SHORT_STRING)}\n{cut}"


def _cut(value: Any, wanted: Collection[str], length: int) -> Any:
    """Cut long strings in arguments to their chosen lines, and to `length` characters at their ends."""
    if isinstance(value, dict):
        shown = {key: _cut(item, wanted, length) for key, item in value.items()}
        return {key: _begun(value[key], cut) if key in COMMANDS else cut for key, cut in shown.items()}
    if isinstance(value, list):
        return [_cut(item, wanted, length) for item in value]
    if not isinstance(value, str) or len(value) <= max(_SHORT_STRING, length):
        return value
    lines = value.split("\n")
    at_ends = _at_ends(lines, length)
    if length and not at_ends and not any(_is_kept(line, wanted, follows=False) for line in lines):
        return ends(value, length)
    kept: list[str] = []
    left_out: list[str] = []
    reference = f" · {text_reference(value)}"
    for at, line in enumerate((*lines, None)):
        stays = at in at_ends or line is None or _is_kept(line, wanted, follows=not left_out and bool(kept))
        if line is not None and not stays:
            left_out.append(line)
            continue
        if left_out:
            mark = f"[… {len(left_out):,} line{'s' * (len(left_out) > 1)}{reference}]"
            if sum(len(text) + _LINE_END for text in left_out) <= len(mark):  # the mark would take more
                kept += left_out
            else:
                kept.append(mark)
                reference = ""
            left_out.clear()
        if line is not None:
            short = at in at_ends or len(line) <= 4 * _SHORT_STRING
            kept.append(line if short else line[: 2 * _SHORT_STRING] + " […]")
    return "\n".join(kept)


def _at_ends(lines: Sequence[str], length: int) -> set[int]:
    """Return the indices of lines at the beginning and the end of a text that fit into `length` characters, half of
    them for each end."""
    half = length // 2
    head = bisect_right([*accumulate(len(line) + _LINE_END for line in lines)], half)
    tail = bisect_right([*accumulate(len(line) + _LINE_END for line in reversed(lines))], half)
    return {*range(head), *range(len(lines) - tail, len(lines))}
