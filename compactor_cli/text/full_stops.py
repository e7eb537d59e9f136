"""Full stops that do not end a sentence: those of abbreviations, and of ordinals, as in "am 15. Juli".

Joining two sentences may hide a rule behind a question, so a full stop ends a sentence unless there is evidence
against it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from compactor_cli.text.patterns import compiled_later, lower_for_search

_ABBREVIATIONS = (
    "dr|mr|mrs|prof|nr|vs|cf|bzw|bspw|ggf|vgl|sog|usw|approx|excl|incl|resp|inkl|exkl|zzgl|evtl|aprox|núm|pág|máx|mín"
    "|réf|см|стр|ред|ул|гр"
)
_BEFORE_WORD = "Ms|St|Sr|Sra|Srta|Dra|Hr|Fr|Mme|Mlle|Sig|Dott|Ing"
_BEFORE_NUMBER = "ca|fig|abb|tab|kap|abs|art|vol|sec|eq|ch|p|pp|s|bd|str|kl|max|min|около|рис|гл|ок"
_INNER_ABBREVIATIONS = "max|min|dept|etc"
_TITLES = "Lic|Arq|Abg|Capt|Sgt|Lt|Mgr|MUDr|JUDr|PhDr|Inż|inż"
_ABBREVIATED = compiled_later(
    r"(?<![^\W\d_])(?:"
    r"[^\W\d_](?:\.[^\W\d_]{1,4})+"  # z.B., e.g., U.S.
    rf"|(?:{_ABBREVIATIONS})|(?-i:{_BEFORE_WORD})(?=\.\s+[^\W\d_])|(?:(?-i:No)|{_BEFORE_NUMBER})(?=\.\s+\d)"
    rf"|(?-i:{_INNER_ABBREVIATIONS})(?=\.\s+(?-i:[a-zà-öø-ÿ])))\.",
    re.IGNORECASE,
)
"""A word whose full stop does not end a sentence; for some, only before a number or before lower case."""
_TITLE = compiled_later(rf"(?<![Tt]he )(?:{_TITLES})\.(?=\s+[A-ZÀ-ÖØ-ÞĀ-Ž])")
"""A title before a name. The same letters can be the name of a column, a license or a part, mostly after an article."""
_VOWELS = "aeiouyäöüáéíóúàèìòùâêîôûěůőűıąęаеёиоуыэюя"
_CONSONANTS = compiled_later(rf"(?!(?-i:[A-Z]{{2}}))[^\W\d_{_VOWELS}]{{2,4}}\.", re.IGNORECASE)
"""A word without vowels. In English, such a word is just as often the name of a tool."""
_MAX_CONSONANTS = 4
_OPEN_LETTERS = frozenset(_VOWELS)
_SHORT_FORMS = frozenset(
    "|".join((_ABBREVIATIONS, _BEFORE_WORD, _BEFORE_NUMBER, _INNER_ABBREVIATIONS, _TITLES, "no")).lower().split("|")
)
"""All of these in lower case. Most words are not among them and need no further check."""
_SINGLE_LETTER = compiled_later(r"[^\W\d_]\.")
_PAIR_BEFORE, _PAIR_AFTER = compiled_later(r"(?<![^\W_])[^\W\d_]\.\s$"), compiled_later(r"\s[^\W\d_]\.")
_NAME_BEFORE = compiled_later(r"(?:^|[(\n]|[^\W\d_]+\.\s|(?<![^\W_])(?-i:[A-ZÀ-ÖØ-Þ])[a-zà-öø-ÿ'’-]+\s)$")
"""What precedes the first letter of a name: another name, a title, or nothing."""
_NAME_AFTER = compiled_later(r"\s[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]+")
_MAX_ABBREVIATION_CHARS = 24
"""Maximum distance of an abbreviation's beginning from its full stop."""
_FINAL_ABBREVIATIONS = frozenset(
    ("e.g", "i.e", "etc", "vs", "cf", "approx", "incl", "excl", "resp", "bzw", "z.b", "d.h", "ca", "p.ej")
)
"""Abbreviations that may end a sentence, but not before lower case."""
_LOWER_CASE_NEXT = compiled_later(r"\s+[^\W\dA-ZÀ-ÖØ-Þ_]")
_ORDINAL_NUMBER = compiled_later(r"(?:^|[\s(\[/„\"'«]|\d\.\s?|[\s.\d][–—-])(?:\d{1,2}|(\d{3,4})|[IVXL]{2,5})$")
"""A number before a full stop that may be an ordinal: a day, a month, an attempt, a king. Longer numbers, such as
years, count only before lower case."""
_LOWER_CASE_AFTER = compiled_later(r"[.–—-]?[^\S\n]+[^\W\dA-ZÀ-ÖØ-Þ_]")
_MONTH = compiled_later(
    r"[^\S\n]+(?:J[aä]n(?:uar|ner)?|Febr?(?:uar)?|März|Apr(?:il)?|Mai|Jun[iy]?|Jul[iy]?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|O[kc]t(?:ober)?|Nov(?:ember)?|De[zc](?:ember)?)(?![^\W\d_])"
)
_AFTER_ARTICLE = compiled_later(
    r"(?<![^\W_])(?:(?:am|im|vom|zum|zur|beim|ins|de[rnms]|die|das|(?:[mds]?ein|jed|dies|unser|ihr)(?:e[rnms]?)?)\s+"
    r"(?:\d{1,2}\.\s?)?|(?:bis|ab|seit|nach|vor)\s+\d{1,2}\.\s?)(?:\d{1,2}|[IVXL]{2,5})$",
    re.IGNORECASE,
)
"""An ordinal in German: after an article, or as a day with its month."""
_AFTER_COMMA = compiled_later(r"(?<![^\W_])[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]+(?:[^\S\n]+\d{1,4}[a-z]?)?,[^\S\n]+[1-9]\d?$")
_FLOOR = compiled_later(
    r"[^\S\n]+(?:[OUD]G|Stock(?:werk)?|Etage|(?:Ober|Unter|Zwischen)?[Gg]escho(?:ss|ß)|Patro|Poschodie|Piętro)(?![\w-])"
)
"""An ordinal in an address: after the name of a street or room, or its number, and before a floor."""
_LANGUAGE_CHARS = 120
"""Characters around a number that show whether the language marks ordinals with a full stop."""
_ORDINAL_LANGUAGE = compiled_later(
    r"[äößåøæěřůčšžťďňľłśźżąęőűğışđćāēīūņķļģ]"
    r"|\b(?:und|oder|nicht|ist|wir|ich|sie|uns|noch|wird|haben|og|ikke|jeg|det|til|har|ja|ei|kello|jest|się|nie|są|oraz"
    r"|není|jsou|aby|nebo|hogy|egy|nem|és|ez|bir|ve|için|olacak|i dag)\b",
    re.IGNORECASE,
)
"""Letters and words of languages that mark ordinals with a full stop."""
_ENGLISH = compiled_later(
    r"\b(?:the|of|and|is|are|it|you|your|this|that|with|from|they|them|then|there|will|would|please|as)\b",
    re.IGNORECASE,
)
"""Words found almost only in English, which does not mark ordinals this way; a number before a full stop then ends
its sentence."""
_SENTENCE_START = compiled_later(
    r"\s+(?:[¿¡]|(?:do|don['’]?t|does|did|never|always|not|only|no|please|why|what|how|when|where|who|which|can|"
    r"could|will"
    r"|would|should|must|is|are|was|has|have|the|this|that|these|those|it|its|i|we|you|they|he|she|there|then|"
    r"use|keep|leave"
    r"|make|let|set|if|and|but|also|so|or|in|on|at|for|to"
    r"|nie|niemals|immer|nur|nicht|nichts|kein\w*|bitte|warum|wieso|weshalb|wie|was|wer|wo|wann|welche\w*|kann\w*|ist"
    r"|sind|hat|haben|habt|wird|soll\w*|muss\w*|darf\w*|lass\w*|lösch\w*|nimm|mach\w*|änder\w*|ich|du|er|sie|wir|ihr|es"
    r"|das|die|der|dann|danach|davor|vorher|da|dort|hier|jetzt|wenn|falls|und|aber|oder|also|auch|sonst|alle[sr]?"
    r"|nunca|jamás|nada|jamais|ne|n(?=['’])|non|não|nigdy|nikdy|никогда|не|pourquoi|почему)"
    r"(?![^\W_]))",
    re.IGNORECASE,
)
"""Words and marks that begin a sentence, rather than a name or the thing that an ordinal specifies."""


