"""Takes what comes before the most valuable lines: what the user said, what is awaited, and the agent's conclusions."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import filterfalse, takewhile

from compactor_cli.features.after_request import answers_before_turns
from compactor_cli.features.lines import SessionLines
from compactor_cli.model.group import Group, is_request
from compactor_cli.model.message import Message, last_spoken_message
from compactor_cli.strategies.adaptive import must_keep
from compactor_cli.strategies.adaptive.arrangement import Attempt
from compactor_cli.strategies.adaptive.building import PlanBuilder
from compactor_cli.strategies.adaptive.conversation import answered_lines
from compactor_cli.strategies.adaptive.findings import findings, room_for_findings
from compactor_cli.strategies.adaptive.in_place import SMALL_TOKENS
from compactor_cli.strategies.adaptive.replaced_statements import find_corrected
from compactor_cli.strategies.adaptive.small_talk import SmallTalk, telling_lines
from compactor_cli.strategies.adaptive.span_chooser import PieceSpanChooser
from compactor_cli.strategies.adaptive.subject_lines import WORK_SHARE, work_lines
from compactor_cli.strategies.shared.chats import chat_lines
from compactor_cli.strategies.shared.pending_results import take_pending
from compactor_cli.strategies.shared.protected import is_cut_system, room_for_typed
from compactor_cli.strategies.shared.quoted_lines import MIN_MARK_TOKENS
from compactor_cli.strategies.shared.rooms import (
    LARGE_CHAT_SHARE,
    LARGE_REQUEST_SHARE,
    LARGE_ROOM,
    MIN_DIALOGUE_REQUESTS,
    share_of,
)
from compactor_cli.strategies.shared.selection import QUOTE_HEADING_TOKENS, ChosenLine
from compactor_cli.text.sentences import INNER_QUESTION

_CONCLUSION_SHARES = (0.4, 0.12)
"""Shares of a small and of a large room for what the agent said at the very end."""
_ANSWER_SHARES = (0.05, 0.18)
"""Shares of a small and of a large room for what the user answered: the end of the text before each request."""
_AGREED_SHARES, _PICKED_SHARES, _MAX_AGREED_TOKENS = (0.2, 0.1), (0.4, 0.1), 300
"""Shares of a small and of a large room, and tokens, up to which an answer that the newest request agrees to stays
whole. The second pair applies to what it picks from an answer."""
_DEPENDENCY_SHARES = (0.2, 0.1)
"""Shares of a small and of a large room for what kept requests depend on: the list items that they pick."""
_FAILED_SHARES = (0.4, 0.1)
"""Shares of a small and of a large room for a call that failed and has to be repeated."""
_ALMOST_RATIO = 1.2
"""Tokens of the user's words, per token left to them, up to which nearly all fit. Of more, what binds comes first."""
_MAX_BARE_TOKENS = 6
"""Maximum tokens of a reply of a word or two."""
_MIN_STEP = 8
"""Minimum tokens by which the state is shortened at a time if it does not fit with what the user said."""
_RESULT_SHARE = 0.15
"""Share of the room for results since the newest request that stay whole."""
_MAX_SMALL_CHARS = 400
"""Maximum characters of a small result, without lines that say nothing."""


