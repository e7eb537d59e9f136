"""Shorten texts. A mark at each gap says how much was left out, and no text gets larger."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import Any

from msgspec import Struct

from compactor_cli.text.gap_marks import GAP_MARK
from compactor_cli.text.json_values import parse_json, without_blanks
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.units import JsonMember, json_members

MIN_TOKENS = 40
"""Tokens to which any text can be shortened: a gap mark alone takes up to this many."""

IMAGE_NOTE = "[image left out]"

TOTAL_SUFFIX = " in all"
"""Addition to the first of several gap marks: its number is the total of all gaps."""

_MAX_BLANK_LINES = 4

Count = Callable[[str], int]


class Shortened(Struct, frozen=True):
    """A shortened text and its number of tokens."""

    text: str
    tokens: int


def is_shortened(text: str) -> bool:
    """Return whether a compaction cut something out of a text, by its gap marks."""
    return "left out" in text and GAP_MARK.search(text) is not None


def reference(contents: Iterable[bytes]) -> str:
    """Return the content address of originals: `ctx_` and the first 8 hex digits of their SHA-256."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(content)
    return f"ctx_{digest.hexdigest()[:8]}"


def text_reference(text: str) -> str:
    return reference([text.encode("utf-8", "surrogatepass")])


def shorten_output(
    text: str,
    tokens: int,
    limit: int,
    count: Count,
    failed: bool | None = None,
    *,
    original: str | None = None,
    select_lines: Callable[[Sequence[str]], Sequence[int]] = lambda _: (),
) -> Shortened:
    """Shorten a tool's output to at most max(limit, SMALLEST) tokens: to its first lines, error lines and last lines.
    Of JSON, keep everything without the blanks between members if that fits, else the first and the last members.
    `original`: the text that gap marks refer to, if the text already has a note about something else. `select_lines`:
    returns the numbers of the lines with what the call asked for, the most informative first."""
    ref = text_reference(text if original is None else original)
    if tokens > limit and (members := json_members(dense := without_blanks(text))):
        size = tokens if dense is text else count(dense)
        if size <= limit:
            return Shortened(dense, size)
        return _fit(dense, size, limit, count, lambda max_chars: _cut_members(dense, members, max_chars, ref), ref)
    lines = text.splitlines()
    longest = max(map(len, lines), default=0)

    important_lines: tuple[Sequence[int], Sequence[int]] | None = None  # computed only if some line fits

    def cut(max_chars: int) -> str:
        nonlocal important_lines
        if len(lines) < 3 or longest > max_chars:
            return _cut_inside(text, max_chars, ref)
        if important_lines is None:
            errors = frozenset(result_errors(text, failed))
            error_indices = [index for index, line in enumerate(lines) if line in errors] if errors else []
            important_lines = error_indices, select_lines(lines)
        return _cut_lines(lines, max_chars, ref, *important_lines)

    return _fit(text, tokens, limit, count, cut, ref)


def shorten_prose(text: str, tokens: int, limit: int, count: Count) -> Shortened:
    """Return the head and the tail of a text in at most max(limit, SMALLEST) tokens."""
    ref = text_reference(text)
    return _fit(text, tokens, limit, count, lambda max_chars: _cut_inside(text, max_chars, ref), ref)


def shorten_to(
    text: str,
    tokens: int,
    limit: int,
    count: Count,
    choose: Callable[[int], list[tuple[int, int]]],
    *,
    original: str | None = None,
) -> Shortened:
    """Return the spans of a text that `choose` selects, in at most max(limit, SMALLEST) tokens. `choose`: takes a
    number of characters and returns the spans to keep; if it returns none, the head and the tail are kept. `original`:
    as for `shorten_output`."""
    ref = text_reference(text if original is None else original)
    return _fit(text, tokens, limit, count, lambda max_chars: cut_to_spans(text, max_chars, choose, ref), ref)


def cut_to_spans(text: str, max_chars: int, choose: Callable[[int], list[tuple[int, int]]], ref: str = "") -> str:
    """Return the same as `shorten_to` for `max_chars` characters, without counting tokens."""
    ref = ref or text_reference(text)
    return _cut_sentences(text, choose(max_chars), ref) or _cut_inside(text, max_chars, ref)