def is_no_sentence_end(text: str, point: int) -> bool:
    """Return whether the full stop at a position, followed by whitespace, does not end a sentence."""
    return _is_abbreviation(text, point) or _is_ordinal(text, point)


def is_before_sentence(text: str, point: int) -> bool:
    """Return whether the full stop at a position is followed by a word that begins a sentence."""
    return _SENTENCE_START.match(text, point + 1) is not None


def _is_abbreviation(text: str, point: int) -> bool:
    search_start = max(0, point - _MAX_ABBREVIATION_CHARS)
    start = max(
        text.rfind(" ", search_start, point),
        text.rfind("(", search_start, point),
        text.rfind("\n", search_start, point),
        search_start - 1,
    )
    start += 1
    word = lower_for_search(text[start:point])
    is_pronounceable = len(word) > _MAX_CONSONANTS or not _OPEN_LETTERS.isdisjoint(word)
    if is_pronounceable and len(word) > 1 and "." not in word and word not in _SHORT_FORMS:
        return False
    is_known_form = "." in word or word in _SHORT_FORMS  # the words of the first two patterns
    for pattern in (
        (_ABBREVIATED, _TITLE, _SINGLE_LETTER, _CONSONANTS) if is_known_form else (_SINGLE_LETTER, _CONSONANTS)
    ):
        if (match := pattern.match(text, start)) is None or match.end() != point + 1:
            continue
        if pattern is _ABBREVIATED:
            return True
        if is_before_sentence(text, point):
            continue
        if pattern is _TITLE:
            return True
        if _uses_ordinal_points(text, point) if pattern is _CONSONANTS else _is_of_name_or_pair(text, start, point):
            return True
    return text[start:point].lower() in _FINAL_ABBREVIATIONS and _LOWER_CASE_NEXT.match(text, point + 1) is not None


