"""Lines that a summary quotes besides its text: those that the rest of the session is most likely to need."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.after_request import ends_in_words
from compactor_cli.features.evidence import gather_evidence
from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import read_session
from compactor_cli.features.term_scores import TermScores
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.plan import Decision
from compactor_cli.model.planning import RECENT, PlanInput
from compactor_cli.strategies.adaptive.in_place import SMALL_TOKENS, InPlaceRenderer
from compactor_cli.strategies.adaptive.newest_exchanges import NewestExchanges
from compactor_cli.strategies.shared.chats import chat_lines, is_working_chat
from compactor_cli.strategies.shared.lone_lines import announces_call, is_dangling_lead_in
from compactor_cli.strategies.shared.pending_results import take_pending
from compactor_cli.strategies.shared.quoted_lines import Quoter
from compactor_cli.strategies.shared.relevant_lines import RelevantLines
from compactor_cli.strategies.shared.rooms import DETAIL_TOKENS, LARGE_ROOM
from compactor_cli.strategies.shared.selection import Selector, densest_lines
from compactor_cli.summary_text.excerpts import LEGEND, Excerpt

REACH_TOKENS = 500_000
"""Number of newest tokens in which every line is considered, several times what models hold. Of older messages, only
requests, calls and failures are."""
_MAX_BEGINNING_TOKENS = 150
"""Maximum tokens to quote from each of the newest messages because they are new."""
_ANSWER_SHARE = 0.75
"""Share of the tokens for the newest messages that an answer at the very end may take."""
_MIN_QUOTE_TOKENS = 60
"""Tokens below which quotes do not justify their heading."""
_MAX_PASSES = 3
"""Maximum number of passes over the room that is left next to the exchange in hand as rendered."""


class Details(Struct, frozen=True):
    """Quoted lines of a summary, the tokens left of the room, and the exchange that stays after it with its best
    lines."""

    lines: tuple[Excerpt, ...] = ()
    budget: int = 0
    in_hand: dict[int, Decision] = {}


def quoted_details(
    inputs: PlanInput,
    covered: Sequence[Group],
    room: int,
    excluded: Collection[int] = (),
    newest_tokens: int = 0,
    in_hand: Sequence[Group] = (),
    reserved_tokens: int = 0,
) -> Details:
    """Return the best lines of these groups in about `room` tokens.

    Messages in `excluded` are repeated anyway. `newest_tokens`: tokens for the beginnings of the newest messages,
    whatever their value. `in_hand`: the exchange that stays after the summary. Lines chosen from it share the room,
    except for `reserved_tokens`, which are for the summary alone."""
    room = min(room, DETAIL_TOKENS) - inputs.count(LEGEND)
    if room < _MIN_QUOTE_TOKENS or inputs.profile is None:
        return Details()
    session = read_session(
        inputs.messages, REACH_TOKENS, inputs.settings.query, quoted_only=True, pairing=inputs.pairing
    )
    evidence = gather_evidence(inputs.messages, session)
    values = TermScores(session, evidence, inputs.profile)

    def make_selector(groups: Iterable[Group]) -> Selector:
        selected = {i for group in groups for i in group.messages} - set(excluded)
        outside = frozenset(m.index for m in inputs.messages if m.index not in selected)
        known_names = {name for piece in session.pieces if piece.message in outside for name in piece.names}
        lines = SessionLines(session, values.of, outside)
        return Selector(lines, values.of, inputs.count, sorted(known_names), scoped=room > LARGE_ROOM)

    if in_hand:
        selector = make_selector((*covered, *in_hand))
        exchange = _ExchangeInHand(inputs, in_hand, selector, room)
        if exchange.has_room:
            budget = exchange.take(room, newest_tokens, reserved_tokens)
            excerpts = _excerpts(inputs, selector, exchange.result_lines, exchange.messages)
            return Details(excerpts, budget, exchange.render())
    selector = make_selector(covered)
    lines = selector.lines
    answers = [m for m in inputs.messages if m.origin != "request"]
    answer = answers[-1].index if ends_in_words(answers) else -1
    required: set[int] = set()
    if newest_tokens:
        asked_for = partial(RelevantLines(inputs.messages, inputs.pairing).in_piece, lines=lines)
        took = take_pending([*_pending_lines(lines, inputs.messages)], lines, selector, asked_for, room)
        room, newest_tokens, required = room - took, max(0, newest_tokens - took), {*selector.taken}
    room -= _take_newest(selector, lines, newest_tokens, reserves_skipped=True, answer=answer)
    required |= {line for line in selector.taken if lines.message_of(line) == answer}
    if is_working_chat(inputs.messages):
        budget = room
        for line in chat_lines(inputs.messages, lines, selector.tokens, room, inputs.profile):
            budget -= selector.take(line) if selector.cost(line) <= budget else 0
    else:
        budget = selector.fill(densest_lines(lines, room), room)
    budget -= _take_newest(selector, lines, budget) if newest_tokens else 0
    return Details(_excerpts(inputs, selector, required), budget)


def _excerpts(
    inputs: PlanInput, selector: Selector, required: Collection[int], skipped_messages: Collection[int] = ()
) -> tuple[Excerpt, ...]:
    """Return the quotes of the taken lines, except those of `skipped_messages`. The lines in
    `required` have to be answered, or report the outcome of the work. They are not the first to be dropped, even if all
    their names are known."""
    lines, taken = selector.lines, selector.taken
    best = max((choice.value for choice in taken.values()), default=0.0)
    quoted = (choice for choice in taken.values() if lines.message_of(choice.line) not in skipped_messages)
    telling = (choice for choice in quoted if not is_dangling_lead_in(choice.line, taken.keys(), lines))
    kept = (replace(choice, value=best) if choice.line in required else choice for choice in telling)
    chosen = sorted(kept, key=lambda choice: choice.line)
    return tuple(Quoter(inputs.messages, lines, inputs.count, inputs.pairing).excerpts(chosen))


class _ExchangeInHand:
    """The exchange that stays after a summary, with lines that compete with those of the summary."""

    def __init__(self, inputs: PlanInput, groups: Sequence[Group], selector: Selector, room: int) -> None:
        self._groups, self._selector = groups, selector
        self._lines = selector.lines
        self._renderer = InPlaceRenderer(inputs.messages, self._lines, inputs.count, inputs.pairing)
        self._newest = NewestExchanges(inputs.messages, groups, self._renderer, room, decided={})
        self.has_room = self._newest.in_place.issuperset(group.index for group in groups)
        self.messages = frozenset(i for group in groups for i in group.messages)
        self.result_lines: frozenset[int] = frozenset()
        """Lines of the results."""
        self._dropped: frozenset[int] = frozenset()
        """Taken lines that have no room."""
        for group in groups:  # the agent's words that stay in any case are known, and cost nothing more
            for line in (line for i in group.messages for line in self._lines.of_message(i)):
                part = inputs.messages[self._lines.message_of(line)].parts[self._lines.piece_at(line).part]
                if part.kind != "tool_result" and part.tokens <= self._newest.whole_limit(group.index):
                    selector.take(line)

    def render(self) -> dict[int, Decision]:
        """Return the exchange as rendered with the lines taken from it so far."""
        shown_lines = self._selector.taken.keys() - self._dropped
        return {group.index: self._newest.render(group, shown_lines, RECENT) for group in self._groups}

    def take(self, room: int, newest_tokens: int, reserved_tokens: int) -> int:
        """Take lines of the exchange and of the summarized messages, with `reserved_tokens` for the latter alone.
        Return the tokens that are left. `newest_tokens`: as in `quoted_details`."""
        lines, selector = self._lines, self._selector
        budget, candidates = room - self._used_tokens(), densest_lines(lines, room)
        pending = [line for line in self._newest.pending_results(lines) if line not in lines.silent]
        budget -= take_pending(pending, lines, selector, self._renderer.relevant_lines, budget, SMALL_TOKENS)
        self.result_lines = frozenset(selector.taken)
        _take_newest(selector, lines, newest_tokens - (room - budget), reserves_skipped=True)
        for _ in range(_MAX_PASSES):  # adjacent lines in place take fewer tokens than quoted ones
            selector.fill(candidates, budget - reserved_tokens)
            budget = room - self._used_tokens()
        if budget < reserved_tokens:
            budget = room - self._drop_excess(room - reserved_tokens)
        budget = selector.fill([line for line in candidates if lines.message_of(line) not in self.messages], budget)
        return budget - _take_newest(selector, lines, budget, excluded=self.messages)

    def _drop_excess(self, room: int) -> int:
        """Leave out the lines of the exchange that were taken last, as many as necessary, but not the results that the
        agent answers next: a line is shown wherever it occurs in a call, which may be more often than it was paid for.
        Return the tokens as `_used_tokens` does."""
        others = (line for line in self._selector.taken if line not in self.result_lines)
        shown = [line for line in others if self._lines.message_of(line) in self.messages]

        def used(dropped_count: int) -> int:
            self._dropped = frozenset(shown[len(shown) - dropped_count :])
            return self._used_tokens()

        return used(bisect_left(range(len(shown)), -room, key=lambda without: -used(without)))

    def _used_tokens(self) -> int:
        """Return the tokens of the exchange as rendered, and of the lines taken from other messages."""
        taken = self._selector.taken.values()
        others = sum(choice.cost for choice in taken if self._lines.message_of(choice.line) not in self.messages)
        return others + sum(decision.tokens for decision in self.render().values())


def _pending_lines(lines: SessionLines, messages: Sequence[Message]) -> Iterator[int]:
    """Yield the lines of the results that the agent answers next."""
    piece_numbers = sorted(lines.first_of)
    pieces = [lines.session.pieces[number] for number in piece_numbers]
    last = max((piece.message for piece in pieces if messages[piece.message].role == "assistant"), default=-1)
    for number, piece in zip(piece_numbers, pieces, strict=True):
        if piece.message > last >= 0 and messages[piece.message].parts[piece.part].kind == "tool_result":
            yield from (line for line in lines.piece_lines(number) if line not in lines.silent)


def _take_newest(
    selector: Selector,
    lines: SessionLines,
    room: int,
    *,
    reserves_skipped: bool = False,
    answer: int = -1,
    excluded: Collection[int] = (),
) -> int:
    """Take the first lines of the newest texts, calls and results, without those that say nothing, and return their
    tokens.

    `reserves_skipped`: the tokens of skipped lines are left to other lines. `answer`: the message at the very end, of
    which more is taken because it reports the outcome of the work. `excluded`: messages to skip."""
    used_tokens = skipped_tokens = 0
    for number in sorted(lines.first_of, reverse=True):
        piece_tokens = 0
        message = lines.session.pieces[number].message
        if message in excluded:
            continue
        is_answer = message == answer
        max_tokens = max(_MAX_BEGINNING_TOKENS, _ANSWER_SHARE * room) if is_answer else _MAX_BEGINNING_TOKENS
        for line in lines.piece_lines(number):
            if line in selector.taken or (line in lines.silent and not reserves_skipped) or announces_call(lines, line):
                continue
            cost = selector.cost(line)
            if used_tokens + skipped_tokens + cost > room:
                return used_tokens
            piece_tokens += cost
            if piece_tokens > max_tokens:
                break
            if line in lines.silent:
                skipped_tokens += cost
            else:
                used_tokens += selector.take(line)
    return used_tokens
