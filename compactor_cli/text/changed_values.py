"""Dates, times and numbers that one sentence gives and another one replaces, in any script."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.quantities import values_in
from compactor_cli.text.terms import STOP_WORDS

_DAY = compiled_later(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?"
    r"|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
    r"|(?:lune|marte|mercole|giove|vener)dì|sabato|domenica|(?:segunda|terça|quarta|quinta|sexta)-feira"
    r"|понедельник|вторник|сред[ау]|четверг|пятниц[ау]|суббот[ау]|воскресенье)\b"
    r"|[월화수목금토일]요일|[月火水木金土日]曜日?|(?:周|星期|礼拜)[一二三四五六日天]",
    re.IGNORECASE,
)
_COUNTED = compiled_later(
    r"[\d一二三四五六七八九十百两]+(?P<unit>[月日号點点時时分人元円块])"
    r"|(?:\d+|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열(?:한|두)?) ?(?P<korean>[시월일분명])"
)
_IN_WORDS = compiled_later(
    r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|deux|trois|quatre|cinq|sept|huit|neuf|dix"
    r"|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|due|tre|quattro|cinque|sei|sette|otto|nove|dieci"
    r"|dois|duas|três|quatro|sete|oito|dez|два|две|три|четыре|пять|шесть|семь|восемь|девять|десять)"
    r"[ \u00a0]([^\W\d_]{3,20})\b"
)
"""A number written as a word, and the thing that it counts."""
_CLOCK = compiled_later(r"(?<![\w.,:])\d{1,2}(?:[:.]\d\d)?(?:am|pm|h|uhr)\b", re.IGNORECASE)
_BEHIND = compiled_later(r"(?:st|nd|rd|th|\.)?[ \u00a0]([^\W\d_]+)")
_BEFORE = compiled_later(r"\b([^\W\d_]+)[ \u00a0]\Z")
_LONGEST_WORD = 20
"""Characters that are searched for the word next to a number."""
_SHORTEST = 3
"""Minimum length of a word that says what a number counts."""
_CLOCK_WORDS = frozenset(("am", "pm", "uhr", "h", "o"))
_TIME, _TIMES = "time", "0:0"
_BEHIND_TO = compiled_later(r"(?:,? ?(?:the|next|this|on|about|around|den|am|le|el|il|la)\b ?|\s|,)*\Z", re.IGNORECASE)
_NEXT_TO = 1
"""Maximum characters between the parts of a date."""


def values_of(text: str) -> dict[str, set[str]]:
    """Return the dates, times and numbers of a text, grouped by what they are: a day, a time, a number of something."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for _, _, form, value in _values(text):
        found[form].add(value)
    return found


def is_replaced(older: Mapping[str, Set[str]], newer: Mapping[str, Set[str]]) -> bool:
    """Return whether a text with `newer` values repeats one of the `older` values and gives another one of the same
    kind."""
    return any(older[form] & newer[form] and newer[form] - older[form] for form in older.keys() & newer.keys())


def targets(text: str, start: int) -> list[tuple[str, str]]:
    """Return (kind, value) for the values directly after a position in a text, such as the parts of a date."""
    found: list[tuple[str, str]] = []
    end = 0
    for first, last, form, value in sorted(_values(text[start:])):
        beside = text[start : start + first]
        if not found and not _BEHIND_TO.match(beside):
            break
        if found and first > end + _NEXT_TO:
            break
        found.append((form, value))
        end = last
    return found


def _values(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield (start, end, kind, value) for the values of a text."""
    low = text.lower()
    for found in _DAY.finditer(low):
        yield *found.span(), "day", found[0].removesuffix("s")
    if not text.isascii():
        for found in _COUNTED.finditer(low):
            yield *found.span(), found["unit"] or found["korean"], found[0]
    for found in _IN_WORDS.finditer(low):
        if found[2] not in STOP_WORDS:
            yield *found.span(), f"0 {found[2]}", found[1]
    for found in _CLOCK.finditer(low):
        yield *found.span(), _TIME, found[0]
    for found, form in values_in(low):
        if form != "0":
            yield *found.span(), _TIME if form == _TIMES else form, found[0]
            continue
        behind = _BEHIND.match(low, found.end(), found.end() + _LONGEST_WORD)
        before = _BEFORE.search(low, max(0, found.start() - _LONGEST_WORD), found.start())
        if behind and behind[1] in _CLOCK_WORDS:
            yield found.start(), behind.end(), _TIME, f"{found[0]}{behind[1]}"
        elif behind and _says_of_what(behind[1]):
            yield found.start(), behind.end(), f"0 {behind[1]}", found[0]
        elif before and _says_of_what(before[1]):
            yield before.start(), found.end(), f"{before[1]} 0", found[0]


def _says_of_what(word: str) -> bool:
    return len(word) >= _SHORTEST and word not in STOP_WORDS
