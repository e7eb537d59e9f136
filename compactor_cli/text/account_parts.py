"""Select which sentences to keep of a summary that a harness let the agent write of the session so far: the user's
requests and rules first, then the findings; the next steps only if the agent did not continue after it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from compactor_cli.text.chosen import FIRST, NEVER, SECOND, SentenceChoice
from compactor_cli.text.kept_sentences import KEYWORD
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.section_headings import Span
from compactor_cli.text.subjects import SubjectWords
from compactor_cli.text.text_outline import OutlineUnit, outline_units

_USER_PART = compiled_later(
    r"(?<![\w./\\-])(?:requests?|intents?|goals?|objectives?"
    r"|user['’]?s? (?:messages|preferences|feedback|instructions)|messages (?:of|from) the user|constraints?|rules"
    r"|preferences|requirements)\b(?![./\\-]\w)",
    re.IGNORECASE,
)
"""A heading or label of the part of a summary with what the user asked; not the name of a file."""
_NEXT_PART = (
    r"(?:(?:next|pending|remaining)(?: \w+){0,2}|current (?:work|state|status|task|plan|step)|in progress|to-?dos?"
    r"|open (?:tasks|items|points)|plan)(?=\W*$|\s*[(&/,;:]|\s+(?:and|for|to|[—–-])\s)"
)
_NEXT_STEPS = compiled_later(rf"(?<![\w./\\-]){_NEXT_PART}", re.IGNORECASE)
"""A heading or label of the part with the next steps."""
_NEXT_STEP_ITEM = compiled_later(
    rf"[\W\d]*(?:(?:the|my|optional|immediate|suggested|likely) )*{_NEXT_PART}", re.IGNORECASE
)
"""The label of an item with a next step. Other items may mention a plan, or anything else that is pending."""
_SUMMARY_HEADING = compiled_later(r"\W*summary\W*", re.IGNORECASE)
"""The heading of the summary itself, after a draft."""
_CONTINUE_REQUEST = compiled_later(
    r"\s*(?:If you need specific details from before|Please continue|Continue (?:the conversation|with the last))"
)
"""How a harness asks the agent to continue."""
_PARAGRAPH = compiled_later(r"\S.*(?:\n(?!\s*\n).*)*")
_LABEL_CHARS = 80
"""Characters of a heading or label that are searched for these words."""


class AgentSummary:
    """A summary that a harness let the agent write of the session so far."""

    def __init__(self, text: str, subject: SubjectWords, rate: Callable[[str], float], *, is_followed: bool) -> None:
        """Take the text of the summary. `subject`: weighs its words on the current subject; `rate`: returns the points
        of a sentence for what it orders; `is_followed`: whether the agent continued after the summary."""
        self._text = text
        self._units = outline_units(text)
        self._ranks = _unit_ranks(text, self._units, is_followed=is_followed)
        sentences = [text[unit.start : unit.end].strip() for unit in self._units]
        worth = [1 + KEYWORD * subject.sentence_weight(sentence) + rate(sentence) for sentence in sentences]
        self.choose_spans = SentenceChoice(text, self._units, worth, self._ranks).choose_spans

    def first_rank_text(self) -> str:
        """Return the sentences of the first rank: the beginning, and what the user asked and ruled."""
        units = zip(self._units, self._ranks, strict=True)
        return "".join(self._text[unit.start : unit.end] for unit, rank in units if rank == FIRST)


def ranked_paragraphs(text: str, *, is_followed: bool) -> Iterator[tuple[Span, int]]:
    """Yield the spans of the paragraphs of such a summary, each with the best rank of its sentences."""
    units = outline_units(text)
    ranks = _unit_ranks(text, units, is_followed=is_followed)
    index = 0
    for paragraph in _PARAGRAPH.finditer(text):
        rank = NEVER
        while index < len(units) and units[index].start < paragraph.end():
            rank = min(rank, ranks[index])
            index += 1
        yield paragraph.span(), rank


def _unit_ranks(text: str, units: Sequence[OutlineUnit], *, is_followed: bool) -> list[int]:
    """Return the rank of each unit. If nothing followed the summary, everything from its next steps on is FIRST."""
    heads = (unit.start for unit in units if unit.is_heading and _SUMMARY_HEADING.fullmatch(text, unit.start, unit.end))
    summary_start = next(heads, 0)
    found: list[int] = []
    is_after_next = False
    for index, unit in enumerate(units):
        part = _sentence_part(text, units, index)
        is_outdated = is_followed and (part == "next" or _CONTINUE_REQUEST.match(text, unit.start) is not None)
        is_after_next = is_after_next or (part == "next" and not is_followed and unit.start >= summary_start)
        if index and (is_outdated or unit.start < summary_start):
            found.append(NEVER)
        else:
            found.append(FIRST if is_after_next or not index or part == "asked" else SECOND)
    return found


def _sentence_part(text: str, units: Sequence[OutlineUnit], index: int) -> str:
    """Return what a sentence is about, by the nearest heading that says it: "asked", "next", or ""."""
    unit, match_next = units[index], _NEXT_STEPS.search if units[index].is_heading else _NEXT_STEP_ITEM.match
    label = _unit_label(text, unit) if unit.is_heading else _unit_label(text, unit).rpartition(":")[0]
    while not (by_user := _USER_PART.search(label)) and not match_next(label):
        if unit.parent < 0:
            return ""
        unit, match_next = units[unit.parent], _NEXT_STEPS.search
        label = _unit_label(text, unit) if unit.is_heading else ""
    return "asked" if by_user else "next"


def _unit_label(text: str, unit: OutlineUnit) -> str:
    return text[unit.start : min(unit.end, unit.start + _LABEL_CHARS)]
