"""Lines that a summary quotes besides its text: those that the rest of the session is most likely to need."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.evidence import gather
from compactor_cli.features.followed import ends_in_words
from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import read_session
from compactor_cli.features.term_scores import TermScores
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.plan import Decision
from compactor_cli.model.planning import RECENT, PlanInput
from compactor_cli.strategies.adaptive.in_place import SMALL, InPlaceRenderer
from compactor_cli.strategies.adaptive.newest_exchanges import NewestExchanges
from compactor_cli.strategies.shared.asked import Asked
from compactor_cli.strategies.shared.chats import chat_lines, is_working_chat
from compactor_cli.strategies.shared.lone_lines import announces, leads_nowhere
from compactor_cli.strategies.shared.pending_results import take_pending
from compactor_cli.strategies.shared.quoted_lines import Quoter
from compactor_cli.strategies.shared.rooms import DETAIL, LARGE_ROOM
from compactor_cli.strategies.shared.selection import Selector, densest
from compactor_cli.summary_text.excerpts import LEGEND, Excerpt

REACH = 500_000
"""Number of newest tokens in which every line is considered, several times what models hold. Of older messages, only
requests, calls and failures are."""
_BEGINNING = 150
"""Maximum tokens to quote from each of the newest messages because they are new."""
_ANSWER_SHARE = 0.75
"""Share of the tokens for the newest messages that an answer at the very end may take."""
_LEAST = 60
"""Tokens below which quotes do not justify their heading."""
_TIMES = 3
"""Maximum number of passes over the room that is left next to the exchange in hand as rendered."""


class Details(Struct, frozen=True):
    """Quoted lines of a summary, the tokens left of the room, and the exchange that stays after it with its best
    lines."""

    lines: tuple[Excerpt, ...] = ()
    left: int = 0
    in_hand: dict[int, Decision] = {}


def quoted_details(
    inputs: PlanInput,
    covered: Sequence[Group],
    room: int,
    aside: Collection[int] = (),
    newest: int = 0,
    in_hand: Sequence[Group] = (),
    own: int = 0,
) -> Details:
    """Return the best lines of these groups in about `room` tokens.

    Messages in `aside` are repeated anyway. `newest`: tokens for the beginnings of the newest messages, whatever their
    value. `in_hand`: the exchange that stays after the summary. Lines chosen from it share the room, except for the
    `own` tokens, which are for the summary alone."""
    room = min(room, DETAIL) - inputs.count(LEGEND)
    if room < _LEAST or inputs.profile is None:
        return Details()
    session = read_session(inputs.messages, REACH, inputs.settings.query, quoted_only=True, pairing=inputs.pairing)
    evidence = gather(inputs.messages, session)
    values = TermScores(session, evidence, inputs.profile)

    def selecting(groups: Iterable[Group]) -> Selector:
        inside = {i for group in groups for i in group.messages} - set(aside)
        outside = frozenset(m.index for m in inputs.messages if m.index not in inside)
        known = {name for piece in session.pieces if piece.message in outside for name in piece.names}
        lines = SessionLines(session, values.of, outside)
        return Selector(lines, values.of, inputs.count, sorted(known), scoped=room > LARGE_ROOM)

    if in_hand:
        selector = selecting((*covered, *in_hand))
        behind = _InHand(inputs, in_hand, selector, room)
        if behind.has_room:
            left = behind.take(room, newest, own)
            excerpts = _excerpts(inputs, selector, behind.awaited, behind.messages)
            return Details(excerpts, left, behind.rendered())
    selector = selecting(covered)
    lines = selector.lines
    said = [m for m in inputs.messages if m.origin != "request"]
    answer = said[-1].index if ends_in_words(said) else -1
    stay: set[int] = set()
    if newest:
        asked_for = partial(Asked(inputs.messages, inputs.pairing).in_piece, lines=lines)
        took = take_pending([*_pending(lines, inputs.messages)], lines, selector, asked_for, room)
        room, newest, stay = room - took, max(0, newest - took), {*selector.taken}
    room -= _take_newest(selector, lines, newest, leaving=True, answer=answer)
    stay |= {line for line in selector.taken if lines.message(line) == answer}
    if is_working_chat(inputs.messages):
        left = room
        for line in chat_lines(inputs.messages, lines, selector.tokens, room, inputs.profile):
            left -= selector.take(line) if selector.cost(line) <= left else 0
    else:
        left = selector.fill(densest(lines, room), room)
    left -= _take_newest(selector, lines, left) if newest else 0
    return Details(_excerpts(inputs, selector, stay), left)


def _excerpts(
    inputs: PlanInput, selector: Selector, stay: Collection[int], elsewhere: Collection[int] = ()
) -> tuple[Excerpt, ...]:
    """Return the quotes of the taken lines, except those of messages that are kept `elsewhere`. The lines in `stay`
    have to be answered, or report the outcome of the work. They are not the first to be dropped, even if all their
    names are known."""
    lines, taken = selector.lines, selector.taken
    best = max((choice.value for choice in taken.values()), default=0.0)
    quoted = (choice for choice in taken.values() if lines.message(choice.line) not in elsewhere)
    telling = (choice for choice in quoted if not leads_nowhere(choice.line, taken.keys(), lines))
    kept = (replace(choice, value=best) if choice.line in stay else choice for choice in telling)
    chosen = sorted(kept, key=lambda choice: choice.line)
    return tuple(Quoter(inputs.messages, lines, inputs.count, inputs.pairing).excerpts(chosen))


class _InHand:
    """The exchange that stays after a summary, with lines that compete with those of the summary."""

    def __init__(self, inputs: PlanInput, groups: Sequence[Group], selector: Selector, room: int) -> None:
        self._groups, self._selector = groups, selector
        self._lines = selector.lines
        self._renderer = InPlaceRenderer(inputs.messages, self._lines, inputs.count, inputs.pairing)
        self._newest = NewestExchanges(inputs.messages, groups, self._renderer, room, decided={})
        self.has_room = self._newest.in_place.issuperset(group.index for group in groups)
        self.messages = frozenset(i for group in groups for i in group.messages)
        self.awaited: frozenset[int] = frozenset()
        """Lines of the results."""
        self._without: frozenset[int] = frozenset()
        """Taken lines that have no room."""
        for group in groups:  # the agent's words that stay in any case are known, and cost nothing more
            for line in (line for i in group.messages for line in self._lines.of_message(i)):
                part = inputs.messages[self._lines.message(line)].parts[self._lines.piece(line).part]
                if part.kind != "tool_result" and part.tokens <= self._newest.written(group.index):
                    selector.take(line)

    def rendered(self) -> dict[int, Decision]:
        """Return the exchange as rendered with the lines taken from it so far."""
        taken = self._selector.taken.keys() - self._without
        return {group.index: self._newest.render(group, taken, RECENT) for group in self._groups}

    def take(self, room: int, newest: int, own: int) -> int:
        """Take lines of the exchange and of the summarized messages, with `own` tokens for the latter alone. Return the
        tokens that are left. `newest`: as in `quoted_details`."""
        lines, selector = self._lines, self._selector
        left, best = room - self._used(), densest(lines, room)
        pending = [line for line in self._newest.pending_results(lines) if line not in lines.silent]
        left -= take_pending(pending, lines, selector, self._renderer.asked_for, left, SMALL)
        self.awaited = frozenset(selector.taken)
        _take_newest(selector, lines, newest - (room - left), leaving=True)
        for _ in range(_TIMES):  # adjacent lines in place take fewer tokens than quoted ones
            selector.fill(best, left - own)
            left = room - self._used()
        if left < own:
            left = room - self._fitted(room - own)
        left = selector.fill([line for line in best if lines.message(line) not in self.messages], left)
        return left - _take_newest(selector, lines, left, but=self.messages)

    def _fitted(self, room: int) -> int:
        """Leave out the lines of the exchange that were taken last, as many as necessary: a line is shown wherever it
        occurs in a call, which may be more often than it was paid for. Return the tokens as `_used` does."""
        shown = [line for line in self._selector.taken if self._lines.message(line) in self.messages]

        def used(without: int) -> int:
            self._without = frozenset(shown[len(shown) - without :])
            return self._used()

        return used(bisect_left(range(len(shown)), -room, key=lambda without: -used(without)))

    def _used(self) -> int:
        """Return the tokens of the exchange as rendered, and of the lines taken from other messages."""
        taken = self._selector.taken.values()
        others = sum(choice.cost for choice in taken if self._lines.message(choice.line) not in self.messages)
        return others + sum(decision.tokens for decision in self.rendered().values())


def _pending(lines: SessionLines, messages: Sequence[Message]) -> Iterator[int]:
    """Yield the lines of the results that the agent answers next."""
    shown = sorted(lines.first_of)
    pieces = [lines.session.pieces[number] for number in shown]
    last = max((piece.message for piece in pieces if messages[piece.message].role == "assistant"), default=-1)
    for number, piece in zip(shown, pieces, strict=True):
        if piece.message > last >= 0 and messages[piece.message].parts[piece.part].kind == "tool_result":
            yield from (line for line in lines.of_piece(number) if line not in lines.silent)


def _take_newest(
    selector: Selector,
    lines: SessionLines,
    room: int,
    *,
    leaving: bool = False,
    answer: int = -1,
    but: Collection[int] = (),
) -> int:
    """Take the first lines of the newest texts, calls and results, without those that say nothing, and return their
    tokens.

    `leaving`: the tokens of skipped lines are left to other lines. `answer`: the message at the very end, of which more
    is taken because it reports the outcome of the work. `but`: messages to skip."""
    used = passed = 0
    for number in sorted(lines.first_of, reverse=True):
        piece_tokens = 0
        message = lines.session.pieces[number].message
        if message in but:
            continue
        is_answer = message == answer
        most = max(_BEGINNING, _ANSWER_SHARE * room) if is_answer else _BEGINNING
        for line in lines.of_piece(number):
            if line in selector.taken or (line in lines.silent and not leaving) or announces(lines, line):
                continue
            cost = selector.cost(line)
            if used + passed + cost > room:
                return used
            piece_tokens += cost
            if piece_tokens > most:
                break
            if line in lines.silent:
                passed += cost
            else:
                used += selector.take(line)
    return used
