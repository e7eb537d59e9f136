"""Select which sentences of a text to keep: the intelligent truncation of seed 000."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf

from msgspec import Struct

from compactor_cli.text.clauses import LEAD_ENDS, is_in_item
from compactor_cli.text.full_stops import is_no_sentence_end
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.section_headings import heading_between, is_heading

KEYWORD, DECISION, MARKER = 10, 5, 3
"""Points of a sentence: for each keyword, for words of decision, and for markers of importance."""
_DECISION_WORDS = ("decided", "concluded", "agreed", "will", "won't", "must", "should")
_DECISION = compiled_later(rf"\b(?:{'|'.join(_DECISION_WORDS)})\b", re.IGNORECASE, _DECISION_WORDS)
_MARKER_WORDS = ("important", "critical", "key", "essential", "note")
_MARKER = compiled_later(rf"\b(?:{'|'.join(_MARKER_WORDS)})\b", re.IGNORECASE, _MARKER_WORDS)
_SENTENCE = compiled_later(r"[^\n]*?(?:(?<![.!?])([.!?]+)(?=\s)[^\S\n]*|[。！？।॥۔؟።]+|\n|$)")
_ITEM_NUMBER = compiled_later(r"[^\w\n]*\w{1,3}[.)][^\w\n]*")
"""The number before a list item, or after the mark of a heading."""
_TABLE_ROW = compiled_later(r"[ \t]*\|")
"""How a row of a table begins."""
_MARKUP_LINE = compiled_later(r"\s*(?:</?[A-Za-z][^<>]*>|`{3,}.*|~{3,}.*|([-=])\1{2,}.*\1{3,})\s*")
"""A line that says nothing without the lines around it."""
_CODE = compiled_later(
    r"^(?:(?=[ \t]*`)|(?<!\w\n))[ \t]*(`{3,}(?!`)|~{3,}(?!~))([^\n]*)\n"
    r"(?:(?![ \t]*\1)[^\n]*\n)*[ \t]*\1[`~]*[ \t]*(?:\n|\Z)",
    re.MULTILINE,
)
"""A code block between fences. Tildes below a line of words are not a fence: they underline it."""
_TEXT_LANGUAGES = ("", "text", "txt", "md", "markdown", "plaintext")
_SENTENCE_LINE = compiled_later(r"\s*(?:[-*•]|\d+[.)])?[ \t]*\w[^\n]*[ \t][^\n]*[.!?。！？][\"')*_]*\s*")
"""A line of a block that is a sentence."""
_FENCE = compiled_later(r"`{3}|~{3}")
_MAX_BLOCK_CHARS, _MIN_BLOCK_LINES = 1_200, 4
"""Maximum characters of a code block that is kept whole or not at all, and its minimum lines, counted by line breaks
and including the fences."""
_WORD = compiled_later(r"\w")
_REFERRING_START = compiled_later(
    r"\W*(?:this|that|these|those|it|they|such|otherwise|instead|in (?:this|that) case|dies|sonst|esto|eso|cela|ça"
    r"|sinon)\b",
    re.IGNORECASE,
)
"""The beginning of a sentence that refers to the one before it, in languages whose words are listed here."""
_INNER_REFERENCE = compiled_later(
    r"\bth[eo]se\b(?=[.,;:!?]|\s+(?:for|to|in|on|as|is|are|must|can|may|will|should|before|after)\b)"
    r"|\bth(?:is|at)(?=[.!?]+\W*$)",
    re.IGNORECASE,
)
"""A reference to the sentence before it, inside of a sentence or at its end."""
_MIN_SENTENCE_CHARS = 80
"""A sentence with fewer characters is taken to continue the one before it."""
_MAX_REFERRED, _MAX_CONTINUED = 3, 20
"""Maximum sentences that are kept before one that refers back, and maximum short sentences before one that continues
them. A limit is needed because a whole prompt may be a single line."""
_MAX_OPENING_CHARS = 160
"""A budget with fewer characters may go to the first words alone; of a larger one they get half."""
_INDEX_CHARS = 3
"""Characters of the pieces by which keywords are indexed, so that many keywords cost no more time than few."""


class Keywords:
    """Words and names to look for, ignoring case, and inside of longer words too."""

    def __init__(self, words: Iterable[str]) -> None:
        self._short: list[str] = []
        self._by_beginning: defaultdict[str, list[str]] = defaultdict(list)
        for word in sorted({word.lower() for word in words if word.strip()}):
            if len(word) < _INDEX_CHARS:
                self._short.append(word)
            else:
                self._by_beginning[word[:_INDEX_CHARS]].append(word)

    def count_in(self, sentence: str) -> int:
        """Return how many of them are in a sentence."""
        lowered = sentence.lower()
        count = sum(word in lowered for word in self._short)
        if self._by_beginning:
            pieces = {lowered[index : index + _INDEX_CHARS] for index in range(len(lowered) - _INDEX_CHARS + 1)}
            for piece in pieces & self._by_beginning.keys():
                count += sum(word in lowered for word in self._by_beginning[piece])
        return count


def sentence_points(sentence: str, keywords: Keywords) -> int:
    """Return the points that seed 000 gives: 10 per keyword, 5 for words of decision, 3 for markers of importance."""
    score = KEYWORD * keywords.count_in(sentence)
    score += DECISION if _DECISION.search(sentence) else 0
    score += MARKER if _MARKER.search(sentence) else 0
    return score


def sentence_spans(text: str, ends: re.Pattern[str] = _SENTENCE) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences. The number of an item is not a sentence, a row of a table is one, and no
    sentence ends inside of code in backquotes. `ends`: matches up to where a sentence may end; its first group are
    the full stops."""
    start = sentence_start = counted_to = marks = 0
    is_row = _TABLE_ROW.match(text) is not None
    for match in ends.finditer(text):
        line_ends = text.startswith("\n", match.end() - 1)
        if is_row and not line_ends and match.end() < len(text):
            continue
        marks += text.count("`", counted_to, match.end())
        counted_to = match.end()
        if sentence_start == counted_to or (
            not line_ends and (marks % 2 or _ITEM_NUMBER.fullmatch(text, sentence_start, counted_to))
        ):
            continue
        if match[1] == "." and not line_ends and is_no_sentence_end(text, match.start(1)):
            continue
        is_row = line_ends and _TABLE_ROW.match(text, match.end()) is not None
        if start < sentence_start and (
            text[sentence_start - 1] == "\n" or _WORD.search(text, sentence_start, counted_to)
        ):
            yield start, sentence_start
            start = sentence_start
        sentence_start, marks = counted_to, 0
    if start < len(text):
        yield start, len(text)


