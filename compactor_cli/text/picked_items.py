"""Items of a numbered list that a reply picks: "Option 2", "the second one", "2, please"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise, takewhile

from compactor_cli.text.patterns import compiled_later

_ITEM_LINE = compiled_later(
    r"^([ \t]*)(?:[-*•>|][ \t]+|#{1,6}[ \t]+)?(?:\*\*|__)?\(?(?:[^\W\d_]{2,12}[ \t]+(\d{1,2})(?=[.):、．*_ \t–—-])"
    r"|(\d{1,2})(?=[.):、．]|\\\.|\*\*|[ \t]*[–—][ \t]))",
    re.MULTILINE,
)
"""The line that begins an item: a number followed by a mark, or a number after a word."""
_FENCED_CODE = compiled_later(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_PARAGRAPH = compiled_later(r"\n[ \t\r]*\n(?=[^\s\-*•>|])")
"""The break before a paragraph that is not indented."""
_NUMBER_LIST = r"\d{1,2}(?:\s*(?:,|&|\+|and|or|und|oder|et|ou|y|o|e)\s*(?:(?:option|number)\s*)?\d{1,2})*"
_ITEM_CUE = (
    r"(?:\b(?:options?|numbers?|no\.?|nr\.?|n[º°]|choices?|plans?|items?|variants?|variante|alternatives?|"
    r"approach|way|points?"
    r"|steps?|optionen|nummer|vorschlag|opci[oó]n(?:es)?|n[uú]mero|opzione|op[cç][aã]o)\s*|#|选|方案|第)"
)
_CUED_NUMBERS = compiled_later(rf"{_ITEM_CUE}({_NUMBER_LIST})(?![\w%/$€£-]|[.,:]\d)", re.IGNORECASE)
"""Numbers after a word that shows that they refer to items."""
_BARE_NUMBERS = compiled_later(
    rf"(?:(?<=\s)|^)\(?({_NUMBER_LIST})(?=\)?(?:\s*$|[.,;:!?](?:\s|$)|\s+please\b|\s+bitte\b))", re.IGNORECASE
)
"""Numbers at the end of a phrase, where no following word could say what they count."""
_TWO_NUMBERS = compiled_later(r"(?:(?<=\s)|^)(\d{1,2}\s*(?:and|or|&|und|et|y)\s*\d{1,2})(?=\s)", re.IGNORECASE)
_OPTION_WORD = r"(?:options?|choice|variante?|alternative|opci[oó]n|opzione|op[cç][aã]o|方案|选项)"
_OPTION_LABEL = compiled_later(_OPTION_WORD, re.IGNORECASE)
_ITEM_LABEL = compiled_later(r"\W*(?:\d{1,2}\W+)?([^\W\d_]{2,12})[ \t]+\d{1,2}\b")
"""The word before an item's number: `Option 2`, `1. **Flight 1**`."""
_ACCEPTANCE = compiled_later(
    r"(?:(?P<bare>^\W*(?:(?:yes|ok|okay|sure|great|perfect|fine|thanks|ja|oui|s[ií]|sim)\b\W*)?)"
    r"|\b(?:go(?:ing)?(?: ahead)? with|proceed with|take|choose|pick|book|prefer|select|want|use|nehme|wähle|möchte"
    r"|prends|choisis|elijo|prefiero|scelgo|escolho)(?: (?:me|us))? |['’]d like |\bwould like )"
    r"(?:(?:the|die|la|l'|el|o|a) ?)?"
    rf"(?:{_OPTION_WORD}[ \t]*#?\d{{1,2}}(?!\d)|(?:first|second|third|fourth|fifth|last|erste|zweite|dritte|premi[eè]re"
    rf"|deuxi[eè]me|primera|segunda|tercera) {_OPTION_WORD}\b)|选[ \t]*\d{{1,2}}(?!\d)",
    re.IGNORECASE,
    ("option", "choice", "variant", "alternative", "opci", "opzione", "opç", "opc", "方案", "选"),
)
"""A phrase that accepts one of several options: `I'd like to go with Option 2`, `The second option, please`."""
_COURTESY = compiled_later(
    r"\W*(?:(?:please|thanks|thank you|bitte|danke|merci|por favor|gracias|grazie)\W*)*", re.IGNORECASE
)
"""Everything that may follow an option that is named without a verb."""
_DOUBT = compiled_later(
    r"[?？]|\b(?:not|no|none|never|but|however|except|instead|unless|if|nicht|keine?|aber|pas|mais|pero|skip|"
    r"without|reject"
    r"|wrong|bad|too|out|off|others?|rest|remaining|all|both|each|then|first|next|later|after|again|now|plus|"
    r"also|for|and"
    r"|fallback|explain|show|tell)\b|n['’]t\b|不|但",
    re.IGNORECASE,
)
"""Words next to an option which show that it is rejected, asked about or accepted conditionally, or that others are
also wanted."""
_DIGITS = compiled_later(r"\d+")
_SPELLED_NUMBER = compiled_later(rf"{_ITEM_CUE}(one|two|three|four|five|eins|zwei|drei|vier|fünf)\b", re.IGNORECASE)
_ORDINAL = compiled_later(
    r"\b(?:the|la|le|el|die|der|das|den|de|o|a|il)\s+(first|second|third|fourth|fifth|last|former|latter|\d(?:st|"
    r"nd|rd|th)"
    r"|erste[nrs]?|zweite[nrs]?|dritte[nrs]?|vierte[nrs]?|letzte[nrs]?|premi[eè]re?|deuxi[eè]me|seconde?|"
    r"troisi[eè]me|derni[eè]re?"
    r"|primer[oa]?|segund[oa]|tercer[oa]?|[uú]ltim[oa]|prim[oa]|second[oa]|terz[oa]|primeir[oa]|terceir[oa])\b"
    r"(?!\s+(?:time|thing|place|thought|day|week|month|year|step|tests?|commit|run|mal|tag|woche|fois|jour|vez|"
    r"d[ií]a))",
    re.IGNORECASE,
)
"""An ordinal after an article, except one that counts times or days."""
_ORDINAL_STARTS = (
    ("first", "former", "1st", "erste", "premi", "prim", "one", "eins"),
    ("second", "2nd", "zweite", "deuxi", "segund", "two", "zwei"),
    ("third", "3rd", "dritte", "troisi", "tercer", "terz", "terceir", "three", "drei"),
    ("fourth", "4th", "vierte", "four", "vier"),
    ("fifth", "5th", "five", "fünf"),
)
_LAST_STARTS = ("last", "latter", "letzte", "derni", "últim", "ultim")
_MAX_REPLY_CHARS = 240
"""Maximum length of a reply in which a number may pick an item; in longer ones, numbers have other meanings."""


