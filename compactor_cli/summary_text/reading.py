"""What a later round reads from a summary of any form: its lines, and who said them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from compactor_cli.summary_text.excerpts import (
    EARLIER_SUMMARY,
    EARLIER_USER,
    INSTRUCTIONS,
    LEGEND,
    earlier_heading,
    harmless,
    is_said_by,
    quoted_parts,
    speaker_of,
    unquoted,
)
from compactor_cli.summary_text.headers import body_start, covered, quotes_lines
from compactor_cli.summary_text.state_block import state_spans
from compactor_cli.summary_text.verbatim import (
    LAST_REQUEST_WAS,
    CarriedSpan,
    carried_spans,
    ending,
    quoted_span,
    speaker_in,
)
from compactor_cli.text.patterns import compiled_later

_TITLE = compiled_later(r"^### .*$", re.MULTILINE)
_LEGEND = compiled_later(rf"^(?:{EARLIER_SUMMARY})*{re.escape(LEGEND)}$", re.MULTILINE)
"""The legend for quoted lines, which an earlier round may have quoted as a line."""
_FOLLOWED = compiled_later(r"\[#(\d+)(?:-\d+)?\]")


class EarlierWords(Struct, frozen=True):
    """Words of a message that a summary contains verbatim."""

    label: str
    """Number and speaker, such as `#12 user`; only the speaker if the summary does not give the number."""
    start: int
    end: int
    text: str


def earlier_words(text: str, speaker: str) -> list[EarlierWords]:
    """Return a speaker's words that a summary repeats or quotes, in the order of the text."""
    repeated = [
        EarlierWords(span.label, span.start, span.end, span.words(text))
        for span in carried_spans(text)
        if speaker_in(span.label) == speaker
    ]
    return sorted([*repeated, *quoted_words(text, speaker)], key=lambda words: words.start)


def quoted_words(text: str, speaker: str) -> Iterator[EarlierWords]:
    """Yield the lines that a summary quotes from a speaker."""
    begin, end = _quoting(text)
    for part in quoted_parts(text[begin:end]):
        if is_said_by(speaker, part.heading):
            start, stop = begin + part.start, begin + part.end
            yield EarlierWords(part.heading.removesuffix(": "), start, stop, unquoted(text[start:stop]))


def heading_at(text: str, position: int, carried: Iterable[CarriedSpan]) -> tuple[str, int]:
    """Return the heading for a line of a summary that a later round quotes, and the heading's position."""
    for span in carried:
        if span.label == "user" and span.start <= position < span.end:
            return EARLIER_USER, span.start
    return earlier_heading(text, position)


def in_turn(text: str) -> str:
    """Return a summary of quoted lines with its final request moved to its place in time order. If the summary names
    the messages that followed the request, the place is before them. Otherwise it is after the last message from
    which nothing is quoted."""
    ends = ending(text)
    if ends.last == len(text) or not quotes_lines(text):
        return text
    begin, end = _quoting(text)
    quoted = [
        (speaker.message, begin + part.start - len(part.heading), speaker.name)
        for part in quoted_parts(text[begin:end])
        if (speaker := speaker_of(part.heading)) is not None and speaker.message is not None
    ]
    numbers = {number for number, _, _ in quoted}
    followed = _FOLLOWED.search(text, ends.since, ends.last)
    last_request = max((number for number, _, name in quoted if name == "user"), default=-1)
    missing = [number for number in covered(text) if number > last_request and number not in numbers]
    first = int(followed[1]) if followed else max(missing, default=max(numbers, default=0) + 1)
    place = min((start for number, start, _ in quoted if number >= first), default=-1)
    words = harmless(text[ends.words :]).replace("\n", "\n ")
    if place < 0:
        place = next((start for start, _ in state_spans(text) if begin <= start < ends.since), -1)
    if place < 0:
        return f"{text[: ends.since]}\n{EARLIER_USER}{words}"
    return f"{text[:place]}{EARLIER_USER}{words}\n{text[place : ends.since]}"


def readable(text: str, *, quoted_only: bool = False) -> str:
    """Return the summary with everything blanked out that is not a line of the session: its headings, and the state,
    which later rounds compute anew. `quoted_only`: keep only the quoted lines, without words that later rounds
    repeat and without their headings."""
    if quoted_only:
        begin, end = _quoting(text)
        carried = [words for name in ("user", INSTRUCTIONS) for words in earlier_words(text, name)]
        carried_lines = ((text.rfind("\n", 0, words.start) + 1, words.end) for words in carried)
        return _blanked(text, [(0, begin), (end, len(text)), *carried_lines])
    spans = carried_spans(text)
    titles = (match.span() for pattern in (_TITLE, _LEGEND) for match in pattern.finditer(text))
    frame = [*state_spans(text), *titles, *_marks(text, spans)]
    outside = (span for span in frame if not any(carried.start <= span[0] < carried.end for carried in spans))
    return _blanked(text, [(0, body_start(text)), *outside])


def _quoting(text: str) -> tuple[int, int]:
    """Return the span of the lines that a summary quotes, after the messages that it repeats."""
    if not quotes_lines(text):
        return quoted_span(text)
    begin = max((span.end for span in carried_spans(text) if span.label != "user"), default=body_start(text))
    end = ending(text).since
    return begin, min((start for start, _ in state_spans(text[:end])), default=end)


def _marks(text: str, carried: Sequence[CarriedSpan]) -> Iterator[tuple[int, int]]:
    """Yield the spans before repeated words that are not part of them."""
    for span in carried:
        if span.moved_in:
            yield text.rfind("(", 0, span.start), span.start
        elif text.endswith(LAST_REQUEST_WAS, 0, span.start):
            ends = ending(text, max((other.end for other in carried if other is not span), default=0))
            yield ends.since, ends.said
            yield ends.last, ends.words


def _blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text of the same length with spaces in some spans; line breaks are kept."""
    pieces, offset = [], 0
    for start, end in sorted(spans):
        if end > offset:
            blanked = text[max(offset, start) : end]
            pieces += [text[offset:start], "\n".join(" " * len(line) for line in blanked.split("\n"))]
            offset = end
    return "".join([*pieces, text[offset:]])
