"""Select which sentences of a text to keep: the intelligent truncation of seed 000."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf

from msgspec import Struct

from compactor_cli.text.clauses import LEADS_ON, in_item
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.points import ends_none
from compactor_cli.text.section_headings import heading_before, heading_between, is_heading

KEYWORD, DECISION, MARKER = 10, 5, 3
"""Points of a sentence: for each keyword, for words of decision, and for markers of importance."""
_DECIDING = ("decided", "concluded", "agreed", "will", "won't", "must", "should")
_DECISION = compiled_later(rf"\b(?:{'|'.join(_DECIDING)})\b", re.IGNORECASE, _DECIDING)
_MARKING = ("important", "critical", "key", "essential", "note")
_MARKER = compiled_later(rf"\b(?:{'|'.join(_MARKING)})\b", re.IGNORECASE, _MARKING)
_SENTENCE = compiled_later(r"[^\n]*?(?:(?<![.!?])([.!?]+)(?=\s)[^\S\n]*|[。！？।॥۔؟።]+|\n|$)")
_NUMBER = compiled_later(r"[^\w\n]*\w{1,3}[.)]\s*")
"""The number before a list item, or after the mark of a heading."""
_ROW = compiled_later(r"[ \t]*\|")
"""How a row of a table begins."""
_MARKUP = compiled_later(r"\s*(?:</?[A-Za-z][^<>]*>|`{3,}.*|~{3,}.*|([-=])\1{2,}.*\1{3,})\s*")
"""A line that says nothing without the lines around it."""
_CODE = compiled_later(
    r"^(?:(?=[ \t]*`)|(?<!\w\n))[ \t]*(`{3,}(?!`)|~{3,}(?!~))([^\n]*)\n"
    r"(?:(?![ \t]*\1)[^\n]*\n)*[ \t]*\1[`~]*[ \t]*(?:\n|\Z)",
    re.MULTILINE,
)
"""A code block between fences. Tildes below a line of words are not a fence: they underline it."""
_NO_LANGUAGE = ("", "text", "txt", "md", "markdown", "plaintext")
_SAID = compiled_later(r"\s*(?:[-*•]|\d+[.)])?[ \t]*\w[^\n]*[ \t][^\n]*[.!?。！？][\"')*_]*\s*")
"""A line of a block that is a sentence."""
_FENCE = compiled_later(r"`{3}|~{3}")
_BLOCK, _LINES = 1_200, 4
"""Maximum characters of a code block that is kept whole or not at all, and its minimum lines, counted by line breaks
and including the fences."""
_WORD = compiled_later(r"\w")
_BEGINS_WITH_IT = compiled_later(
    r"\W*(?:this|that|these|those|it|they|such|otherwise|instead|in (?:this|that) case|dies|sonst|esto|eso|cela|ça"
    r"|sinon)\b",
    re.IGNORECASE,
)
"""The beginning of a sentence that refers to the one before it, in languages whose words are listed here."""
_OF_THESE = compiled_later(
    r"\bth[eo]se\b(?=[.,;:!?]|\s+(?:for|to|in|on|as|is|are|must|can|may|will|should|before|after)\b)"
    r"|\bth(?:is|at)(?=[.!?]+\W*$)",
    re.IGNORECASE,
)
"""A reference to the sentence before it, inside of a sentence or at its end."""
_SHORT = 80
"""A sentence with fewer characters is taken to continue the one before it."""
_MOST_BEFORE, _MOST_SHORT = 3, 20
"""Maximum sentences that are kept before one that refers back, and maximum short sentences before one that continues
them. A limit is needed because a whole prompt may be a single line."""
_ALL_OF_IT = 160
"""A budget with fewer characters may go to the first words alone; of a larger one they get half."""
_GRAM = 3
"""Characters of the pieces by which keywords are indexed, so that many keywords cost no more time than few."""


class Keywords:
    """Words and names to look for, ignoring case, and inside of longer words too."""

    def __init__(self, words: Iterable[str]) -> None:
        self._short: list[str] = []
        self._by_piece: defaultdict[str, list[str]] = defaultdict(list)
        for word in sorted({word.lower() for word in words if word.strip()}):
            if len(word) < _GRAM:
                self._short.append(word)
            else:
                self._by_piece[word[:_GRAM]].append(word)

    def hits(self, sentence: str) -> int:
        """Return how many of them are in a sentence."""
        lowered = sentence.lower()
        count = sum(word in lowered for word in self._short)
        if self._by_piece:
            pieces = {lowered[index : index + _GRAM] for index in range(len(lowered) - _GRAM + 1)}
            for piece in pieces & self._by_piece.keys():
                count += sum(word in lowered for word in self._by_piece[piece])
        return count


def points(sentence: str, keywords: Keywords) -> int:
    """Return the points that seed 000 gives: 10 per keyword, 5 for words of decision, 3 for markers of importance."""
    score = KEYWORD * keywords.hits(sentence)
    score += DECISION if _DECISION.search(sentence) else 0
    score += MARKER if _MARKER.search(sentence) else 0
    return score


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences. The number of an item is not a sentence, a row of a table is one, and no
    sentence ends inside of code in backquotes."""
    start = begin = counted = marks = 0
    is_row = _ROW.match(text) is not None
    for match in _SENTENCE.finditer(text):
        line_ends = text.startswith("\n", match.end() - 1)
        if is_row and not line_ends and match.end() < len(text):
            continue
        marks += text.count("`", counted, match.end())
        counted = match.end()
        if begin == counted or (not line_ends and (marks % 2 or _NUMBER.fullmatch(text, begin, counted))):
            continue
        if match[1] == "." and not line_ends and ends_none(text, match.start(1)):
            continue
        is_row = line_ends and _ROW.match(text, match.end()) is not None
        if start < begin and (text[begin - 1] == "\n" or _WORD.search(text, begin, counted)):
            yield start, begin
            start = begin
        begin, marks = counted, 0
    if start < len(text):
        yield start, len(text)


