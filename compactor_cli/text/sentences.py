"""Split prose into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from compactor_cli.text.clauses import LEADS_ON
from compactor_cli.text.clean import plain
from compactor_cli.text.marks import find_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.points import ends_none

ASKS = compiled_later(r"[?？؟]\W*$")
"""The end of a sentence that is a question."""
ASKS_WITHIN = compiled_later(r"[?？؟]\W*(?:\s|$)")
"""A question in a text that may contain several sentences."""
BULLET = compiled_later(r"^\s*(?:[-*+•]|\d+[.)]|#+|>)\s+")
"""The mark before a list item, a heading or a quoted line, with surrounding whitespace."""
_LONGEST = 20_000
"""Maximum length of a paragraph that is split into sentences; the rest of a longer one is dropped."""
_FENCE = compiled_later(r"```.*?(?:```|\Z)", re.DOTALL)
_ENDS = compiled_later(r"[.!?。！？।॥۔؟።]")
_NUMBER = compiled_later(r"[\W_]*\d+[.)][\s*_]*")
"""The number of an item, with the marks around it."""
_IN_NAME = compiled_later(r"\$?[A-Z]{1,3}\$?\d+\b")
"""How a name with `!` continues: `Sheet!A1`; a sentence begins with a word."""
_OF_CODE = compiled_later(r"[A-Z]+[a-z0-9]+(?:[A-Z_][\w.]*|\()")
"""How a name in code continues after a dot: `logging.WithAgent`, `os.Exit(1)`."""
_STRONG = ("**", "__")
_PIECES, _NEAR = 50, 200
"""Maximum number of pieces, and of characters on both sides, that decide whether a full stop ends a sentence."""
_SHORTEST = 3
"""Minimum length of a sentence."""
_FENCE_LINE = compiled_later(r"[ \t]*(?:`{3,}|~{3,})[ \t]*(\S*)[^`~]*$")
_HEADING = compiled_later(
    r"[ \t]*(?:#{1,6}[ \t]|(?:[-*+•][ \t]+)?(\*\*|__)(?!.*[.!?]\1[ \t]*$)(?:(?!\1).)+\1:?[ \t]*$)"
)
_RULE = compiled_later(r"[ \t]*(?:\|[-\s:|]+\||[-*_]{3,})[ \t]*$")
"""The line below the first row of a table, or between two parts of a text."""
_ANY_WORD = compiled_later(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}|[^\W\d_]{2,}")
_ASCII_WORD = compiled_later(r"[A-Za-z]{2,}")
"""The same for ASCII. Compiling the other pattern takes as long as counting the words of ten thousand lines."""


class Sentence(Struct, frozen=True):
    """A sentence of prose."""

    text: str
    lead: str = ""
    """For a list item or a table row, the line that introduces it: a heading, or a line that ends in a colon."""


def sentences(text: str) -> list[str]:
    """Return the sentences of prose; list items and headings are separate sentences, and code blocks are left out."""
    result: list[str] = []
    if "```" in text:
        text = _FENCE.sub("\n", text)
    for line in plain(text).splitlines():
        result += _split(BULLET.sub("", line).strip())
    return result


def statements(text: str) -> list[Sentence]:
    """Return the sentences of prose, without code blocks. A line that only introduces others is not a sentence, but
    the lead of the items below it: a heading, the first row of a table, or a line that ends in a colon."""
    result: list[Sentence] = []
    leads: list[tuple[int, str]] = []  # (indent, lead) of what introduces the next item, innermost last
    fences = 0
    lines = plain(text).splitlines()
    for number, line in enumerate(lines):
        if fence := _FENCE_LINE.match(line):
            fences += 1 if fence[1] or not fences else -1  # within a block, a fence with a language opens another
        elif not fences and line.strip() and not _RULE.match(line):
            item = BULLET.sub("", line).strip()
            row = item.startswith("|")
            first_row = row and number + 1 < len(lines) and _RULE.match(lines[number + 1])
            heading = _HEADING.match(line) or first_row
            blanks = len(line) - len(line.lstrip())
            indent = blanks if not heading and (blanks or row or BULLET.match(line)) else -1
            while leads and (leads[-1][0] >= indent or (leads[-1][1].startswith("|") and not row)):
                leads.pop()
            lead = leads[-1][1] if leads else ""
            pieces = [] if heading else _split(item)
            if heading or item.endswith(LEADS_ON):
                leads.append((indent, item))
                pieces = pieces[:-1]
            result += [Sentence(piece, lead) for piece in pieces]
    return result


def _split(item: str) -> list[str]:
    """Return the sentences of a line."""
    if len(item) < _SHORTEST:
        return []
    if (item.isascii() and len(item) < 60) or len(_ENDS.findall(item)) < 2:
        return [item[:_LONGEST]]
    import sentencex  # imported only when there is prose to split

    pieces = (piece.strip() for piece in _put_together(sentencex.segment("en", item[:_LONGEST])))
    return [piece for piece in pieces if len(piece) >= _SHORTEST]


def _closed(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the sentences, each with its closing marks."""
    last, so_far = "", ""
    for piece in pieces:
        mark = piece[:2]
        closes = mark in _STRONG and not piece[2:3].strip() and so_far.count(mark) % 2
        so_far += piece
        if closes:
            last += mark
        if last:
            yield last
        last = piece[2:] if closes else piece
    if last:
        yield last


def _put_together(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the sentences, rejoined where a split fell into `code like this. Or this`, after a number that only
    begins a sentence ("**1. This**"), after a full stop that does not end one, or before its closing marks
    ("**This.** That")."""
    held: list[str] = []
    marks = 0
    for piece in _closed(pieces):
        if held and not marks % 2 and not _goes_on(held, piece):
            yield "".join(held)
            held, marks = [], 0
        held.append(piece)
        marks += piece.count("`")
    if held:
        yield "".join(held)


def _goes_on(held: Sequence[str], behind: str) -> bool:
    """Return whether a sentence continues after its last piece. Only the last pieces of a long row are examined,
    because this is asked for each of them."""
    before = "".join(held[-_PIECES:])
    bare = before.rstrip()
    if bare == before:  # the split may have fallen into `Sheet!A1`
        inside = {"!": _IN_NAME, ".": _OF_CODE}.get(bare[-1:])
        if inside is not None and inside.match(behind):
            return True
    ends = not bare.endswith(".") or not ends_none(
        before[-_NEAR:] + behind[:_NEAR], len(bare) - 1 - len(before[:-_NEAR])
    )
    return not ends or (len(held) < _PIECES and _NUMBER.fullmatch(before) is not None)


def count_words(text: str) -> int:
    """Return the number of words with at least two letters; in scripts without spaces, two characters count as about
    one word."""
    return len(find_words(_ASCII_WORD if text.isascii() else _ANY_WORD, text))
