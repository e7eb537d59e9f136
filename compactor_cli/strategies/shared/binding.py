"""Sentences of the user that hold for all that follows, as far as their words tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from compactor_cli.features.cue_words import CUES
from compactor_cli.features.talk_words import words
from compactor_cli.text.clauses import FENCE, Clause
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import ASKS

_OVER, _CODE, _TOLD = 0.2, 0.5, 0.75
"""What counts of instructions a heading, a line of code, and a sentence without a word that gives or forbids."""
_HEADING_LINE = compiled_later(r"\s*(?:#{1,6}\s.*|//.*|(?:[-*+]\s+)?\*\*[^*]+\*\*:?\s*)$")
FORCE = compiled_later(
    r"\b(?:never|always|must|do not|don['’]?t|cannot|can['’]?t|ha(?:s|ve) to|only|required?|forbidden"
    r"|prohibited|mandatory"
    r"|niemals|nie|immer|muss|müssen|darf|dürfen|nur|jamais|toujours|doit|doivent|ne pas|interdit|nunca|siempre|jamás"
    r"|debe|deben|tiene que|hay que|il faut|solo|sólo|sempre|deve|devono|devem|mai)\b"
    r"|必须|禁止|不要|不得|必ず|してはいけない|しないで|никогда|всегда|нельзя",
    re.IGNORECASE,
)
_RULING = CUES["negation"], CUES["duty"]
_ANNOUNCES = compiled_later(
    r"(?:[^\W\d_]+['’]?[^\W\d_]*[ ,]+){0,4}(?:rules?|things?|wishes|points?|notes?|conditions?|constraints?|requests"
    r"|requirements?|remarks?|preferences|instructions|regeln|dinge|sachen|wünsche|punkte|hinweise|bedingungen"
    r"|vorgaben|cosas|reglas|condiciones|notas|choses|règles|remarques|consignes|cose|regole|coisas|regras)\b"
    r"(?:[ ,]+[^\W\d_]+){0,4}[.:!]?|[^，。：,.:]{0,6}(?:要求|规则|几点|注意事项|条件|お願い)[^，。：,.:]{0,4}[。：.:]?",
    re.IGNORECASE,
)
"""A sentence of few words that only says that rules or wishes follow: "A few wishes before you begin."."""


def announces(text: str) -> bool:
    """Return whether a sentence only says that rules, wishes or other things follow."""
    return _ANNOUNCES.fullmatch(text) is not None and not FORCE.search(text)


def orders(clause: Clause) -> bool:
    """Return whether a sentence orders or forbids something, by its words: it asks nothing, and was not pasted."""
    return _is_said(clause) and FORCE.search(clause.text) is not None


def may_bind(clause: Clause) -> bool:
    """Return whether a sentence has a word that forbids, demands or limits something."""
    words_in = set(words(clause.text))
    return _is_said(clause) and any(
        not cue.words.isdisjoint(words_in) or cue.count_inside(clause.text) for cue in _RULING
    )


def _is_said(clause: Clause) -> bool:
    return clause.place in ("asked", "title") and not ASKS.search(clause.text)


def forces(sentences: Iterable[str]) -> Iterator[float]:
    """Yield how much each sentence of instructions counts: what only says what others are about binds nobody."""
    in_code = False
    for text in sentences:
        if FENCE.match(text):
            in_code = not in_code
            yield 0.0
        elif in_code or _HEADING_LINE.match(text):
            yield _CODE if in_code else _OVER
        else:
            yield 1.0 if FORCE.search(text) else _TOLD
