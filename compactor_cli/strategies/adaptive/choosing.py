"""Chooses what `adaptive` keeps in a room: requests, the newest exchanges, the state, and the best lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain, islice

from msgspec.structs import replace

from compactor_cli.model.group import Group, is_request
from compactor_cli.model.plan import Decision
from compactor_cli.model.talking import is_interjection
from compactor_cli.strategies.adaptive.arrangement import Attempt, misleads, quotes_all
from compactor_cli.strategies.adaptive.required import RequiredLines
from compactor_cli.strategies.adaptive.span_chooser import PieceSpanChooser
from compactor_cli.strategies.shared.requests import REQUEST_CUT
from compactor_cli.strategies.shared.selection import ChosenLine, densest_lines
from compactor_cli.text.clauses import dialogue_span

_SHORT_REQUEST_TOKENS = 150
"""Tokens of a request up to which its sentences are kept as the user's words or not at all."""
_MIN_EXCHANGE_SHARE = 0.65
"""Minimum share of the room for exchanges that are answered next, whatever the user said."""
_CHAT_ANSWER_SHARE = 0.45
"""The same for the newest answer if the agent works only by talking: less than its head and end says nothing."""
_FULL_SHARE = 0.97
"""Share of the room below which to look for whole groups that fit into what is left."""
_MIN_LINE_TOKENS = 6
"""Tokens left below which to stop looking for lines."""
_AIM_SHARE, _CLOSE_SHARE = 0.998, 0.99
"""Share of the room that an attempt aims at, and share that is close enough: small lines fill the rest."""
_NEWEST_LINES = 60
"""Number of newest lines to consider for what is left of a small room."""
_MAX_RETRY_ROOM, _RETRY_SHARES = 3_000, (1.0, 0.7, 0.4)
"""Maximum room that is tried more than once, and shares of its remaining tokens that small lines may take. Marks of
gaps cost extra tokens."""
_MAX_SURE_TOKENS, _SURE_SHARE = 200, 0.8
"""In a large room: tokens left up to which small lines may take all of them, and the share they may take of more.
Another plan would cost more time than it gains."""
_RESULT_COST_SHARE = 0.9
"""Share of the tokens of a result's line that it takes when it is quoted, without indents and line numbers."""
_MAX_ATTEMPTS = 6
"""Maximum number of plans to count while coming close to the target."""


