"""One summary of chosen lines stands for everything, and the last request ends it: nothing stays at its place but the
exchange in hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from msgspec.structs import replace

from compactor_cli.features.followed import calls_in_text, is_answered, said_since, since_message
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.plan import Decision, Quote, SummarySlot
from compactor_cli.model.planning import PlanInput
from compactor_cli.model.talking import telling_requests
from compactor_cli.strategies.adaptive.arrangement import Attempt
from compactor_cli.strategies.adaptive.choosing import Chooser
from compactor_cli.strategies.adaptive.must_keep import UserWords
from compactor_cli.strategies.shared.in_hand import exchange_in_hand
from compactor_cli.strategies.shared.lone_lines import announces
from compactor_cli.strategies.shared.quoted_lines import MARK
from compactor_cli.strategies.shared.renditions import newest_share
from compactor_cli.strategies.shared.request_values import rate_by, taken_up_in
from compactor_cli.strategies.shared.requests import HEADING, Request, choose_requests
from compactor_cli.strategies.shared.rooms import LARGE_REQUEST, SMALL_REQUEST, room_for_requests
from compactor_cli.strategies.shared.selection import ChosenLine
from compactor_cli.strategies.shared.time_order import can_move
from compactor_cli.summary_text.verbatim import last_request, since_forms

_SINCE_SHARE, _SHORT_SHARE = 0.03, 0.1
"""Share of the room up to which it is said what followed the last request, and up to which it is said in few words:
what is done would look like what is to be done, and the next round would not know where the request stood."""
_IN_PLACE = 500
"""Tokens of room from which on the exchange in hand stays at its place: of a smaller one what messages take beside
their words is more than a tenth, which names need."""
_LAST_SHARE = 0.5
"""Share of the room for what the agent wrote in the last exchange."""


class OneSummaryChooser(Chooser):
    """Chooses lines for one summary, which ends with the last request."""

    def __init__(self, inputs: PlanInput, kept: dict[int, Decision], rest: list[Group], room: int) -> None:
        """Take the decisions that are made (`kept`) and the other groups (`rest`), which have `room` tokens."""
        in_hand = exchange_in_hand(inputs) if room >= _IN_PLACE else ()
        self.in_hand = {group.index for group in in_hand}
        self.ends = _last_words(inputs, rest, room)
        self.ending = inputs.count(last_request(self.ends.text, self.ends.since)) if self.ends else 0
        requests = sum(message.origin == "request" for message in inputs.messages)
        super().__init__(inputs, kept, rest, room, set(), None, room_for_requests(room, room, requests))

    def _present(self) -> set[int]:
        return self.in_hand & self.newest.in_place

    @property
    def ends_in_results(self) -> bool:
        return super().ends_in_results and not self.in_hand.isdisjoint(self.present)

    def _in_place(self, group: Group, choices: Sequence[ChosenLine], taken: set[int]) -> Decision | None:
        return super()._in_place(group, choices, taken) if group.index in self.present else None

    @cached_property
    def asked(self) -> list[UserWords]:
        ends = self.ends.message if self.ends else None
        return [words for words in super().asked if self.lines.session.pieces[words.piece].message != ends]

    def loses_requests(self, attempt: Attempt) -> bool:
        """Return whether words of the user are lost though all of them have room. Of talk, whole messages are chosen by
        their worth."""
        lines = self.asked_lines()
        there = {choice.line for choices in attempt.chosen.values() for choice in choices}
        needed = self.ending + sum(map(self.selector.tokens, lines))
        return not self.talk and needed <= LARGE_REQUEST * self.room and not there.issuperset(lines)

    def _ends_summary(self, line: int) -> bool:
        ends = self.ends
        return ends is not None and self.lines.message(line) == ends.message and self.lines.text(line) in ends.text

    def _take_pending(self) -> None:
        """Take what the agent wrote in the newest exchanges, too: in the last one all of it, as far as it has room."""
        used = 0
        for group in sorted((self.newest.in_place | self.newest.last.keys()) - self.present, reverse=True):
            most = _LAST_SHARE * self.room if group in self.newest.last else newest_share(self.room)
            own = (i for i in self.inputs.groups[group].messages if self.inputs.messages[i].role == "assistant")
            lines = (line for i in own for line in self.lines.of_message(i))
            written = [line for line in lines if self.lines.has_words(line) and not self._announces(line)]
            if sum(map(self.selector.cost, written)) > most - used:  # its end says what comes next
                written.reverse()
            for line in written:
                if self.selector.cost(line) <= most - used:
                    used += self._take([line])
        super()._take_pending()

    def _telling(self, chosen: Sequence[ChosenLine]) -> list[ChosenLine]:
        return [choice for choice in super()._telling(chosen) if not self._announces(choice.line)]

    def _may_be_quoted(self, line: int) -> bool:
        return super()._may_be_quoted(line) and not self._announces(line)

    def _announces(self, line: int) -> bool:
        """Return whether a line of the agent only announces a call: nothing stays at its place behind it."""
        return self.inputs.messages[self.lines.message(line)].role == "assistant" and announces(self.lines, line)

    def _extra(self) -> int:
        return super()._extra() + (max(self.ending, MARK) if self.ends else 0)

    def _ended(self, slot: SummarySlot) -> SummarySlot:
        if self.ends is None:
            return slot
        ends = replace(self.ends, since="") if self.present else self.ends  # what followed stands below
        return replace(slot, quotes=(ends,), budget=slot.budget + self.ending)


def _last_words(inputs: PlanInput, groups: Sequence[Group], room: int) -> Quote | None:
    """Return the newest request, or its sentences that bind; None when it stays where it is, or nothing of it fits."""
    telling = {message.index for message in telling_requests(inputs.messages)}
    messages = (inputs.messages[i] for group in reversed(groups) for i in reversed(group.messages))
    message = next((message for message in messages if message.index in telling), None)
    if message is None or not can_move(message):
        return None
    text = message.text("text")
    limit = max(SMALL_REQUEST, int(LARGE_REQUEST * room)) + HEADING
    rate = rate_by(inputs.messages, inputs.profile.binding if inputs.profile else {})
    taken_up = taken_up_in(inputs.messages)
    kept = choose_requests([Request(message.index, text)], limit, inputs.count, rate, taken_up=taken_up)
    if not kept:
        return None
    *forms, short = since_forms(_since(inputs, groups, message)) or ("",)
    short = short if inputs.count(short) <= _SHORT_SHARE * room else ""
    since = next((form for form in forms if inputs.count(form) <= _SINCE_SHARE * room), short)
    return Quote("last", message.index, kept[0].text, number=message.number, since=since)


def _since(inputs: PlanInput, groups: Sequence[Group], request: Message) -> str:
    """Return what is said of what followed the request; empty where that stands behind the summary."""
    summarized = [inputs.messages[i] for group in groups for i in group.messages]
    if is_answered(inputs.messages, max(message.index for message in summarized)):
        return ""
    return said_since(since_message(summarized, request.index), calls_in_text(inputs.messages))
