"""Read what a reader sees of a transcript, and find where sentences occur in it.

Nothing here knows how summaries are written: all visible text is treated alike, line by line.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from compactor_cli.model.message import Message, Part
from compactor_cli.text.clean import plain
from compactor_cli.text.json_values import leaves, parse_json
from compactor_cli.views.survival.normal_form import folded_lines, is_short, without_label, without_references

_VISIBLE = ("text", "tool_call", "tool_result")
_BEGINNINGS = re.compile(r"[^\w\s]\s*(?=\w)")
_IN_QUOTES = re.compile(r"\"([^\"]{1,40})\"|(?<!\w)'([^'\"]{1,40})'(?!\w)")
_MAX_TITLE_CHARS = 120
_TITLE = re.compile(r"\s{0,3}(?:#{1,6} \S|\*\*[^*]+\*\*:?\s*$)")
_PREFIX_LENGTHS = (4, 12, 48, 192)


Places = Mapping[str, Sequence[int]]
"""Text -> its positions, in order."""


class OtherLine(Struct, frozen=True):
    """A line that belongs neither to a tool nor to a request."""

    message: int
    text: str
    heading: str


class FoldedText(Struct, frozen=True):
    """All visible text in one normalized string, with the positions of its lines."""

    text: str
    starts: frozenset[int]
    ends: frozenset[int]
    alone: dict[str, list[int]]
    """Short texts that are a whole line or message, or are in quotes -> positions of these lines."""
    lines: tuple[OtherLine, ...]


def read_transcript(messages: Sequence[Message]) -> FoldedText:
    """Return the visible texts of messages: what is said, what tools are asked, and what they answer."""
    pieces: list[str] = []
    starts: set[int] = set()
    line_ends: set[int] = set()
    alone: dict[str, list[int]] = defaultdict(list)
    lines: list[OtherLine] = []
    position = 0
    for message in messages:
        for part in message.parts:
            if part.kind not in _VISIBLE:
                continue
            visible = _visible_text(part)
            folded = folded_lines(visible)
            if part.kind == "text" and message.origin != "request":
                lines += _lines_with_headings(message.index, visible, folded)
            for line in folded:
                if line:
                    for text in set(_separate_texts(line)):
                        alone[text].append(position)
                    pieces.append(line)
                    starts.add(position)
                    line_ends.add(position + len(line))
                    position += len(line) + 1
        pieces.append("\n")  # no sentence continues in the next message
        position += 2
    return FoldedText(" ".join(pieces), frozenset(starts), frozenset(line_ends), dict(alone), tuple(lines))


def find_keys(keys: Iterable[str], reading: FoldedText, cut: Collection[str] = ()) -> Places:
    """Return the positions of each of these texts, normalized by `normal_form`, that occurs. A match must begin where a
    sentence can begin and end where one can end; texts in `cut` may continue. Takes one pass over the reading."""
    wanted_keys = set(keys)
    searched = {key for key in wanted_keys if key in cut or not is_short(key)}
    places = {key: list(reading.alone[key]) for key in (wanted_keys - searched) & reading.alone.keys()}
    anchors, lengths = _anchored(searched)
    text = reading.text
    word_starts = {match.end() for match in _BEGINNINGS.finditer(text)}
    for position in sorted(word_starts | reading.starts):
        for size in anchors:
            for length in lengths.get(text[position : position + size], ()):
                key = text[position : position + length]
                if key in searched and (key in cut or _ends_there(reading, position + length)):
                    places.setdefault(key, []).append(position)
    return places


def find_in_messages(messages: Iterable[Message], keys: Collection[str]) -> Places:
    """Return the positions of each text that occurs in the messages, which are read one by one."""
    places_of: dict[str, list[int]] = {}
    offset = 0
    for message in messages:
        reading = read_transcript([message])
        for key, places in find_keys(keys, reading).items():
            places_of.setdefault(key, []).extend(offset + position for position in places)
        offset += len(reading.text) + 1
    return places_of


def _anchored(keys: Iterable[str]) -> tuple[list[int], dict[str, list[int]]]:
    """Return the prefix lengths in use, and prefix -> lengths of the texts that begin with it."""
    sizes: set[int] = set()
    lengths: dict[str, set[int]] = defaultdict(set)
    for key in keys:
        size = max((size for size in _PREFIX_LENGTHS if size <= len(key)), default=len(key))
        sizes.add(size)
        lengths[key[:size]].add(len(key))
    return sorted(sizes), {anchor: sorted(sizes_of) for anchor, sizes_of in lengths.items()}


def _ends_there(reading: FoldedText, end: int) -> bool:
    """Return whether a sentence can end here: at a line's end, or where no word or number goes on."""
    text = reading.text
    if end in reading.ends or end >= len(text):
        return True
    following = text[end : end + 2]
    if following[0].isspace():
        return not (following[1:].isalnum() or following[1:] == "_")
    if following[0].isalnum() or following[0] == "_":
        return False
    return not (text[end - 1].isdigit() and following[0] in ".,:" and following[1:].isdigit())


def _visible_text(part: Part) -> str:
    """Return a part as a reader sees it. The arguments of a call are listed one per line, without JSON syntax."""
    if part.kind != "tool_call":
        return part.text
    try:
        value = parse_json(part.text)
    except ValueError:
        return part.text
    return "\n".join(str(leaf) for leaf in leaves(value) if leaf is not None)


def _lines_with_headings(message: int, text: str, folded: Sequence[str]) -> Iterator[OtherLine]:
    """Yield the lines of a text with their headings. A heading with `#` applies up to the next one, a line that ends
    with a colon to the lines directly below it."""
    title = heading_above = ""
    listed = False
    for raw, line in zip(plain(text).split("\n"), folded, strict=True):
        if not line:
            heading_above = "" if listed else heading_above
            continue
        yield OtherLine(message, line, heading_above or title)
        listed = True
        if _TITLE.match(raw):
            title, heading_above = line, ""
        elif line.endswith(":"):
            heading_above, listed = line, False


def _separate_texts(line: str) -> Iterator[str]:
    """Yield short texts that a line contains apart from other words."""
    if len(line) <= _MAX_TITLE_CHARS:
        yield from (text for text in (without_label(line), without_references(line)) if text and is_short(text))
    if '"' in line or "'" in line:
        for match in _IN_QUOTES.finditer(line):
            text = without_references(match[1] or match[2])
            if text and is_short(text):
                yield text
