"""Items that an answer labels with letters, or within a sentence, and the labels that a reply names: "(1)", "B"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.rest_of_items import wants_rest
from compactor_cli.text.terms import WIDE

_OPTION_WORD = (
    r"(?:options?|plans?|variante?n?|choices?|ways?|alternativen?|opci[oó]n(?:es)?|opzione|op[cç][aã]o"
    r"|方案|选项|方法|案)"
)
_WORD_CHARACTERS = r"A-Za-zÀ-ɏ0-9_"
"""Characters next to which a letter is part of a word. Words in scripts without spaces may be directly next to a
label."""
_LETTERED_LINE = compiled_later(
    r"^[ \t]*(?:(?:[-*•>|]|#{1,6}|\d{1,2}[.)])[ \t]+)?(?:\*\*|__)?(?:"
    rf"\(?([a-h])(?:[.):：、．](?=[ \t*_])|[:：）])|{_OPTION_WORD}[ \t]*([a-h])(?=[ \t.):：、．*_（(,，—–-]))",
    re.MULTILINE | re.IGNORECASE,
)
"""The line that begins an item: a letter followed by a mark, or by a mark after a word such as "option"."""
_INLINE_LABEL = compiled_later(
    rf"(?<![{_WORD_CHARACTERS})\]])(?:\(([1-9a-hA-H])\)|(?<=[\s,:;])([1-9a-hA-H])\))[ \t]+(?=\S)"
)
"""A label within a sentence."""
_SENTENCE_END = compiled_later(r"[.!?](?=\s|$)|[。！？；]|\n")
_ITEM_SEPARATOR = compiled_later(r"(?:[\s,;，；]+(?:and|or|und|oder|et|ou|y|o|e)|或者?|和|还是)?[\s,;，；]*$")
"""What separates two items within a sentence and belongs to neither."""
_MIN_ITEM_WORDS = 2
"""Minimum number of words in an item within a sentence; a reference such as "see (1) and (2)" has none."""
_BRACKETED_LABEL = compiled_later(rf"(?<![{_WORD_CHARACTERS}\]])\(([a-h1-9])\)", re.IGNORECASE)
_LETTER_AFTER_CUE = compiled_later(
    rf"(?<![A-Za-zÀ-ɏ0-9]){_OPTION_WORD}[ \t]*([a-h])(?![{_WORD_CHARACTERS}'’+#-])", re.IGNORECASE
)
_CAPITAL_LETTER = compiled_later(
    rf"(?<![{_WORD_CHARACTERS}'’./-])([B-H])(?![{_WORD_CHARACTERS}'’+#/:-]|\.[{_WORD_CHARACTERS}])"
)
_LETTER_A = compiled_later(
    rf"(?<![{_WORD_CHARACTERS}'’./-])(A)(?=\s*(?:$|[.,;!?)+&/，。；！？]|(?:and|or|und|oder|et|ou|y|o|is|isn['’]t|"
    rf"please|bitte|then"
    r"|first|with|ist|es|est|è)\b)|[^\S\n]?[\u3400-\u9fff])"
)
"""The letter A where it is not an article."""
_OR = r"\s*(?:[,&+，、]|\b(?:and|or|und|oder|et|ou|y|o|e)\b|和|或)\s*"
_SEVERAL_LETTERS = compiled_later(
    rf"^\W*(?:(?:yes|ok|okay|ja|s[ií]|oui|both)\W+)*([a-h](?:{_OR}[a-h])+)"
    r"(?=\W*$|[.,;:!]\s|\s+(?:please|bitte|both|are|sind|sont|son)\b)",
    re.IGNORECASE,
)
"""A reply that begins with several letters."""
_LETTER = compiled_later(r"(?<![a-z])[a-h](?![a-z])", re.IGNORECASE)
_REJECTION = compiled_later(
    r"(?:(?:\b(?:(?<!why )not|no|neither|nor|except|without|nicht|keine?[nrs]?|ohne|pas|sauf|sans|ni|sin|salvo"
    r"|(?:anything|everything|all|nothing|any) but)|n['’]t)"
    r"(?:\s+(?!(?:but|so|then|rather|instead|sondern|sino|mais|pero)\b)[\w'’]+){0,2}\s+\(?"
    r"|[不别](?![如错然过妨])[^\s,.;:!?，。；：！？]{0,3}\s?)$",
    re.IGNORECASE,
)
"""What precedes an item that is rejected."""
_NAME_BEFORE = compiled_later(
    r"(?<![\w'’])(?!(?:Yes|Ok(?:ay)?|OK|So|Then|Both|And|Or|With|Also|Maybe|Either|Just|Only|Do|Go|Take|Use|Pick|"
    r"Try|Choose"
    r"|Select|Prefer|Want|Ja|Nimm|Nehme|Wähle|Und|Oder|Oui|Prends|Et|S[ií]|Elige|Elijo|Y|Prendo|Scelgo)\s)"
    r"[A-ZÀ-Þ](?:[\w'’-]+[ \t]+|\.[ \t]*)$"
)
"""A name or an initial, to which a letter belongs."""
_INITIAL = compiled_later(r"\.[ \t]*[A-Z]\.")
_CHARS_BEFORE = 60
"""Characters before a label that show whether it is one."""
_LETTER_REPLY = compiled_later(
    r"^\W*(?:(?:yes|ok|okay|ja|s[ií]|oui)\W+)?([a-h])(?=\)|\W*$|[.,;:!]\s|\s+(?:please|bitte|and|und|y)\b)",
    re.IGNORECASE,
)
"""A reply that begins with a letter, followed by nothing or by a mark."""

LabelledItem = tuple[str, int, int]
"""(label in lower case, start, end) of an item."""


def labelled_items(answer: str, reply: str, numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the spans of the items in an answer that a reply names by letters, or by labels within a sentence.
    `numbers`: numbers in the reply."""
    line_items, inline_items = _lettered_items(answer), _inline_items(answer)
    if not line_items and not inline_items:  # as in most answers: the reply need not be read
        return []
    labels = {*_named_labels(reply), *map(str, numbers)}
    for items in (line_items, inline_items):
        if picked := [item for item in items if item[0] in labels]:
            return [(start, end) for _, start, end in (items if wants_rest(reply) else picked)]
    return []