class Chooser(RequiredLines):
    """Chooses lines for the groups that are not protected."""

    def best(self) -> Attempt:
        """Return the attempt with as many of the best lines as fit into the room, exactly counted."""
        best = self.build([])
        for only_small in (False, True):
            if best.tokens > self.room:  # nothing stays for being new; then a large request is cut to what is chosen
                self.in_place, self.small_only = self.large, only_small
                self.update_state()
                best = self.build([])
        best = self._make_room_for_requests(best)
        self._take_required(self.room - best.tokens - self.mark_tokens(best))
        if best.tokens > self.room:
            return self._only_protected()
        if self.is_talk:
            attempt = self._fit([*self.selector.taken.values()], best)
            return self._refill(attempt) if self.is_work_chat else attempt
        self._take_findings()
        return self._mark_removals(self._refill(self._with_lines(best)))

    def _make_room_for_requests(self, best: Attempt) -> Attempt:
        """Return `best` with room for what the user said, up to its share. The newest exchanges are cut to what that
        leaves them, or dropped.

        If the user's words do not fit as a whole anyway, exchanges that are answered next keep two thirds of the room.
        In a chat the newest answer has a share, too."""
        if self.is_talk and (
            self.by_people or (self.request_tokens > self.max_request_tokens and not self.is_work_chat)
        ):
            return best
        has_priority = self.needed_tokens < self.request_tokens and not self.awaits_answer and self.is_answered_next
        min_tokens = int(
            (_MIN_EXCHANGE_SHARE if has_priority else _CHAT_ANSWER_SHARE if self.is_work_chat else 0.0) * self.room
        )
        for cuts in (True,) if min_tokens else (True, False):
            if self.in_place == self.large or self.room - best.tokens - self.mark_tokens(best) >= self.needed_tokens:
                break
            self.in_place = self.large
            if cuts:
                bare = self.build([])
                budget = self.room - bare.tokens - self.mark_tokens(bare) - self.needed_tokens
                self.newest = self.newest_within(max(budget, min_tokens))
                self.in_place = self._find_in_place()
            self.update_state()
            best = self.build([])
        if len(self.state) == 1 < len(self.known.lines) and not self._has_request_room(best):
            state, self.state = self.state, ()  # one act of several, uncounted, says less than what was asked
            without = self.build([])
            if self._has_request_room(without):
                return without
            self.state = state
        return best

    def _has_request_room(self, attempt: Attempt) -> bool:
        """Return whether something that the user said fits next to an attempt."""
        room = min(self.spans_room, self.room - attempt.tokens - self.mark_tokens(attempt))
        chooser = PieceSpanChooser(self.inputs, self.lines, self.selector.tokens)
        return any(True for _ in chooser.choose_within(room, self.requests, dependent=self.bare_replies))

    def _refill(self, attempt: Attempt) -> Attempt:
        """Spend what is left of the room if the next best line did not fit, or if no line was worth its tokens. Lines
        that are small enough are added by value, and then the newest ones. The user's words are not added, because they
        are taken in order."""
        budget = self.room - attempt.tokens
        if budget < _MIN_LINE_TOKENS or attempt.tokens >= _FULL_SHARE * self.room:
            return attempt
        chosen = [*chain.from_iterable(attempt.chosen.values())]
        selector = self.make_selector(choice.line for choice in chosen)
        known_count = len(selector.taken)
        messages, decisions = self.inputs.messages, attempt.decisions
        whole = {i for g in self.others if decisions[g.index].rendition == "whole" for i in g.messages}
        max_lines = max(_NEWEST_LINES, budget // _MIN_LINE_TOKENS)
        newest = [*islice((n for n in self._newest_lines() if self.lines.message_of(n) not in whole), max_lines)]
        for lines in (newest, densest_lines(self.lines, self.room)):
            absent = (
                n for n in lines if (at := self.lines.message_of(n)) not in whole and messages[at].origin != "request"
            )
            budget = selector.fill(filter(self._may_be_quoted, absent), budget)
        for line in newest:
            if selector.cost(line) <= budget:
                budget -= selector.take(line)
        return self._add_lines(attempt, chosen, [*selector.taken.values()][known_count:])

    def _add_lines(self, attempt: Attempt, chosen: list[ChosenLine], added: list[ChosenLine]) -> Attempt:
        """Return the attempt with as many of the `added` lines as fit. It tries all at once, then half of them, and so
        on down to one, each time continuing with the next ones."""
        count = len(added)
        for _ in range(2 * _MAX_ATTEMPTS):
            batch = added[:count]
            if not batch:
                break
            larger = self.build([*chosen, *batch])
            if attempt.tokens < larger.tokens <= self.room:
                chosen, attempt, added = [*chosen, *batch], larger, added[count:]
            elif count > 1:
                count = (count + 1) // 2
            else:
                del added[0]
        return attempt

    def _newest_lines(self) -> Iterator[int]:
        """Yield the lines with words outside of requests and calls, the last one first."""
        for group in reversed(self.others):
            if group.index not in self.summaries and not is_request(group, self.inputs.messages):
                for line in reversed([line for i in group.messages for line in self.lines.of_message(i)]):
                    is_silent = (
                        self.lines.piece_at(line).is_call or line in self.lines.silent or line in self.lines_in_state
                    )
                    if not is_silent and self.lines.has_words(line):
                        yield line

    def _mark_removals(self, attempt: Attempt) -> Attempt:
        """Return an attempt in which a summary says that something is gone, if that fits."""
        if attempt.slots or not any(decision.rendition == "gone" for decision in attempt.decisions.values()):
            return attempt
        self.quoter.needs_base, self.min_summary_tokens = True, 1
        for whole_groups in (self.kept_whole, set[int]()):  # what only filled the room is dropped
            self.kept_whole = whole_groups
            marked = self.build([*chain.from_iterable(attempt.chosen.values())])
            if marked.tokens <= self.room:
                return marked
        return attempt

    def _with_lines(self, best: Attempt) -> Attempt:
        """Take lines for their value in addition to those already taken, and return the attempt."""
        room, taken = int(self.room * 1.1) + 60, self.selector.taken
        budget = room - sum(choice.cost for choice in taken.values())
        self.selector.fill(filter(self._may_be_quoted, densest_lines(self.lines, room)), budget)
        return self._fit([*taken.values()], best)

    def _may_be_quoted(self, line: int) -> bool:
        """Return whether a line may be chosen for its value. The user may have retracted other sentences of a short
        request, and of the agent's task lists only the newest is valid."""
        piece = self.lines.piece_at(line)
        if self._is_at_end(line) or line in self.lines_in_state:
            return False
        if piece.line_cut == "clauses":
            # nothing in a pasted dialogue was said in this session
            start, end = self._pasted_dialogues[self.lines.piece_of[line]]
            return piece.tokens > _SHORT_REQUEST_TOKENS and not start <= self.lines.starts[line] < end
        return (piece.message, piece.part) not in self.outdated_calls

    @cached_property
    def _pasted_dialogues(self) -> dict[int, tuple[int, int]]:
        pieces = self.lines.session.pieces
        return {
            number: dialogue_span(pieces[number].text)
            for number in self.lines.first_of
            if pieces[number].line_cut == "clauses"
        }

    def _fit(self, order: list[ChosenLine], best: Attempt) -> Attempt:
        """Return the attempt with the longest prefix of `order` that fits, found by interpolation and counted
        exactly."""
        pieces = ((choice.cost, self.lines.piece_at(choice.line)) for choice in order)
        expected = (cost if piece.is_speech or piece.is_call else _RESULT_COST_SHARE * cost for cost, piece in pieces)
        sums = [0.0, *accumulate(expected)]
        low, tokens_at_low, high, tokens_at_high = 0, best.tokens, len(order) + 1, 0
        for _ in range(_MAX_ATTEMPTS):
            if low == len(order):
                break
            # the cost of the lines, until an attempt shows what they take; a little less, because most attempts would
            # otherwise be a few tokens too large
            share = (_AIM_SHARE * self.room - tokens_at_low) / max(1, tokens_at_high - tokens_at_low)
            cost = share * (sums[high] - sums[low]) if tokens_at_high else _AIM_SHARE * self.room - tokens_at_low
            count = max(low + 1, min(high - 1, bisect_right(sums, sums[low] + cost - 4) - 1))
            if not low < count < high:
                break
            attempt = self.build(order[:count])
            if attempt.tokens <= self.room:
                low, tokens_at_low, best = count, attempt.tokens, attempt
            else:
                high, tokens_at_high = count, attempt.tokens
            if best.tokens > _CLOSE_SHARE * self.room:
                break
        if low == len(order):
            return self._spend_rest(order, best)
        if self.room > _MAX_RETRY_ROOM and not self.is_talk and best.tokens > _CLOSE_SHARE * self.room:
            return best  # another plan would cost more time than it gains
        return self._top_up(order, low, best)

    def _top_up(self, order: list[ChosenLine], count: int, best: Attempt) -> Attempt:
        """Add small lines from further down the order if the next one is too large for what is left."""
        chosen, later = self._drop_open_nods(self._drop_incomplete(order[:count])), order[count + 1 :]
        if len(chosen) < count:
            fewer = self.build(chosen)
            if fewer.tokens > self.room:  # the dropped lines seemed to leave room for a longer heading
                return best
            best = fewer
        budget = self.room - best.tokens
        # in talk, messages stay whole instead, the most valuable first
        tries_once = self.is_talk or self.room > _MAX_RETRY_ROOM
        for share in (1.0 if budget <= _MAX_SURE_TOKENS else _SURE_SHARE,) if tries_once else _RETRY_SHARES:
            longer = [*chosen, *self._small_lines(later, int(share * budget), {choice.line for choice in chosen})]
            attempt = self.build(longer) if longer != chosen else best
            if best.tokens < attempt.tokens <= self.room and not (self.is_talk and self._drops_chosen(attempt, chosen)):
                chosen = longer
                break
        else:
            attempt = best
        return self._spend_rest(chosen, attempt) if attempt.tokens < _FULL_SHARE * self.room else attempt

    def _drop_open_nods(self, chosen: list[ChosenLine]) -> list[ChosenLine]:
        """In talk, return the lines without nods at the end that begin a statement which does not fit as a whole. Nods
        that end a statement stay."""
        end = len(chosen)
        while self.is_talk and end and is_interjection(self.lines.text(chosen[end - 1].line)):
            end -= 1
        if 0 < end < len(chosen) and chosen[end].line in self._short_followers(chosen[end - 1].line):
            return chosen
        return chosen[:end]

    def _drops_chosen(self, attempt: Attempt, chosen: Sequence[ChosenLine]) -> bool:
        """Return whether the attempt drops chosen lines because they do not justify a summary: their messages may fit
        whole."""
        groups = {self.group_of[self.lines.message_of(choice.line)] for choice in chosen}
        return any(attempt.decisions[group].rendition == "gone" for group in groups)

    def _small_lines(self, order: Iterable[ChosenLine], budget: int, present: set[int]) -> Iterator[ChosenLine]:
        """Yield the lines of `order` that fit into `budget` tokens one after the other, next to those that are
        `present`.

        Lines of the user are left out, because they are taken in order: an older sentence could stay without a newer
        one that corrects it."""
        for choice in order:
            if budget < _MIN_LINE_TOKENS:
                break
            fits = choice.cost <= budget and choice.line not in self.request_lines
            if fits and not (self.is_talk and is_interjection(self.lines.text(choice.line))):
                if self._is_outdated(choice.line, present):
                    continue
                budget -= choice.cost
                present.add(choice.line)
                yield choice

    def _spend_rest(self, order: list[ChosenLine], attempt: Attempt) -> Attempt:
        """Use what is left: the newest groups stay whole, or in talk those with the most valuable lines."""
        newest = [group.index for group in reversed(self.others)]
        if self.is_talk:
            by_value = [self.group_of[self.lines.message_of(line)] for line in self.selector.taken]
            return self._with_groups(order, attempt, dict.fromkeys([*by_value, *newest]))
        return self._with_groups(order, attempt, newest)

    def _with_groups(self, order: list[ChosenLine], attempt: Attempt, candidates: Iterable[int]) -> Attempt:
        """Return the attempt with as many candidates kept whole as fit, in their order."""
        budget = self.room - attempt.tokens
        added_groups: list[int] = []
        present = {choice.line for choices in attempt.chosen.values() for choice in choices}
        skipped_request = False
        for index in candidates:
            group, decision = self.inputs.groups[index], attempt.decisions[index]
            if index in self.summaries or index in self.kept or decision.rendition == "whole" or self._is_nod(group):
                continue
            # a newer request that is missing may have corrected this one
            is_asking = not self.is_talk and is_request(group, self.inputs.messages)
            if group.tokens - decision.tokens <= budget and not (is_asking and skipped_request):
                group_lines = [line for i in group.messages for line in self.lines.of_message(i)]
                would_mislead = not self.is_talk and misleads(index, self.inputs, attempt.decisions)
                if not would_mislead and not any(self._is_outdated(line, present) for line in group_lines):
                    budget -= group.tokens - decision.tokens
                    added_groups.append(index)
                    present.update(group_lines)
            elif is_asking and not quotes_all(attempt, group, self.lines):
                skipped_request = True
        whole_before = set(self.kept_whole)
        for count in range(len(added_groups), max(0, len(added_groups) - _MAX_ATTEMPTS), -1):
            self.kept_whole = whole_before | set(added_groups[:count])
            larger = self.build(order)
            if attempt.tokens < larger.tokens <= self.room:  # fewer tokens: the quotes no longer justify a summary
                return larger
        self.kept_whole = whole_before
        return attempt

    def _is_nod(self, group: Group) -> bool:
        """Return whether a group is a word or two, if people talk with each other or if it answers a question."""
        # from an agent that works by talking, "Understood." says nothing
        if self.by_people or (self.is_work_chat and not is_request(group, self.inputs.messages)):
            return all(is_interjection(self.inputs.messages[i].text()) for i in group.messages)
        return not self.is_talk and self.bare_replies.issuperset(group.messages)

    def _only_protected(self) -> Attempt:
        """Return an attempt that keeps nothing but what is protected, because nothing else fits."""
        decisions = {g.index: Decision.gone(g, "no room for a summary") for g in self.others}
        large = [g for g in self.others if g.index in self.large]
        stays = {g.index: self._keep_in_place(g, (), set()) or Decision.whole(g, REQUEST_CUT) for g in large}
        return Attempt(self.kept | decisions | stays, [], sum(decision.tokens for decision in stays.values()))

    def explained(self, attempt: Attempt) -> Attempt:
        """Return the attempt with the names that make up the value of what is kept."""
        decisions = dict(attempt.decisions)
        for group, choices in attempt.chosen.items():
            terms = [term for choice in choices for term in self.selector.terms_of(choice.line)]
            decisions[group] = decisions[group]._replace(signals=self.scores.explain(terms))
        return replace(attempt, decisions=decisions)