def picked_items(answer: str, reply: str) -> list[tuple[int, int]]:
    """Return the spans of the items in an answer that a reply picks, each with the lines below it. Return none if the
    answer has no list of several numbered items, if the reply names none of them, or if the reply is long."""
    if len(reply) > _MAX_REPLY_CHARS or not any(map(str.isdigit, answer)):
        return []
    items = list(_list_items(answer))
    numbers = set(_named_numbers(reply, len(items))) if len(items) > 1 else set()
    return [span for number, span in enumerate(items, 1) if number in numbers]


def rejected_items(answer: str, reply: str) -> list[tuple[int, int]]:
    """Return the spans of the other options if a reply accepts one option and says nothing else. Of a list of tasks,
    the others may follow later; and an option that a reply asks about or rejects is not accepted."""
    acceptance = _ACCEPTANCE.search(reply) if len(reply) <= _MAX_REPLY_CHARS else None
    if acceptance is None or _DOUBT.search(f"{reply[: acceptance.start()]} {reply[acceptance.end() :]}"):
        return []
    if acceptance["bare"] is not None and not _COURTESY.fullmatch(reply, acceptance.end()):
        return []
    items = list(_list_items(answer))
    numbers = set(_named_numbers(reply, len(items))).intersection(range(1, len(items) + 1))
    if len(numbers) != 1 or len(items) < 2 or not all(_is_option(answer[start:end]) for start, end in items):
        return []
    start, end = items[-1]
    items[-1] = start, start + len(_without_paragraph(answer[start:end]))
    return [span for number, span in enumerate(items, 1) if number not in numbers]


def _is_option(item: str) -> bool:
    """Return whether an item is numbered as an option, or has only a number; other words count flights or steps."""
    label = _ITEM_LABEL.match(item)
    return label is None or _OPTION_LABEL.fullmatch(label[1]) is not None


def _without_paragraph(item: str) -> str:
    """Return the last item of a list without unindented text after it, which belongs to the whole list."""
    lines = item.split("\n")
    item_lines = takewhile(lambda line: not line.strip() or line[0] in " \t-*•>|", lines[1:])
    return "\n".join([lines[0], *item_lines]).rstrip()


def _named_numbers(reply: str, count: int) -> Iterator[int]:
    """Yield the numbers of the items that a reply names; `count` is the number of items."""
    for pattern in (_CUED_NUMBERS, _BARE_NUMBERS, _TWO_NUMBERS):
        yield from (int(number) for match in pattern.finditer(reply) for number in _DIGITS.findall(match[1]))
    for match in (*_SPELLED_NUMBER.finditer(reply), *_ORDINAL.finditer(reply)):
        word = match[1].lower()
        yield from (number for number, words in enumerate(_ORDINAL_STARTS, 1) if word.startswith(words))
        if word.startswith(_LAST_STARTS):
            yield count


def _list_items(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the items 1, 2, 3 … of the last numbered list outside of code. The last item includes only
    its own lines, unless another item contains an unindented paragraph."""
    starts: list[int] = []
    earlier: list[int] = []
    indent = ""
    for match in _ITEM_LINE.finditer(_FENCED_CODE.sub(lambda code: " " * len(code[0]), text)):
        number = int(match[2] or match[3])
        if number == 1 and (not starts or match[1] == indent):
            earlier, starts, indent = (starts if len(starts) > 1 else earlier), [match.start()], match[1]
        elif number == len(starts) + 1 and starts and match[1] == indent:
            starts.append(match.start())
    starts = starts if len(starts) > 1 else earlier
    for start, end in pairwise(starts):
        yield start, start + len(text[start:end].rstrip())
    if starts:
        paragraph = _PARAGRAPH.search(text, starts[-1])
        is_tight = not any(_PARAGRAPH.search(text, start, end) for start, end in pairwise(starts))
        end = paragraph.start() if paragraph and is_tight else len(text)
        yield starts[-1], starts[-1] + len(text[starts[-1] : end].rstrip())
