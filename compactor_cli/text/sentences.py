"""Split prose into sentences."""

from __future__ import annotations

import re

from msgspec import Struct

from compactor_cli.text.clauses import LEAD_ENDS
from compactor_cli.text.clean import plain
from compactor_cli.text.kept_sentences import sentence_spans
from compactor_cli.text.marks import find_words
from compactor_cli.text.patterns import compiled_later

QUESTION_END = compiled_later(r"[?？؟]\W*$")
"""The end of a sentence that is a question."""
INNER_QUESTION = compiled_later(r"[?？؟]\W*(?:\s|$)")
"""A question in a text that may contain several sentences."""
ITEM_MARK = compiled_later(r"^\s*(?:[-*+•]|\d+[.)]|#+|>)\s+")
"""The mark before a list item, a heading or a quoted line, with surrounding whitespace."""
_MAX_PARAGRAPH_CHARS = 20_000
"""Maximum length of a paragraph that is split into sentences; the rest of a longer one is dropped."""
_FENCE = compiled_later(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE = compiled_later(
    r"[^\n]*?(?:(?<![.!?])([.!?]+)[\"')\]”’»*_]*(?=\s)(?!\s+[a-zà-öø-ÿ])[^\S\n]*|[。！？।॥۔؟።]+|$)"
)
"""A sentence of a line, with its closing marks. None ends before a word in lower case."""
_MIN_SENTENCE_CHARS = 3
"""Minimum length of a sentence."""
_FENCE_LINE = compiled_later(r"[ \t]*(?:`{3,}|~{3,})[ \t]*(\S*)[^`~]*$")
_HEADING = compiled_later(
    r"[ \t]*(?:#{1,6}[ \t]|(?:[-*+•][ \t]+)?(\*\*|__)(?!.*[.!?]\1[ \t]*$)(?:(?!\1).)+\1:?[ \t]*$)"
)
_TABLE_RULE = compiled_later(r"[ \t]*(?:\|[-\s:|]+\||[-*_]{3,})[ \t]*$")
"""The line below the first row of a table, or between two parts of a text."""
_ANY_WORD = compiled_later(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}|[^\W\d_]{2,}")
_ASCII_WORD = compiled_later(r"[A-Za-z]{2,}")
"""The same for ASCII. Compiling the other pattern takes as long as counting the words of ten thousand lines."""


class Sentence(Struct, frozen=True):
    """A sentence of prose."""

    text: str
    lead: str = ""
    """For a list item or a table row, the line that introduces it: a heading, or a line that ends in a colon."""


def split_sentences(text: str) -> list[str]:
    """Return the sentences of prose; list items and headings are separate sentences, and code blocks are left out."""
    result: list[str] = []
    if "```" in text:
        text = _FENCE.sub("\n", text)
    for line in plain(text).splitlines():
        result += _split_line(ITEM_MARK.sub("", line).strip())
    return result


def split_statements(text: str) -> list[Sentence]:
    """Return the sentences of prose, without code blocks. A line that only introduces others is not a sentence, but
    the lead of the items below it: a heading, the first row of a table, or a line that ends in a colon."""
    result: list[Sentence] = []
    leads: list[tuple[int, str]] = []  # (indent, lead) of what introduces the next item, innermost last
    fences = 0
    lines = plain(text).splitlines()
    for number, line in enumerate(lines):
        if fence := _FENCE_LINE.match(line):
            fences += 1 if fence[1] or not fences else -1  # within a block, a fence with a language opens another
        elif not fences and line.strip() and not _TABLE_RULE.match(line):
            item = ITEM_MARK.sub("", line).strip()
            is_row = item.startswith("|")
            first_row = is_row and number + 1 < len(lines) and _TABLE_RULE.match(lines[number + 1])
            heading = _HEADING.match(line) or first_row
            blanks = len(line) - len(line.lstrip())
            indent = blanks if not heading and (blanks or is_row or ITEM_MARK.match(line)) else -1
            while leads and (leads[-1][0] >= indent or (leads[-1][1].startswith("|") and not is_row)):
                leads.pop()
            lead = leads[-1][1] if leads else ""
            pieces = [] if heading else _split_line(item)
            if heading or item.endswith(LEAD_ENDS):
                leads.append((indent, item))
                pieces = pieces[:-1]
            result += [Sentence(piece, lead) for piece in pieces]
    return result


def _split_line(item: str) -> list[str]:
    """Return the sentences of a line."""
    pieces = (item[start:end].strip() for start, end in sentence_spans(item[:_MAX_PARAGRAPH_CHARS], _SENTENCE))
    return [piece for piece in pieces if len(piece) >= _MIN_SENTENCE_CHARS]


def count_words(text: str) -> int:
    """Return the number of words with at least two letters; in scripts without spaces, two characters count as about
    one word."""
    return len(find_words(_ASCII_WORD if text.isascii() else _ANY_WORD, text))