def with_code(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the spans, merging those inside of a code block: one line of code is not a rule."""
    shorter = (block for block in _CODE.finditer(text) if len(block[0]) <= _BLOCK and block[0].count("\n") >= _LINES)
    blocks = [block.span() for block in shorter if _is_code(block)][::-1]

    def is_inside(start: int, end: int, _: bool) -> bool:
        while blocks and blocks[-1][1] <= start:
            blocks.pop()
        return bool(blocks) and blocks[-1][0] <= start and end < blocks[-1][1]

    yield from _merged(text, spans, is_inside)


def _led(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the spans, merging a heading, or a sentence that ends with a colon, with the sentence after it. Alone they
    would only say what is missing."""

    def leads(start: int, end: int, begun: bool) -> bool:
        said = text[start:end].strip()
        if said.rstrip("*_").endswith(LEADS_ON) or is_heading(said):
            return True
        return begun and not says_something(said) and not _FENCE.match(said)

    yield from _merged(text, with_code(text, spans), leads)


def _merged(
    text: str, spans: Iterable[tuple[int, int]], joins: Callable[[int, int, bool], bool]
) -> Iterator[tuple[int, int]]:
    """Yield the spans, each merged with those right before it that join the next one. `joins`: takes the start and the
    end of a span, and whether the one before it joins it."""
    begun: int | None = None
    for start, end in spans:
        if joins(start, end, begun is not None):
            begun = start if begun is None else begun
            continue
        yield (start if begun is None else begun), end
        begun = None
    if begun is not None:
        yield begun, len(text)


class Preferred(Struct, frozen=True):
    """Sentences of a text that come before all others, whatever their points."""

    opening: bool = False
    """The first one, which says what all others are about; its first words if it does not fit."""
    closing: bool = False
    """The last one."""
    ending: float = 0.0
    """Those at the end, without a gap, that fit in this share of the characters."""
    picked: tuple[tuple[int, int], ...] = ()
    """Those that overlap with these spans."""


BY_POINTS = Preferred()
"""No sentence is preferred: only points count."""


def kept_sentences(
    text: str, characters_left: int, keywords: Keywords, preferred: Preferred = BY_POINTS
) -> list[tuple[int, int]]:
    """Return the spans of the sentences with the most points, as many as fit, in text order. Between equal ones the
    earlier wins. A sentence that refers to the one before it in its line, or is short and has no points, is kept only
    together with that one. Return an empty list if none fits, or if the text is a single sentence."""
    spans = list(_led(text, sentence_spans(text)))
    if len(spans) < 2:
        return []
    scores = [float(points(text[start:end], keywords)) for start, end in spans]
    pointless = [not score for score in scores]
    telling = [at for at, span in enumerate(spans) if says_something(text[slice(*span)])]
    scores = _preferring(spans, scores, telling, preferred, characters_left)
    begun = first_words(text, spans[telling[0]], characters_left) if preferred.opening and telling else None
    if begun:
        characters_left -= begun[1] - begun[0]
    kept: set[int] = set()
    headed: set[tuple[int, int]] = set()
    stays: dict[int, bool] = {}
    """Whether a sentence without points is kept; these are handled in text order, so a later sentence that continues
    one need not look further back."""
    for index in sorted(telling, key=lambda at: -scores[at]):
        if index in kept:
            continue
        first = index
        while first not in stays and _needs_more(text, spans, first, index, pointless=pointless[index]):
            first -= 1
        bundle = set(range(first, index + 1)) - kept
        size = sum(spans[number][1] - spans[number][0] for number in bundle)
        heading = heading_before(text, spans[first][1])
        if heading and kept:
            size += _for_heading(heading, spans[first][0], told=heading in headed)
        fits = stays.get(first, True) and size <= characters_left
        if fits:
            characters_left -= size
            kept |= bundle
            headed |= {heading} if heading else set()
        if not scores[index]:
            stays[index] = fits
    return list(_with_headings(text, [*([begun] if begun else []), *(spans[index] for index in sorted(kept))]))


def _preferring(
    spans: Sequence[tuple[int, int]],
    scores: Sequence[float],
    telling: Sequence[int],
    preferred: Preferred,
    room: int,
) -> list[float]:
    """Return the points of the sentences; infinite for those that are preferred."""
    scores = list(scores)
    for at in (*(telling[:1] if preferred.opening else ()), *(telling[-1:] if preferred.closing else ())):
        scores[at] = inf
    for at in (*_at_end(spans, int(preferred.ending * room)), *_within(spans, preferred.picked)):
        scores[at] = inf
    return scores


def _is_code(block: re.Match[str]) -> bool:
    """Return whether a block is code. A block without a language is not code if most of its lines are sentences."""
    if block[2].strip().lower() not in _NO_LANGUAGE:
        return True
    lines = [line for line in block[0].split("\n")[1:] if _WORD.search(line)]
    return 2 * sum(_SAID.fullmatch(line) is not None for line in lines) <= len(lines)


def _for_heading(heading: tuple[int, int], start: int, *, told: bool) -> int:
    """Return the characters that the heading of a sentence adds to it. The result is negative if the sentence, at
    `start`, begins with its heading, and another sentence has already paid for that (`told`)."""
    length = heading[1] - heading[0]
    if heading[0] >= start:
        return -length if told else 0
    return 0 if told else length


def _with_headings(text: str, kept: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the spans. Insert the heading before a span that is under another heading than the span before it."""
    offset: int | None = None
    for start, end in kept:
        if offset is not None and (heading := heading_between(text, offset, start)):
            yield heading
        yield start, end
        offset = end


def _within(spans: Sequence[tuple[int, int]], picked: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Yield the numbers of the sentences that overlap with a picked span."""
    for first, last in picked:
        yield from (at for at, (start, end) in enumerate(spans) if start < last and end > first)


def _at_end(spans: Sequence[tuple[int, int]], room: int) -> Iterator[int]:
    """Yield the numbers of the last sentences that fit together in `room` characters, from the end."""
    for at in range(len(spans) - 1, -1, -1):
        room -= spans[at][1] - spans[at][0]
        if room < 0:
            return
        yield at


def first_words(text: str, span: tuple[int, int], room: int) -> tuple[int, int] | None:
    """Return the span of the first words of a sentence that is longer than `room` characters: as many as fit, or as fit
    in half if `room` is large. Return None if the whole sentence or no word fits."""
    start, end = span
    if end - start <= room:
        return None
    end = text.rfind(" ", start, start + (room if room < _ALL_OF_IT else room // 2))
    return (start, end) if end > start else None


def says_something(sentence: str) -> bool:
    return _WORD.search(sentence) is not None and not _MARKUP.fullmatch(sentence)


def _needs_more(text: str, spans: Sequence[tuple[int, int]], index: int, asked: int, *, pointless: bool) -> bool:
    """Return whether a sentence makes little sense without the one before it in its line: it refers to that, is inside
    of a list item, or is short and has no points. `asked` is the sentence to keep, at `index` or later. Only a limited
    number of sentences before `asked` may be added to it."""
    start, end = spans[index]
    if index == 0 or text[start - 1] == "\n":
        return False
    if pointless and end - start < _SHORT and asked - index < _MOST_SHORT:
        return True
    return asked - index < _MOST_BEFORE and (in_item(text, start) or goes_on(text, start, end))


def goes_on(text: str, start: int, end: int) -> bool:
    """Return whether a sentence refers to what the one before it says."""
    return bool(_BEGINS_WITH_IT.match(text, start, end) or _OF_THESE.search(text, start, end))
