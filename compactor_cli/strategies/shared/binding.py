"""Sentences of the user that hold for all that follows, as far as their words tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from compactor_cli.features.cue_words import CUES
from compactor_cli.features.talk_words import words
from compactor_cli.strategies.shared.ordering import is_bare_ban, is_order, is_standing
from compactor_cli.strategies.shared.turning_away import turns_away
from compactor_cli.text.clauses import FENCE, Clause
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import ASKS

_HEADING, _CODE, _STATEMENT = 0.2, 0.5, 0.75
"""What counts of instructions a heading, a line of code, and a sentence without a word that gives or forbids."""
_HEADING_LINE = compiled_later(r"\s*(?:#{1,6}\s.*|//.*|(?:[-*+]\s+)?\*\*[^*]+\*\*:?\s*)$")
_FORCE = compiled_later(
    r"\b(?:never|always|must|do not|don['’]?t|cannot|can['’]?t|ha(?:s|ve) to|only|required?|forbidden"
    r"|prohibited|mandatory"
    r"|niemals|nie|immer|muss|müssen|darf|dürfen|nur|jamais|toujours|doit|doivent|ne pas|interdit|nunca|siempre|jamás"
    r"|debe|deben|tiene que|hay que|il faut|solo|sólo|sempre|deve|devono|devem|mai)\b"
    r"|必须|禁止|不要|不得|不许|不准|不能|只能|务必"
    r"|别(?=(?-i:[\u4e00-\u9fff]))(?![的人处名致])"  # compiling takes three times as long where their case is looked up
    r"|必ず|してはいけない|しないで|никогда|всегда|нельзя",
    re.IGNORECASE,
)
_INNER_END = compiled_later(r"(?<=[^\W_]{2}[.!?])\s+|(?<=\d[.!?])\s+|(?<=[)\"'”’][.!?])\s+")
"""Between the sentences that were taken for one: no abbreviation with points inside of it."""
_RULING = CUES["negation"], CUES["duty"]
_ANNOUNCES = compiled_later(
    r"(?:(?:and|also|but|first|und|noch|y|et)[ ,]+)?(?:here (?:are|come)|a (?:few|couple of)|some|several|my|these|our"
    r"|(?:one|two|three|four|five) ?(?:more|other)?|ein paar|einige|meine|zwei|drei|vier|un(?:as|os)|algunas|mis|dos"
    r"|tres|cuatro|quelques|mes|deux|trois|quatre|alcun[ei]|due|tre|algumas|duas|três)(?:[ ,]+[^\W\d_]+){0,2}[ ,]+"
    r"(?:rules|things|wishes|points|notes|conditions|constraints|requests|requirements|remarks|preferences|instructions"
    r"|regeln|dinge|sachen|wünsche|punkte|hinweise|bedingungen|vorgaben|cosas|reglas|condiciones|notas|choses|règles"
    r"|remarques|consignes|cose|regole|coisas|regras)"
    r"(?:[ ,]+(?:first|before we (?:begin|start)|before you (?:begin|start)|before (?:starting|that)"
    r"|for (?:you|me|us|now|today|this|all(?: that| of it)?|(?:the|this) (?:start|beginning|work|project|session))"
    r"|about (?:it|this|that|all that|(?:the|my|our|your) [^\W\d_]+)|vorab|vorweg|dazu|zuerst|bevor (?:du|sie|wir) \w+"
    r"|antes(?: de empezar)?|sobre (?:esto|eso|el|la) ?[^\W\d_]*|avant(?: de commencer| tout)?|prima(?: di iniziare)?"
    r"|primeiro))?[ ]?[.:!]?"
    r"|(?:[^\s，。：,.:]{0,4}?(?:[几两三四五六]|一些|以下)(?:[个条点项])?小?(?:要求|规则|注意事项|条件|约定)"
    r"|[^\s，。：,.:]{0,3}[有说提]几点(?:注意)?)(?:如下)?[。：.:]?"
    r"|(?:(?:いくつか|[二三四五]つ)の?(?:お願い|条件|ルール)(?:が(?:あります|ある))?|(?:お願い|条件)があります)[。：:]?",
    re.IGNORECASE,
)
"""A sentence of few words that only says that rules or wishes follow: "A few wishes before you begin."."""


def reverses(clause: Clause) -> bool:
    """Return whether a sentence decides against what was said or planned before it."""
    return turns_away(_told(clause))


def changes_of_mind(sentences: Sequence[tuple[int, Clause]]) -> tuple[set[int], set[int]]:
    """Return the places of sentences before a change of mind in the same request, but for orders, and of those that
    tell the change. `sentences`: each with the number of its request."""
    before, changes = set[int](), set[int]()
    for _, group in groupby(range(len(sentences)), lambda index: sentences[index][0]):
        members = list(group)
        if turns := [index for index in members if reverses(sentences[index][1])]:
            changes.add(turns[-1])
            before |= {index for index in members if index < turns[-1] and not orders(sentences[index][1])}
    return before, changes


def announces(text: str) -> bool:
    """Return whether a sentence only says that rules, wishes or other things follow."""
    return _ANNOUNCES.fullmatch(text) is not None and not _FORCE.search(text)


def orders(clause: Clause) -> bool:
    """Return whether a sentence orders or forbids something, by its words: it asks nothing, and was not pasted."""
    text = _told(clause)
    return (_FORCE.search(text) is not None and is_order(text)) or is_bare_ban(text) or is_standing(text)


def may_bind(clause: Clause) -> bool:
    """Return whether a sentence has a word that forbids, demands or limits something."""
    text = _told(clause)
    words_in = set(words(text))
    return any(not cue.words.isdisjoint(words_in) or cue.count_inside(text) for cue in _RULING)


def _told(clause: Clause) -> str:
    """Return what a sentence says without asking: nothing of what was pasted. What stands in it before a question is
    often a sentence of its own, as in "never restart worker 3. why does it hang?"."""
    if clause.place not in ("asked", "title"):
        return ""
    if not ASKS.search(clause.text):
        return clause.text
    return " ".join(part for part in _INNER_END.split(clause.text) if not ASKS.search(part))


def forces(sentences: Iterable[str]) -> Iterator[float]:
    """Yield how much each sentence of instructions counts: what only says what others are about binds nobody."""
    in_code = False
    for text in sentences:
        if FENCE.match(text):
            in_code = not in_code
            yield 0.0
        elif in_code or _HEADING_LINE.match(text):
            yield _CODE if in_code else _HEADING
        else:
            yield 1.0 if _FORCE.search(text) else _STATEMENT
