"""The choice of lines to keep: the most value for the tokens, by lazy greedy selection over what is not covered yet.

The value of a line is the value of its names that no chosen line has. A name counts in full when the words around it
are kept too, and only in part when it stands alone. So a neighbour of a chosen line is worth more than another line of
its kind. This is a knapsack problem with a (nearly) submodular value, for which taking the best value per token first
is a good and fast method."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from heapq import heapify, heappop, heappush, heapreplace

from msgspec import Struct

from compactor_cli.features.lines import SessionLines

_AROUND = 70
"""Characters on either side that make up the context of a name: about ten words."""
_ENOUGH = 0.55
"""Share of its context with which a name is understood."""
_ALONE = 0.15
"""Weight of a name without any of its context."""
_HOPE = 0.2
"""Share of the extra value between its neighbours that a line is credited with while neither is taken. Lines that
explain each other, such as those of a list of paths, are worth little alone."""
_TINY = 1e-9
"""Remainder of a gain that is due to rounding alone."""
_NEAR_ENOUGH = 12
"""Characters of lines to examine closely for each token of room: three times what is taken. With two thirds of that,
fewer names survive; with three times as many, no more do."""
_SETTLED = 200
"""Number of tokens taken from which on their average value is reliable."""
_INNERMOST = 4
"""Maximum number of functions, classes or sections around a line that are quoted with it."""
HEADING = 5
"""Tokens of the mark before the first line that is taken of a message."""


_Levels = tuple[float, float, float, float]
"""How far a name is understood (0 to 1) when these neighbours of its line are taken: none, the one before, the one
behind, both."""
_Entry = tuple[float, int]
"""The negative value per token of a line by the last estimate, and the line."""
_Context = tuple[int, float, _Levels]
"""A name on a line, its value, and how far it is understood. A plain tuple, because hundreds of thousands are made."""

_UNDERSTOOD: _Levels = (1.0, 1.0, 1.0, 1.0)
_BEFORE, _BEHIND = 1, 2
"""Bits of an index into `levels`: the line before is taken, the line behind is taken."""


class ChosenLine(Struct, frozen=True):
    """A line that was taken, with the value and the tokens (`cost`) that it added."""

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
        *,
        scoped: bool = True,
    ) -> None:
        """Choose among `lines`. `worth`: returns the value of a term (0: no value). `cost`: returns the tokens of a
        text. `covered`: terms of what is kept anyway. `scoped`: lines of code bring along the first line of what they
        are in."""
        self.lines = lines
        self._worth = worth
        self._cost = cost
        self._reached: dict[int, float] = dict.fromkeys(covered, 1.0)
        self._contexts: dict[int, list[_Context]] = {}
        """Line that was examined -> its names."""
        self._gains: dict[int, list[float]] = {}
        """Line that was examined -> what it would add, indexed like `levels` by which of its neighbours are taken."""
        self._holders: defaultdict[int, list[tuple[list[float], _Levels]]] = defaultdict(list)
        """Term -> the gains that it contributes to, and how far it is understood there."""
        self._costs: dict[int, int] = {}
        self.taken: dict[int, ChosenLine] = {}
        """Line -> choice, in the order of taking."""
        self._opened: set[int] = set()
        self._said: dict[tuple[int, str], int] = {}
        """Message and words of it that are taken -> the piece that these words are in."""
        self._scoped = scoped

    def cost(self, line: int) -> int:
        """Return the tokens that the line adds. They include the heading of its message if it is the first line of it,
        and the first lines of what it is in."""
        heading = 0 if self.lines.message(line) in self._opened else HEADING
        return self.tokens(line) + heading + sum(map(self.tokens, self._scopes(line)))

    def _scopes(self, line: int) -> list[int]:
        """Return the lines that say what a line is in and are not taken yet, the outermost last. If there are many,
        return the innermost ones."""
        found: list[int] = []
        if self._scoped:
            scope = self.lines.scope(line)
            while scope >= 0 and scope not in self.taken and len(found) < _INNERMOST:
                found.append(scope)
                scope = self.lines.scope(scope)
        return found

    def terms_of(self, line: int) -> list[int]:
        """Return the terms that make up the value of a line: those that nothing else covered when it was examined."""
        if line not in self._gains:
            self._look_at(line)
        return [term for term, _, _ in self._contexts[line]]

    def take(self, line: int) -> int:
        """Take a line whatever its value, and return its tokens."""
        if line in self.taken:
            return 0
        cost = self.cost(line)
        self._enter(line, self._gain(line), cost, self._scopes(line))
        return cost

    def unsaid(self, lines: Iterable[int]) -> Iterator[int]:
        """Yield lines, as they are taken one by one, except those whose words are already taken from another part of
        their message: some clients save a text twice."""
        for line in lines:
            piece = self.lines.piece_of[line]
            if not self.lines.piece(line).speech or self._said.get(self._words(line), piece) == piece:
                yield line

    def _words(self, line: int) -> tuple[int, str]:
        return self.lines.message(line), self.lines.text(line)

    def fill(self, candidates: Iterable[int], room: int, least: float = 0.0) -> int:
        """Take the best of the candidates while they fit, and return the tokens that are left. `least`: stop when a
        token of a line is worth less than this share of a token of the lines taken so far."""
        return room - sum(self._best(candidates, room, least))

    def _best(self, candidates: Iterable[int], room: int, least: float) -> Iterator[int]:
        """Take the densest lines first, updating the estimate of a line when it comes to the top. Yield the tokens of
        each."""
        taken, opened, gains, costs = self.taken, self._opened, self._gains, self._costs
        messages, piece_of = [piece.message for piece in self.lines.session.pieces], self.lines.piece_of
        heap = self._entries(candidates)
        heapify(heap)
        worth = tokens = 0.0
        while heap and room > HEADING:
            line = heap[0][1]
            if line in taken or (gain := self._estimate(line)) <= _TINY:
                heappop(heap)
                continue
            needed = -min(heap[1:3])[0] - _TINY if len(heap) > 1 else 0.0
            cost = costs[line]
            if messages[piece_of[line]] not in opened:
                cost += HEADING
            scopes: list[int] = []
            if gain >= cost * needed:  # its turn, unless the scopes, looked up only now, cost too much
                scopes = self._scopes(line)
                cost += sum(map(self.tokens, scopes))
            if cost > room:
                heappop(heap)
                continue
            if gain < cost * needed:
                heapreplace(heap, (-gain / cost, line))
                continue
            heappop(heap)
            if tokens > _SETTLED and gain / cost < least * worth / tokens:
                break
            adds = self._gain(line)
            if adds <= _TINY:  # it may add something beside another line, and is pushed again when that one is taken
                continue
            worth, tokens = worth + gain, tokens + cost
            self._enter(line, adds, cost, scopes)
            yield cost
            room -= cost
            for near in (line - 1, line + 1):  # the neighbours are better understood now
                if near in gains and near not in taken:
                    heappush(heap, (-self._gain(near) / self.cost(near), near))

    def _entries(self, candidates: Iterable[int]) -> list[_Entry]:
        """Return an entry for each line that adds anything, with its expected value per token."""
        taken, bounds, estimate_of, tokens_of = self.taken, self.lines.bounds, self._estimate, self.tokens
        entries: list[_Entry] = []
        # sorted, so that lines of one text are looked up one after the other
        for line in sorted([line for line in candidates if bounds[line] > 0 and line not in taken]):
            if (estimate := estimate_of(line)) > _TINY:
                entries.append((-estimate / (tokens_of(line) + HEADING), line))
        return entries

    def _estimate(self, line: int) -> float:
        """Return what a line is expected to add. While no neighbour is taken, that is more than it adds alone."""
        if line - 1 in self.taken or line + 1 in self.taken:
            return self._gain(line)
        gains = self._gains.get(line) or self._look_at(line)
        return gains[0] + _HOPE * (gains[3] - gains[0])

    def tokens(self, line: int) -> int:
        """Return the tokens of the line alone."""
        known = self._costs.get(line)
        if known is None:
            # a call counts with its keys, though it is read without them: what its result says is worth the tokens
            known = self._costs[line] = self._cost(self.lines.lead(line) + self.lines.text(line)) + 1
        return known

    def _enter(self, line: int, value: float, cost: int, scopes: list[int]) -> None:
        """Take a line, after the lines that say what it is in."""
        for scope in reversed(scopes):
            tokens = self.tokens(scope)
            self._enter_alone(ChosenLine(scope, self._gain(scope), tokens))
            cost -= tokens
        self._enter_alone(ChosenLine(line, value, cost))

    def _enter_alone(self, choice: ChosenLine) -> None:
        line, reached = choice.line, self._reached
        self.taken[line] = choice
        self._opened.add(self.lines.message(line))
        self._said.setdefault(self._words(line), self.lines.piece_of[line])
        for near in (line - 1, line, line + 1):
            if near in self.taken:
                side = self._side(near)
                for term, _, levels in self._contexts[near]:
                    if (reach := levels[side]) > (known := reached.get(term, 0.0)):
                        self._understand(term, known, reach)

    def _understand(self, term: int, known: float, reach: float) -> None:
        """Record that a term is understood further than before, and lower the gains of the lines that hold it."""
        self._reached[term] = reach
        holders = self._holders[term]
        if len(holders) < 2:  # only the line that is taken, or a neighbour of it
            return
        worth = self._worth(term)
        most = (reach - known) * worth
        for gains, levels in holders:
            gains[3] -= most
            if levels is _UNDERSTOOD:  # the usual case: the lines below with every level at 1
                gains[0] -= most
                gains[1] -= most
                gains[2] -= most
                continue
            first, second, third, _ = levels
            if first > known:
                gains[0] -= most if first >= reach else (first - known) * worth
            if second > known:
                gains[1] -= most if second >= reach else (second - known) * worth
            if third > known:
                gains[2] -= most if third >= reach else (third - known) * worth

    def _side(self, line: int) -> int:
        """Return which neighbours of a line are taken, as an index into `levels`."""
        return (_BEFORE if line - 1 in self.taken else 0) + (_BEHIND if line + 1 in self.taken else 0)

    def _gain(self, line: int) -> float:
        """Return what taking the line adds: its own names, and context for those of its neighbours."""
        side = self._side(line)
        gain = (self._gains.get(line) or self._look_at(line))[side]
        if side & _BEFORE:
            gain += self._more(line - 1, _BEHIND)
        if side & _BEHIND:
            gain += self._more(line + 1, _BEFORE)
        return gain

    def _more(self, line: int, also: int) -> float:
        """Return what a taken line gains when its neighbour `also` is taken too."""
        gain, side, reached = 0.0, also | self._side(line), self._reached
        for term, worth, levels in self._contexts[line]:
            more = levels[side] - reached.get(term, 0.0)
            if more > 0:
                gain += more * worth
        return gain

    def _look_at(self, line: int) -> list[float]:
        """Record the names of a line that can still add something. Return what the line adds, indexed like `levels` by
        which of its neighbours are taken."""
        lines, worth, reached, holders = self.lines, self._worth, self._reached, self._holders
        text, near_before, near_behind, all_names = "", 0, 0, lines.session.names
        names: list[_Context] = []
        gains: list[float] = []
        alone = before = behind = both = 0.0
        for term in lines.terms[line]:
            # a name that is understood already adds nothing, here or later
            if (known := reached.get(term, 0.0)) >= 1.0 or (value := worth(term)) <= 0:
                continue
            if term < 0:
                levels = _UNDERSTOOD
            else:
                if not text:  # not earlier: many lines have no name that adds anything
                    text, (near_before, near_behind) = lines.text(line), self._around(line)
                levels = _levels(text, all_names[term], near_before, near_behind)
            names.append((term, value, levels))
            holders[term].append((gains, levels))
            if levels is _UNDERSTOOD:  # the usual case
                added = (1.0 - known) * value
                alone, before, behind, both = alone + added, before + added, behind + added, both + added
                continue
            first, second, third, fourth = levels
            if first > known:
                alone += (first - known) * value
            if second > known:
                before += (second - known) * value
            if third > known:
                behind += (third - known) * value
            both += (fourth - known) * value
        gains += (alone, before, behind, both)
        self._contexts[line] = names
        self._gains[line] = gains
        return gains

    def _around(self, line: int) -> tuple[int, int]:
        """Return the lengths in characters of the lines before and behind. The first or last line of a neighbouring
        piece counts too, such as the call that a result answers."""
        lines = self.lines
        pieces, starts, ends = lines.piece_of, lines.starts, lines.ends
        number, before, behind = pieces[line], 0, 0
        if line > 0 and number - pieces[line - 1] < 2:
            before = ends[line - 1] - starts[line - 1]
        if line + 1 < len(pieces) and pieces[line + 1] - number < 2:
            behind = ends[line + 1] - starts[line + 1]
        return before, behind


def _levels(text: str, name: str, before: int, behind: int) -> _Levels:
    """Return how far a name on a line is understood with each set of taken neighbours. `before`, `behind`: their
    lengths in characters."""
    # written out, because it runs for every name of every line that has a chance
    left = text.find(name)
    left = left if left > 0 else 0
    right = len(text) - left - len(name)
    left = left if left < _AROUND else _AROUND
    right = 0 if right < 0 else right if right < _AROUND else _AROUND
    own = left + right
    before = before if before < _AROUND - left else _AROUND - left
    behind = behind if behind < _AROUND - right else _AROUND - right
    around = own + before + behind
    return _UNDERSTOOD if own >= _ENOUGH * around else _levels_of(own, before, behind)


@cache
def _levels_of(own: int, before: int, behind: int) -> _Levels:
    """Return the same for a number of context characters on the line, before and behind. There are a few thousand
    cases."""
    around = own + before + behind
    return _understood(own / around), _understood((own + before) / around), _understood((own + behind) / around), 1.0


def _understood(share: float) -> float:
    """Return how far a name is understood (0 to 1) if this share of its context is kept."""
    return 1.0 if share >= _ENOUGH else _ALONE + (1 - _ALONE) * share / _ENOUGH


def densest(lines: SessionLines, room: int) -> list[int]:
    """Return the lines that have a chance: those with the highest upper bound of value per character, several times as
    many as fit into `room` tokens."""
    density = [
        bound / (8 + end - start) for bound, start, end in zip(lines.bounds, lines.starts, lines.ends, strict=True)
    ]
    order = sorted((line for line in range(len(lines)) if density[line] > 0), key=density.__getitem__, reverse=True)
    limit, total = _NEAR_ENOUGH * max(room, 0), 0
    for count, line in enumerate(order):
        total += 8 + lines.ends[line] - lines.starts[line]
        if total > limit:
            return order[:count]
    return order
