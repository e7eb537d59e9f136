"""Statements of the agent and its later statements on the same subject: a corrected finding must not appear without
its correction."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from compactor_cli.model.message import Message
from compactor_cli.summaries.facts import WHERE
from compactor_cli.summaries.items import SummaryItem
from compactor_cli.summaries.needed_lines import needing
from compactor_cli.text.later_figures import figures_of, later_on_figures
from compactor_cli.text.patterns import compiled_later

_SLIGHT = compiled_later(r"\d{1,2}|(?:19|20)\d\d")
"""A figure that says nothing by itself."""
_NO_NOUN = (
    r"(?=\s*(?:$|[.,;:!?)—–]|-\s)|\s+(?:in|with|there|here|when|and|but|so|by|on|about|because|earlier|before)\b)"
)
_TAKES_BACK = compiled_later(
    r"\bI (?:had )?(?:misread|misunderstood|misinterpreted|mistook|miscounted)\b(?!-| nothing\b)"
    rf"|\bI (?:was (?:wrong|mistaken)|made an? (?:error|mistake)|got (?:it|that|this|the [\w-]+) wrong){_NO_NOUN}"
    rf"|\b(?:my mistake|that was wrong)(?=\s*(?:$|[.,;:!)—–]|-\s))|\bmy earlier [\w ]{{1,30}} was wrong{_NO_NOUN}"
    r"|\bich habe (?:mich (?:geirrt|vertan|verlesen|verrechnet)\b|(?!nichts)[^.,;]{0,40}\b(?:falsch (?:gelesen"
    r"|verstanden|gezählt|gerechnet|gedeutet|angenommen|gesagt)|verwechselt)\b(?!\s+[\w/]))"
    r"|\bmein fehler\b(?=\s*(?:$|[.,;:!]))"
    r"|\b(?:he|había) (?:interpretado|leído|entendido|contado) mal\b|\bme (?:he )?(?:equivoqué|equivocado|equivocaba)\b"
    r"|\bje me suis trompée?\b|\bj['’]ai mal (?:lu|compris|interprété|compté)\b|\berreur de ma part\b"
    r"|\bho (?:letto|interpretato|capito|contato) male\b|\bmi sono sbagliat[oa]\b|\bme enganei\b|\binterpretei mal\b"
    r"|我(?:之前|刚才)?(?:看|理解|弄|搞|算)错了|勘違い(?:して|でし)|間違えました|я ошиб(?:ся|лась)|я неправильно понял",
    re.IGNORECASE,
    (
        *("misread", "misunderstood", "misinterpreted", "mistook", "miscounted", "was wrong", "was mistaken", "made a"),
        *("got it", "got that", "got this", "got the ", "my mistake"),
        *("geirrt", "vertan", "verlesen", "verrechnet", "falsch", "verwechselt", "fehler", " mal", "equivo", "trompé"),
        *("erreur", "sbagliat", "enganei", "错了", "勘違い", "間違えました", "ошиб", "неправильно"),
    ),
)
"""Phrases with which speakers withdraw what they said before."""
_NOT_SO = compiled_later(
    r"\b(?:if|whether|unless|in case|said|says?|saying|told|tells?|wrote|thought|thinks?|claim(?:s|ed)?|what|not"
    r"|wenn|falls|ob|sagte?|si|dijo|dice|dit|disait|se)(?: (?:me|you|us|that|him|her))?\W*$|如果",
    re.IGNORECASE,
)
"""Words before such a phrase that make it about others, or uncertain."""
_BEFORE = 20
"""Number of characters to search for such words."""
_CLOSING = 2
"""Maximum number of concluding statements that each earlier statement needs."""
_BACK = 8
"""Maximum number of earlier statements with figures that such a phrase may withdraw."""


def with_corrections(items: Sequence[SummaryItem], messages: Sequence[Message] = ()) -> list[SummaryItem]:
    """Return the lines, no two of which say the same. A statement of the agent needs each later one that may correct
    it, and the later one is then worth as much. A statement also needs those that conclude the same turn and share a
    figure with it."""
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
    """Yield each statement with figures made before a turn's last message, with up to `_CLOSING` statements of that
    message. Those that share a figure with the statement itself are preferred; otherwise they share one with its
    message. `asked`: numbers of the requests."""
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
                yield from ((at, _nearest(figures[at], closing, figures)) for at in own if figures[at])


def _nearest(own: frozenset[str], closing: Sequence[int], figures: Mapping[int, frozenset[str]]) -> Sequence[int]:
    shared = (at for at in closing if not own.isdisjoint(figures[at]))
    return [*islice(shared, _CLOSING)] or closing[:_CLOSING]


def _taken_back(said: Sequence[tuple[int, str]]) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield the earlier statements that a message may withdraw, because they share a figure with it, each with the
    withdrawing statement."""
    figures = [_figures(text) for _, text in said]
    of_message: defaultdict[int, set[str]] = defaultdict(set)
    for own, (message, _) in zip(figures, said, strict=True):
        of_message[message] |= own
    for at, (message, text) in enumerate(said):
        if not _says_wrong(text):
            continue
        earlier = (before for before in range(at - 1, -1, -1) if said[before][0] != message and figures[before])
        named = of_message[message]
        yield from ((before, [at]) for before in islice(earlier, _BACK) if not named.isdisjoint(figures[before]))


def _says_wrong(text: str) -> bool:
    """Return whether the speaker withdraws an earlier statement."""
    return any(
        not _NOT_SO.search(text[max(0, back.start() - _BEFORE) : back.start()]) for back in _TAKES_BACK.finditer(text)
    )


def _figures(text: str) -> frozenset[str]:
    return frozenset(figure for figure in figures_of(WHERE.sub("", text)) if not _SLIGHT.fullmatch(figure))


def is_statement(item: SummaryItem) -> bool:
    """Return whether a line quotes what the agent said about its work."""
    return item.section in ("Done", "Decisions", "In progress") and item.text.startswith('"')


def _in_turn(items: Sequence[SummaryItem]) -> list[tuple[int, str]]:
    """Return the statements, each with a running number for its message. Lines of earlier rounds are assigned to
    messages by the label in their text."""
    said: list[tuple[int, str]] = []
    before: tuple[int, ...] | str = ""
    for item in items:
        text = WHERE.sub("", item.text)
        label = item.messages or item.text[len(text) :]
        number = said[-1][0] if said else 0
        said.append((number + (label != before), text))
        before = label
    return said