class RequiredLines(PlanBuilder):
    """Takes lines whatever their value, each kind within its share of the room."""

    instruction_lines: frozenset[int] = frozenset()
    """Lines of standing instructions that were taken."""

    def build(self, chosen: Sequence[ChosenLine]) -> Attempt:
        """Return what happens to each group when these lines are taken. Binding lines come before details of the state,
        which the first summary contains. If that summary does not fit with all details, it gets as many as fit."""
        attempt = shorter = super().build(chosen)
        binding_lines = self.request_lines | self.instruction_lines
        can_shorten = attempt.tokens > self.room and chosen and self.state and attempt.slots
        if not can_shorten or not binding_lines.issuperset(choice.line for choice in chosen):
            return attempt
        whole, left = self.state, self._extra_tokens()
        while shorter.tokens > self.room and self.state:
            left -= max(_MIN_STEP, shorter.tokens - self.room)
            self.state = must_keep.fit_state(left, whole, self.inputs.count, lambda _: False) if left > 0 else ()
            shorter = super().build(chosen)
        self.state = whole
        return shorter if shorter.tokens <= self.room else attempt

    def _take_required(self, budget: int) -> None:
        """Take, in `budget` tokens, what comes before the most valuable lines; in talk the most valuable statements."""
        inputs, messages, lines, room = self.inputs, self.inputs.messages, self.lines, self.room
        chooser = PieceSpanChooser(inputs, lines, self.selector.tokens)
        if self.is_work_chat:
            self._take_instructions(chooser)
            self._take_spans(chooser, min(self.max_request_tokens, budget))
            self.request_lines = frozenset(self.selector.taken)
        self._take(answered_lines(messages, lines, self.selector.cost, room))
        if self.is_talk and inputs.profile is not None:
            self._take(sorted(self.required))
            if self.required:
                self._take(telling_lines(inputs.groups[max(self.large)], lines))
            if not (self.is_work_chat or self.by_people):
                self._take_typed(chooser, budget)
            newest = lines.message_of(max(self.required)) if self.required else -1
            args = messages, lines, self.selector.tokens, room, inputs.profile
            if self.is_work_chat:
                ranked = chat_lines(*args)
            else:
                small_talk = SmallTalk(*args, newest=newest)
                ranked, self.newer_of = small_talk.rank_lines(), small_talk.newer_of
            self._take(filterfalse(self._is_at_end, ranked))
            return
        self.newer_of = find_corrected(self.requests, lines)
        self._take_requests(chooser, budget)
        self._take_results(int(_RESULT_SHARE * room))
        self._take_instructions(chooser)
        spans, share = must_keep.agent_summary_spans(messages, lines)
        self._take(chooser.choose_within(share * room, spans))
        failed = must_keep.failed_call_lines(self.state, messages, lines, inputs.pairing)
        shares = (
            (share_of(room, *_CONCLUSION_SHARES), [self.conclusion]),
            (share_of(room, *_DEPENDENCY_SHARES), must_keep.request_context(messages, lines, self.stays_in_part)),
            (share_of(room, *_ANSWER_SHARES) - self._take_agreed(), must_keep.answers(messages, lines)),
            (share_of(room, *_FAILED_SHARES), [failed]),
            (WORK_SHARE * room, work_lines(messages, lines, room)),
        )
        for share_tokens, texts in shares:
            absent = (text for text in texts if not all(map(self._stays_whole, text)))
            for text in must_keep.fit_answers(share_tokens, absent, lines, self.selector.cost):
                self._take(text)

    def _take_typed(self, chooser: PieceSpanChooser, budget: int) -> None:
        """In talk, take what the user said if it fits into its share, or almost into what a cut system message left."""
        if self.request_tokens <= self.max_request_tokens:
            self._take(self.request_line_numbers())
        elif self.request_tokens <= _ALMOST_RATIO * self.typed_room:
            self._take_spans(chooser, min(self.needed_tokens, budget))

    def _take_requests(self, chooser: PieceSpanChooser, budget: int) -> None:
        """Take what the user said, in `budget` tokens, and the results that the agent answers next. If a small room
        ends with results, they come before words of the user that exceed their share."""
        taken_before = set(self.selector.taken)
        needed_tokens = self.needed_tokens if self.ends_in_results else self.spans_room
        self._take_spans(chooser, min(needed_tokens, budget))
        taken_then = set(self.selector.taken)
        self._take_pending()
        pending = self.selector.taken.keys() - taken_then
        if self.ends_in_results and self.needed_tokens < self.request_tokens:
            attempt = self.build([*self.selector.taken.values()])
            is_dialogue = len(self.requests) >= MIN_DIALOGUE_REQUESTS  # the choice anew includes what is taken
            spent = sum(self.selector.taken[line].cost for line in taken_then - taken_before) if is_dialogue else 0
            budget = spent + self.room - attempt.tokens - self.mark_tokens(attempt)
            self._take_spans(chooser, min(self.spans_room, budget))
        self.request_lines = frozenset(self.selector.taken.keys() - taken_before - pending)

    def _take_instructions(self, chooser: PieceSpanChooser) -> None:
        """Take standing instructions."""
        standing = [*chooser.instructions(self.room, [*must_keep.find_instructions(self.inputs.messages, self.lines)])]
        self._take(standing)
        self.instruction_lines = frozenset(standing)

    def _take_spans(self, chooser: PieceSpanChooser, room: float) -> None:
        """Take what the user said, in `room` tokens."""
        self._take(chooser.choose_within(room, self.requests, dependent=self.bare_replies))

    def _take_agreed(self) -> int:
        """Take a short answer that the newest request agrees to, or what it picks, or the parts of a longer answer that
        name something. Return the tokens taken."""
        for words, is_picked in must_keep.agreed_parts(self.inputs.messages, self.lines):
            limit = min(_MAX_AGREED_TOKENS, share_of(self.room, *(_PICKED_SHARES if is_picked else _AGREED_SHARES)))
            if sum(map(self.selector.cost, words)) <= limit:
                return self._take(words)
        return 0

    @cached_property
    def bare_replies(self) -> frozenset[int]:
        """The words of the user that say nothing without what they answer."""
        return bare_replies(self.inputs.messages)

    @property
    def ends_in_results(self) -> bool:
        """Whether the room is small and has to hold results that the agent answers next."""
        return bool(last_spoken_message(self.inputs.messages).results) and self.room < LARGE_ROOM

    @cached_property
    def requests(self) -> list[must_keep.PieceSpan]:
        """What the user asked, in order."""
        return list(must_keep.find_requests(self.inputs.messages, self.lines))

    @cached_property
    def conclusion(self) -> list[int]:
        """The lines of what the agent said at the very end."""
        return must_keep.conclusion_lines(self.inputs.messages, self.lines)

    def request_line_numbers(self) -> list[int]:
        """Return the lines of what the user asked."""
        overlapping = self.lines.lines_overlapping
        return [line for span in self.requests for line in overlapping(span.piece, span.start, span.end)]

    @cached_property
    def request_tokens(self) -> int:
        """The tokens of what the user said."""
        return sum(map(self.selector.tokens, self.request_line_numbers())) + QUOTE_HEADING_TOKENS * len(self.requests)

    @property
    def needed_tokens(self) -> int:
        """The tokens of what the user said, up to its share of the room. They come before everything else."""
        share = self.spans_room if self.awaits_answer else self.max_request_tokens
        return int(min(self.request_tokens, max(share, self.typed_room)))

    @property
    def spans_room(self) -> float:
        """The tokens of the room for what the user said."""
        return max(self.request_room, self.typed_room)

    @cached_property
    def typed_room(self) -> int:
        """The tokens that cut system messages leave to what the user typed; 0 if none were cut."""
        is_cut = any(is_cut_system(self.inputs, decision) for decision in self.kept.values())
        return min(self.room, room_for_typed(self.inputs, self.inputs.target or 0)) if is_cut else 0

    @property
    def max_request_tokens(self) -> float:
        """The tokens up to which everything that the user said comes before what the agent did."""
        return (LARGE_CHAT_SHARE if self.is_work_chat else LARGE_REQUEST_SHARE) * self.room

    @property
    def is_answered_next(self) -> bool:
        """Whether the agent, or the newest request, answers the newest exchange. A final message without a question,
        after an act that the state contains, needs no answer."""
        messages, last_exchange = self.inputs.messages, self.newest.last_exchange
        if last_spoken_message(messages).results:
            return True
        if not is_request(self.inputs.groups[-1], messages):
            return False
        last_messages = [messages[i] for group in last_exchange.values() for i in group.messages]
        if any(message.results or INNER_QUESTION.search(message.text("text")) for message in last_messages):
            return True
        earlier = reversed(messages[: last_messages[0].index if last_messages else 0])
        turn_messages = takewhile(lambda message: message.origin != "request", earlier)
        effect_messages = {line.message for line in self.state if line.kind == "effect"}
        return effect_messages.isdisjoint(message.index for message in turn_messages)

    def mark_tokens(self, attempt: Attempt) -> int:
        """Return the tokens to reserve for the mark of a summary: none if the attempt already has a summary."""
        return 0 if attempt.slots else MIN_MARK_TOKENS

    def _stays_whole(self, line: int) -> bool:
        """Return whether a line is part of words that stay whole for being new."""
        piece = self.lines.piece_at(line)
        group = self.group_of[piece.message]
        return piece.is_speech and group in self.in_place and piece.tokens <= self.newest.whole_limit(group)

    def stays_in_part(self, message: int) -> bool:
        """Return whether a message stays in place, or some of it is taken."""
        taken = self.selector.taken
        return message not in self.other_messages or any(line in taken for line in self.lines.of_message(message))

    def _take_pending(self) -> None:
        """Take lines of the results that the agent answers next."""
        known_lines = self.lines.silent | self.lines_in_state
        pending = [line for line in self.newest.pending_results(self.lines) if line not in known_lines]
        asked_for, at_end = self.renderer.relevant_lines, self.ends_in_results
        take_pending(pending, self.lines, self.selector, asked_for, self.room, SMALL_TOKENS, at_end=at_end)

    def _take_results(self, budget: int) -> None:
        """Take results since the newest request that are worth keeping whole, the newest first, in `budget` tokens."""
        since = takewhile(lambda group: not is_request(group, self.inputs.messages), reversed(self.inputs.groups))
        groups = (group for group in since if group.index not in self.newest.last_exchange)
        for result_lines in whole_results(groups, self.inputs.messages, self.lines, self.newest.in_place):
            cost = sum(map(self.selector.cost, result_lines))
            if cost <= budget:
                budget -= self._take(result_lines)

    def _take_findings(self) -> None:
        """Take what the agent found and decided between its calls."""
        all_findings = findings(self.inputs.messages, self.lines, self.selector.cost)
        absent = (finding for finding in all_findings if not all(map(self._stays_whole, finding)))
        room = room_for_findings(self.room, sum(group.tokens for group in self.others))
        for finding in must_keep.fit_answers(room, absent, self.lines, self.selector.cost):
            self._take(finding)

    def _take(self, lines: Iterable[int]) -> int:
        new_lines = (line for line in lines if line not in self.lines_in_state)
        return sum(map(self.selector.take, self.selector.without_repeats(new_lines)))

    def _is_at_end(self, line: int) -> bool:
        """Return whether a line is at the end of the summary in any case."""
        return False


def bare_replies(messages: Sequence[Message]) -> frozenset[int]:
    """Return the requests, except the newest, that answer a question in a word or two and name nothing."""
    newest = max((message.index for message in messages if message.origin == "request"), default=-1)
    return frozenset(
        request
        for answer, request in answers_before_turns(messages)
        if messages[request].origin == "request"
        and request != newest
        and sum(part.tokens for part in messages[request].parts) <= _MAX_BARE_TOKENS
        and not must_keep.names_something(messages[request].text("text"))
        and INNER_QUESTION.search(messages[answer].text("text"))
    )


def whole_results(
    groups: Iterable[Group], messages: Sequence[Message], lines: SessionLines, in_place: Container[int]
) -> Iterator[list[int]]:
    """Yield the lines of the small results of groups in place."""
    for group in groups:
        results = [i for i in group.messages if messages[i].results and group.index in in_place]
        telling = [line for i in results for line in lines.of_message(i) if line not in lines.silent]
        if sum(lines.ends[line] - lines.starts[line] for line in telling) <= _MAX_SMALL_CHARS:
            yield telling