def head_and_tail(text: str, max_chars: int) -> str:
    """Return the head and the tail of a text that fit in `max_chars` characters."""
    return _cut_inside(text, max_chars, text_reference(text))


def shorten_arguments(
    text: str, tokens: int, max_chars: int, count: Count, cut: Callable[[str, int], str] = head_and_tail
) -> Shortened:
    """Cut every string longer than `max_chars` characters in the arguments of a call. The result is valid JSON. `cut`:
    cuts a string to about a number of characters.

    Arguments that are not JSON, such as a patch in plain text, are cut as text.
    """
    if len(text) <= max_chars:
        return Shortened(text, tokens)
    try:
        value = parse_json(text)
    except ValueError:
        value = None
    if not isinstance(value, (dict, list)):
        limit = max(MIN_TOKENS, max_chars // 3)
        return _fit(text, tokens, limit, count, lambda length: cut(text, length), text_reference(text))
    value = _cut_strings(value, max_chars, cut)
    shortened = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        shortened.encode("utf-8")
    except UnicodeEncodeError:
        shortened = json.dumps(value, separators=(",", ":"))
    if len(shortened) >= len(text):
        return Shortened(text, tokens)
    short_tokens = count(shortened)
    return Shortened(shortened, short_tokens) if short_tokens < tokens else Shortened(text, tokens)


def _cut_strings(value: Any, max_chars: int, cut: Callable[[str, int], str]) -> Any:
    if isinstance(value, str):
        return value if len(value) <= max_chars + 60 else cut(value, max_chars)
    if isinstance(value, list):
        return [_cut_strings(item, max_chars, cut) for item in value]
    if isinstance(value, dict):
        return {key: _cut_strings(item, max_chars, cut) for key, item in value.items()}
    return value


def _fit(text: str, tokens: int, limit: int, count: Count, cut: Callable[[int], str], ref: str) -> Shortened:
    """Return the longest cut within `limit` tokens that a few attempts by proportion find, each counted once; if none
    fits, return a gap mark alone. Return the text itself if cutting it would not save tokens."""
    if tokens <= limit:
        return Shortened(text, tokens)
    max_chars = int(len(text) * max(limit - 34, limit // 3) / max(1, tokens))
    for _ in range(6):
        if max_chars < 16:
            break
        shortened = cut(max_chars)
        short_tokens = count(shortened)
        if short_tokens <= limit:
            return Shortened(shortened, short_tokens) if short_tokens < tokens else Shortened(text, tokens)
        max_chars = min(int(max_chars * 0.8), int(max_chars * (limit - 4) / short_tokens))
    shortened = f"[… {len(text):,} characters left out · {ref}]"
    short_tokens = count(shortened)
    return Shortened(shortened, short_tokens) if short_tokens < tokens else Shortened(text, tokens)


def _cut_inside(text: str, max_chars: int, ref: str) -> str:
    head, tail = text[: max_chars * 2 // 3], text[len(text) - max_chars // 3 :]
    head = head[: head.rfind(" ")] if 0 < head.rfind(" ") > len(head) * 3 // 4 else head
    space = tail.find(" ")
    tail = tail[space + 1 :] if 0 <= space < len(tail) // 4 else tail
    left_out = len(text) - len(head) - len(tail)
    return f"{head} [… {left_out:,} characters left out · {ref}] {tail}"


def _cut_members(text: str, members: Sequence[JsonMember], max_chars: int, ref: str) -> str:
    """Return the first and the last members of a JSON text that fit whole in `max_chars` characters, with a gap mark
    between them; the mark alone if none fits. Keep no last members if they belong to another object than the first
    ones: a price must not follow the name of something else."""
    head, count = _fitting_members(members, max_chars * 2 // 3)
    last = max(head, len(text) - (max_chars - head))
    last_members = takewhile(lambda member: member.begin > last, reversed(members[count:]))
    depth, tail = min(((member.depth, member.begin) for member in last_members), default=(0, len(text)))
    shared = min(member.depth for member in members[count:]) if 0 < count < len(members) else 1
    if tail == len(text) or depth > shared:
        (head, _), tail = _fitting_members(members, max_chars), len(text)
    mark = f"[… {tail - head:,} characters left out · {ref}]"
    return " ".join(filter(None, (text[:head], mark, text[tail:])))


def _fitting_members(members: Sequence[JsonMember], max_chars: int) -> tuple[int, int]:
    """Return the end of the last member that ends within `max_chars` characters, and the number of members up to it."""
    count = bisect_right(members, max_chars, key=lambda member: member.end)
    return (members[count - 1].end if count else 0), count


def _cut_sentences(text: str, kept: list[tuple[int, int]], ref: str) -> str:
    """Return the kept sentences with gap marks. The first mark says how much is missing in total."""
    if not kept:
        return ""
    kept = _merge_spans(text, kept)
    left_out = len(text) - sum(end - start for start, end in kept)
    gaps = len(kept) - 1 + (kept[0][0] > 0) + (kept[-1][1] < len(text))
    mark = f"[… {left_out:,} characters left out{TOTAL_SUFFIX if gaps > 1 else ''} · {ref}]"
    pieces: list[str] = []
    offset = 0
    for start, end in (*kept, (len(text), len(text))):
        if start > offset:
            before = pieces.pop().rstrip(" \t") if pieces else ""
            # what begins a line in the text, such as a list item or a row of a table, begins one here too
            space = "\n" if "\n" in text[offset:start] else " "
            space = space if before and not before.endswith("\n") else ""
            separator = "\n" if text[start - 1] == "\n" else " "
            pieces.append(f"{before}{space}{mark}{separator if start < len(text) else ''}")
            mark = "…"
        pieces.append(text[start:end])
        offset = end
    return "".join(pieces)


def _merge_spans(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans, in order, merging those with only blanks between them: that is no gap."""
    joined = spans[:1]
    for start, end in spans[1:]:
        if text[joined[-1][1] : start].strip():
            joined.append((start, end))
        else:
            joined[-1] = joined[-1][0], end
    return joined


def _costs_no_more(lines: Sequence[str], mark: str) -> bool:
    """Return whether lines are no longer than the gap mark that would replace them, or are a few blank lines."""
    if len(lines) > len(mark) + 1:  # each line takes at least its line break
        return False
    return sum(len(line) + 1 for line in lines) <= len(mark) + 1 or (
        len(lines) <= _MAX_BLANK_LINES and not any(map(str.strip, lines))
    )


def _cut_lines(
    lines: list[str], max_chars: int, ref: str, error_indices: Sequence[int], selected_indices: Sequence[int]
) -> str:
    """Return the first and last lines, and between them error lines and the lines that were asked for, within
    `max_chars` characters besides gap marks."""
    kept: set[int] = set()

    def take(indices: Iterable[int], share: int) -> int:
        """Keep lines in this order until one does not fit in `share` characters. Return the characters left."""
        for index in indices:
            if index not in kept:
                if len(lines[index]) + 1 > share:
                    break
                share -= len(lines[index]) + 1
                kept.add(index)
        return share

    characters_left = max_chars - max_chars // 2 + take(error_indices, max_chars // 2)
    characters_left = characters_left - characters_left // 2 + take(selected_indices, characters_left // 2)
    characters_left = characters_left - characters_left // 2 + take(range(len(lines)), characters_left // 2)
    take(range(len(lines) - 1, -1, -1), characters_left)
    output: list[str] = []
    next_index, reference_suffix = 0, f" · {ref}"
    for index in (*sorted(kept), len(lines)):
        if gap := index - next_index:
            mark = f"[… {gap:,} line{'s' * (gap > 1)} left out{reference_suffix}]"
            if _costs_no_more(lines[next_index:index], mark):
                output += lines[next_index:index]
            else:
                output.append(mark)
                reference_suffix = ""  # only the first mark refers to the original
        if index < len(lines):
            output.append(lines[index])
        next_index = index + 1
    return "\n".join(output)
