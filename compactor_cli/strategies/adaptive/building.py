"""Decides what happens to each group when `adaptive` takes some lines: it stays in place, whole or cut to them, or a
summary between those that stay quotes it, or it is gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from heapq import nlargest

from compactor_cli.features.evidence import gather_evidence
from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import read_session
from compactor_cli.features.term_scores import TermScores
from compactor_cli.features.work.state import known_state
from compactor_cli.features.work.task_lists import list_calls, names_task, outdated_lists, words_of_parts
from compactor_cli.model.group import Group, is_request
from compactor_cli.model.plan import Decision, SummarySlot
from compactor_cli.model.planning import CLOSING, NEWEST_EXCHANGE, PlanInput
from compactor_cli.model.talking import is_between_people
from compactor_cli.strategies.adaptive import must_keep
from compactor_cli.strategies.adaptive.arrangement import (
    WORTHLESS,
    Attempt,
    Stretch,
    arrange,
    last_resort,
    summarize_group,
    with_all_lines,
)
from compactor_cli.strategies.adaptive.conversation import is_small_talk, is_talk
from compactor_cli.strategies.adaptive.in_place import SMALL_TOKENS, InPlaceRenderer
from compactor_cli.strategies.adaptive.newest_exchanges import NewestExchanges
from compactor_cli.strategies.adaptive.replaced_statements import with_newer
from compactor_cli.strategies.adaptive.small_talk import required_lines
from compactor_cli.strategies.adaptive.subject_lines import names_in
from compactor_cli.strategies.shared.chats import is_chat, is_working_chat
from compactor_cli.strategies.shared.details import REACH_TOKENS
from compactor_cli.strategies.shared.lone_lines import is_dangling, short_followers
from compactor_cli.strategies.shared.quoted_lines import MIN_MARK_TOKENS, Quoter
from compactor_cli.strategies.shared.requests import REQUEST_CUT
from compactor_cli.strategies.shared.rooms import LARGE_CHAT_SHARE, LARGE_ROOM, SMALL_ROOM, share_of
from compactor_cli.strategies.shared.selection import ChosenLine, Selector
from compactor_cli.summary_text.headers import Base
from compactor_cli.summary_text.state_block import state_text, tasks_age, with_whole_list, without_tasks
from compactor_cli.summary_text.state_line import StateLine, failed_times, tells

_ANSWER_SHARE = 0.15
"""Share of the room of talk that the answer to the last request may take, for being the newest."""
_IN_PLACE_SHARE = 0.6
"""Share of a group's tokens from which on keeping it in place is worth a try."""
_OVERHEAD_TOKENS = 3
"""Tokens that a group in place may take beyond the cost of its lines in a summary."""
_TINY_ROOM = 60
"""Tokens of room up to which the answer to the last request is kept for what it says, not for being the newest."""
_NOD_TOKENS = 8
"""Maximum tokens of a message that is not worth cutting to its binding sentence."""
_STATE_SHARES = (0.2, 0.13)
"""Shares of a small and of a large room that the state of the work may take."""
_MAX_BASE_TRIES = 4
"""Number of the largest summaries to try for the one that says what the transcript was compacted from."""
BASE_ROOM = 300
"""Tokens of room from which on a summary says what the transcript was compacted from."""


