"""Points that end no sentence: those of abbreviations, and of numbers that say which one, as in "am 15. Juli"."""

from __future__ import annotations

import re

from compactor_cli.text.patterns import compiled_later

_ABBREVIATED = compiled_later(
    r"(?<![^\W\d_])(?:"
    r"[^\W\d_](?:\.[^\W\d_]{1,4})*"  # z. B., e.g., J. Smith
    r"|(?!(?-i:[A-Z]{2}))[^\W\d_aeiouyäöüáéíóúàèìòùâêîôûаеёиоуыэюя]{2,4}"  # Dr., vs., Nr., bzw., but no PDF.
    r"|excl|incl|approx|max|min|no|fig|vol|sec|dept|resp|inkl|exkl|zzgl|evtl|aprox|núm|pág|máx|mín|env|réf|стр|ред"
    r"|[^\W\d_]{2,4}(?=\.\s+\d+(?![.)\d]))"  # ca. 20, but not what stands before the number of an item
    r")\.",
    re.IGNORECASE,
)
"""A word whose point ends no sentence. Two sentences taken for one lose nothing; half of one may be another rule."""
_LONGEST = 24
"""Characters before a point in which an abbreviation begins."""
_BEFORE_SMALL = frozenset(
    ("e.g", "i.e", "etc", "vs", "cf", "approx", "incl", "excl", "resp", "bzw", "z.b", "d.h", "ca", "p.ej")
)
"""Abbreviations behind which a sentence may end, but not where it goes on in small letters."""
_GOES_ON_SMALL = compiled_later(r"\s+[^\W\dA-ZÀ-ÖØ-Þ_]")
_WHICH_ONE = compiled_later(r"(?:^|[\s(\[/„\"'«]|\d\.\s?|[\s.\d][–—-])(?:\d{1,2}|(\d{3,4})|[IVXL]{2,5})$")
"""A number that may say which one, at the end of what is before a point: a day, a month, a try, a king; in small
letters goes on what has longer ones, such as a year."""
_NEXT = compiled_later(r"[.–—-]?[^\S\n]+[^\W\d_]")
_SMALL = compiled_later(r"\s+[a-zà-öø-ÿ]")
_AROUND = 200
"""Characters around a number that tell whether the language has such points."""
_ENGLISH = compiled_later(
    r"\b(?:the|of|and|is|are|it|you|your|this|that|with|from|they|them|then|there|will|would|please|as)\b",
    re.IGNORECASE,
)
"""Words of English alone, or nearly, which has no such points: there a number before one ends its sentence."""


def ends_none(text: str, point: int) -> bool:
    """Return whether the point at a place of a text, with blanks behind it, ends no sentence."""
    return _abbreviates(text, point) or _says_which(text, point)


def _abbreviates(text: str, point: int) -> bool:
    least = max(0, point - _LONGEST)
    start = max(text.rfind(" ", least, point), text.rfind("(", least, point), text.rfind("\n", least, point), least - 1)
    match = _ABBREVIATED.match(text, start + 1)
    if match is not None and match.end() == point + 1:
        return True
    return text[start + 1 : point].lower() in _BEFORE_SMALL and _GOES_ON_SMALL.match(text, point + 1) is not None


def _says_which(text: str, point: int) -> bool:
    if not (text[point - 1 : point].isdigit() or text[point - 1 : point] in ("I", "V", "X", "L")):
        return False
    number = _WHICH_ONE.search(text, max(0, point - _LONGEST), point)
    if number is None or not _NEXT.match(text, point + 1):
        return False
    if number[1] and not _SMALL.match(text, point + 1):
        return False
    begin, end = text.rfind("\n", 0, point) + 1, text.find("\n", point)
    end = len(text) if end < 0 else end
    return not _ENGLISH.search(text, max(begin, point - _AROUND), min(end, point + _AROUND))
