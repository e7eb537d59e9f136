"""Statements of the agent and what it said later of the same: a finding that is corrected must not stay alone."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

from compactor_cli.model.message import Message
from compactor_cli.summaries.facts import WHERE
from compactor_cli.summaries.items import SummaryItem
from compactor_cli.summaries.needed_lines import needing
from compactor_cli.text.later_figures import figures_of, later_on_figures
from compactor_cli.text.patterns import compiled_later

_SLIGHT = compiled_later(r"\d{1,2}|(?:19|20)\d\d")
"""A figure that says nothing alone."""
_TAKES_BACK = compiled_later(
    r"\bI (?:had )?(?:misread|misunderstood|misinterpreted|mistook|miscounted|was (?:wrong|mistaken)"
    r"|made an? (?:error|mistake)|got (?:it|that|this|the [\w-]+) wrong)\b"
    r"|\bmy (?:mistake|earlier [\w ]{1,30} was wrong)\b|\bthat was wrong\b"
    r"|\bich habe (?:mich (?:geirrt|vertan|verlesen|verrechnet)|[^.;]{0,40}(?:falsch|verwechselt))|\bmein fehler\b"
    r"|\b(?:he|había) (?:interpretado|leído|entendido|contado) mal\b|\bme (?:he )?(?:equivoqué|equivocado|equivocaba)\b"
    r"|\bje me suis trompée?\b|\bj['’]ai mal (?:lu|compris|interprété|compté)\b|\berreur de ma part\b"
    r"|\bho (?:letto|interpretato|capito|contato) male\b|\bmi sono sbagliat[oa]\b|\bme enganei\b|\binterpretei mal\b"
    r"|我(?:之前|刚才)?(?:看|理解|弄|搞|算)错了|勘違い(?:して|でし)|間違えました|я ошиб(?:ся|лась)|я неправильно понял",
    re.IGNORECASE,
)
"""How somebody says that what they said before does not hold."""
_BACK = 8
"""Statements with figures before such words, at most, that they may take back."""


def with_corrections(items: Sequence[SummaryItem], messages: Sequence[Message] = ()) -> list[SummaryItem]:
    """Return the lines, of which no two say the same, where those of the agent need a later one that may correct them;
    that is worth as much then. What it said on the way to what it came to before the next request, of the same
    figures, needs that."""
    result = list(items)
    own = [at for at in sorted(range(len(items)), key=lambda at: items[at].order) if is_statement(items[at])]
    said = _in_turn([items[at] for at in own])
    later = later_on_figures(said)
    asked = [message.number for message in messages if message.origin == "request"]
    for at, others in [*enumerate(later), *_came_to([items[at] for at in own], asked), *_taken_back(said)]:
        wanted = [own[other] for other in others if items[own[other]].about not in result[own[at]].needs]
        if wanted:
            needing(result, own[at], wanted)
    return result


def _came_to(items: Sequence[SummaryItem], asked: Sequence[int]) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield the statements of messages before the last one that says anything before the next request, each with what
    that says of a figure of its message. `asked`: numbers of the requests."""
    turns: defaultdict[int, dict[int, list[int]]] = defaultdict(dict)
    for at, item in enumerate(items):
        if item.messages:
            number = item.messages[0]
            turns[bisect_left(asked, number)].setdefault(number, []).append(at)
    for turn in turns.values():
        *before, last = turn.values()
        figures = {at: _figures(items[at].text) for own in turn.values() for at in own}
        for own in before:
            named = frozenset[str]().union(*(figures[at] for at in own))
            if closing := [at for at in last if not named.isdisjoint(figures[at])]:
                yield from ((at, closing) for at in own if figures[at])


def _taken_back(said: Sequence[tuple[int, str]]) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield statements with a figure of a later message that takes something back, each with what says so."""
    figures = [_figures(text) for _, text in said]
    for at, (message, text) in enumerate(said):
        if not _TAKES_BACK.search(text):
            continue
        named = frozenset[str]().union(
            *(own for own, (number, _) in zip(figures, said, strict=True) if number == message)
        )
        earlier = [before for before in range(at) if said[before][0] != message and figures[before]][-_BACK:]
        yield from ((before, [at]) for before in earlier if not named.isdisjoint(figures[before]))


def _figures(text: str) -> frozenset[str]:
    return frozenset(figure for figure in figures_of(WHERE.sub("", text)) if not _SLIGHT.fullmatch(figure))


def is_statement(item: SummaryItem) -> bool:
    """Return whether a line quotes what the agent said of its work."""
    return item.section in ("Done", "Decisions", "In progress") and item.text.startswith('"')


def _in_turn(items: Sequence[SummaryItem]) -> list[tuple[int, str]]:
    """Return what was said, each with a number of its message; those of earlier rounds have theirs in the text."""
    said: list[tuple[int, str]] = []
    before: tuple[int, ...] | str = ""
    for item in items:
        text = WHERE.sub("", item.text)
        label = item.messages or item.text[len(text) :]
        number = said[-1][0] if said else 0
        said.append((number + (label != before), text))
        before = label
    return said