def _named_labels(reply: str) -> Iterator[str]:
    """Yield the labels that a reply names and does not reject."""
    for pattern in (_BRACKETED_LABEL, _LETTER_AFTER_CUE, _CAPITAL_LETTER, _LETTER_A, _LETTER_REPLY):
        for match in pattern.finditer(reply):
            before = reply[max(0, match.start() - _CHARS_BEFORE) : match.start()]
            is_letter = pattern is _CAPITAL_LETTER or pattern is _LETTER_A
            is_name = is_letter and _NAME_BEFORE.search(before)
            if not (is_name or _REJECTION.search(before) or _INITIAL.match(reply, match.end())):
                yield match[1].lower()
    if several := _SEVERAL_LETTERS.match(reply):
        yield from map(str.lower, _LETTER.findall(several[1]))


def _lettered_items(answer: str) -> list[LabelledItem]:
    """Return the items of the last list with lettered lines, starting at A; none if there is only one."""
    matches = [(match[1] or match[2], match.start()) for match in _LETTERED_LINE.finditer(answer)]
    starts = _last_sequence([(label.lower(), start) for label, start in matches])
    items: list[LabelledItem] = []
    for position, (label, start) in enumerate(starts):
        is_last = position + 1 == len(starts)
        end = start + len(_own_lines(answer[start:])) if is_last else starts[position + 1][1]
        items.append((label, start, start + len(answer[start:end].rstrip())))
    return items


def _own_lines(text: str) -> str:
    """Return the first line of a text and the indented lines below it."""
    first, *following = text.split("\n")
    return "\n".join([first, *takewhile(lambda line: line[:1] in (" ", "\t"), following)])


def _inline_items(answer: str) -> list[LabelledItem]:
    """Return the items within a line, each up to the next label or the end of its sentence."""
    labels = [((match[1] or match[2]).lower(), match.start(), match.end()) for match in _INLINE_LABEL.finditer(answer)]
    starts = _last_sequence([(label, start) for label, start, _ in labels])
    label_ends = {start: end for _, start, end in labels}
    items: list[LabelledItem] = []
    for position, (label, start) in enumerate(starts):
        sentence_end = _SENTENCE_END.search(answer, label_ends[start])
        end = sentence_end.end() if sentence_end else len(answer)
        if position + 1 < len(starts) and starts[position + 1][1] < end:
            end = start + len(_ITEM_SEPARATOR.sub("", answer[start : starts[position + 1][1]]))
        text = answer[label_ends[start] : end]
        if len(text.split()) < _MIN_ITEM_WORDS and not WIDE.search(text):
            return []
        items.append((label, start, start + len(answer[start:end].rstrip())))
    return items


def _last_sequence(labels: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the last run of labels, with their positions, that counts up from 1 or A; none if it has only one
    label."""
    run: list[tuple[str, int]] = []
    best: list[tuple[str, int]] = []
    for label, start in labels:
        if label in ("1", "a"):
            run = [(label, start)]
        elif run and ord(label) == ord(run[-1][0]) + 1:
            run.append((label, start))
        if len(run) > 1:
            best = run
    return best
