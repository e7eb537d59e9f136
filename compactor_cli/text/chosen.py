"""Choose sentences of a text by value for their length, each with the units that it needs, such as its heading."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

from compactor_cli.text.kept_sentences import first_words
from compactor_cli.text.section_headings import Span
from compactor_cli.text.text_outline import OutlineUnit

FIRST, SECOND, _THIRD, LAST, NEVER = range(5)
"""Ranks of sentences, in the order in which they are chosen. _THIRD: those of little value; LAST: only if all others
fit; NEVER: not at all."""
_RULES_SHARE = 0.4
"""Share of the budget for sentences that are ranked first only because they are rules. The rest of these come after
the sentences that are closer to the subject."""
_MIN_ROOMY_SHARE = 0.5
"""Minimum share of the text that must fit for sentences of little value to be kept too. With less room, they are
dropped, and the session gets their tokens."""
_MAX_OPENING_CHARS = 60
"""Maximum length of what the text begins with before its first sentence, to be kept with that sentence."""
_GAP_CHARS = 40
"""Characters added to the length of a sentence: for the gap mark before it, and for a part of what it needs."""


class SentenceChoice:
    """A text whose sentences are valued once, however often it is cut."""

    def __init__(
        self,
        text: str,
        units: Sequence[OutlineUnit],
        worth: Sequence[float],
        ranks: Sequence[int],
        min_share: float = 0.0,
        rules: Mapping[int, bool] | None = None,
    ) -> None:
        """Take the `outline` of a text with the value and the rank of each unit. `min_share`: sentences below this
        share of the best value for its length are of little value, except `rules`. `rules`: maps each rule to whether
        it owes its value mostly to being a rule; such rules have a share of the budget, `_RULES_SHARE`, in the first
        rank."""
        self._text = text
        self._units = units
        self._worth = worth
        self._ranks = ranks
        self._min_share = min_share
        self._rules = rules or {}
        self._sentences = [text[unit.start : unit.end].strip() for unit in units]
        self._children: defaultdict[int, list[int]] = defaultdict(list)
        self._exceptions: dict[int, int] = {}
        """First sentence of an item -> the first rule later in it, which may state its exception."""
        for index, unit in enumerate(units):
            self._children[unit.parent].append(index)
            is_later_sentence = unit.start > 0 and text[unit.start - 1] != "\n"
            if is_later_sentence and unit.parent >= 0 and index in self._rules and unit.parent not in self._rules:
                self._exceptions.setdefault(unit.parent, index)

    def choose_spans(self, max_chars: int) -> list[Span]:
        """Return the spans of the sentences with the highest value for their length, and of the units that they need,
        as many as fit in `max_chars` characters. The beginning of the text, or its first words, comes before all
        others. Return an empty list if nothing fits, or the text has fewer than two sentences."""
        candidates = [
            index for index, unit in enumerate(self._units) if not unit.is_heading and self._ranks[index] != NEVER
        ]
        if len(candidates) < 2:
            return []
        taken: dict[int, int] = {}
        """Unit that is kept -> where it ends."""
        taken_sentences: set[str] = set()
        something_left = False
        queue = [(self._sort_key(index, taken), index) for index in candidates[1:]]
        heapify(queue)
        min_worth = self._min_share * min((worth for (rank, worth), _ in queue if rank != LAST), default=0.0)
        is_roomy = max_chars >= _MIN_ROOMY_SHARE * len(self._text)
        self._take_first(candidates[0], max_chars, taken)
        opening = self._opening_length(candidates[0]) if candidates[0] in taken else 0
        max_chars -= opening + sum(end - self._units[index].start for index, end in taken.items())
        rule_chars = int(_RULES_SHARE * max_chars)
        while queue:
            (rank, worth), index = heappop(queue)
            if rank == LAST and something_left:
                break
            if index in taken or self._sentences[index] in taken_sentences:
                continue
            bundle = [*self._needed_units(index, taken)]
            size = self._length(bundle)
            if rank < _THIRD and worth > min_worth and index not in self._rules:
                heappush(queue, ((_THIRD, worth), index))
                continue
            if size > max_chars or (rank == _THIRD and not is_roomy):
                something_left = True
                continue
            if rank == FIRST and self._rules.get(index):
                if size > rule_chars:
                    heappush(queue, ((SECOND, worth), index))
                    continue
                rule_chars -= size
            max_chars -= size
            taken |= {unit: self._units[unit].end for unit in bundle}
            taken_sentences |= {self._sentences[unit] for unit in bundle if not self._units[unit].is_heading}
            for unit in bundle:  # the units under it now need fewer characters
                for child in self._children[unit]:
                    if child not in taken and not self._units[child].is_heading and self._ranks[child] != NEVER:
                        heappush(queue, (self._sort_key(child, taken), child))
        spans = [(self._units[index].start, taken[index]) for index in sorted(taken)]
        return [(spans[0][0] - opening, spans[0][1]), *spans[1:]] if opening else spans

    def _opening_length(self, first: int) -> int:
        """Return the number of characters before the first sentence if they are short, such as the tag that the text
        begins with. Agents recognize their own summaries by it."""
        opening_length = self._units[0].start if first == 0 else 0
        return opening_length if opening_length <= _MAX_OPENING_CHARS else 0

    def _take_first(self, first: int, max_chars: int, taken: dict[int, int]) -> None:
        """Keep the first sentence with what it needs, or its first words."""
        bundle = [*self._needed_units(first, taken)]
        if self._length(bundle) <= max_chars:
            taken |= {unit: self._units[unit].end for unit in bundle}
        elif first_span := first_words(self._text, self._span(first), max_chars):
            taken[first] = first_span[1]

    def _span(self, index: int) -> Span:
        return self._units[index].start, self._units[index].end

    def _length(self, units: Iterable[int]) -> int:
        return sum(self._units[index].end - self._units[index].start for index in units)

    def _sort_key(self, index: int, taken: Container[int]) -> tuple[int, float]:
        """Return the sort key of a sentence: its rank, then the negative value for its length, including the units
        that it needs and that are not kept yet."""
        bundle = [*self._needed_units(index, taken)]
        worth = sum(self._worth[unit] for unit in bundle if not self._units[unit].is_heading)
        sentence_count = sum(not self._units[unit].is_heading for unit in bundle)
        return self._ranks[index], -worth / (sentence_count * (self._length(bundle) + _GAP_CHARS)) ** 0.5

    def _needed_units(self, index: int, taken: Container[int]) -> Iterator[int]:
        """Yield a sentence and the units that it needs and that are not kept yet."""
        if (exception := self._exceptions.get(index, -1)) >= 0 and exception not in taken:
            yield exception
        while index >= 0 and index not in taken:
            yield index
            index = self._units[index].parent
