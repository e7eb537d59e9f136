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

_CONTEXT_CHARS = 70
"""Characters on either side that make up the context of a name: about ten words."""
_ENOUGH_CONTEXT = 0.55
"""Share of its context with which a name is understood."""
_MIN_UNDERSTANDING = 0.15
"""Weight of a name without any of its context."""
_NEIGHBOR_CREDIT = 0.2
"""Share of the extra value between its neighbours that a line is credited with while neither is taken. Lines that
explain each other, such as those of a list of paths, are worth little alone."""
_ROUNDING = 1e-9
"""Remainder of a gain that is due to rounding alone."""
_CHARS_PER_TOKEN = 12
"""Characters of lines to examine closely for each token of room: three times what is taken. With two thirds of that,
fewer names survive; with three times as many, no more do."""
_MAX_SCOPES = 4
"""Maximum number of functions, classes or sections around a line that are quoted with it."""
QUOTE_HEADING_TOKENS = 5
"""Tokens of the mark before the first line that is taken of a message."""


_Levels = tuple[float, float, float, float]
"""How far a name is understood (0 to 1) when these neighbours of its line are taken: none, the one before, the one
after, both."""
_Entry = tuple[float, int]
"""The negative value per token of a line by the last estimate, and the line."""
_Context = tuple[int, float, _Levels]
"""A name on a line, its value, and how far it is understood. A plain tuple, because hundreds of thousands are made."""

