"""Which sentences of a system prompt stay where it has no room: what binds, and what it says of the matter at hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator
from heapq import heapify, heappop, heappush

from compactor_cli.text.kept_sentences import KEYWORD, Keywords, first_words, points
from compactor_cli.text.outline import Unit, outline
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.section_headings import Span
from compactor_cli.text.subjects import SubjectWords

_GENERAL, _LEAST = 0.8, 0.25
"""What sentences count that are of no section, and at least in one that does not meet the matter, of what they do in
the one that meets it most."""
_BESIDE = 40
"""Characters that a sentence takes besides: a mark for the gap before it, and a part of what it stands under."""
_WORTHLESS = 0.3
"""Of what the best sentence is worth for its length: those that are worth less leave their room to the session."""
_SMOOTH = 3.0
"""Weights of words that short sections are taken to have besides, none of them of the matter."""
_ENTRY = compiled_later(r"\s*(?:[-*+•]|\d+[.)])\s+[`*_]*((?-i:[a-z0-9])[\w.:/-]*)[`*_]*\s*(?::|[–—]|-\s)\s*\S")
"""An item of a catalogue: a name as programs have them, and what it is."""
_NAME = compiled_later(r"[\w.]+[-_:/]\w")
_ENTRIES, _MOST, _NAMED = 6, 0.8, 0.25
"""Items from which on a list may be a catalogue, the share of them that begin with a name, and that of those whose
name has several parts: labels of rules are words."""


class Prompt:
    """A system prompt with what its sentences are worth; read once, however often it is cut."""

    def __init__(self, text: str, keywords: Keywords, subject: SubjectWords, rate: Callable[[str], float]) -> None:
        """Take a prompt. `rate`: points of a sentence for what it orders; `subject`: its words of the matter."""
        self._text = text
        self._units = outline(text)
        self._under: defaultdict[int, list[int]] = defaultdict(list)
        for at, unit in enumerate(self._units):
            self._under[unit.parent].append(at)
        self._worth = [0.0] * len(self._units)
        self._said = [text[unit.start : unit.end].strip() for unit in self._units]
        self._catalogue = frozenset(self._catalogued())
        relevance = self._relevance(subject)
        shares = [subject.share(said) for said in self._said]
        rules = [rate(_without_code(said)) for said in self._said]
        self._rules = frozenset(at for at, rule in enumerate(rules) if rule)
        own = [points(said, keywords) + rule for said, rule in zip(self._said, rules, strict=True)]
        for at, unit in enumerate(self._units):
            over = shares[unit.section] if unit.section >= 0 else 0.0
            if unit.parent >= 0:
                parent = self._units[unit.parent]
                over += shares[unit.parent] if parent.heads and unit.parent != unit.section else 0.0
            worth = own[at] + KEYWORD * (shares[at] + over)
            self._worth[at] = relevance[unit.section] * worth
        for at in range(len(self._units) - 1, -1, -1):  # what leads to a list gives its worth to the first item
            unit = self._units[at]
            if unit.parent >= 0 and unit.parent == at - 1 and self._units[at - 1].heads:
                self._worth[at] += relevance[unit.section] * own[at - 1]

    def _relevance(self, subject: SubjectWords) -> defaultdict[int, float]:
        """Return how much each section meets the matter, compared with the one that does most."""
        members: dict[int, list[str]] = {}
        for unit, said in zip(self._units, self._said, strict=True):
            if unit.section >= 0:
                members.setdefault(unit.section, [self._said[unit.section]]).append(said)
        parts = {section: subject.part("\n".join(said), _SMOOTH) for section, said in members.items()}
        most = max(parts.values(), default=0.0)
        found = defaultdict(lambda: _GENERAL)
        for section, part in parts.items():
            found[section] = _LEAST + (1 - _LEAST) * part / most if most else _GENERAL
        for section in members:
            if any(self._units[other].parent == section for other in members if other != section):
                found[section] = max(_GENERAL, found[section])
        return found

    def _catalogued(self) -> Iterator[int]:
        """Yield the items of catalogues, such as those of skills, and what stands in them."""
        lists: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        entries: dict[int, str] = {}
        for at, unit in enumerate(self._units):
            if _begins_line(self._text, unit):
                lists[unit.parent, unit.section].append(at)
                if entry := _ENTRY.match(self._said[at]):
                    entries[at] = entry[1]
        found: set[int] = set()
        for items in lists.values():
            names = [entries[at] for at in items if at in entries]
            if len(names) >= max(_ENTRIES, _MOST * len(items)) and sum(
                _NAME.match(name) is not None for name in names
            ) >= _NAMED * len(names):
                found.update(at for at in items if at in entries)
        for at, unit in enumerate(self._units):
            if unit.parent in found:
                found.add(at)
        yield from found

    def kept(self, room: int) -> list[Span]:
        """Return where the sentences stand that are worth most for their length, as many as fit, with what they stand
        under; first of all what the prompt begins with, or its first words. Empty when none fits."""
        telling = [at for at, unit in enumerate(self._units) if not unit.heads]
        if len(telling) < 2:
            return []
        taken: dict[int, int] = {}
        """What stays, and where each ends."""
        told: set[str] = set()
        left_out = False
        queue = [(self._order(at, taken), at) for at in telling[1:]]
        heapify(queue)
        least = _WORTHLESS * min((order[1] for order, _ in queue), default=0.0)
        self._begin(telling[0], room, taken)
        room -= sum(end - self._units[at].start for at, end in taken.items())
        while queue:
            (in_catalogue, worth), at = heappop(queue)
            if in_catalogue and left_out:
                break
            if at in taken or self._said[at] in told:
                continue
            bundle = [*self._bundle(at, taken)]
            size = self._length(bundle)
            if size > room or (worth > least and at not in self._rules):
                left_out = True
                continue
            room -= size
            taken |= {unit: self._units[unit].end for unit in bundle}
            told |= {self._said[unit] for unit in bundle if not self._units[unit].heads}
            for unit in bundle:  # what stands under it takes less now
                for below in self._under[unit]:
                    if below not in taken and not self._units[below].heads:
                        heappush(queue, (self._order(below, taken), below))
        return [(self._units[at].start, taken[at]) for at in sorted(taken)]

    def _begin(self, first: int, room: int, taken: dict[int, int]) -> None:
        """Take what the prompt begins with, or its first words."""
        bundle = [*self._bundle(first, taken)]
        if self._length(bundle) <= room:
            taken |= {unit: self._units[unit].end for unit in bundle}
        elif begun := first_words(self._text, self._span(first), room):
            taken[first] = begun[1]

    def _span(self, at: int) -> Span:
        return self._units[at].start, self._units[at].end

    def _length(self, units: Iterable[int]) -> int:
        return sum(self._units[at].end - self._units[at].start for at in units)

    def _order(self, at: int, taken: Container[int]) -> tuple[bool, float]:
        """Return by what a sentence comes before others, with what it does not stay without."""
        bundle = [*self._bundle(at, taken)]
        worth = sum(self._worth[unit] for unit in bundle if not self._units[unit].heads)
        telling = sum(not self._units[unit].heads for unit in bundle)
        return at in self._catalogue, -worth / (telling * (self._length(bundle) + _BESIDE)) ** 0.5

    def _bundle(self, at: int, taken: Container[int]) -> Iterator[int]:
        """Yield a sentence and what it does not stay without."""
        while at >= 0 and at not in taken:
            yield at
            at = self._units[at].parent


def _without_code(said: str) -> str:
    """Return what a sentence says: code orders and forbids nothing, whatever its words."""
    return "" if said.startswith(("```", "~~~")) else said


def _begins_line(text: str, unit: Unit) -> bool:
    return unit.start == 0 or text[unit.start - 1] == "\n"