class PlanBuilder:
    """What is known of the groups that are not protected, and what happens to them when lines are taken."""

    def __init__(
        self,
        inputs: PlanInput,
        kept: dict[int, Decision],
        rest: list[Group],
        room: int,
        large: set[int],
        report: Decision | None,
        request_room: float,
    ) -> None:
        """Take the decisions already made (`kept`) and the other groups (`rest`), which have `room` tokens. `large`:
        groups in `rest` that stay in place whatever is chosen of them. `report`: what the agent told the user last.
        `request_room`: tokens of the room for what the user said."""
        assert inputs.profile is not None
        self.inputs, self.kept, self.others, self.room, self.request_room = inputs, kept, rest, room, request_room
        self.group_of = {i: g.index for g in inputs.groups for i in g.messages}
        self.other_messages = {i for g in rest for i in g.messages}
        session = read_session(inputs.messages, REACH_TOKENS, inputs.settings.query, pairing=inputs.pairing)
        evidence = gather_evidence(inputs.messages, session)
        self.scores = TermScores(session, evidence, inputs.profile)
        self.reports = {report.group: report} if report else {}
        fixed_messages = frozenset(i for g in (*kept, *self.reports) for i in inputs.groups[g].messages)
        self.lines = SessionLines(session, self.scores.of, fixed_messages)
        decided = [*kept.values(), *self.reports.values()]
        self._covered = dict.fromkeys(names_in(session, fixed_messages, decided))
        self.selector = self.make_selector(())
        self.renderer = InPlaceRenderer(inputs.messages, self.lines, inputs.count, inputs.pairing)
        self.large = large
        # summaries of earlier rounds go into the new one: their numbers would mislead next to it
        self.summaries = {g.index for g in rest if inputs.is_summary(g)}
        self._group_words: dict[int, str] = {}  # group -> the words of its calls and results
        self.outdated_calls = outdated_lists(inputs.messages)
        # if the user waits for an answer in a chat, the answer before comes after the user's words
        self.in_chat = is_chat(inputs.messages)
        self.is_work_chat = is_working_chat(inputs.messages)
        self.is_talk = self.is_work_chat or is_talk(inputs.messages, session)
        self.awaits_answer = is_request(inputs.groups[-1], inputs.messages) and self.in_chat
        self.by_people = self.is_talk and is_between_people(inputs.messages)
        self.renderer.brief = self.is_small_talk = room <= SMALL_ROOM and is_small_talk(inputs.messages)
        self.kept_whole: set[int] = set()
        self.min_summary_tokens = MIN_MARK_TOKENS  # minimum tokens of a summary's quotes and state
        self.small_only = False  # whether unchosen parts fit only if they are small
        self.request_lines: frozenset[int] = frozenset()  # lines of what the user said
        self.newer_of: Mapping[int, Sequence[int]] = {}  # line -> those that replace it, which it needs
        # a ratio refers to what the first round started from; a target in tokens does not need that
        needed = inputs.settings.target_ratio is not None or inputs.target is None
        self.newest = self.newest_within(room)
        self.in_place = self._find_in_place()
        base = Base(sum(m.tokens for m in inputs.messages), inputs.target or 0) if needed or room >= BASE_ROOM else None
        self.known = known_state(inputs.messages, inputs.folder, inputs.pairing, every_error=False)
        self.quoter = Quoter(inputs.messages, self.lines, inputs.count, inputs.pairing, self.known.resolved, base=base)
        self.quoter.needs_base, self.quoter.brief = needed, room <= SMALL_ROOM
        # if a summary hardly fits, a single sentence of talk may stay in place
        self.in_place_share = 0.0 if self.is_small_talk or (self.is_talk and room < BASE_ROOM) else _IN_PLACE_SHARE
        self.update_state()

    def update_state(self) -> None:
        """Determine what the state contains, given what stays in place."""
        room, lines = share_of(self.room, *_STATE_SHARES), self.known.lines
        self.state = must_keep.fit_state(room, lines, self.inputs.count, self._is_shown)
        tasks = {line for line in lines if line.kind == "task"}
        if tasks and tasks.issubset(self.state):  # the state contains the whole list
            self.outdated_calls |= list_calls(self.inputs.messages)
        self.shown_state = {line for line in self.state if line.message in self.group_of and self._is_in_exchange(line)}
        self.quoter.failures = tuple(line.text for line in self.state if line.kind in ("error", "effect"))

    @cached_property
    def required(self) -> frozenset[int]:
        """The lines of the newest message of talk that stay in any case, if that is large and they fit."""
        if not self.large or not self.is_talk or self.is_work_chat:
            return frozenset()
        limit = self.room if self.is_small_talk else LARGE_CHAT_SHARE * self.room
        return frozenset(required_lines(self.inputs.groups[max(self.large)], self.lines, self.selector.tokens, limit))

    @cached_property
    def lines_in_state(self) -> frozenset[int]:
        """The lines of results that the state contains word for word: why something failed."""
        failures = [fact for fact in self.state if fact.kind in ("error", "effect") and fact.message >= 0]
        return frozenset(
            line
            for fact in failures
            for line in self.lines.of_message(fact.message)
            if tells(fact.text, self.lines.text(line))
        )

    def newest_within(self, limit: int) -> NewestExchanges:
        """Return the newest exchanges that stay in place, in at most `limit` tokens."""
        args = self.inputs.messages, self.others, self.renderer, self.room
        return NewestExchanges(*args, summaries=self.summaries, decided=self.reports, limit=limit)

    def make_selector(self, taken: Iterable[int]) -> Selector:
        """Return a selector that chooses lines in addition to those that are taken."""
        selector = Selector(self.lines, self.scores.of, self.inputs.count, self._covered, scoped=self.room > LARGE_ROOM)
        for line in taken:
            selector.take(line)
        return selector

    def _find_in_place(self) -> set[int]:
        """Return the groups that stay in place for being the newest, or as large requests."""
        return self.large | (self._last_answers() if self.is_talk else self.newest.in_place)

    def _last_answers(self) -> set[int]:
        """Return the groups after the last request; without them it would look unanswered. The words of an agent there
        are the newest exchange, while those of people are just a part of their talk."""
        if self.room <= _TINY_ROOM:
            return set()
        requests = (group.index for group in self.inputs.groups if is_request(group, self.inputs.messages))
        last = max(requests, default=len(self.inputs.groups))
        answers = [group for group in self.others if group.index > last and group.index not in self.summaries]
        if not self.by_people:
            return self.newest.in_place.intersection(group.index for group in answers)
        tokens = sum(self.newest.render(group, (), "").tokens for group in answers)
        return {group.index for group in answers} if tokens <= _ANSWER_SHARE * self.room else set()

    def _is_shown(self, line: StateLine) -> bool:
        """Return whether something in place shows what a line of the state says: calls that stay whole and, for a check
        or an error, the result. The state always says how often something failed, and which task a call means by a
        number."""
        group = self.group_of.get(line.message)
        if group is None or line.kind == "file" or line.times > 1:
            return False
        if group in self.kept:
            return self.kept[group].rendition == "whole" and self._is_in_exchange(line)
        message = self.inputs.messages[line.message]
        results = message.results if line.kind in ("check", "error") else ()
        stays = all(part.tokens <= self.newest.whole_limit(group) for part in message.calls)
        stays = stays and all(part.tokens <= SMALL_TOKENS for part in results)
        return group in self.in_place and stays and self._is_in_exchange(line)

    def _is_in_exchange(self, line: StateLine) -> bool:
        """Return whether the exchange of a state line contains its words. Only tasks are checked: many calls just give
        their numbers."""
        if line.kind != "task" or tasks_age(line.text):
            return True
        group = self.group_of[line.message]
        if group not in self._group_words:
            messages = self.inputs.groups[group].messages
            self._group_words[group] = words_of_parts(part for i in messages for part in self.inputs.messages[i].parts)
        return names_task(line.text, self._group_words[group])

    def build(self, chosen: Sequence[ChosenLine]) -> Attempt:
        """Return what happens to each group when these lines are taken."""
        chosen = self._drop_incomplete(chosen)
        chosen = self._drop_dangling(chosen)
        by_group: dict[int, list[ChosenLine]] = {}
        for choice in chosen:
            by_group.setdefault(self.group_of[self.lines.message_of(choice.line)], []).append(choice)
        taken = {choice.line for choice in chosen}
        in_place, always_kept = dict(self.kept), self.in_place | self.kept_whole
        for group in self.others:
            choices = by_group.get(group.index, [])
            stays = group.index not in self.summaries and (choices or group.index in always_kept)
            decision = self._keep_in_place(group, choices, taken) if stays else None
            if decision is not None:
                in_place[group.index] = decision
        sizes = {index: sum(choice.cost for choice in choices) for index, choices in by_group.items()}
        extra, needs_base, local = self._extra_tokens(), self.quoter.needs_base, self.newest.local
        groups = [g for g in self.inputs.groups if g.index in in_place or g.index not in local]

        def quoted(group: Group) -> int:
            return sizes.get(group.index, 0)

        def is_movable(group: Group) -> bool:
            return group.index not in self.in_place and self._may_be_summarized(group)

        def arrange_summaries(*, needed: bool) -> Attempt:
            worth = self.min_summary_tokens
            stretches = arrange(groups, in_place, is_movable, quoted, extra, required=needed, min_tokens=worth)
            return self._plan_summaries(in_place, stretches, by_group)

        attempt = arrange_summaries(needed=needs_base and not self.is_small_talk)
        if needs_base and self.is_talk and attempt.tokens > self.room < BASE_ROOM:  # the words come before their origin
            attempt = arrange_summaries(needed=False)
        if needs_base and not self.is_talk and not attempt.slots:
            stretches = last_resort(groups, in_place, self._may_be_summarized, quoted)
            attempt = self._plan_summaries(in_place, stretches, by_group) if stretches else attempt
        return attempt

    def _drop_incomplete(self, chosen: Sequence[ChosenLine]) -> list[ChosenLine]:
        """Return the lines without those whose later restatement is missing and, in talk, without the user's sentences
        whose short followers are missing."""
        if self.is_talk:
            chosen_lines, messages = {choice.line for choice in chosen}, self.inputs.messages
            chosen = [
                choice
                for choice in chosen
                if messages[self.lines.message_of(choice.line)].role == "assistant"
                or chosen_lines.issuperset(self._short_followers(choice.line))
            ]
        elif not self.newer_of:
            return [*chosen]
        chosen_lines = {choice.line for choice in chosen}
        return [choice for choice in chosen if not self._is_outdated(choice.line, chosen_lines)]

    def _is_outdated(self, line: int, present_lines: Set[int]) -> bool:
        """Return whether a line is restated in words that are neither in `present_lines` nor in place."""
        newer = with_newer([line], self.newer_of) - {line}
        return not all(other in present_lines or self._stays_in_place(other) for other in newer)

    def _stays_in_place(self, line: int) -> bool:
        """Return whether a line is part of something that stays in place whatever is chosen."""
        group = self.group_of[self.lines.message_of(line)]
        if group in self.large and self.required:
            return line in self.required
        return group in self.kept or group in self.in_place or group in self.kept_whole

    def _short_followers(self, line: int) -> Iterator[int]:
        return short_followers(self.lines, line, self.selector.tokens)

    def _drop_dangling(self, chosen: Sequence[ChosenLine]) -> list[ChosenLine]:
        """Return the lines without those of the agent that say nothing next to the others."""
        taken, groups = {choice.line for choice in chosen}, (*self.kept, *self.in_place, *self.kept_whole)
        kept_messages = {i for group in groups for i in self.inputs.groups[group].messages}
        messages = self.inputs.messages
        return [choice for choice in chosen if not is_dangling(choice.line, taken, self.lines, messages, kept_messages)]

    def _extra_tokens(self) -> int:
        """Return the tokens of the last summary besides its lines."""
        return sum(self.inputs.count(line.text) + must_keep.BULLET_TOKENS for line in self.state)

    def _may_be_summarized(self, group: Group) -> bool:
        """Return whether a summary can quote the group, and nothing but its newness keeps it in place."""
        index = group.index
        if (
            index in self.kept
            or index in self.large
            or index in self.kept_whole
            or (index in self.in_place and index in self.newest.last_exchange)
        ):
            return False
        return all(
            part.kind in ("text", "tool_call", "tool_result") and not part.images
            for i in group.messages
            for part in self.inputs.messages[i].parts
        )

    def _plan_summaries(
        self, in_place: dict[int, Decision], stretches: Sequence[Stretch], by_group: dict[int, list[ChosenLine]]
    ) -> Attempt:
        """Return the decisions, and the summaries of the stretches. The largest says what the transcript was compacted
        from. If it is too small for that, and a later run has to know, the next one does."""
        by_size: list[Stretch | None] = [*nlargest(_MAX_BASE_TRIES, stretches, key=lambda stretch: stretch.tokens)]
        attempts = (self._attempt(in_place, stretches, by_group, base) for base in by_size or [None])
        first = next(attempts)
        if first.says_base or not self.quoter.needs_base:
            return first
        return next((attempt for attempt in attempts if attempt.says_base), first)

    def _attempt(
        self,
        in_place: dict[int, Decision],
        stretches: Sequence[Stretch],
        by_group: dict[int, list[ChosenLine]],
        base: Stretch | None,
    ) -> Attempt:
        """Return the decisions and the summaries of the stretches. The summary of `base` says what the transcript was
        compacted from."""
        decisions, slots, is_last = dict(in_place), [], True  # the last summary worth its tokens has the state
        for stretch in reversed(stretches):
            chosen: dict[int, list[ChosenLine]] = {}
            for group in stretch.groups:
                choices = by_group.get(group.index, [])
                if group.index in in_place and in_place[group.index].rendition == "whole":
                    choices = with_all_lines(choices, group, self.lines, self.selector.tokens)
                if choices:
                    chosen[group.index] = choices
            state = self._state_for(stretch, decisions, filter(by_group.get, by_group)) if is_last else ""
            all_groups = [*stretch.gone, *stretch.groups]
            slot = self.quoter.plan(all_groups, chosen, state, names_base=stretch is base)
            slot = self._add_ending(slot) if is_last else slot
            covers_summary = not self.summaries.isdisjoint(group.index for group in stretch.groups)
            saves = covers_summary or slot.budget < sum(g.tokens for g in (all_groups if state else stretch.groups))
            if saves and (slot.excerpts or slot.state or slot.quotes):
                slots.append(slot)
                is_last = False
                decisions |= {g.index: summarize_group(g, chosen.get(g.index, ())) for g in all_groups}
            else:  # a summary of them would take more than they do
                for group in stretch.groups:
                    decisions[group.index] = Decision.whole(group, "smaller than a summary")
        slots.reverse()
        for group in self.others:
            if group.index not in decisions:
                decisions[group.index] = Decision(group.index, "gone", 0, WORTHLESS, value=0.0)
        used_tokens = sum(decisions[g.index].tokens for g in self.others) + sum(slot.budget for slot in slots)
        return Attempt(decisions, slots, used_tokens, by_group)

    def _add_ending(self, slot: SummarySlot) -> SummarySlot:
        """Return the last summary with what follows at its end."""
        return slot

    def _state_for(self, stretch: Stretch, decisions: Mapping[int, Decision], chosen: Iterable[int]) -> str:
        """Return the state without what is word for word after this summary: a task list in place, or a failed call
        that acts outside the session, with its result. Tasks older than words that are gone are left out, too."""
        end = stretch.groups[-1].messages[-1]
        reasons = self.inputs.protected  # the turn that closes a history is synthetic, and may be removed
        kept_groups = (g for g in decisions if decisions[g].rendition != "gone" and reasons.get(g) != CLOSING)
        later_messages = (self.inputs.groups[group].messages for group in kept_groups)
        shown_later = {
            line
            for line in self.shown_state
            if line.message > end
            and (decision := decisions.get(self.group_of[line.message])) is not None
            and (
                line.kind == "task" or (line.times == failed_times(line.text)[0] == 1 and decision.rendition == "whole")
            )
        }
        whole = with_whole_list(self.state, lambda line: line not in shown_later)
        remaining = {*decisions, *chosen}
        gone = {i for group in self.others if group.index not in remaining for i in group.messages}
        lines = whole if gone.isdisjoint(self.known.messages_since_tasks) else without_tasks(whole)
        return state_text(lines, sum(len(messages) for messages in later_messages if messages[0] > end))

    def _keep_in_place(self, group: Group, choices: Sequence[ChosenLine], taken: set[int]) -> Decision | None:
        """Return the decision to keep the group in place, or None if quoting the chosen lines takes fewer tokens."""
        quoted = sum(choice.cost for choice in choices)
        present = group.index in self.in_place
        if group.index in self.reports and group.index not in self.kept_whole:
            return self.reports[group.index]
        if group.tokens <= quoted + _OVERHEAD_TOKENS or group.index in self.kept_whole:
            decision = Decision.whole(group, "worth its tokens")
        elif present or quoted > self.in_place_share * group.tokens:
            reason = NEWEST_EXCHANGE if present else "most of it is worth its tokens"
            reason = REQUEST_CUT if group.index in self.large else reason
            limit = self.newest.whole_limit(group.index) if present and not self.small_only else SMALL_TOKENS
            answers = present and not self.by_people and group.index not in self.large  # the newest word of an agent
            limit = _NOD_TOKENS if self.is_talk and (group.index in self.large or (choices and not answers)) else limit
            taken = taken | self.required if self.required else taken
            decision = self.renderer.render(group, taken, reason, limit)
            if not present and decision.tokens > quoted + _OVERHEAD_TOKENS:
                return None
        else:
            return None
        return decision._replace(value=round(sum(choice.value for choice in choices), 3))
