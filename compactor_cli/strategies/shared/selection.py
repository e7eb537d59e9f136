"""Which lines to keep: the most value for the tokens, by lazy greedy over what is not covered yet.

The value of a line is that of its names that no chosen line has. A name counts in full when the
words around it are kept too, and a part of its value when it stands alone; so a neighbour line of a
chosen one is worth more than another of its kind. This is a knapsack with a (nearly) submodular
value, for which taking the best value per token first is a good and fast choice.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from compactor_cli.features.lines import SessionLines

_AROUND = 70
"""Characters on either side that make the context of a name: about ten words."""
_ENOUGH = 0.55
"""Share of its context with which a name is understood."""
_ALONE = 0.15
"""What a name is worth without any of its context."""
_RUN = 3
"""Neighbouring lines that are looked at together."""
HEADING = 5
"""Tokens of the mark before the first line that is taken of a message."""


class _Context(Struct, frozen=True, gc=False):
    """A name on a line, what it is worth, and which shares of the text around it stand on that line,
    before it, after it."""

    term: int
    worth: float
    own: float
    before: float = 0.0
    after: float = 0.0
    alone: float = 1.0
    """How far the name is understood (0 to 1) where neither neighbour is taken."""


class ChosenLine(Struct, frozen=True):
    """A line that was taken: `value` is what it added, `cost` its tokens."""

    line: int
    value: float
    cost: int


class Selector:
    """Chooses among the lines of one session."""

    def __init__(
        self,
        lines: SessionLines,
        worth: Callable[[int], float],
        cost: Callable[[str], int],
        covered: Iterable[int] = (),
    ) -> None:
        """`worth`: value of a term (0: not worth anything). `cost`: tokens of a text. `covered`: terms
        that stand in what is kept anyway."""
        self.lines = lines
        self._worth = worth
        self._cost = cost
        self._reached: dict[int, float] = dict.fromkeys(covered, 1.0)
        self._contexts: dict[int, list[_Context]] = {}
        self._costs: dict[int, int] = {}
        self.taken: dict[int, ChosenLine] = {}
        """Line -> choice, in the order of taking."""
        self._opened: set[int] = set()

    def cost(self, line: int) -> int:
        """Tokens that the line adds, with the heading of its message when it is the first of it."""
        heading = 0 if self.lines.message(line) in self._opened else HEADING
        return self.tokens(line) + heading

    def take(self, line: int) -> int:
        """Take a line whatever its value; returns its tokens."""
        if line in self.taken:
            return 0
        choice = ChosenLine(line, self._gain(line), self.cost(line))
        self._enter(choice)
        return choice.cost

    def fill(self, candidates: Iterable[int], room: int) -> int:
        """Take the best of the candidates while they fit; returns the tokens that are left."""
        return room - sum(choice.cost for choice in self._best(candidates, room))

    def _best(self, candidates: Iterable[int], room: int) -> Iterator[ChosenLine]:
        """Take lines, and runs of them, the densest first, by bounds that are made exact when it is their turn."""
        bounds, taken = self.lines.bounds, self.taken
        heap = [(-bounds[n] / self._guess(n), n, n + 1) for n in candidates if bounds[n] > 0 and n not in taken]
        heapq.heapify(heap)
        alone: set[int] = set()
        while heap and room > HEADING:
            _, line, stop = heapq.heappop(heap)
            if line in taken or stop - 1 in taken:
                continue
            single = stop - line == 1
            gain, cost = (self._gain(line), self.cost(line)) if single else self._joint(line, stop)
            if single and line not in alone:
                alone.add(line)
                if gain < self._most(line):
                    for run in self._runs(line):
                        heapq.heappush(heap, run)
            if gain <= 0 or cost > room:
                continue
            density = gain / cost
            if heap and density < -heap[0][0] - 1e-12:
                heapq.heappush(heap, (-density, line, stop))
                continue
            for each in range(line, stop):
                choice = ChosenLine(each, self._gain(each), self.cost(each))
                self._enter(choice)
                yield choice
            room -= cost
            for near in (line - 1, stop):  # what it says is better understood now
                if near in self._contexts and near not in taken:
                    heapq.heappush(heap, (-self._gain(near) / self.cost(near), near, near + 1))

    def _most(self, line: int) -> float:
        """Return what a line would add with all of its context, or a bound of it that costs nothing."""
        if line not in self._contexts:
            return self.lines.bounds[line]
        reached = self._reached
        return sum([(1.0 - reached.get(found.term, 0.0)) * found.worth for found in self._context(line)])

    def _runs(self, line: int) -> Iterator[tuple[float, int, int]]:
        """Yield a line with the lines behind it in its piece: where lines explain each other, such as a list of paths,
        none is worth much alone. What comes first is an upper bound of what a token of them is worth, negative."""
        bounds, piece_of = self.lines.bounds, self.lines.piece_of
        bound, guess = self._most(line), self._guess(line)
        for last in range(line + 1, min(line + _RUN, len(bounds))):
            if bounds[last] <= 0 or last in self.taken or piece_of[last] != piece_of[line]:
                break
            bound += self._most(last)
            guess += self._guess(last)
            yield -bound / guess, line, last + 1

    def _joint(self, start: int, stop: int) -> tuple[float, int]:
        """Return what taking a run of lines adds, and what it costs."""
        taken, reached = self.taken, self._reached
        begins, ends = start - 1 in taken, stop in taken
        best: dict[int, float] = {}
        gain = 0.0
        for line in range(start - begins, stop + ends):
            ahead = line > start or line - 1 in taken
            behind = line < stop - 1 or line + 1 in taken
            for found in self._context(line):
                known = best.get(found.term)
                if known is None:
                    known = reached.get(found.term, 0.0)
                if known < 1.0:
                    share = found.own + (found.before if ahead else 0.0) + (found.after if behind else 0.0)
                    reach = _understood(share)
                    if reach > known:
                        gain += (reach - known) * found.worth
                        best[found.term] = reach
        return gain, self.cost(start) + sum([self.tokens(line) for line in range(start + 1, stop)])

    def _guess(self, line: int) -> float:
        """A lower bound of a line's tokens that costs no counting, so that its density is an upper bound."""
        return 1 + (self.lines.ends[line] - self.lines.starts[line]) / 6

    def tokens(self, line: int) -> int:
        """Tokens of the line alone."""
        known = self._costs.get(line)
        if known is None:
            known = self._costs[line] = self._cost(self.lines.text(line)) + 1
        return known

    def _enter(self, choice: ChosenLine) -> None:
        line = choice.line
        self.taken[line] = choice
        self._opened.add(self.lines.message(line))
        for near in (line - 1, line, line + 1):
            if near in self.taken:
                for found in self._context(near):
                    reach = self._reach(near, found)
                    if reach > self._reached.get(found.term, 0.0):
                        self._reached[found.term] = reach

    def _gain(self, line: int) -> float:
        """Return what taking the line adds: its own names, and context for those of its neighbours."""
        gain, reached, taken = 0.0, self._reached, self.taken
        contexts = self._context(line)
        if line - 1 not in taken and line + 1 not in taken:
            for found in contexts:
                more = found.alone - reached.get(found.term, 0.0)
                if more > 0:
                    gain += more * found.worth
            return gain
        beside = [near for near in (line - 1, line + 1) if near in taken]
        for found in contexts:
            known = reached.get(found.term, 0.0)
            if known < 1.0:
                more = self._reach(line, found) - known
                if more > 0:
                    gain += more * found.worth
        for near in beside:
            for found in self._context(near):
                known = reached.get(found.term, 0.0)
                if known < 1.0 and (found.after if near < line else found.before):
                    more = self._reach(near, found, line) - known
                    if more > 0:
                        gain += more * found.worth
        return gain

    def _reach(self, line: int, found: _Context, also: int = -1) -> float:
        """Return how far a name on a line is understood (0 to 1), given the neighbours taken and `also`."""
        share = found.own
        if found.before and (line - 1 in self.taken or line - 1 == also):
            share += found.before
        if found.after and (line + 1 in self.taken or line + 1 == also):
            share += found.after
        return _understood(share)

    def _context(self, line: int) -> list[_Context]:
        known = self._contexts.get(line)
        if known is None:
            known = self._contexts[line] = self._find_contexts(line)
        return known

    def _find_contexts(self, line: int) -> list[_Context]:
        lines, worth, reached = self.lines, self._worth, self._reached
        # a name that is understood already adds nothing, here or later
        open_terms = [term for term in lines.terms(line) if reached.get(term, 0.0) < 1.0]
        terms = [(term, value) for term in open_terms if (value := worth(term)) > 0]
        if not terms:
            return []
        text, names = lines.text(line), lines.session.names
        length = len(text)
        # the message before or behind is context too, such as the call that a result answers
        pieces = lines.piece_of
        near = line > 0 and pieces[line] - pieces[line - 1] < 2
        before = lines.ends[line - 1] - lines.starts[line - 1] if near else 0
        near = line + 1 < len(lines) and pieces[line + 1] - pieces[line] < 2
        after = lines.ends[line + 1] - lines.starts[line + 1] if near else 0
        found: list[_Context] = []
        for term, value in terms:
            if term < 0:
                found.append(_Context(term, value, 1.0))
                continue
            first = max(0, text.find(names[term]))
            left, right = first, max(0, length - first - len(names[term]))
            left, right = left if left < _AROUND else _AROUND, right if right < _AROUND else _AROUND
            ahead, behind = min(_AROUND - left, before), min(_AROUND - right, after)
            around = left + right + ahead + behind
            if around:
                own = (left + right) / around
                found.append(_Context(term, value, own, ahead / around, behind / around, _understood(own)))
            else:
                found.append(_Context(term, value, 1.0))
        return found


def _understood(share: float) -> float:
    """Return how far a name is understood (0 to 1) of whose context this share is kept."""
    return 1.0 if share >= _ENOUGH else _ALONE + (1 - _ALONE) * share / _ENOUGH


def densest(lines: SessionLines, room: int) -> list[int]:
    """Lines that have a chance: the densest by their bounds, several times what `room` tokens hold."""
    density = [
        bound / (8 + end - start) for bound, start, end in zip(lines.bounds, lines.starts, lines.ends, strict=True)
    ]
    order = sorted((line for line in range(len(lines)) if density[line] > 0), key=density.__getitem__, reverse=True)
    limit, total = 40 * max(room, 0), 0
    for count, line in enumerate(order):
        total += 8 + lines.ends[line] - lines.starts[line]
        if total > limit:
            return order[:count]
    return order
