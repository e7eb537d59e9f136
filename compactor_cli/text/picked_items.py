"""Items of a numbered list that a reply picks: "Option 2", "the second one", "2, please"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_ITEM = compiled_later(
    r"^([ \t]*)(?:[-*•>][ \t]+|#{1,6}[ \t]+)?(?:\*\*|__)?(?:[^\W\d_]{2,12}[ \t]+)?(\d{1,2})(?=[.):\]*_ \t–—-])",
    re.MULTILINE,
)
"""The line that begins an item with a number, with a word before it or without."""
_PARAGRAPH = compiled_later(r"\n[ \t]*\n(?=[^\s\-*•>|])")
"""Before a paragraph at the margin."""
_PICK = compiled_later(r"(?<![\w.,:/$€£%+-])#?(\d{1,2})(?:st|nd|rd|th|er|e|º|ª)?(?![\w:/%$€£-]|[.,]\d)")
_WORD = compiled_later(r"[^\W\d_]+")
_ORDINALS = (
    word_set("first former erste ersten erstes premier première primero primera primeiro primeira primo prima"),
    word_set("second zweite zweiten zweites deuxième second seconde segundo segunda secondo seconda"),
    word_set("third dritte dritten drittes troisième tercero tercera tercer terceiro terceira terzo terza"),
    word_set("fourth vierte vierten viertes quatrième cuarto cuarta quarto quarta"),
    word_set("fifth fünfte fünften fünftes cinquième quinto quinta"),
)
_LAST = word_set("last latter letzte letzten letztes dernier dernière último última ultimo ultima")
_SHORT = 240
"""Characters of a reply up to which a number in it may pick an item; in longer ones, numbers are of other things."""


def picked_items(answer: str, reply: str) -> list[tuple[int, int]]:
    """Return where the items stand in an answer, each with the lines under it, that a reply picks; empty where the
    answer has no numbered list of several items, or the reply is long or names none of their numbers."""
    if len(reply) > _SHORT or not any(map(str.isdigit, answer)):
        return []
    items = list(_items(answer))
    wanted = set(_numbers(reply, len(items))) if len(items) > 1 else set()
    return [span for number, span in enumerate(items, 1) if number in wanted]


def _numbers(reply: str, count: int) -> Iterator[int]:
    """Yield the numbers of the items, of so many, that a reply names."""
    yield from (int(number) for number in _PICK.findall(reply))
    for word in _WORD.findall(reply.lower()):
        yield from (number for number, words in enumerate(_ORDINALS, 1) if word in words)
        if word in _LAST:
            yield count


def _items(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the items 1, 2, 3 … of the first numbered list. The last one ends with its lines, where no
    other has a paragraph at the margin."""
    starts: list[int] = []
    indent = ""
    for match in _ITEM.finditer(text):
        if int(match[2]) == len(starts) + 1 and (not starts or match[1] == indent):
            starts.append(match.start())
            indent = match[1]
    for start, end in pairwise(starts):
        yield start, start + len(text[start:end].rstrip())
    if starts:
        behind = _PARAGRAPH.search(text, starts[-1])
        tight = not any(_PARAGRAPH.search(text, start, end) for start, end in pairwise(starts))
        end = behind.start() if behind and tight else len(text)
        yield starts[-1], starts[-1] + len(text[starts[-1] : end].rstrip())