def merge_code_blocks(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the spans, merging those inside of a code block: one line of code is not a rule."""
    small_blocks = (
        block
        for block in _CODE.finditer(text)
        if len(block[0]) <= _MAX_BLOCK_CHARS and block[0].count("\n") >= _MIN_BLOCK_LINES
    )
    blocks = [block.span() for block in small_blocks if _is_code(block)][::-1]

    def is_inside(start: int, end: int, _: bool) -> bool:
        while blocks and blocks[-1][1] <= start:
            blocks.pop()
        return bool(blocks) and blocks[-1][0] <= start and end < blocks[-1][1]

    yield from _merge_joined(text, spans, is_inside)


def _merge_lead_ins(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the spans, merging a heading, or a sentence that ends with a colon, with the sentence after it. Alone they
    would only say what is missing."""

    def leads(start: int, end: int, has_begun: bool) -> bool:
        sentence = text[start:end].strip()
        if sentence.rstrip("*_").endswith(LEAD_ENDS) or is_heading(sentence):
            return True
        return has_begun and not has_content(sentence) and not _FENCE.match(sentence)

    yield from _merge_joined(text, merge_code_blocks(text, spans), leads)


def _merge_joined(
    text: str, spans: Iterable[tuple[int, int]], joins: Callable[[int, int, bool], bool]
) -> Iterator[tuple[int, int]]:
    """Yield the spans, each merged with those right before it that join the next one. `joins`: takes the start and the
    end of a span, and whether the one before it joins it."""
    merged_start: int | None = None
    for start, end in spans:
        if joins(start, end, merged_start is not None):
            merged_start = start if merged_start is None else merged_start
            continue
        yield (start if merged_start is None else merged_start), end
        merged_start = None
    if merged_start is not None:
        yield merged_start, len(text)


class Preference(Struct, frozen=True):
    """Sentences of a text that come before all others, whatever their points."""

    opening: bool = False
    """The first one, which says what all others are about; its first words if it does not fit."""
    closing: bool = False
    """The last one."""
    ending: float = 0.0
    """Those at the end, without a gap, that fit in this share of the characters."""


NO_PREFERENCE = Preference()
"""No sentence is preferred: only points count."""


def kept_sentences(
    text: str, characters_left: int, keywords: Keywords, preferred: Preference = NO_PREFERENCE
) -> list[tuple[int, int]]:
    """Return the spans of the sentences with the most points, as many as fit, in text order. Between equal ones the
    earlier wins. A sentence that refers to the one before it in its line, or is short and has no points, is kept only
    together with that one. Return an empty list if none fits, or if the text is a single sentence."""
    spans = list(_merge_lead_ins(text, sentence_spans(text)))
    if len(spans) < 2:
        return []
    scores = [float(sentence_points(text[start:end], keywords)) for start, end in spans]
    pointless = [not score for score in scores]
    candidates = [position for position, span in enumerate(spans) if has_content(text[slice(*span)])]
    scores = _with_preferred(spans, scores, candidates, preferred, characters_left)
    opening_span = (
        first_words(text, spans[candidates[0]], characters_left) if preferred.opening and candidates else None
    )
    if opening_span:
        characters_left -= opening_span[1] - opening_span[0]
    kept: set[int] = set()
    is_kept: dict[int, bool] = {}
    """Whether a sentence without points is kept; these are handled in text order, so a later sentence that continues
    one need not look further back."""
    for index in sorted(candidates, key=lambda position: -scores[position]):
        if index in kept:
            continue
        first = index
        while first not in is_kept and _needs_more(text, spans, first, index, pointless=pointless[index]):
            first -= 1
        bundle = set(range(first, index + 1)) - kept
        size = sum(spans[number][1] - spans[number][0] for number in bundle)
        fits = is_kept.get(first, True) and size <= characters_left
        if fits:
            characters_left -= size
            kept |= bundle
        if not scores[index]:
            is_kept[index] = fits
    return list(
        _with_headings(text, [*([opening_span] if opening_span else []), *(spans[index] for index in sorted(kept))])
    )


def _with_preferred(
    spans: Sequence[tuple[int, int]],
    scores: Sequence[float],
    candidates: Sequence[int],
    preferred: Preference,
    max_chars: int,
) -> list[float]:
    """Return the points of the sentences; infinite for those that are preferred."""
    scores = list(scores)
    for index in (*(candidates[:1] if preferred.opening else ()), *(candidates[-1:] if preferred.closing else ())):
        scores[index] = inf
    for index in _last_fitting(spans, int(preferred.ending * max_chars)):
        scores[index] = inf
    return scores


def _is_code(block: re.Match[str]) -> bool:
    """Return whether a block is code. A block without a language is not code if most of its lines are sentences."""
    if block[2].strip().lower() not in _TEXT_LANGUAGES:
        return True
    lines = [line for line in block[0].split("\n")[1:] if _WORD.search(line)]
    return 2 * sum(_SENTENCE_LINE.fullmatch(line) is not None for line in lines) <= len(lines)


def _with_headings(text: str, kept: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the spans. Insert the heading before a span that is under another heading than the span before it."""
    offset: int | None = None
    for start, end in kept:
        if offset is not None and (heading := heading_between(text, offset, start)):
            yield heading
        yield start, end
        offset = end


def _last_fitting(spans: Sequence[tuple[int, int]], max_chars: int) -> Iterator[int]:
    """Yield the numbers of the last sentences that fit together in `max_chars` characters, from the end."""
    for index in range(len(spans) - 1, -1, -1):
        max_chars -= spans[index][1] - spans[index][0]
        if max_chars < 0:
            return
        yield index


def first_words(text: str, span: tuple[int, int], max_chars: int) -> tuple[int, int] | None:
    """Return the span of the first words of a sentence that is longer than `max_chars` characters: as many as fit, or
    as fit in half if `max_chars` is large. Return None if the whole sentence or no word fits."""
    start, end = span
    if end - start <= max_chars:
        return None
    end = text.rfind(" ", start, start + (max_chars if max_chars < _MAX_OPENING_CHARS else max_chars // 2))
    return (start, end) if end > start else None


def has_content(sentence: str) -> bool:
    return _WORD.search(sentence) is not None and not _MARKUP_LINE.fullmatch(sentence)


def _needs_more(text: str, spans: Sequence[tuple[int, int]], index: int, last: int, *, pointless: bool) -> bool:
    """Return whether a sentence makes little sense without the one before it in its line: it refers to that, is inside
    of a list item, or is short and has no points. `last` is the sentence to keep, at `index` or later. Only a limited
    number of sentences before `last` may be added to it."""
    start, end = spans[index]
    if index == 0 or text[start - 1] == "\n":
        return False
    if pointless and end - start < _MIN_SENTENCE_CHARS and last - index < _MAX_CONTINUED:
        return True
    return last - index < _MAX_REFERRED and (is_in_item(text, start) or refers_back(text, start, end))


def refers_back(text: str, start: int, end: int) -> bool:
    """Return whether a sentence refers to what the one before it says."""
    return bool(_REFERRING_START.match(text, start, end) or _INNER_REFERENCE.search(text, start, end))