_UNDERSTOOD: _Levels = (1.0, 1.0, 1.0, 1.0)
_BEFORE, _AFTER = 1, 2
"""Bits of an index into `levels`: the line before is taken, the line after is taken."""


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
        term_value: Callable[[int], float],
        count_tokens: Callable[[str], int],
        covered: Iterable[int] = (),
        *,
        scoped: bool = True,
    ) -> None:
        """Choose among `lines`. `term_value`: returns the value of a term (0: no value). `count_tokens`: returns the
        tokens of a text. `covered`: terms of what is kept anyway. `scoped`: lines of code bring along the first line of
        what they are in."""
        self.lines = lines
        self._term_value = term_value
        self._count_tokens = count_tokens
        self._term_levels: dict[int, float] = dict.fromkeys(covered, 1.0)
        self._contexts: dict[int, list[_Context]] = {}
        """Line that was examined -> its names."""
        self._gains: dict[int, list[float]] = {}
        """Line that was examined -> what it would add, indexed like `levels` by which of its neighbours are taken."""
        self._holders: defaultdict[int, list[tuple[list[float], _Levels]]] = defaultdict(list)
        """Term -> the gains that it contributes to, and how far it is understood there."""
        self._costs: dict[int, int] = {}
        self.taken: dict[int, ChosenLine] = {}
        """Line -> choice, in the order of taking."""
        self._opened_messages: set[int] = set()
        self._taken_texts: dict[tuple[int, str], int] = {}
        """Message and words of it that are taken -> the piece that these words are in."""
        self._with_scopes = scoped

    def cost(self, line: int) -> int:
        """Return the tokens that the line adds. That includes the heading of its message if no line of that was taken
        yet, and the first lines of the function, class or section that contains it."""
        heading = 0 if self.lines.message_of(line) in self._opened_messages else QUOTE_HEADING_TOKENS
        return self.tokens(line) + heading + sum(map(self.tokens, self._scopes(line)))

    def _scopes(self, line: int) -> list[int]:
        """Return the lines that say what a line is in and are not taken yet, the outermost last. If there are many,
        return the innermost ones."""
        found: list[int] = []
        if self._with_scopes:
            scope = self.lines.scope(line)
            while scope >= 0 and scope not in self.taken and len(found) < _MAX_SCOPES:
                found.append(scope)
                scope = self.lines.scope(scope)
        return found

    def terms_of(self, line: int) -> list[int]:
        """Return the terms that make up the value of a line: those that nothing else covered when it was examined."""
        if line not in self._gains:
            self._examine(line)
        return [term for term, _, _ in self._contexts[line]]

    def take(self, line: int) -> int:
        """Take a line whatever its value, and return its tokens."""
        if line in self.taken:
            return 0
        cost = self.cost(line)
        self._record_line(line, self._gain(line), cost, self._scopes(line))
        return cost

    def without_repeats(self, lines: Iterable[int]) -> Iterator[int]:
        """Yield lines, as they are taken one by one, except those whose words are already taken from another part of
        their message: some clients save a text twice."""
        for line in lines:
            piece = self.lines.piece_of[line]
            if not self.lines.piece_at(line).is_speech or self._taken_texts.get(self._text_key(line), piece) == piece:
                yield line

    def _text_key(self, line: int) -> tuple[int, str]:
        return self.lines.message_of(line), self.lines.text(line)

    def fill(self, candidates: Iterable[int], room: int) -> int:
        """Take the best of the candidates while they fit, and return the tokens that are left."""
        return room - sum(self._take_densest(candidates, room))

    def _take_densest(self, candidates: Iterable[int], tokens_left: int) -> Iterator[int]:
        """Take the densest lines first, updating the estimate of a line when it comes to the top. Yield the tokens of
        each."""
        taken, opened_messages, gains, costs = self.taken, self._opened_messages, self._gains, self._costs
        messages, piece_of = [piece.message for piece in self.lines.session.pieces], self.lines.piece_of
        heap = self._entries(candidates)
        heapify(heap)
        while heap and tokens_left > QUOTE_HEADING_TOKENS:
            line = heap[0][1]
            if line in taken or (gain := self._estimate(line)) <= _ROUNDING:
                heappop(heap)
                continue
            needed = -min(heap[1:3])[0] - _ROUNDING if len(heap) > 1 else 0.0
            cost = costs[line]
            if messages[piece_of[line]] not in opened_messages:
                cost += QUOTE_HEADING_TOKENS
            scopes: list[int] = []
            if gain >= cost * needed:  # its turn, unless the scopes, looked up only now, cost too much
                scopes = self._scopes(line)
                cost += sum(map(self.tokens, scopes))
            if cost > tokens_left:
                heappop(heap)
                continue
            if gain < cost * needed:
                heapreplace(heap, (-gain / cost, line))
                continue
            heappop(heap)
            real_gain = self._gain(line)
            # it may add something beside another line, and is pushed again when that one is taken
            if real_gain <= _ROUNDING:
                continue
            self._record_line(line, real_gain, cost, scopes)
            yield cost
            tokens_left -= cost
            for neighbor in (line - 1, line + 1):  # the neighbours are better understood now
                if neighbor in gains and neighbor not in taken:
                    heappush(heap, (-self._gain(neighbor) / self.cost(neighbor), neighbor))

    def _entries(self, candidates: Iterable[int]) -> list[_Entry]:
        """Return an entry for each line that adds anything, with its expected value per token."""
        taken, bounds, estimate_of, tokens_of = self.taken, self.lines.bounds, self._estimate, self.tokens
        entries: list[_Entry] = []
        # sorted, so that lines of one text are looked up one after the other
        for line in sorted([line for line in candidates if bounds[line] > 0 and line not in taken]):
            if (estimate := estimate_of(line)) > _ROUNDING:
                entries.append((-estimate / (tokens_of(line) + QUOTE_HEADING_TOKENS), line))
        return entries

    def _estimate(self, line: int) -> float:
        """Return what a line is expected to add. While no neighbour is taken, that is more than it adds alone."""
        if line - 1 in self.taken or line + 1 in self.taken:
            return self._gain(line)
        gains = self._gains.get(line) or self._examine(line)
        return gains[0] + _NEIGHBOR_CREDIT * (gains[3] - gains[0])

    def tokens(self, line: int) -> int:
        """Return the tokens of the line alone."""
        known = self._costs.get(line)
        if known is None:
            # a call counts with its keys, though it is read without them: what its result says is worth the tokens
            known = self._costs[line] = self._count_tokens(self.lines.context(line) + self.lines.text(line)) + 1
        return known

    def _record_line(self, line: int, value: float, cost: int, scopes: list[int]) -> None:
        """Take a line, after the lines that say what it is in."""
        for scope in reversed(scopes):
            tokens = self.tokens(scope)
            self._record(ChosenLine(scope, self._gain(scope), tokens))
            cost -= tokens
        self._record(ChosenLine(line, value, cost))

    def _record(self, choice: ChosenLine) -> None:
        line, term_levels = choice.line, self._term_levels
        self.taken[line] = choice
        self._opened_messages.add(self.lines.message_of(line))
        self._taken_texts.setdefault(self._text_key(line), self.lines.piece_of[line])
        for neighbor in (line - 1, line, line + 1):
            if neighbor in self.taken:
                side = self._taken_sides(neighbor)
                for term, _, levels in self._contexts[neighbor]:
                    if (new_level := levels[side]) > (old_level := term_levels.get(term, 0.0)):
                        self._raise_level(term, old_level, new_level)

    def _raise_level(self, term: int, old_level: float, new_level: float) -> None:
        """Record that a term is understood further than before, and lower the gains of the lines that hold it."""
        self._term_levels[term] = new_level
        holders = self._holders[term]
        if len(holders) < 2:  # only the line that is taken, or a neighbour of it
            return
        value = self._term_value(term)
        max_loss = (new_level - old_level) * value
        for gains, levels in holders:
            gains[3] -= max_loss
            if levels is _UNDERSTOOD:  # the usual case: the lines below with every level at 1
                gains[0] -= max_loss
                gains[1] -= max_loss
                gains[2] -= max_loss
                continue
            first, second, third, _ = levels
            if first > old_level:
                gains[0] -= max_loss if first >= new_level else (first - old_level) * value
            if second > old_level:
                gains[1] -= max_loss if second >= new_level else (second - old_level) * value
            if third > old_level:
                gains[2] -= max_loss if third >= new_level else (third - old_level) * value

    def _taken_sides(self, line: int) -> int:
        """Return which neighbours of a line are taken, as an index into `levels`."""
        return (_BEFORE if line - 1 in self.taken else 0) + (_AFTER if line + 1 in self.taken else 0)

    def _gain(self, line: int) -> float:
        """Return what taking the line adds: its own names, and context for those of its neighbours."""
        side = self._taken_sides(line)
        gain = (self._gains.get(line) or self._examine(line))[side]
        if side & _BEFORE:
            gain += self._context_gain(line - 1, _AFTER)
        if side & _AFTER:
            gain += self._context_gain(line + 1, _BEFORE)
        return gain

    def _context_gain(self, line: int, other_side: int) -> float:
        """Return what a taken line gains when its neighbour on the `other_side` is taken too."""
        gain, side, term_levels = 0.0, other_side | self._taken_sides(line), self._term_levels
        for term, worth, levels in self._contexts[line]:
            more = levels[side] - term_levels.get(term, 0.0)
            if more > 0:
                gain += more * worth
        return gain

    def _examine(self, line: int) -> list[float]:
        """Record the names of a line that can still add something. Return what the line adds, indexed like `levels` by
        which of its neighbours are taken."""
        lines, term_value, term_levels, holders = self.lines, self._term_value, self._term_levels, self._holders
        text, chars_before, chars_after, all_names = "", 0, 0, lines.session.names
        names: list[_Context] = []
        gains: list[float] = []
        alone = before = after = both = 0.0
        for term in lines.terms[line]:
            # a name that is understood already adds nothing, here or later
            if (level := term_levels.get(term, 0.0)) >= 1.0 or (value := term_value(term)) <= 0:
                continue
            if term < 0:
                levels = _UNDERSTOOD
            else:
                if not text:  # not earlier: many lines have no name that adds anything
                    text, (chars_before, chars_after) = lines.text(line), self._neighbor_lengths(line)
                levels = _levels(text, all_names[term], chars_before, chars_after)
            names.append((term, value, levels))
            holders[term].append((gains, levels))
            if levels is _UNDERSTOOD:  # the usual case
                added = (1.0 - level) * value
                alone, before, after, both = alone + added, before + added, after + added, both + added
                continue
            first, second, third, fourth = levels
            if first > level:
                alone += (first - level) * value
            if second > level:
                before += (second - level) * value
            if third > level:
                after += (third - level) * value
            both += (fourth - level) * value
        gains += (alone, before, after, both)
        self._contexts[line] = names
        self._gains[line] = gains
        return gains

    def _neighbor_lengths(self, line: int) -> tuple[int, int]:
        """Return the lengths in characters of the lines before and after. The first or last line of a neighbouring
        piece counts too, such as the call that a result answers."""
        lines = self.lines
        pieces, starts, ends = lines.piece_of, lines.starts, lines.ends
        number, before, after = pieces[line], 0, 0
        if line > 0 and number - pieces[line - 1] < 2:
            before = ends[line - 1] - starts[line - 1]
        if line + 1 < len(pieces) and pieces[line + 1] - number < 2:
            after = ends[line + 1] - starts[line + 1]
        return before, after


