"""Sentences of the user that depend on others in the same request: labels, steps, and sentences that say nothing
alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from compactor_cli.strategies.shared.binding import is_reversal
from compactor_cli.strategies.shared.denials import needs_next_sentence
from compactor_cli.text.clauses import Clause, is_in_item
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.terms import WIDE

_MAX_BEFORE = 3
"""Maximum number of earlier sentences of a list item that stay with a later one."""
_GREETING = compiled_later(r"[^\W\d]+(?:[ ,]+[^\W\d]+)?[.!。！]*")
"""One or two words at the beginning of a request, such as a greeting. Alone they say nothing."""
_LONE_WORD = compiled_later(r"</?[\w-]+>|[^\W\d_]+[.!…]*")
"""A line that holds one word, or a tag."""
_MAX_INDENT = 40
"""Maximum number of blanks at the beginning of such a line."""
_REST_OF_LINE = compiled_later(r"[^\S\n]*(?:\n|\Z)")
_INK = compiled_later(r"\S")
_PARAGRAPH_BREAK = compiled_later(r"\S[^\S\n]*\n[^\S\n]*\n")
_POINTS_ON = compiled_later(
    r"\b(?:the|these|this) following\b(?! (?:day|week|month|year|morning|evening|night)\b)"
    r"|\b(?:below|unten|weiter unten|ci-dessous|abajo|abaixo|qui sotto|ниже)(?=\W*(?:[.:;)\n]|$))"
    r"|\b(?:de[rmns]|die|das|dies(?:e[mnrs]?)?) folgenden?\b|\b(?:le|la|les) \w+ suivante?s?\b"
    r"|\b(?:el|la|l[ao]s) siguientes?\b|\b(?:l[ao]|il|i|le|[ao]s?) segu(?:ent[ei]|intes?)\b|\bследующ\w+"
    r"|以下|下面|下記|次の",
    re.IGNORECASE,
)
"""Words that point to the text after them."""
_ABOVE_TEXT = compiled_later(r"(?:#+ .*|<[\w-]+>|\*\*[^*\n]+\*\*:?|[=*_-]{3,}|[^\n]{1,60}[:：])[^\S\n]*(?:\n|\Z)")
"""A heading, a tag, or a label above a text, on a line of its own."""


def find_labels(clauses: Sequence[tuple[int, Clause]], *, places: bool) -> Iterator[int]:
    """Yield the indices of greetings and of sentences that say nothing without the next one, unless the next one is
    pasted text. `clauses`: each sentence with the number of its request."""
    last = -1
    for index, ((number, clause), (next_number, following)) in enumerate(pairwise(clauses)):
        is_greeting = number != last and _GREETING.fullmatch(clause.text)
        is_label = (is_greeting or needs_next_sentence(clause.text)) and number == next_number
        last = number
        if is_label and (following.origin != "pasted" or not places):
            yield index


def item_continuations(
    clauses: Sequence[tuple[int, Clause]], texts: Sequence[str]
) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield each sentence that continues a list item, with the sentences before it in the item."""
    first = 0
    for index, ((number, clause), (next_number, following)) in enumerate(pairwise(clauses)):
        continues = number == next_number and "\n" not in texts[number][clause.end : following.start]
        first = first if continues else index + 1
        if continues and index - first < _MAX_BEFORE and is_in_item(texts[number], following.start):
            yield index + 1, range(first, index + 1)


def is_exclamation(text: str, clause: Clause) -> bool:
    """Return whether a sentence is a line that holds only a word or a tag, or begins with an exclamation of one word.
    Behind other sentences, "Begin!" asks for nothing that these do not, nor does a tag."""
    if not _LONE_WORD.fullmatch(clause.text) or WIDE.search(clause.text):
        return False
    if not text[max(0, clause.start - _MAX_INDENT) : clause.start].rstrip(" \t").endswith("\n"):
        return False
    return clause.text.endswith("!") or _REST_OF_LINE.match(text, clause.end) is not None


def is_later_step(text: str, earlier: Clause, later: Clause) -> bool:
    """Return whether `later` is a list item and `earlier` is not: such a step says how to do something and retracts
    nothing."""
    return is_in_item(text, later.start) and not is_in_item(text, earlier.start) and not is_reversal(later)


def end_of_first_paragraph(text: str) -> int:
    """Return the position where the first paragraph of a text ends."""
    found = _PARAGRAPH_BREAK.search(text)
    return found.start() + 1 if found else len(text)


def pointed_to(clauses: Sequence[tuple[int, Clause]], text: str) -> int:
    """Return the index of the sentence that the first paragraph of the first request, which has this text, points to
    ("fix the following issue"), below headings: it is the task. Return -1 if there is none, or if it is pasted."""
    end = end_of_first_paragraph(text)
    if end == len(text) or not _POINTS_ON.search(text, 0, end):
        return -1
    while above := _ABOVE_TEXT.match(text, _next_word(text, end)):
        end = above.end()
    if text.startswith("```", _next_word(text, end)):
        return -1
    index, clause = next(
        ((i, clause) for i, (n, clause) in enumerate(clauses) if not n and clause.end > end), (-1, None)
    )
    return index if clause and clause.origin != "pasted" else -1


def _next_word(text: str, at: int) -> int:
    """Return the position of the first character at or after `at` that is not white space."""
    found = _INK.search(text, at)
    return found.start() if found else len(text)
