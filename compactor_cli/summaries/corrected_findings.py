"""Statements of the agent and its later statements on the same subject: a corrected finding must not appear without
its correction."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from compactor_cli.model.message import Message
from compactor_cli.summaries.facts import MESSAGE_MARKS
from compactor_cli.summaries.items import SummaryItem
from compactor_cli.summaries.needed_lines import add_needs
from compactor_cli.text.later_figures import figures_of, later_on_figures
from compactor_cli.text.patterns import compiled_later

_COMMON_FIGURE = compiled_later(r"\d{1,2}|(?:19|20)\d\d")
"""A figure that says nothing by itself."""
_NOT_BEFORE_NOUN = (
    r"(?=\s*(?:$|[.,;:!?)—–]|-\s)|\s+(?:in|with|there|here|when|and|but|so|by|on|about|because|earlier|before)\b)"
)
_WITHDRAWALS = compiled_later(
    r"\bI (?:had )?(?:misread|misunderstood|misinterpreted|mistook|miscounted)\b(?!-| nothing\b)"
    rf"|\bI (?:was (?:wrong|mistaken)|made an? (?:error|mistake)|got (?:it|that|this|the [\w-]+) "
    rf"wrong){_NOT_BEFORE_NOUN}"
    rf"|\b(?:my mistake|that was wrong)(?=\s*(?:$|[.,;:!)—–]|-\s))|\bmy earlier [\w ]{{1,30}} was "
    rf"wrong{_NOT_BEFORE_NOUN}"
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
_UNCERTAIN_BEFORE = compiled_later(
    r"\b(?:if|whether|unless|in case|said|says?|saying|told|tells?|wrote|thought|thinks?|claim(?:s|ed)?|what|not"
    r"|wenn|falls|ob|sagte?|si|dijo|dice|dit|disait|se)(?: (?:me|you|us|that|him|her))?\W*$|如果",
    re.IGNORECASE,
)
"""Words before such a phrase that make it about others, or uncertain."""
_CHARS_BEFORE = 20
"""Number of characters to search for such words."""
_MAX_CLOSING = 2
"""Maximum number of concluding statements that each earlier statement needs."""
_MAX_WITHDRAWN = 8
"""Maximum number of earlier statements with figures that such a phrase may withdraw."""


def with_corrections(items: Sequence[SummaryItem], messages: Sequence[Message] = ()) -> list[SummaryItem]:
    """Return the lines, no two of which say the same. A statement of the agent needs each later one that may correct
    it, and the later one is then worth as much. A statement also needs those that conclude the same turn and share a
    figure with it."""
    result = list(items)
    indices = [i for i in sorted(range(len(items)), key=lambda i: items[i].order) if is_statement(items[i])]
    statements = _number_statements([items[i] for i in indices])
    later = later_on_figures(statements)
    requests = [message.number for message in messages if message.origin == "request"]
    for i, others in [
        *enumerate(later),
        *_closing_statements([items[i] for i in indices], requests),
        *_withdrawn_statements(statements),
    ]:
        missing = [indices[other] for other in others if items[indices[other]].key not in result[indices[i]].needs]
        if missing:
            add_needs(result, indices[i], missing)
    return result


def _closing_statements(items: Sequence[SummaryItem], requests: Sequence[int]) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield each statement with figures made before a turn's last message, with up to `_MAX_CLOSING` statements of that
    message. Those that share a figure with the statement itself are preferred; otherwise they share one with its
    message. `requests`: numbers of the requests."""
    turns: defaultdict[int, dict[int, list[int]]] = defaultdict(dict)
    for i, item in enumerate(items):
        if item.messages:
            number = item.messages[0]
            turns[bisect_left(requests, number)].setdefault(number, []).append(i)
    for turn in turns.values():
        *earlier_turns, last_indices = turn.values()
        figures = {i: _figures(items[i].text) for indices in turn.values() for i in indices}
        for indices in earlier_turns:
            shared = frozenset[str]().union(*(figures[i] for i in indices))
            if closing := [i for i in last_indices if not shared.isdisjoint(figures[i])]:
                yield from ((i, _closest(figures[i], closing, figures)) for i in indices if figures[i])


def _closest(
    own_figures: frozenset[str], closing: Sequence[int], figures: Mapping[int, frozenset[str]]
) -> Sequence[int]:
    sharing = (index for index in closing if not own_figures.isdisjoint(figures[index]))
    return [*islice(sharing, _MAX_CLOSING)] or closing[:_MAX_CLOSING]


def _withdrawn_statements(statements: Sequence[tuple[int, str]]) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield the earlier statements that a message may withdraw, because they share a figure with it, each with the
    withdrawing statement."""
    figures = [_figures(text) for _, text in statements]
    of_message: defaultdict[int, set[str]] = defaultdict(set)
    for statement_figures, (message, _) in zip(figures, statements, strict=True):
        of_message[message] |= statement_figures
    for i, (message, text) in enumerate(statements):
        if not _withdraws_statement(text):
            continue
        earlier = (other for other in range(i - 1, -1, -1) if statements[other][0] != message and figures[other])
        shared = of_message[message]
        yield from ((other, [i]) for other in islice(earlier, _MAX_WITHDRAWN) if not shared.isdisjoint(figures[other]))


def _withdraws_statement(text: str) -> bool:
    """Return whether the speaker withdraws an earlier statement."""
    return any(
        not _UNCERTAIN_BEFORE.search(text[max(0, withdrawal.start() - _CHARS_BEFORE) : withdrawal.start()])
        for withdrawal in _WITHDRAWALS.finditer(text)
    )


def _figures(text: str) -> frozenset[str]:
    return frozenset(
        figure for figure in figures_of(MESSAGE_MARKS.sub("", text)) if not _COMMON_FIGURE.fullmatch(figure)
    )


def is_statement(item: SummaryItem) -> bool:
    """Return whether a line quotes what the agent said about its work."""
    return item.section in ("Done", "Decisions", "In progress") and item.text.startswith('"')


def _number_statements(items: Sequence[SummaryItem]) -> list[tuple[int, str]]:
    """Return the statements, each with a running number for its message. Lines of earlier rounds are assigned to
    messages by the label in their text."""
    statements: list[tuple[int, str]] = []
    last_label: tuple[int, ...] | str = ""
    for item in items:
        text = MESSAGE_MARKS.sub("", item.text)
        label = item.messages or item.text[len(text) :]
        number = statements[-1][0] if statements else 0
        statements.append((number + (label != last_label), text))
        last_label = label
    return statements
