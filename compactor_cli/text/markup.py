"""Read HTML and XML that is written without line breaks as the lines that a page shows: its text, what its tags say
to a reader, and short tags next to these. Every line stands in the original. Tags that only place, style or address
something are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_MIN_CHARS, _MIN_CLOSING_TAGS = 400, 4
"""Minimum length of a line that is read this way, and minimum number of its closing tags."""
_MAX_CHARS_PER_TAG = 400
"""Maximum characters per tag, on average; with fewer tags, the line is something else."""
_TAG_START = compiled_later(r"\s*<(?:[!?]?[A-Za-z])")
_TAG = compiled_later(r"<(?:!--|[!?/]?[A-Za-z][^<>\s/]*)")
_SHOWN_ATTRIBUTE = compiled_later(
    r"""(?<![\w-])(?:aria-(?:label|description|valuetext)|alt|title|value|placeholder|content|label|summary)="""
    r"""(?:"(?=[^"\w]{0,80}\w)[^"]{1,2000}"|'(?=[^'\w]{0,80}\w)[^']{1,2000}')"""
)
"""An attribute that is shown or read to the user."""
_STYLE_ATTRIBUTE = compiled_later(r"(?<![\w-])(?:class|style|id)=")
_PLAIN_LINK = compiled_later(r"""<a\s+href=["'][^"'?]*["']\s*>""")
_NAMESPACE = compiled_later(r"""\s+xmlns(?::\w+)?=["']""")
_WORD = compiled_later(r"\w")
_TEXT_BETWEEN_TAGS = compiled_later(r"(?:^|>)([^<>\n]{4,60})(?=<|$)", re.MULTILINE)
_TWO_LETTERS, _MAX_NAME_BLANKS = compiled_later(r"[^\W\d_]{2}"), 9
_PAGE_TAGS = word_set("html body div span li td p a")
_TEMPLATE_SIGNS = ("{{", "{%", "<%", "<?php")
"""Signs of a source from which pages are made."""
_HIDDEN_TAGS = word_set("script style svg noscript")
_ROW_TAGS = word_set("li tr p option article section h1 h2 h3 h4 h5 h6 dd ul ol table thead tbody nav header footer")
_MAX_TAG_CHARS, _MAX_LINK_CHARS = 40, 120
"""Maximum length of a tag that is kept with its text; a link without anything else may be longer."""
_MAX_GAP_CHARS, _MAX_ROW_CHARS = 60, 220
"""Maximum length of the tags between two texts of a line, and of the line."""
_MAX_CONTINUED_CHARS = 80
"""Maximum length of a line that is continued after the end of an element that is no row."""

Span = tuple[int, int]
_Piece = tuple[int, int, str]
"""Start and end of a tag or of the text between two tags, and the name of the tag: "" for text."""


def page_lines(text: str) -> str:
    """Return a text with its long lines of markup as the lines that the page shows. Other texts, and sources of pages,
    are returned unchanged."""
    if "</" not in text or "><" not in text:
        return text
    lines = [_shown_lines(line) if _may_be_markup(line) else line for line in text.split("\n")]
    return "\n".join(lines)


def is_page(shown: str, text: str) -> bool:
    """Return whether `shown` is what `page_lines` made of a text that is mostly markup."""
    return shown is not text and text.count("><") > shown.count("><") and len(shown) < len(text)


def texts_of_page(shown: str) -> Iterator[tuple[int, str]]:
    """Yield (start, lower-case text) of what stands between two tags and is less than a sentence. On a page, that is
    what has quotes elsewhere: the name of something."""
    for text in _TEXT_BETWEEN_TAGS.finditer(shown):
        inner = text[1].strip()
        if inner.count(" ") <= _MAX_NAME_BLANKS and _TWO_LETTERS.search(inner):
            yield text.start(1), inner.lower()


def _may_be_markup(line: str) -> bool:
    """Return whether a line is long, begins with a tag, and has many tags."""
    if len(line) < _MIN_CHARS or not _TAG_START.match(line) or line.count("</") < _MIN_CLOSING_TAGS:
        return False
    return line.count("<") * _MAX_CHARS_PER_TAG >= len(line) and not any(sign in line for sign in _TEMPLATE_SIGNS)


