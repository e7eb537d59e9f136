"""Dates, times and numbers that one sentence gives and another one replaces, in any script."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.quantities import values_in
from compactor_cli.text.terms import STOP_WORDS

_DAY_NAME = compiled_later(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?"
    r"|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo"
    r"|(?:lune|marte|mercole|giove|vener)dì|sabato|domenica|(?:segunda|terça|quarta|quinta|sexta)-feira"
    r"|понедельник|вторник|сред[ау]|четверг|пятниц[ау]|суббот[ау]|воскресенье)\b"
    r"|[월화수목금토일]요일|[月火水木金土日]曜日?|(?:周|星期|礼拜)[一二三四五六日天]",
    re.IGNORECASE,
)
_COUNTED_SIGN = compiled_later(
    r"[\d一二三四五六七八九十百两]+(?P<unit>[月日号點点時时分人元円块])"
    r"|(?:\d+|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열(?:한|두)?) ?(?P<korean>[시월일분명])"
)
_NUMBER_WORD = compiled_later(
    r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|deux|trois|quatre|cinq|sept|huit|neuf|dix"
    r"|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|due|tre|quattro|cinque|sei|sette|otto|nove|dieci"
    r"|dois|duas|três|quatro|sete|oito|dez|два|две|три|четыре|пять|шесть|семь|восемь|девять|десять)"
    r"[ \u00a0]([^\W\d_]{3,20})\b"
)
"""A number written as a word, and the thing that it counts."""
_CLOCK = compiled_later(r"(?<![\w.,:])\d{1,2}(?:[:.]\d\d)?(?:am|pm|h|uhr)\b", re.IGNORECASE)
_WORD_AFTER = compiled_later(r"(?:st|nd|rd|th|\.)?[ \u00a0]([^\W\d_]+)")
_WORD_BEFORE = compiled_later(r"\b([^\W\d_]+)[ \u00a0]\Z")
_MAX_WORD_CHARS = 20
"""Characters that are searched for the word next to a number."""
_MIN_UNIT_CHARS = 3
"""Minimum length of a word that says what a number counts."""
_CLOCK_WORDS = frozenset(("am", "pm", "uhr", "h", "o"))
_TIME_KIND, _TIME_FORM = "time", "0:0"


def values_by_kind(text: str) -> dict[str, set[str]]:
    """Return the dates, times and numbers of a text, grouped by what they are: a day, a time, a number of something."""
    by_kind: defaultdict[str, set[str]] = defaultdict(set)
    for _, _, kind, value in _iter_values(text):
        by_kind[kind].add(value)
    return by_kind


def _iter_values(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield (start, end, kind, value) for the values of a text."""
    lowered = text.lower()
    for match in _DAY_NAME.finditer(lowered):
        yield *match.span(), "day", match[0].removesuffix("s")
    if not text.isascii():
        for match in _COUNTED_SIGN.finditer(lowered):
            yield *match.span(), match["unit"] or match["korean"], match[0]
    for match in _NUMBER_WORD.finditer(lowered):
        if match[2] not in STOP_WORDS:
            yield *match.span(), f"0 {match[2]}", match[1]
    for match in _CLOCK.finditer(lowered):
        yield *match.span(), _TIME_KIND, match[0]
    for match, form in values_in(lowered):
        if form != "0":
            yield *match.span(), _TIME_KIND if form == _TIME_FORM else form, match[0]
            continue
        after = _WORD_AFTER.match(lowered, match.end(), match.end() + _MAX_WORD_CHARS)
        before = _WORD_BEFORE.search(lowered, max(0, match.start() - _MAX_WORD_CHARS), match.start())
        if after and after[1] in _CLOCK_WORDS:
            yield match.start(), after.end(), _TIME_KIND, f"{match[0]}{after[1]}"
        elif after and _is_unit(after[1]):
            yield match.start(), after.end(), f"0 {after[1]}", match[0]
        elif before and _is_unit(before[1]):
            yield before.start(), match.end(), f"{before[1]} 0", match[0]


def _is_unit(word: str) -> bool:
    return len(word) >= _MIN_UNIT_CHARS and word not in STOP_WORDS
