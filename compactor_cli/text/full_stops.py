"""Full stops that do not end a sentence: those of abbreviations, and of days, as in "am 15. Juli".

Joining two sentences may hide a rule behind a question, so a full stop ends a sentence unless there is evidence
against it.
"""

from __future__ import annotations

import re

from compactor_cli.text.patterns import compiled_later, lower_for_search

_ABBREVIATIONS = (
    "dr|mr|mrs|prof|nr|vs|cf|bzw|bspw|ggf|vgl|sog|usw|approx|excl|incl|resp|inkl|exkl|zzgl|evtl|aprox|núm|pág|máx|mín"
    "|réf|см|стр|ред|ул|гр"
)
_BEFORE_WORD = "M|Ms|St|Sr|Sra|Srta|Dra|[Hh]r|Fr|Mme|Mlle|Sig|Dott|Ing"
_BEFORE_NUMBER = "ca|fig|abb|tab|kap|abs|art|vol|sec|eq|ch|p|pp|s|bd|str|kl|max|min|около|рис|гл|ок"
_INNER_ABBREVIATIONS = "max|min|dept|etc"
_ABBREVIATED = compiled_later(
    r"(?<![^\W\d_])(?:"
    r"[^\W\d_](?:\.[^\W\d_]{1,4})+"  # z.B., e.g., U.S.
    r"|[^\W\d_](?=\.\s[^\W\d_]\.)|(?<=\b[^\W\d_]\.\s)[^\W\d_]"  # z. B.
    rf"|(?:{_ABBREVIATIONS})|(?-i:{_BEFORE_WORD})(?=\.\s+[^\W\d_])|(?:(?-i:No)|{_BEFORE_NUMBER})(?=\.\s+\d)"
    rf"|(?-i:{_INNER_ABBREVIATIONS})(?=\.\s+(?-i:[a-zà-öø-ÿ])))\.",
    re.IGNORECASE,
)
"""A word whose full stop does not end a sentence; for some, only before a number or before lower case."""
_SHORT_FORMS = frozenset(
    "|".join((_ABBREVIATIONS, _BEFORE_WORD, _BEFORE_NUMBER, _INNER_ABBREVIATIONS, "no", "hr")).lower().split("|")
)
"""All of these in lower case. Most words are not among them and need no further check."""
_MAX_ABBREVIATION_CHARS = 24
"""Maximum distance of an abbreviation's beginning from its full stop."""
_FINAL_ABBREVIATIONS = frozenset(
    ("e.g", "i.e", "etc", "vs", "cf", "approx", "incl", "excl", "resp", "bzw", "z.b", "d.h", "ca", "p.ej")
)
"""Abbreviations that may end a sentence, but not before lower case."""
_LOWER_CASE_NEXT = compiled_later(r"\s+[^\W\dA-ZÀ-ÖØ-Þ_]")
_SMALL_NUMBER = compiled_later(r"(?<![^\s(\[/„\"'«.])\d{1,2}$")
_AFTER_ORDINAL = compiled_later(
    r"[^\S\n]+(?:[a-zß-öø-žа-я]|(?:J[aä]n(?:uar|ner)?|Febr?(?:uar)?|März|Apr(?:il)?|Mai|Jun[iy]?|Jul[iy]?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|O[kc]t(?:ober)?|Nov(?:ember)?|De[zc](?:ember)?)(?![^\W\d_]))"
)
"""What follows a day or another ordinal: a word in lower case, or a month."""


def is_no_sentence_end(text: str, point: int) -> bool:
    """Return whether the full stop at a position, followed by whitespace, does not end a sentence."""
    if text[point - 1 : point].isdigit():
        is_small = _SMALL_NUMBER.search(text, max(0, point - 3), point) is not None
        return is_small and _AFTER_ORDINAL.match(text, point + 1) is not None
    start = max(0, point - _MAX_ABBREVIATION_CHARS)
    start = max(text.rfind(sign, start, point) for sign in " (\n") + 1 or start
    word = lower_for_search(text[start:point])
    if len(word) > 1 and "." not in word and word not in _SHORT_FORMS:
        return False
    match = _ABBREVIATED.match(text, start)
    if match is not None and match.end() == point + 1:
        return True
    return word in _FINAL_ABBREVIATIONS and _LOWER_CASE_NEXT.match(text, point + 1) is not None