def _is_of_name_or_pair(text: str, start: int, point: int) -> bool:
    """Return whether a single letter and its full stop belong to "z. B." or "J. Smith", rather than to "option A."."""
    before = text[max(0, start - _MAX_ABBREVIATION_CHARS) : start]
    if _PAIR_BEFORE.search(before) or _PAIR_AFTER.match(text, point + 1):
        return True
    precedes_name = text[start].isupper() and _NAME_AFTER.match(text, point + 1)
    return bool(precedes_name) and _NAME_BEFORE.search(before) is not None


def _is_ordinal(text: str, point: int) -> bool:
    if not (text[point - 1 : point].isdigit() or text[point - 1 : point] in ("I", "V", "X", "L")):
        return False
    number = _ORDINAL_NUMBER.search(text, max(0, point - _MAX_ABBREVIATION_CHARS), point)
    if number is None:
        return False
    if _LOWER_CASE_AFTER.match(text, point + 1):
        return _uses_ordinal_points(text, point)
    if number[1]:
        return False
    if _MONTH.match(text, point + 1):
        return True
    search_start = max(0, point - _MAX_ABBREVIATION_CHARS)
    is_floor = _FLOOR.match(text, point + 1) and _AFTER_COMMA.search(text, search_start, point)
    is_day = _AFTER_ARTICLE.search(text, search_start, point) and not is_before_sentence(text, point)
    return bool(is_floor or is_day) and _uses_ordinal_points(text, point)


def _uses_ordinal_points(text: str, point: int) -> bool:
    """Return whether the surrounding words, on the same line, are in a language that marks ordinals with a full
    stop."""
    # one window for many neighbouring full stops
    window_start = max(0, point - point % _LANGUAGE_CHARS - _LANGUAGE_CHARS)
    window_end = min(len(text), window_start + 3 * _LANGUAGE_CHARS)
    line_start, line_end = text.rfind("\n", window_start, point) + 1, text.find("\n", point, window_end)
    return _is_ordinal_language(text[max(line_start, window_start) : window_end if line_end < 0 else line_end])


@lru_cache(maxsize=16)
def _is_ordinal_language(words: str) -> bool:
    return not _ENGLISH.search(words) and _ORDINAL_LANGUAGE.search(words) is not None
