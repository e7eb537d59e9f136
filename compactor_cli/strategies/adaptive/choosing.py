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
from compactor_cli.strategies.adaptive import must_keep
from compactor_cli.strategies.adaptive.arrangement import Attempt, misleads, quotes_all
from compactor_cli.strategies.adaptive.required import RequiredLines
from compactor_cli.strategies.shared.quoted_lines import MARK
from compactor_cli.strategies.shared.requests import REQUEST_CUT
from compactor_cli.strategies.shared.selection import ChosenLine, densest
from compactor_cli.text.clauses import dialogue_in

_SHORT_REQUEST = 150
"""Tokens of a request up to which its sentences are kept as the user's words or not at all."""
_ANSWERED_NEXT = 0.65
"""Minimum share of the room for exchanges that are answered next, whatever the user said."""
_ANSWER_OF_CHAT = 0.45
"""The same for the newest answer if the agent works only by talking: less than its head and end says nothing."""
_USED = 0.97
"""Share of the room below which to look for whole groups that fit into what is left."""
_LEAST = 0.1
"""Minimum value of a token of a line, relative to the lines before it. The last quarter of all lines has 2% of the
value."""
_SMALLEST_LINE = 6
"""Tokens left below which to stop looking for lines."""
_AIM, _CLOSE = 0.998, 0.99
"""Share of the room that an attempt aims at, and share that is close enough: small lines fill the rest."""
_NEWEST_LINES = 60
"""Number of newest lines to consider for what is left of a small room."""
_TRIED, _SHARES = 3_000, (1.0, 0.7, 0.4)
"""Tokens up to which a room is tried more than once, and the shares of what is left of it to offer small lines. Marks
of gaps cost extra tokens."""
_SURELY, _SURE = 200, 0.8
"""In a large room: tokens left up to which small lines may take all of them, and the share they may take of more.
Another plan would cost more time than it gains."""
_OF_RESULTS = 0.9
"""Share of the tokens of a result's line that it takes when it is quoted."""
_ATTEMPTS = 6
"""Maximum number of plans to count while coming close to the target."""