def _shown_lines(line: str) -> str:
    """Return the lines that a line of markup shows; the line itself if it is a source or shows nothing."""
    pieces = [*_pieces(line)]
    if any(name and "={" in line[start:end] for start, end, name in pieces):  # JSX
        return line
    html = any(name in _PAGE_TAGS for _, _, name in pieces)
    return "\n".join(line[start:end].strip() for start, end in _lines(line, pieces, html=html)) or line


class _Finder:
    """Finds words in a line, in any case. What was not found once is not searched for again."""

    def __init__(self, line: str) -> None:
        small = line.lower()
        self._line = small if len(small) == len(line) else line
        self._absent: set[str] = set()

    def end_of(self, word: str, start: int) -> int:
        """Return the end of the next occurrence of a word, or -1."""
        place = -1 if word in self._absent else self._line.find(word, start)
        if place < 0:
            self._absent.add(word)
            return -1
        return place + len(word)


def _pieces(line: str) -> Iterator[_Piece]:
    """Yield the tags of a line and the texts between them. What a script or a drawing contains belongs to its tag,
    unless it is data."""
    at, find = 0, _Finder(line)
    while tag := _TAG.search(line, at):
        begin, name = tag.start(), tag[0][1:].lower()
        end = find.end_of("-->", begin) if name == "!--" else _end_of_tag(line, tag.end(), find)
        if end < 0:
            break
        if begin > at:
            yield at, begin, ""
        if name in _HIDDEN_TAGS and line[end - 2] != "/" and "json" not in line[begin:end]:
            end = max(end, find.end_of(f"</{name}>", end))
        yield begin, end, name
        at = end
    if at < len(line):
        yield at, len(line), ""


def _end_of_tag(line: str, at: int, find: _Finder) -> int:
    """Return the end of a tag whose name ends at `at`, or -1. Values in quotes may contain `>`."""
    end = find.end_of(">", at)
    while end > 0 and line.count('"', at, end) % 2:
        at = find.end_of('"', end)
        end = find.end_of(">", at) if at > 0 else -1
    return end


def _lines(line: str, pieces: Sequence[_Piece], *, html: bool) -> Iterator[Span]:
    """Yield the spans of the lines that a line of markup shows. A line ends at the end of a row, at several tags that
    close something, and at long tags. `html`: the names of attributes are known; otherwise all are data."""
    start = end = context = -1
    closed, parted = 0, True
    for first, last, name in pieces:
        told = _shown_span(line, first, last, html=html) if name else (first, last)
        if told is not None:
            begin, stop = told
            if not _WORD.search(line, begin, stop):
                continue
            parted = parted or (name != "" and not html)  # a tag with data begins a record
            if (
                start >= 0
                and not parted
                and begin - end <= _MAX_GAP_CHARS
                and stop - start <= (_MAX_CONTINUED_CHARS if closed > 1 else _MAX_ROW_CHARS)
            ):
                end = stop
            else:
                if start >= 0:
                    yield start, end
                start, end = (context if 0 <= context <= begin else begin), stop
            closed, parted, context = 0, stop < last, -1
        elif name[0] == "/":
            closed, context = closed + 1, -1
            parted = parted or name[1:] in _ROW_TAGS
        else:
            shown = last - first <= _MAX_TAG_CHARS and not _STYLE_ATTRIBUTE.search(line, first, last)
            shown = shown or (last - first <= _MAX_LINK_CHARS and _PLAIN_LINK.fullmatch(line, first, last) is not None)
            shown = shown and name not in _HIDDEN_TAGS
            parted = parted or last - first > _MAX_TAG_CHARS or name in _HIDDEN_TAGS
            context = (first if context < 0 else context) if shown else -1
    if start >= 0:
        yield start, end


def _shown_span(line: str, first: int, last: int, *, html: bool) -> Span | None:
    """Return the span of a tag that says something itself: of a long one, only the attribute."""
    if line[first + 1] in "/!?" or "=" not in line[first:last]:
        return None
    if not html:
        return None if _NAMESPACE.search(line, first, last) else (first, last)
    told = _SHOWN_ATTRIBUTE.search(line, first, last)
    if told is None:
        return None
    return (first, last) if last - first <= _MAX_TAG_CHARS else told.span()
