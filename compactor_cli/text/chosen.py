"""Choose sentences of a text by value for their length, each with the units that it needs, such as its heading."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

from compactor_cli.text.kept_sentences import first_words
from compactor_cli.text.section_headings import Span
from compactor_cli.text.text_outline import Outlined

FIRST, SECOND, _THIRD, LAST, NEVER = range(5)
"""Ranks of sentences, in the order in which they are chosen. _THIRD: those of little value; LAST: only if all others
fit; NEVER: not at all."""
_RULES = 0.4
"""Share of the budget for sentences that are ranked first only because they are rules. The rest of these come after
the sentences that are closer to the subject."""
_ROOMY = 0.5
"""Minimum share of the text that must fit for sentences of little value to be kept too. With less room, they are
dropped, and the session gets their tokens."""
_OPENING = 60
"""Maximum length of what the text begins with before its first sentence, to be kept with that sentence."""
_BESIDE = 40
"""Characters added to the length of a sentence: for the gap mark before it, and for a part of what it needs."""


class Chosen:
    """A text whose sentences are valued once, however often it is cut."""

    def __init__(
        self,
        text: str,
        units: Sequence[Outlined],
        worth: Sequence[float],
        ranks: Sequence[int],
        least: float = 0.0,
        rules: Mapping[int, bool] | None = None,
    ) -> None:
        """Take the `outline` of a text with the value and the rank of each unit. `least`: sentences below this share of
        the best value for its length are of little value, except `rules`. `rules`: maps each rule to whether it owes
        its value mostly to being a rule; such rules have a share of the budget, `_RULES`, in the first rank."""
        self._text = text
        self._units = units
        self._worth = worth
        self._ranks = ranks
        self._least = least
        self._rules = rules or {}
        self._said = [text[unit.start : unit.end].strip() for unit in units]
        self._under: defaultdict[int, list[int]] = defaultdict(list)
        self._exceptions: dict[int, int] = {}
        """First sentence of an item -> the first rule later in it, which may state its exception."""
        for at, unit in enumerate(units):
            self._under[unit.parent].append(at)
            further = unit.start > 0 and text[unit.start - 1] != "\n"
            if further and unit.parent >= 0 and at in self._rules and unit.parent not in self._rules:
                self._exceptions.setdefault(unit.parent, at)

    def kept(self, room: int) -> list[Span]:
        """Return the spans of the sentences with the highest value for their length, and of the units that they need,
        as many as fit in `room` characters. The beginning of the text, or its first words, comes before all others.
        Return an empty list if nothing fits, or the text has fewer than two sentences."""
        telling = [at for at, unit in enumerate(self._units) if not unit.heads and self._ranks[at] != NEVER]
        if len(telling) < 2:
            return []
        taken: dict[int, int] = {}
        """Unit that is kept -> where it ends."""
        told: set[str] = set()
        left_out = False
        queue = [(self._order(at, taken), at) for at in telling[1:]]
        heapify(queue)
        least = self._least * min((worth for (rank, worth), _ in queue if rank != LAST), default=0.0)
        roomy = room >= _ROOMY * len(self._text)
        self._begin(telling[0], room, taken)
        opening = self._opening(telling[0]) if telling[0] in taken else 0
        room -= opening + sum(end - self._units[at].start for at, end in taken.items())
        for_rules = int(_RULES * room)
        while queue:
            (rank, worth), at = heappop(queue)
            if rank == LAST and left_out:
                break
            if at in taken or self._said[at] in told:
                continue
            bundle = [*self._bundle(at, taken)]
            size = self._length(bundle)
            if rank < _THIRD and worth > least and at not in self._rules:
                heappush(queue, ((_THIRD, worth), at))
                continue
            if size > room or (rank == _THIRD and not roomy):
                left_out = True
                continue
            if rank == FIRST and self._rules.get(at):
                if size > for_rules:
                    heappush(queue, ((SECOND, worth), at))
                    continue
                for_rules -= size
            room -= size
            taken |= {unit: self._units[unit].end for unit in bundle}
            told |= {self._said[unit] for unit in bundle if not self._units[unit].heads}
            for unit in bundle:  # the units under it now need fewer characters
                for below in self._under[unit]:
                    if below not in taken and not self._units[below].heads and self._ranks[below] != NEVER:
                        heappush(queue, (self._order(below, taken), below))
        spans = [(self._units[at].start, taken[at]) for at in sorted(taken)]
        return [(spans[0][0] - opening, spans[0][1]), *spans[1:]] if opening else spans

    def _opening(self, first: int) -> int:
        """Return the number of characters before the first sentence if they are short, such as the tag that the text
        begins with. Agents recognize their own summaries by it."""
        before = self._units[0].start if first == 0 else 0
        return before if before <= _OPENING else 0

    def _begin(self, first: int, room: int, taken: dict[int, int]) -> None:
        """Keep the first sentence with what it needs, or its first words."""
        bundle = [*self._bundle(first, taken)]
        if self._length(bundle) <= room:
            taken |= {unit: self._units[unit].end for unit in bundle}
        elif begun := first_words(self._text, self._span(first), room):
            taken[first] = begun[1]

    def _span(self, at: int) -> Span:
        return self._units[at].start, self._units[at].end

    def _length(self, units: Iterable[int]) -> int:
        return sum(self._units[at].end - self._units[at].start for at in units)

    def _order(self, at: int, taken: Container[int]) -> tuple[int, float]:
        """Return the sort key of a sentence: its rank, then the negative value for its length, including the units
        that it needs and that are not kept yet."""
        bundle = [*self._bundle(at, taken)]
        worth = sum(self._worth[unit] for unit in bundle if not self._units[unit].heads)
        telling = sum(not self._units[unit].heads for unit in bundle)
        return self._ranks[at], -worth / (telling * (self._length(bundle) + _BESIDE)) ** 0.5

    def _bundle(self, at: int, taken: Container[int]) -> Iterator[int]:
        """Yield a sentence and the units that it needs and that are not kept yet."""
        if (exception := self._exceptions.get(at, -1)) >= 0 and exception not in taken:
            yield exception
        while at >= 0 and at not in taken:
            yield at
            at = self._units[at].parent
