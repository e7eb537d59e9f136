"""Cuts calls that stay in place: the arguments remain valid JSON, and gaps are marked."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from compactor_cli.features.call_lines import ADDED_MARK, COMMAND_ARGUMENTS, REMOVED_MARK, changed_lines
from compactor_cli.model.message import Part
from compactor_cli.text.clean import one_line
from compactor_cli.text.json_values import parse_json
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shorten import head_and_tail, shorten_prose, text_reference

_SHORT_STRING_CHARS = 120
"""Maximum characters of a string in a call's arguments that stays unchanged."""
_LINE_END_CHARS = 2
"""Characters of the end of a line in JSON."""
_MAX_CHANGED_CHARS = 500
"""Characters of added lines that an edit in the newest exchanges shows, whatever was chosen of it."""
_MIN_CHARS_PER_TOKEN = 3
"""Minimum characters of a token in most arguments."""
_WORD, _WORDS = compiled_later(r"\w"), compiled_later(r"\w+")


class CallCutter:
    """Cuts the arguments of calls. Each text is counted once."""

    def __init__(self, count: Callable[[str], int]) -> None:
        """`count`: returns the tokens of a text."""
        self._count = count
        self._end_lengths: dict[tuple[int, int], int] = {}

    def cut(
        self, part: Part, kept_lines: Iterable[str], min_tokens: int, *, call_number: int = -1, room: int = 0
    ) -> tuple[str, int]:
        """Return the arguments of a call with the `kept_lines` of long strings, and the tokens of the call.

        With `room` tokens, the heads and tails of these strings stay too, as far as they fit. `min_tokens`: the minimum
        tokens of arguments that are not JSON. `call_number`: identifies the call."""
        kept, name_tokens = {*kept_lines}, self._count(part.name)
        try:
            value = parse_json(part.text)
        except ValueError:
            value = None
        if not isinstance(value, (dict, list)):
            short = shorten_prose(part.text, part.tokens, max(min_tokens, room, sum(map(len, kept)) // 3), self._count)
            return short.text, short.tokens + name_tokens
        text = _cut_json(value, kept, self._end_length(value, room - name_tokens, call_number) if room else 0)
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return part.text, part.tokens
        if len(text) >= len(part.text):
            return part.text, part.tokens
        return text, self._count(text) + name_tokens

    def _end_length(self, value: Any, room: int, call_number: int) -> int:
        """Return the number of characters for the head and tail of each long string that fit into `room` tokens."""
        if (call_number, room) not in self._end_lengths:
            lengths = range(_SHORT_STRING_CHARS, max(map(len, _texts(value)), default=0) + 1, _SHORT_STRING_CHARS // 4)
            fitting = bisect_right(lengths, room, key=lambda length: self._count(_cut_json(value, (), length)))
            self._end_lengths[call_number, room] = lengths[fitting - 1] if fitting else 0
        return self._end_lengths[call_number, room]


def changes(part: Part, room: int) -> Iterator[str]:
    """Yield the lines that an edit adds, or removes if it adds none, as far as they fit into `room` tokens.

    Lines with words that the edit does not remove come first. If a call is wrapped around strings that stay the same,
    these lines show the call and not the strings."""
    max_chars = min(_MAX_CHANGED_CHARS, _MIN_CHARS_PER_TOKEN * room)
    for _, lines in changed_lines(part):
        by_mark = {
            mark: [line[len(mark) :] for line in lines if line.startswith(mark)] for mark in (ADDED_MARK, REMOVED_MARK)
        }
        removed = {word for line in by_mark[REMOVED_MARK] for word in _WORDS.findall(line)}
        changed = (
            sorted(by_mark[ADDED_MARK], key=lambda line: removed.issuperset(_WORDS.findall(line)))
            or by_mark[REMOVED_MARK]
        )
        sizes = accumulate(len(line) for line in changed)
        yield from (line for line, size in zip(changed, sizes, strict=True) if size <= max_chars)


def _cut_json(value: Any, kept_lines: Collection[str], length: int) -> str:
    return json.dumps(_cut_strings(value, kept_lines, length), ensure_ascii=False, separators=(",", ":"))


def _texts(value: Any) -> Iterator[str]:
    """Yield the strings in arguments."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _is_kept(line: str, kept_lines: Collection[str], *, follows: bool) -> bool:
    """Return whether a line of an argument stays. A line without words stays only if it `follows` one that does."""
    stripped = line.strip()
    if not _WORD.search(stripped):
        return follows and bool(stripped)
    # the first and last line of a piece may have quotes and keys around them
    return any(stripped in text or text in line for text in kept_lines)


def _with_beginning(command: Any, cut: Any) -> Any:
    """Return a command that was cut together with its beginning, which says what it does."""
    if not isinstance(cut, str) or cut == command or not cut.startswith("[…"):
        return cut
    first_line = command.lstrip().split("\n", 1)[0]
    return f"{one_line(first_line, _SHORT_STRING_CHARS)}\n{cut}"


def _cut_strings(value: Any, kept_lines: Collection[str], length: int) -> Any:
    """Cut long strings in arguments to their chosen lines, and to `length` characters at their ends."""
    if isinstance(value, dict):
        shown = {key: _cut_strings(item, kept_lines, length) for key, item in value.items()}
        return {
            key: _with_beginning(value[key], cut) if key in COMMAND_ARGUMENTS else cut for key, cut in shown.items()
        }
    if isinstance(value, list):
        return [_cut_strings(item, kept_lines, length) for item in value]
    if not isinstance(value, str) or len(value) <= max(_SHORT_STRING_CHARS, length):
        return value
    lines = value.split("\n")
    end_lines = _end_lines(lines, length)
    if length and not end_lines and not any(_is_kept(line, kept_lines, follows=False) for line in lines):
        return head_and_tail(value, length)
    kept: list[str] = []
    left_out: list[str] = []
    reference = f" · {text_reference(value)}"
    for index, line in enumerate((*lines, None)):
        stays = index in end_lines or line is None or _is_kept(line, kept_lines, follows=not left_out and bool(kept))
        if line is not None and not stays:
            left_out.append(line)
            continue
        if left_out:
            mark = f"[… {len(left_out):,} line{'s' * (len(left_out) > 1)}{reference}]"
            if sum(len(text) + _LINE_END_CHARS for text in left_out) <= len(mark):  # the mark would take more
                kept += left_out
            else:
                kept.append(mark)
                reference = ""
            left_out.clear()
        if line is not None:
            is_short = index in end_lines or len(line) <= 4 * _SHORT_STRING_CHARS
            kept.append(line if is_short else line[: 2 * _SHORT_STRING_CHARS] + " […]")
    return "\n".join(kept)


def _end_lines(lines: Sequence[str], length: int) -> set[int]:
    """Return the indices of lines at the beginning and the end of a text that fit into `length` characters, half of
    them for each end."""
    half = length // 2
    head = bisect_right([*accumulate(len(line) + _LINE_END_CHARS for line in lines)], half)
    tail = bisect_right([*accumulate(len(line) + _LINE_END_CHARS for line in reversed(lines))], half)
    return {*range(head), *range(len(lines) - tail, len(lines))}
