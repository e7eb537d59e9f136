"""Cuts calls that stay in place: the arguments remain valid JSON, and gaps are marked."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import accumulate
from typing import Any

from compactor_cli.features.call_lines import ADDED_MARK, COMMAND_ARGUMENTS, REMOVED_MARK, changed_lines
from compactor_cli.model.message import Part
from compactor_cli.text.clean import one_line
from compactor_cli.text.json_values import parse_json
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shorten import shorten_prose, text_reference

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

    def cut(self, part: Part, kept_lines: Iterable[str], min_tokens: int) -> tuple[str, int]:
        """Return the arguments of a call with the `kept_lines` of long strings, and the tokens of the call.
        `min_tokens`: the minimum tokens of arguments that are not JSON."""
        kept, name_tokens = {*kept_lines}, self._count(part.name)
        try:
            value = parse_json(part.text)
        except ValueError:
            value = None
        if not isinstance(value, (dict, list)):
            short = shorten_prose(part.text, part.tokens, max(min_tokens, sum(map(len, kept)) // 3), self._count)
            return short.text, short.tokens + name_tokens
        text = json.dumps(_cut_strings(value, kept), ensure_ascii=False, separators=(",", ":"))
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return part.text, part.tokens
        if len(text) >= len(part.text):
            return part.text, part.tokens
        return text, self._count(text) + name_tokens


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


def _cut_strings(value: Any, kept_lines: Collection[str]) -> Any:
    """Cut long strings in arguments to their chosen lines."""
    if isinstance(value, dict):
        shown = {key: _cut_strings(item, kept_lines) for key, item in value.items()}
        return {
            key: _with_beginning(value[key], cut) if key in COMMAND_ARGUMENTS else cut for key, cut in shown.items()
        }
    if isinstance(value, list):
        return [_cut_strings(item, kept_lines) for item in value]
    if not isinstance(value, str) or len(value) <= _SHORT_STRING_CHARS:
        return value
    lines = value.split("\n")
    kept: list[str] = []
    left_out: list[str] = []
    reference = f" · {text_reference(value)}"
    for line in (*lines, None):
        stays = line is None or _is_kept(line, kept_lines, follows=not left_out and bool(kept))
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
            is_short = len(line) <= 4 * _SHORT_STRING_CHARS
            kept.append(line if is_short else line[: 2 * _SHORT_STRING_CHARS] + " […]")
    return "\n".join(kept)
