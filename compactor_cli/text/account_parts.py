"""Select which sentences to keep of a summary that a harness let the agent write of the session so far: the user's
requests and rules first, then the findings; the next steps only if the agent did not continue after it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from compactor_cli.text.chosen import FIRST, NEVER, SECOND, Chosen
from compactor_cli.text.kept_sentences import KEYWORD
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.section_headings import Span
from compactor_cli.text.subjects import SubjectWords
from compactor_cli.text.text_outline import Outlined, outline

_OF_USER = compiled_later(
    r"(?<![\w./\\-])(?:requests?|intents?|goals?|objectives?"
    r"|user['’]?s? (?:messages|preferences|feedback|instructions)|messages (?:of|from) the user|constraints?|rules"
    r"|preferences|requirements)\b(?![./\\-]\w)",
    re.IGNORECASE,
)
"""A heading or label of the part of a summary with what the user asked; not the name of a file."""
_COMES = (
    r"(?:(?:next|pending|remaining)(?: \w+){0,2}|current (?:work|state|status|task|plan|step)|in progress|to-?dos?"
    r"|open (?:tasks|items|points)|plan)(?=\W*$|\s*[(&/,;:]|\s+(?:and|for|to|[—–-])\s)"
)
_NEXT = compiled_later(rf"(?<![\w./\\-]){_COMES}", re.IGNORECASE)
"""A heading or label of the part with the next steps."""
_ITEM_NEXT = compiled_later(rf"[\W\d]*(?:(?:the|my|optional|immediate|suggested|likely) )*{_COMES}", re.IGNORECASE)
"""The label of an item with a next step. Other items may mention a plan, or anything else that is pending."""
_BEHIND_DRAFT = compiled_later(r"\W*summary\W*", re.IGNORECASE)
"""The heading of the summary itself, after a draft."""
_GO_ON = compiled_later(
    r"\s*(?:If you need specific details from before|Please continue|Continue (?:the conversation|with the last))"
)
"""How a harness asks the agent to continue."""
_PARAGRAPH = compiled_later(r"\S.*(?:\n(?!\s*\n).*)*")
_HEAD = 80
"""Characters of a heading or label that are searched for these words."""


class Account:
    """A summary that a harness let the agent write of the session so far."""

    def __init__(self, text: str, subject: SubjectWords, rate: Callable[[str], float], *, followed: bool) -> None:
        """Take the text of the summary. `subject`: weighs its words on the current subject; `rate`: returns the points
        of a sentence for what it orders; `followed`: whether the agent continued after the summary."""
        self._text = text
        self._units = outline(text)
        self._ranks = _ranks(text, self._units, followed=followed)
        said = [text[unit.start : unit.end].strip() for unit in self._units]
        worth = [1 + KEYWORD * subject.share(sentence) + rate(sentence) for sentence in said]
        self.kept = Chosen(text, self._units, worth, self._ranks).kept

    def asked(self) -> str:
        """Return the sentences of the first rank: the beginning, and what the user asked and ruled."""
        units = zip(self._units, self._ranks, strict=True)
        return "".join(self._text[unit.start : unit.end] for unit, rank in units if rank == FIRST)


def ranked_paragraphs(text: str, *, followed: bool) -> Iterator[tuple[Span, int]]:
    """Yield the spans of the paragraphs of such a summary, each with the best rank of its sentences."""
    units = outline(text)
    ranks = _ranks(text, units, followed=followed)
    at = 0
    for paragraph in _PARAGRAPH.finditer(text):
        rank = NEVER
        while at < len(units) and units[at].start < paragraph.end():
            rank = min(rank, ranks[at])
            at += 1
        yield paragraph.span(), rank


def _ranks(text: str, units: Sequence[Outlined], *, followed: bool) -> list[int]:
    """Return the rank of each unit. If nothing followed the summary, everything from its next steps on is FIRST."""
    heads = (unit.start for unit in units if unit.heads and _BEHIND_DRAFT.fullmatch(text, unit.start, unit.end))
    drafted = next(heads, 0)
    found: list[int] = []
    ends = False
    for at, unit in enumerate(units):
        told = _told(text, units, at)
        overtaken = followed and (told == "next" or _GO_ON.match(text, unit.start) is not None)
        ends = ends or (told == "next" and not followed and unit.start >= drafted)
        if at and (overtaken or unit.start < drafted):
            found.append(NEVER)
        else:
            found.append(FIRST if ends or not at or told == "asked" else SECOND)
    return found


def _told(text: str, units: Sequence[Outlined], at: int) -> str:
    """Return of what a sentence is by the nearest heading that tells: of what was `asked`, or comes `next`."""
    unit, comes = units[at], _NEXT.search if units[at].heads else _ITEM_NEXT.match
    label = _label(text, unit) if unit.heads else _label(text, unit).rpartition(":")[0]
    while not (asked := _OF_USER.search(label)) and not comes(label):
        if unit.parent < 0:
            return ""
        unit, comes = units[unit.parent], _NEXT.search
        label = _label(text, unit) if unit.heads else ""
    return "asked" if asked else "next"


def _label(text: str, unit: Outlined) -> str:
    return text[unit.start : min(unit.end, unit.start + _HEAD)]
