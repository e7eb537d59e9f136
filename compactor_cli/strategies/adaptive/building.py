"""Decides what happens to each group when `adaptive` takes some lines: it stays in place, whole or cut to them, or a
summary between those that stay quotes it, or it is gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from heapq import nlargest

from compactor_cli.features.evidence import gather
from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import read_session
from compactor_cli.features.term_scores import TermScores
from compactor_cli.features.work.state import known_state
from compactor_cli.features.work.task_lists import list_calls, names_task, outdated_lists, told_words
from compactor_cli.model.group import Group, is_request
from compactor_cli.model.plan import Decision, SummarySlot
from compactor_cli.model.planning import CLOSING, NEWEST_EXCHANGE, PlanInput
from compactor_cli.model.talking import people_talk
from compactor_cli.strategies.adaptive import must_keep
from compactor_cli.strategies.adaptive.arrangement import (
    WORTHLESS,
    Attempt,
    Stretch,
    arrange,
    last_resort,
    summarized,
    with_the_rest,
)
from compactor_cli.strategies.adaptive.conversation import is_small_talk, is_talk
from compactor_cli.strategies.adaptive.in_place import SMALL, InPlaceRenderer
from compactor_cli.strategies.adaptive.named import names_in
from compactor_cli.strategies.adaptive.newest_exchanges import NewestExchanges
from compactor_cli.strategies.adaptive.said_anew import all_newer
from compactor_cli.strategies.adaptive.small_talk import awaited_lines
from compactor_cli.strategies.shared.chats import is_chat, is_working_chat
from compactor_cli.strategies.shared.details import REACH
from compactor_cli.strategies.shared.lone_lines import said_after, says_nothing
from compactor_cli.strategies.shared.quoted_lines import MARK, Quoter
from compactor_cli.strategies.shared.requests import REQUEST_CUT
from compactor_cli.strategies.shared.rooms import LARGE_ROOM, SMALL_ROOM, share_of
from compactor_cli.strategies.shared.selection import ChosenLine, Selector
from compactor_cli.summary_text.headers import Base
from compactor_cli.summary_text.state_block import state_text, tasks_age, with_whole_list, without_tasks
from compactor_cli.summary_text.state_line import StateLine, failed_times, tells

_ANSWERED_SHARE = 0.15
"""Share of the room of talk that the answer to the last request may take, for being the newest."""
_MOSTLY = 0.6
"""Share of a group's tokens from which on keeping it in place is worth a try."""
_OVERHEAD = 3
"""Tokens that a group in place may take beyond the cost of its lines in a summary."""
_TINY_ROOM = 60
"""Tokens of room up to which the answer to the last request is kept for what it says, not for being the newest."""
_SMALL_TALK = 8
"""Maximum tokens of a message that is not worth cutting to its binding sentence."""
_STATE = (0.2, 0.13)
"""Shares of a small and of a large room that the state of the work may take."""
_LARGEST = 4
"""Number of the largest summaries to try for the one that says what the transcript was compacted from."""
BASED = 300
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
        self.inputs, self.kept, self.rest, self.room, self.request_room = inputs, kept, rest, room, request_room
        self.group_of = {i: g.index for g in inputs.groups for i in g.messages}
        self.left = {i for g in rest for i in g.messages}
        session = read_session(inputs.messages, REACH, inputs.settings.query, pairing=inputs.pairing)
        evidence = gather(inputs.messages, session)
        self.values = TermScores(session, evidence, inputs.profile)
        self.reported = {report.group: report} if report else {}
        fixed = frozenset(i for g in (*kept, *self.reported) for i in inputs.groups[g].messages)
        self.lines = SessionLines(session, self.values.of, fixed)
        decided = [*kept.values(), *self.reported.values()]
        self._covered = dict.fromkeys(names_in(session, fixed, decided))
        self.selector = self.selector_of(())
        self.renderer = InPlaceRenderer(inputs.messages, self.lines, inputs.count, inputs.pairing)
        self.large = large
        # summaries of earlier rounds go into the new one: their numbers would mislead next to it
        self.folded = {g.index for g in rest if inputs.is_summary(g)}
        self._words_of: dict[int, str] = {}  # group -> the words of its calls and results
        self.outdated = outdated_lists(inputs.messages)
        # if the user waits for an answer in a chat, the answer before comes after the user's words
        self.chat = is_chat(inputs.messages)
        self.works = is_working_chat(inputs.messages)
        self.talk = self.works or is_talk(inputs.messages, session)
        self.awaits = is_request(inputs.groups[-1], inputs.messages) and self.chat
        self.people = self.talk and people_talk(inputs.messages)
        self.renderer.brief = self.small_talk = room <= SMALL_ROOM and is_small_talk(inputs.messages)
        self.whole: set[int] = set()
        self.worth_a_summary = MARK  # minimum tokens of a summary's quotes and state
        self.small = False  # whether unchosen parts fit only if they are small
        self.request_lines: frozenset[int] = frozenset()  # lines of what the user said
        self.anew: Mapping[int, Sequence[int]] = {}  # line -> those that replace it, which it needs
        # a ratio refers to what the first round started from; a target in tokens does not need that
        self.needs_summary = needed = inputs.settings.target_ratio is not None or inputs.target is None
        self.newest = self.newest_within(room)
        self.present = self._present()
        base = Base(sum(m.tokens for m in inputs.messages), inputs.target or 0) if needed or room >= BASED else None
        self.known = known_state(inputs.messages, inputs.folder, inputs.pairing, every_error=False)
        self.quoter = Quoter(inputs.messages, self.lines, inputs.count, inputs.pairing, self.known.overcome, base=base)
        self.quoter.needs_base, self.quoter.brief = needed, room <= SMALL_ROOM
        # if a summary hardly fits, a single sentence of talk may stay in place
        self.mostly = 0.0 if self.small_talk or (self.talk and room < BASED) else _MOSTLY
        self.tell_state()

    def tell_state(self) -> None:
        """Determine what the state contains, given what stays in place."""
        room, lines = share_of(self.room, *_STATE), self.known.lines
        self.state = must_keep.state_within(room, lines, self.inputs.count, self._is_seen)
        tasks = {line for line in lines if line.kind == "task"}
        if tasks and tasks.issubset(self.state):  # the state contains the whole list
            self.outdated |= list_calls(self.inputs.messages)
        self.told = {line for line in self.state if line.message in self.group_of and self._is_told_there(line)}
        self.quoter.failures = tuple(line.text for line in self.state if line.kind in ("error", "effect"))

    @cached_property
    def awaited(self) -> frozenset[int]:
        """The lines of the newest message of small talk that stay in any case, if that is large."""
        if not self.large or not self.small_talk:
            return frozenset()
        return frozenset(awaited_lines(self.inputs.groups[max(self.large)], self.lines))

    @cached_property
    def said_by_state(self) -> frozenset[int]:
        """The lines of results that the state contains word for word: why something failed."""
        failures = [told for told in self.state if told.kind in ("error", "effect") and told.message >= 0]
        return frozenset(
            line
            for told in failures
            for line in self.lines.of_message(told.message)
            if tells(told.text, self.lines.text(line))
        )

    def newest_within(self, limit: int) -> NewestExchanges:
        """Return the newest exchanges that stay in place, in at most `limit` tokens."""
        given = self.inputs.messages, self.rest, self.renderer, self.room
        needed, decided = self.needs_summary, self.reported
        return NewestExchanges(*given, folded=self.folded, summarized=needed, decided=decided, limit=limit)

    def selector_of(self, taken: Iterable[int]) -> Selector:
        """Return a selector that chooses lines in addition to those that are taken."""
        selector = Selector(self.lines, self.values.of, self.inputs.count, self._covered, scoped=self.room > LARGE_ROOM)
        for line in taken:
            selector.take(line)
        return selector

    def _present(self) -> set[int]:
        """Return the groups that stay in place for being the newest, or as large requests."""
        return self.large | (self._answered() if self.talk else self.newest.in_place)

    def _answered(self) -> set[int]:
        """Return the groups after the last request; without them it would look unanswered. The words of an agent there
        are the newest exchange, while those of people are just a part of their talk."""
        if self.room <= _TINY_ROOM:
            return set()
        requests = (group.index for group in self.inputs.groups if is_request(group, self.inputs.messages))
        last = max(requests, default=len(self.inputs.groups))
        answers = [group for group in self.rest if group.index > last and group.index not in self.folded]
        if not self.people:
            return self.newest.in_place.intersection(group.index for group in answers)
        tokens = sum(self.newest.render(group, (), "").tokens for group in answers)
        return {group.index for group in answers} if tokens <= _ANSWERED_SHARE * self.room else set()

    def _is_seen(self, line: StateLine) -> bool:
        """Return whether something in place shows what a line of the state says: calls that stay whole and, for a check
        or an error, the result. The state always says how often something failed, and which task a call means by a
        number."""
        group = self.group_of.get(line.message)
        if group is None or line.kind == "file" or line.times > 1:
            return False
        if group in self.kept:
            return self.kept[group].rendition == "whole" and self._is_told_there(line)
        message = self.inputs.messages[line.message]
        results = message.results if line.kind in ("check", "error") else ()
        stays = all(part.tokens <= self.newest.written(group) for part in message.calls)
        stays = stays and all(part.tokens <= SMALL for part in results)
        return group in self.present and stays and self._is_told_there(line)

    def _is_told_there(self, line: StateLine) -> bool:
        """Return whether the exchange of a state line contains its words. Only tasks are checked: many calls just give
        their numbers."""
        if line.kind != "task" or tasks_age(line.text):
            return True
        group = self.group_of[line.message]
        if group not in self._words_of:
            messages = self.inputs.groups[group].messages
            self._words_of[group] = told_words(part for i in messages for part in self.inputs.messages[i].parts)
        return names_task(line.text, self._words_of[group])

    def build(self, chosen: Sequence[ChosenLine]) -> Attempt:
        """Return what happens to each group when these lines are taken."""
        chosen = self._complete(chosen)
        chosen = self._telling(chosen)
        by_group: dict[int, list[ChosenLine]] = {}
        for choice in chosen:
            by_group.setdefault(self.group_of[self.lines.message(choice.line)], []).append(choice)
        taken = {choice.line for choice in chosen}
        in_place, always_there = dict(self.kept), self.present | self.whole
        for group in self.rest:
            choices = by_group.get(group.index, [])
            stays = group.index not in self.folded and (choices or group.index in always_there)
            decision = self._in_place(group, choices, taken) if stays else None
            if decision is not None:
                in_place[group.index] = decision
        sizes = {index: sum(choice.cost for choice in choices) for index, choices in by_group.items()}
        extra, always, local = self._extra(), self.quoter.needs_base, self.newest.local
        groups = [g for g in self.inputs.groups if g.index in in_place or g.index not in local]

        def quoted(group: Group) -> int:
            return sizes.get(group.index, 0)

        def arranged(*, needed: bool) -> Attempt:
            worth = self.worth_a_summary
            stretches = arrange(groups, in_place, self._is_movable, quoted, extra, needed=needed, worth=worth)
            return self._written(in_place, stretches, by_group)

        attempt = arranged(needed=always and not self.small_talk)
        if always and self.talk and attempt.tokens > self.room < BASED:  # the words come before their origin
            attempt = arranged(needed=False)
        if always and not self.talk and not attempt.slots:
            stretches = last_resort(groups, in_place, self._may_be_summarized, quoted)
            attempt = self._written(in_place, stretches, by_group)
        return attempt

    def _complete(self, chosen: Sequence[ChosenLine]) -> list[ChosenLine]:
        """Return the lines without those whose later restatement is missing and, in talk, without the user's sentences
        whose short followers are missing."""
        if self.talk:
            there = {choice.line for choice in chosen}
            chosen = [choice for choice in chosen if self._is_complete(choice.line, there)]
        elif not self.anew:
            return [*chosen]
        there = {choice.line for choice in chosen}
        return [choice for choice in chosen if not self._is_outdated(choice.line, there)]

    def _is_outdated(self, line: int, there: Set[int]) -> bool:
        """Return whether a line is restated in words that are neither `there` nor in place."""
        newer = all_newer([line], self.anew) - {line}
        return not all(at in there or self._stays_there(at) for at in newer)

    def _stays_there(self, line: int) -> bool:
        """Return whether a line is part of something that stays in place whatever is chosen."""
        group = self.group_of[self.lines.message(line)]
        if group in self.large and self.awaited:
            return line in self.awaited
        return group in self.kept or group in self.present or group in self.whole

    def _said_after(self, line: int) -> Iterator[int]:
        return said_after(self.lines, line, self.selector.tokens)

    def _is_complete(self, line: int, there: Set[int]) -> bool:
        is_answer = self.inputs.messages[self.lines.message(line)].role == "assistant"
        return is_answer or all(at in there for at in self._said_after(line))

    def _telling(self, chosen: Sequence[ChosenLine]) -> list[ChosenLine]:
        """Return the lines without those of the agent that say nothing next to the others."""
        taken, groups = {choice.line for choice in chosen}, (*self.kept, *self.present, *self.whole)
        there = {i for group in groups for i in self.inputs.groups[group].messages}
        messages = self.inputs.messages
        return [choice for choice in chosen if not says_nothing(choice.line, taken, self.lines, messages, there)]

    def _extra(self) -> int:
        """Return the tokens of the last summary besides its lines."""
        return sum(self.inputs.count(line.text) + must_keep.BULLET_TOKENS for line in self.state)

    def _is_movable(self, group: Group) -> bool:
        """Return whether a summary may quote the group instead: nothing but its place is lost."""
        return group.index not in self.present and self._may_be_summarized(group)

    def _may_be_summarized(self, group: Group) -> bool:
        """Return whether a summary can quote the group, and nothing but its newness keeps it in place."""
        index = group.index
        if (
            index in self.kept
            or index in self.large
            or index in self.whole
            or (index in self.present and index in self.newest.last)
        ):
            return False
        return all(
            part.kind in ("text", "tool_call", "tool_result") and not part.images
            for i in group.messages
            for part in self.inputs.messages[i].parts
        )

    def _written(
        self, in_place: dict[int, Decision], stretches: Sequence[Stretch], by_group: dict[int, list[ChosenLine]]
    ) -> Attempt:
        """Return the decisions, and the summaries of the stretches. The largest says what the transcript was compacted
        from. If it is too small for that, and a later run has to know, the next one does."""
        by_size: list[Stretch | None] = [*nlargest(_LARGEST, stretches, key=lambda stretch: stretch.tokens)]
        attempts = (self._attempt(in_place, stretches, by_group, based) for based in by_size or [None])
        first = next(attempts)
        if first.says_base or not self.quoter.needs_base:
            return first
        return next((attempt for attempt in attempts if attempt.says_base), first)

    def _attempt(
        self,
        in_place: dict[int, Decision],
        stretches: Sequence[Stretch],
        by_group: dict[int, list[ChosenLine]],
        based: Stretch | None,
    ) -> Attempt:
        """Return the decisions and the summaries of the stretches. The summary of `based` says what the transcript was
        compacted from."""
        decisions, slots, ends = dict(in_place), [], True  # the last summary worth its tokens has the state
        for stretch in reversed(stretches):
            quoted = {g.index: self._quoted(g, by_group.get(g.index, []), in_place) for g in stretch.groups}
            chosen = {index: choices for index, choices in quoted.items() if choices}
            state = self._state_behind(stretch, decisions, filter(by_group.get, by_group)) if ends else ""
            slot = self.quoter.slot([*stretch.gone, *stretch.groups], chosen, state, based=stretch is based)
            slot = self._ended(slot) if ends else slot
            folds = not self.folded.isdisjoint(group.index for group in stretch.groups)
            saves = folds or slot.budget < sum(group.tokens for group in stretch.groups)
            if saves and (slot.excerpts or slot.state or slot.quotes):
                slots.append(slot)
                ends = False
                for group in (*stretch.gone, *stretch.groups):
                    decisions[group.index] = summarized(group, chosen.get(group.index, ()))
            else:  # a summary of them would take more than they do
                for group in stretch.groups:
                    decisions[group.index] = Decision.whole(group, "smaller than a summary")
        slots.reverse()
        for group in self.rest:
            if group.index not in decisions:
                decisions[group.index] = Decision(group.index, "gone", 0, WORTHLESS, value=0.0)
        used = sum(decisions[g.index].tokens for g in self.rest) + sum(slot.budget for slot in slots)
        return Attempt(decisions, slots, used, by_group)

    def _ended(self, slot: SummarySlot) -> SummarySlot:
        """Return the last summary with what follows at its end."""
        return slot

    def _quoted(self, group: Group, choices: list[ChosenLine], in_place: dict[int, Decision]) -> list[ChosenLine]:
        """Return the lines of a group that a summary quotes: all of them if the group would stay whole in place."""
        whole = group.index in in_place and in_place[group.index].rendition == "whole"
        return with_the_rest(choices, group, self.lines, self.selector.tokens) if whole else choices

    def _state_behind(self, stretch: Stretch, decisions: Mapping[int, Decision], chosen: Iterable[int]) -> str:
        """Return the state without what is word for word after this summary: a task list in place, or a failed call
        that acts outside the session, with its result. Tasks older than words that are gone are left out, too."""
        end = stretch.groups[-1].messages[-1]
        reasons = self.inputs.protected  # the turn that closes a history is synthetic, and may be removed
        stay = (g for g in decisions if decisions[g].rendition != "gone" and reasons.get(g) != CLOSING)
        behind = (self.inputs.groups[group].messages for group in stay)
        there = {
            line
            for line in self.told
            if line.message > end
            and (decision := decisions.get(self.group_of[line.message])) is not None
            and (
                line.kind == "task" or (line.times == failed_times(line.text)[0] == 1 and decision.rendition == "whole")
            )
        }
        whole = with_whole_list(self.state, lambda line: line not in there)
        there_too = {*decisions, *chosen}
        gone = {i for group in self.rest if group.index not in there_too for i in group.messages}
        lines = whole if gone.isdisjoint(self.known.said_since) else without_tasks(whole)
        return state_text(lines, sum(len(messages) for messages in behind if messages[0] > end))

    def _in_place(self, group: Group, choices: Sequence[ChosenLine], taken: set[int]) -> Decision | None:
        """Return the decision to keep the group in place, or None if quoting the chosen lines takes fewer tokens."""
        quoted = sum(choice.cost for choice in choices)
        present = group.index in self.present
        if group.index in self.reported and group.index not in self.whole:
            return self.reported[group.index]
        if group.tokens <= quoted + _OVERHEAD or group.index in self.whole:
            decision = Decision.whole(group, "worth its tokens")
        elif present or quoted > self.mostly * group.tokens:
            reason = NEWEST_EXCHANGE if present else "most of it is worth its tokens"
            reason = REQUEST_CUT if group.index in self.large else reason
            whole = self.newest.written(group.index) if present and not self.small else SMALL
            answers = present and not self.people and group.index not in self.large  # the newest word of an agent
            whole = _SMALL_TALK if self.talk and (group.index in self.large or (choices and not answers)) else whole
            taken, ends = taken | self.awaited if self.awaited else taken, self.newest.ends_of(group.index)
            decision = self.renderer.render(group, taken, reason, whole, ends=ends)
            if not present and decision.tokens > quoted + _OVERHEAD:
                return None
        else:
            return None
        return decision._replace(value=round(sum(choice.value for choice in choices), 3))
