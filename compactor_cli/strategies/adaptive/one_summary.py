"""One summary of chosen lines replaces everything and ends with the last request. Only the exchange in hand stays in
place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from msgspec.structs import replace

from compactor_cli.features.after_request import calls_in_text, describe_since, is_answered, since_message
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.plan import Decision, Quote, SummarySlot
from compactor_cli.model.planning import PlanInput
from compactor_cli.model.talking import substantial_requests
from compactor_cli.strategies.adaptive.arrangement import Attempt
from compactor_cli.strategies.adaptive.choosing import Chooser
from compactor_cli.strategies.adaptive.must_keep import PieceSpan
from compactor_cli.strategies.shared.in_hand import exchange_in_hand
from compactor_cli.strategies.shared.lone_lines import announces_call
from compactor_cli.strategies.shared.quoted_lines import MIN_MARK_TOKENS
from compactor_cli.strategies.shared.renditions import newest_tokens
from compactor_cli.strategies.shared.request_values import echo_rater, learned_rater
from compactor_cli.strategies.shared.requests import LABEL_TOKENS, Request, choose_requests
from compactor_cli.strategies.shared.rooms import LARGE_REQUEST_SHARE, SMALL_REQUEST_TOKENS, room_for_requests
from compactor_cli.strategies.shared.selection import ChosenLine
from compactor_cli.strategies.shared.time_order import can_move
from compactor_cli.summary_text.verbatim import last_request, since_forms

_LONG_NOTE_SHARE, _SHORT_NOTE_SHARE = 0.03, 0.1
"""Shares of the room for the note on what followed the last request: up to the first one it may be long, up to the
second one only short. Without it, finished work would look unfinished, and the next round would not know the position
of the request."""
_MIN_IN_PLACE_ROOM = 500
"""Tokens of room from which on the exchange in hand stays in place. In a smaller room, the overhead of its messages is
more than a tenth, which names need."""
_LAST_SHARE = 0.5
"""Share of the room for what the agent wrote in the last exchange."""


class OneSummaryChooser(Chooser):
    """Chooses lines for one summary, which ends with the last request."""

    def __init__(self, inputs: PlanInput, kept: dict[int, Decision], rest: list[Group], room: int) -> None:
        """Take the decisions already made (`kept`) and the other groups (`rest`), which have `room` tokens."""
        in_hand = exchange_in_hand(inputs) if room >= _MIN_IN_PLACE_ROOM else ()
        self.in_hand = {group.index for group in in_hand}
        self.quote = _quote_last_request(inputs, rest, room)
        self.quote_tokens = inputs.count(last_request(self.quote.text, self.quote.since)) if self.quote else 0
        requests = sum(message.origin == "request" for message in inputs.messages)
        super().__init__(inputs, kept, rest, room, set(), None, room_for_requests(room, room, requests))

    def _find_in_place(self) -> set[int]:
        return self.in_hand & self.newest.in_place

    @property
    def ends_in_results(self) -> bool:
        return super().ends_in_results and not self.in_hand.isdisjoint(self.in_place)

    def _keep_in_place(self, group: Group, choices: Sequence[ChosenLine], taken: set[int]) -> Decision | None:
        return super()._keep_in_place(group, choices, taken) if group.index in self.in_place else None

    @cached_property
    def requests(self) -> list[PieceSpan]:
        last_message = self.quote.message if self.quote else None
        return [words for words in super().requests if self.lines.session.pieces[words.piece].message != last_message]

    def loses_requests(self, attempt: Attempt) -> bool:
        """Return whether words of the user are lost although all of them would fit. In talk, whole messages are chosen
        by their value instead."""
        lines = self.request_line_numbers()
        kept = {choice.line for choices in attempt.chosen.values() for choice in choices}
        needed = self.quote_tokens + sum(map(self.selector.tokens, lines))
        return not self.is_talk and needed <= LARGE_REQUEST_SHARE * self.room and not kept.issuperset(lines)

    def _is_at_end(self, line: int) -> bool:
        quote = self.quote
        return (
            quote is not None and self.lines.message_of(line) == quote.message and self.lines.text(line) in quote.text
        )

    def _take_pending(self) -> None:
        """Also take what the agent wrote in the newest exchanges: in the last one everything, as far as it fits."""
        used_tokens = 0
        for group in sorted((self.newest.in_place | self.newest.last_exchange.keys()) - self.in_place, reverse=True):
            max_tokens = _LAST_SHARE * self.room if group in self.newest.last_exchange else newest_tokens(self.room)
            indices = (i for i in self.inputs.groups[group].messages if self.inputs.messages[i].role == "assistant")
            lines = (line for i in indices for line in self.lines.of_message(i))
            written_lines = [line for line in lines if self.lines.has_words(line) and not self._announces(line)]
            if sum(map(self.selector.cost, written_lines)) > max_tokens - used_tokens:  # the end says what comes next
                written_lines.reverse()
            for line in written_lines:
                if self.selector.cost(line) <= max_tokens - used_tokens:
                    used_tokens += self._take([line])
        super()._take_pending()

    def mark_tokens(self, attempt: Attempt) -> int:
        """Return the same for each attempt: there is a summary in any case, and names need what is reserved."""
        return MIN_MARK_TOKENS

    def _drop_dangling(self, chosen: Sequence[ChosenLine]) -> list[ChosenLine]:
        return [choice for choice in super()._drop_dangling(chosen) if not self._announces(choice.line)]

    def _may_be_quoted(self, line: int) -> bool:
        return super()._may_be_quoted(line) and not self._announces(line)

    def _announces(self, line: int) -> bool:
        """Return whether a line of the agent only announces a call, as no call stays in place after it."""
        return self.inputs.messages[self.lines.message_of(line)].role == "assistant" and announces_call(
            self.lines, line
        )

    def _extra_tokens(self) -> int:
        return super()._extra_tokens() + (max(self.quote_tokens, MIN_MARK_TOKENS) if self.quote else 0)

    def _add_ending(self, slot: SummarySlot) -> SummarySlot:
        if self.quote is None:
            return slot
        quote = replace(self.quote, since="") if self.in_place else self.quote  # what followed is kept below
        return replace(slot, quotes=(quote,), budget=slot.budget + self.quote_tokens)


def _quote_last_request(inputs: PlanInput, groups: Sequence[Group], room: int) -> Quote | None:
    """Return the newest request, or its binding sentences. Return None if it stays in place or nothing of it fits."""
    telling = {message.index for message in substantial_requests(inputs.messages)}
    messages = (inputs.messages[i] for group in reversed(groups) for i in reversed(group.messages))
    message = next((message for message in messages if message.index in telling), None)
    if message is None or not can_move(message):
        return None
    text = message.text("text")
    limit = max(SMALL_REQUEST_TOKENS, int(LARGE_REQUEST_SHARE * room)) + LABEL_TOKENS
    rate = learned_rater(inputs.messages, inputs.profile.binding if inputs.profile else {})
    rate_echo = echo_rater(inputs.messages)
    kept = choose_requests([Request(message.index, text)], limit, inputs.count, rate, rate_echo=rate_echo)
    if not kept:
        return None
    *notes, short_note = since_forms(_note_since(inputs, groups, message)) or ("",)
    short_note = short_note if inputs.count(short_note) <= _SHORT_NOTE_SHARE * room else ""
    note = next((note_text for note_text in notes if inputs.count(note_text) <= _LONG_NOTE_SHARE * room), short_note)
    return Quote("last", message.index, kept[0].text, number=message.number, since=note)


def _note_since(inputs: PlanInput, groups: Sequence[Group], request: Message) -> str:
    """Return the note on what followed the request, or an empty string if that stays after the summary."""
    summarized = [inputs.messages[i] for group in groups for i in group.messages]
    if is_answered(inputs.messages, max(message.index for message in summarized)):
        return ""
    return describe_since(since_message(summarized, request.index), calls_in_text(inputs.messages))
