"""The offline summarizer: chooses verbatim spans and computed facts, by section, within a budget.

Each line is worth the weight of its section, the points of its words and the rarity (tf-idf) of
words that no chosen line has yet; the best by value per token is taken first (MMR by coverage).
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Sequence
from math import log, sqrt

from compactor_cli.model.planning import SummaryRequest
from compactor_cli.summarizers.sections import SECTIONS, WEIGHTS, Item, candidates
from compactor_cli.text.excerpts import Excerpt, legend, quote, without

_WORD = re.compile(r"[^\W_][\w./-]{2,}")
_FADE = 0.93
"""What each further line of a section is worth of the one before."""
_MOST = 6_000
"""Candidate lines that are compared; of more, the heaviest and most recent stay."""


class Extractive:
    name = "extractive"

    def summarize(self, request: SummaryRequest, count: Callable[[str], int]) -> str:
        if request.slot.excerpts is not None:
            return _quoted(request, request.slot.excerpts, count)
        room = request.budget - count(request.header) - 4
        if room < 12:
            return ""
        items = _distinct(candidates(request.messages, request.keywords))
        chosen = _choose(items, room, count)
        while chosen:
            text = _render(request.header, chosen)
            excess = count(text) - request.budget
            if excess <= 0:
                return text
            chosen = chosen[: max(0, len(chosen) - 1 - excess // 40)]
        return request.header if count(request.header) <= request.budget else ""


def _quoted(request: SummaryRequest, excerpts: Sequence[Excerpt], count: Callable[[str], int]) -> str:
    """The lines that the strategy chose; those of least value go when the heading needs their room."""
    chosen = list(excerpts)
    while True:
        text = f"{request.header}\n{legend(excerpts)}\n{quote(chosen)}" if chosen else request.header
        excess = count(text) - request.budget
        if excess <= 0:
            return text
        if not chosen:
            return ""
        ranked = sorted(range(len(chosen)), key=lambda at: (chosen[at].value, -at))
        chosen = without(chosen, ranked[: 1 + excess // 40])


def _distinct(items: Sequence[Item]) -> list[Item]:
    """The first of equal lines; of too many the ones with most weight."""
    unique: dict[tuple[str, str], Item] = {}
    seen: set[str] = set()
    for item in items:
        key = item.text.strip('`"').lower()
        if key not in seen:
            seen.add(key)
            unique[(item.section, key)] = item
    kept = list(unique.values())
    if len(kept) > _MOST:
        heaviest = sorted(range(len(kept)), key=lambda i: (-WEIGHTS[kept[i].section] - kept[i].bonus, -i))[:_MOST]
        kept = [kept[i] for i in sorted(heaviest)]
    return kept


def _choose(items: Sequence[Item], room: int, count: Callable[[str], int]) -> list[Item]:
    """Lines in the order in which they were taken. Lazy greedy: a value only falls as lines are taken."""
    words = [set(_WORD.findall(item.text.lower())) for item in items]
    frequency = Counter(word for found in words for word in found)
    rarity = {word: log(1 + len(items) / n) for word, n in frequency.items()}
    totals = [sum(map(rarity.__getitem__, sorted(found))) or 1.0 for found in words]
    sizes = [sqrt(8 + len(item.text) / 4) for item in items]
    norm = sqrt(log(1 + len(items))) * 2 or 1.0
    covered: set[str] = set()
    taken_of: Counter[str] = Counter()
    chosen: list[Item] = []

    def value(at: int) -> float:
        item = items[at]
        # sorted: the sum of the same floats must not depend on the order of a set
        fresh = (
            totals[at] if words[at].isdisjoint(covered) else sum(map(rarity.__getitem__, sorted(words[at] - covered)))
        )
        news = fresh / totals[at]
        worth = (WEIGHTS[item.section] + item.bonus) * _FADE ** taken_of[item.section] * news * news + fresh / norm
        return worth / sizes[at]

    heap = [(-value(at), at) for at in range(len(items))]
    heapq.heapify(heap)
    while heap and room > 8:
        before, at = heapq.heappop(heap)
        now = value(at)
        if heap and now < -heap[0][0] - 1e-12 and now < -before - 1e-12:
            heapq.heappush(heap, (-now, at))
            continue
        if now < 0.05:
            break
        if len(items[at].text) / 6 > room:
            continue
        cost = count(items[at].line) + 1
        cost += 0 if taken_of[items[at].section] else 6
        if cost > room:
            continue
        room -= cost
        taken_of[items[at].section] += 1
        covered.update(words[at])
        chosen.append(items[at])
    return chosen


def _render(header: str, chosen: Sequence[Item]) -> str:
    lines = [header]
    for section in SECTIONS:
        found = sorted((i for i in chosen if i.section == section), key=lambda item: item.order)
        if found:
            lines += [f"### {section}", *(item.line for item in found)]
    return "\n".join(lines)