class Chooser(RequiredLines):
    """Chooses lines for the groups that are not protected."""

    def best(self) -> Attempt:
        """Return the attempt with as many of the best lines as fit into the room, exactly counted."""
        best = self.build([])
        for small in (False, True):
            if best.tokens > self.room:  # nothing stays for being new; then a large request is cut to what is chosen
                self.present, self.small = self.large, small
                self.tell_state()
                best = self.build([])
        best = self._with_room_for_words(best)
        self._take_required(self.room - best.tokens)
        if best.tokens > self.room:
            return self._only_protected()
        if self.talk:
            attempt = self._fit([*self.selector.taken.values()], best)
            return self._refilled(attempt) if self.works else attempt
        self._take_found()
        attempt = self._with_lines(best, _LEAST)
        if attempt.tokens < _USED * self.room:  # there is not much to keep whole instead of lines of little value
            self.whole.clear()
            attempt = self._with_lines(best, 0.0)
        return self._marked(self._refilled(attempt))

    def _with_room_for_words(self, best: Attempt) -> Attempt:
        """Return `best` with room for what the user said, up to its share. The newest exchanges are cut to what that
        leaves them, or dropped.

        If the user's words do not fit as a whole anyway, exchanges that are answered next keep two thirds of the room.
        In a chat the newest answer has a share, too."""
        if self.talk and (self.people or (self.asked_tokens > self.share_asked and not self.works)):
            return best
        stays = self.needed < self.asked_tokens and not self.awaits and self.is_answered_next
        least = int((_ANSWERED_NEXT if stays else _ANSWER_OF_CHAT if self.works else 0.0) * self.room)
        for cut in (True,) if least else (True, False):
            if self.present == self.large or self.room - best.tokens - MARK >= self.needed:
                break
            self.present = self.large
            if cut:
                left = self.room - self.build([]).tokens - MARK - self.needed
                self.newest = self.newest_within(max(left, least))
                self.present = self._present()
            self.tell_state()
            best = self.build([])
        return best

    def _refilled(self, attempt: Attempt) -> Attempt:
        """Spend what is left of the room if the next best line did not fit, or if no line was worth its tokens. Lines
        that are small enough are added by value, and then the newest ones. The user's words are not added, because they
        are taken in order."""
        left = self.room - attempt.tokens
        if left < _SMALLEST_LINE or attempt.tokens >= _USED * self.room:
            return attempt
        chosen = [*chain.from_iterable(attempt.chosen.values())]
        selector = self.selector_of(choice.line for choice in chosen)
        known = len(selector.taken)
        messages, decisions = self.inputs.messages, attempt.decisions
        there = {i for g in self.rest if decisions[g.index].rendition == "whole" for i in g.messages}
        looked_at = max(_NEWEST_LINES, left // _SMALLEST_LINE)
        newest = [*islice((n for n in self._newest_lines() if self.lines.message(n) not in there), looked_at)]
        for lines in (newest, densest(self.lines, self.room)):
            absent = (
                n for n in lines if (at := self.lines.message(n)) not in there and messages[at].origin != "request"
            )
            left = selector.fill(filter(self._may_be_quoted, absent), left)
        for line in newest:
            if selector.cost(line) <= left:
                left -= selector.take(line)
        return self._enlarged(attempt, chosen, [*selector.taken.values()][known:])

    def _enlarged(self, attempt: Attempt, chosen: list[ChosenLine], added: list[ChosenLine]) -> Attempt:
        """Return the attempt with as many of the `added` lines as fit. It tries all at once, then half of them, and so
        on down to one, each time continuing with the next ones."""
        count = len(added)
        for _ in range(2 * _ATTEMPTS):
            some = added[:count]
            if not some:
                break
            more = self.build([*chosen, *some])
            if attempt.tokens < more.tokens <= self.room:
                chosen, attempt, added = [*chosen, *some], more, added[count:]
            elif count > 1:
                count = (count + 1) // 2
            else:
                del added[0]
        return attempt

    def _newest_lines(self) -> Iterator[int]:
        """Yield the lines with words outside of requests and calls, the last one first."""
        for group in reversed(self.rest):
            if group.index not in self.folded and not is_request(group, self.inputs.messages):
                for line in reversed([line for i in group.messages for line in self.lines.of_message(i)]):
                    silent = self.lines.piece(line).call or line in self.lines.silent or line in self.said_by_state
                    if not silent and self.lines.has_words(line):
                        yield line

    def _marked(self, attempt: Attempt) -> Attempt:
        """Return an attempt in which a summary says that something is gone, if that fits."""
        if attempt.slots or not any(decision.rendition == "gone" for decision in attempt.decisions.values()):
            return attempt
        self.quoter.needs_base, self.worth_a_summary = True, 1
        for whole in (self.whole, set[int]()):  # what only filled the room is dropped
            self.whole = whole
            marked = self.build([*chain.from_iterable(attempt.chosen.values())])
            if marked.tokens <= self.room:
                return marked
        return attempt

    def _with_lines(self, best: Attempt, least: float) -> Attempt:
        """Take lines for their value in addition to those already taken, and return the attempt."""
        room, taken = int(self.room * 1.1) + 60, self.selector.taken
        left = room - sum(choice.cost for choice in taken.values())
        self.selector.fill(filter(self._may_be_quoted, densest(self.lines, room)), left, least)
        return self._fit([*taken.values()], best)

    def _may_be_quoted(self, line: int) -> bool:
        """Return whether a line may be chosen for its value. The user may have retracted other sentences of a short
        request, and of the agent's task lists only the newest is valid."""
        piece = self.lines.piece(line)
        if self._ends_summary(line) or line in self.said_by_state:
            return False
        if piece.cut == "clauses":
            return piece.tokens > _SHORT_REQUEST and not self._is_example(line)
        return (piece.message, piece.part) not in self.outdated

    def _is_example(self, line: int) -> bool:
        """Return whether a line of a request belongs to a pasted dialogue. Nothing in it was said in this session."""
        start, end = self._pasted_dialogues[self.lines.piece_of[line]]
        return start <= self.lines.starts[line] < end

    @cached_property
    def _pasted_dialogues(self) -> dict[int, tuple[int, int]]:
        pieces = self.lines.session.pieces
        return {at: dialogue_in(pieces[at].text) for at in self.lines.first_of if pieces[at].cut == "clauses"}

    def _fit(self, order: list[ChosenLine], best: Attempt) -> Attempt:
        """Return the attempt with the longest prefix of `order` that fits, found by interpolation and counted
        exactly."""
        below = [0.0, *accumulate(map(self._expected, order))]
        low, tokens_at_low, high, tokens_at_high = 0, best.tokens, len(order) + 1, 0
        for _ in range(_ATTEMPTS):
            if low == len(order):
                break
            # the cost of the lines, until an attempt shows what they take; a little less, because most attempts would
            # otherwise be a few tokens too large
            share = (_AIM * self.room - tokens_at_low) / max(1, tokens_at_high - tokens_at_low)
            cost = share * (below[high] - below[low]) if tokens_at_high else _AIM * self.room - tokens_at_low
            count = max(low + 1, min(high - 1, bisect_right(below, below[low] + cost - 4) - 1))
            if not low < count < high:
                break
            attempt = self.build(order[:count])
            if attempt.tokens <= self.room:
                low, tokens_at_low, best = count, attempt.tokens, attempt
            else:
                high, tokens_at_high = count, attempt.tokens
            if best.tokens > _CLOSE * self.room:
                break
        if low == len(order):
            return self._spend(order, best)
        if self.room > _TRIED and not self.talk and best.tokens > _CLOSE * self.room:
            return best  # another plan would cost more time than it gains
        return self._top_up(order, low, best)

    def _expected(self, choice: ChosenLine) -> float:
        """Return the tokens that a line is expected to take in a summary. Lines of results lose indents and line
        numbers when they are quoted."""
        piece = self.lines.piece(choice.line)
        return choice.cost if piece.speech or piece.call else _OF_RESULTS * choice.cost

    def _top_up(self, order: list[ChosenLine], count: int, best: Attempt) -> Attempt:
        """Add small lines from further down the order if the next one is too large for what is left."""
        chosen, rest = self._without_beginning(self._complete(order[:count])), order[count + 1 :]
        if len(chosen) < count:
            fewer = self.build(chosen)
            if fewer.tokens > self.room:  # the dropped lines seemed to leave room for a longer heading
                return best
            best = fewer
        left = self.room - best.tokens
        # in talk, messages stay whole instead, the most valuable first
        once = self.talk or self.room > _TRIED
        for share in (1.0 if left <= _SURELY else _SURE,) if once else _SHARES:
            more = [*chosen, *self._small_lines(rest, int(share * left), {choice.line for choice in chosen})]
            attempt = self.build(more) if more != chosen else best
            if best.tokens < attempt.tokens <= self.room and not (self.talk and self._gives_up(attempt, chosen)):
                chosen = more
                break
        else:
            attempt = best
        return self._spend(chosen, attempt) if attempt.tokens < _USED * self.room else attempt

    def _without_beginning(self, chosen: list[ChosenLine]) -> list[ChosenLine]:
        """In talk, return the lines without nods at the end that begin a statement which does not fit as a whole. Nods
        that end a statement stay."""
        end = len(chosen)
        while self.talk and end and is_interjection(self.lines.text(chosen[end - 1].line)):
            end -= 1
        if 0 < end < len(chosen) and chosen[end].line in self._said_after(chosen[end - 1].line):
            return chosen
        return chosen[:end]

    def _gives_up(self, attempt: Attempt, chosen: Sequence[ChosenLine]) -> bool:
        """Return whether the attempt drops chosen lines because they do not justify a summary: their messages may fit
        whole."""
        groups = {self.group_of[self.lines.message(choice.line)] for choice in chosen}
        return any(attempt.decisions[group].rendition == "gone" for group in groups)

    def _small_lines(self, order: Iterable[ChosenLine], left: int, there: set[int]) -> Iterator[ChosenLine]:
        """Yield the lines of `order` that fit into `left` tokens one after the other, next to those that are `there`.

        Lines of the user are left out, because they are taken in order: an older sentence could stay without a newer
        one that corrects it."""
        for choice in order:
            if left < _SMALLEST_LINE:
                break
            small = choice.cost <= left and choice.line not in self.request_lines
            if small and not (self.talk and is_interjection(self.lines.text(choice.line))):
                if self._is_outdated(choice.line, there):
                    continue
                left -= choice.cost
                there.add(choice.line)
                yield choice

    def _spend(self, order: list[ChosenLine], attempt: Attempt) -> Attempt:
        """Use what is left: requests stay whole first, then the agent's last words are quoted, and then the newest
        groups stay whole. In talk, the groups with the most valuable lines stay whole."""
        newest = [group.index for group in reversed(self.rest)]
        if self.talk:
            thought_of = [self.group_of[self.lines.message(line)] for line in self.selector.taken]
            return self._with_groups(order, attempt, dict.fromkeys([*thought_of, *newest]))
        longer, answered = self._with_answers(order, attempt)
        if answered is not attempt:  # the user's requests come before that
            asked = self._with_groups(order, attempt, filter(self._asks, newest))
            if asked is not attempt and not self._gives_up(asked, order):
                longer, answered = self._with_answers(order, asked)
            else:
                self.whole.clear()
        return self._with_groups(longer, answered, newest)

    def _asks(self, index: int) -> bool:
        return is_request(self.inputs.groups[index], self.inputs.messages)

    def _with_groups(self, order: list[ChosenLine], attempt: Attempt, candidates: Iterable[int]) -> Attempt:
        """Return the attempt with as many candidates kept whole as fit, in their order."""
        left = self.room - attempt.tokens
        added: list[int] = []
        there = {choice.line for choices in attempt.chosen.values() for choice in choices}
        corrected = False
        for index in candidates:
            group, decision = self.inputs.groups[index], attempt.decisions[index]
            if index in self.folded or index in self.kept or decision.rendition == "whole" or self._is_nod(group):
                continue
            # a newer request that is missing may have corrected this one
            asks = not self.talk and is_request(group, self.inputs.messages)
            if group.tokens - decision.tokens <= left and not (asks and corrected):
                own = [line for i in group.messages for line in self.lines.of_message(i)]
                misled = not self.talk and misleads(index, self.inputs, attempt.decisions)
                if not misled and not any(self._is_outdated(line, there) for line in own):
                    left -= group.tokens - decision.tokens
                    added.append(index)
                    there.update(own)
            elif asks and not quotes_all(attempt, group, self.lines):
                corrected = True
        before = set(self.whole)
        for count in range(len(added), max(0, len(added) - _ATTEMPTS), -1):
            self.whole = before | set(added[:count])
            more = self.build(order)
            if attempt.tokens < more.tokens <= self.room:  # fewer tokens: the quotes no longer justify a summary
                return more
        self.whole = before
        return attempt

    def _is_nod(self, group: Group) -> bool:
        """Return whether a group is a word or two, if people talk with each other or if it answers a question."""
        # from an agent that works by talking, "Understood." says nothing
        if self.people or (self.works and not is_request(group, self.inputs.messages)):
            return all(is_interjection(self.inputs.messages[i].text()) for i in group.messages)
        return not self.talk and self.bare_replies.issuperset(group.messages)

    def _with_answers(self, order: list[ChosenLine], attempt: Attempt) -> tuple[list[ChosenLine], Attempt]:
        """Add the agent's last words, and its words before requests, as far as they fit. If all names in them are
        known, these lines have no value, but they say what came of the work or what the user is asked."""
        taken = {choice.line for choice in order}

        def cost(line: int) -> int:
            return 0 if line in taken else self.selector.cost(line)

        answers = chain([self.concluded], must_keep.answers(self.inputs.messages, self.lines))
        fitting = must_keep.within(self.room - attempt.tokens, answers, self.lines, cost)
        added = [[line for line in answer if line not in taken] for answer in fitting]
        added = [lines for lines in added if lines][:_ATTEMPTS]
        newest = sorted(added[0], key=lambda line: must_keep.names_something(self.lines.text(line))) if added else []
        fewer = [[line] for line in reversed(newest)]
        self.worth_a_summary = MARK if attempt.slots else 1  # if nothing else is quoted, a few words justify one
        for lines in (*(list(chain.from_iterable(added[:count])) for count in range(len(added), 0, -1)), *fewer):
            longer = [*order, *(ChosenLine(line, 0.0, self.selector.cost(line)) for line in lines)]
            more = self.build(longer)
            if attempt.tokens < more.tokens <= self.room:
                return longer, more
        self.worth_a_summary = MARK
        return order, attempt

    def _only_protected(self) -> Attempt:
        """Return an attempt that keeps nothing but what is protected, because nothing else fits."""
        decisions = {g.index: Decision.gone(g, "no room for a summary") for g in self.rest}
        large = [g for g in self.rest if g.index in self.large]
        stays = {g.index: self._in_place(g, (), set()) or Decision.whole(g, REQUEST_CUT) for g in large}
        return Attempt(self.kept | decisions | stays, [], sum(decision.tokens for decision in stays.values()))

    def explained(self, attempt: Attempt) -> Attempt:
        """Return the attempt with the names that make up the value of what is kept."""
        decisions = dict(attempt.decisions)
        for group, choices in attempt.chosen.items():
            terms = [term for choice in choices for term in self.selector.terms_of(choice.line)]
            decisions[group] = decisions[group]._replace(signals=self.values.explain(terms))
        return replace(attempt, decisions=decisions)