def _levels(text: str, name: str, before: int, after: int) -> _Levels:
    """Return how far a name on a line is understood with each set of taken neighbours. `before`, `after`: their
    lengths in characters."""
    # written out, because it runs for every name of every line that has a chance
    left = text.find(name)
    left = left if left > 0 else 0
    right = len(text) - left - len(name)
    left = left if left < _CONTEXT_CHARS else _CONTEXT_CHARS
    right = 0 if right < 0 else right if right < _CONTEXT_CHARS else _CONTEXT_CHARS
    own_chars = left + right
    before = before if before < _CONTEXT_CHARS - left else _CONTEXT_CHARS - left
    after = after if after < _CONTEXT_CHARS - right else _CONTEXT_CHARS - right
    all_chars = own_chars + before + after
    return _UNDERSTOOD if own_chars >= _ENOUGH_CONTEXT * all_chars else _levels_of(own_chars, before, after)


@cache
def _levels_of(own_chars: int, before: int, after: int) -> _Levels:
    """Return the same for a number of context characters on the line, before and after. There are a few thousand
    cases."""
    all_chars = own_chars + before + after
    return (
        _understanding(own_chars / all_chars),
        _understanding((own_chars + before) / all_chars),
        _understanding((own_chars + after) / all_chars),
        1.0,
    )


def _understanding(share: float) -> float:
    """Return how far a name is understood (0 to 1) if this share of its context is kept."""
    return 1.0 if share >= _ENOUGH_CONTEXT else _MIN_UNDERSTANDING + (1 - _MIN_UNDERSTANDING) * share / _ENOUGH_CONTEXT


def densest_lines(lines: SessionLines, room: int) -> list[int]:
    """Return the lines that have a chance: those with the highest upper bound of value per character, several times as
    many as fit into `room` tokens."""
    density = [
        bound / (8 + end - start) for bound, start, end in zip(lines.bounds, lines.starts, lines.ends, strict=True)
    ]
    order = sorted((line for line in range(len(lines)) if density[line] > 0), key=density.__getitem__, reverse=True)
    limit, total = _CHARS_PER_TOKEN * max(room, 0), 0
    for count, line in enumerate(order):
        total += 8 + lines.ends[line] - lines.starts[line]
        if total > limit:
            return order[:count]
    return order
