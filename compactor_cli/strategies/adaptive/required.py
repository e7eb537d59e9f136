"""Takes what comes before the most valuable lines: what the user said, what is awaited, and the agent's conclusions."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import filterfalse, groupby, islice, takewhile
from operator import itemgetter

from compactor_cli.features.followed import answers_before_turns
from compactor_cli.features.lines import SessionLines
from compactor_cli.model.group import Group, is_request
from compactor_cli.model.message import Message, newest_said
from compactor_cli.strategies.adaptive import must_keep, offers
from compactor_cli.strategies.adaptive.arrangement import Attempt
from compactor_cli.strategies.adaptive.building import PlanBuilder
from compactor_cli.strategies.adaptive.chosen_words import Words
from compactor_cli.strategies.adaptive.conversation import answered_lines
from compactor_cli.strategies.adaptive.findings import findings, room_for_findings
from compactor_cli.strategies.adaptive.in_place import SMALL
from compactor_cli.strategies.adaptive.must_keep import speech_of
from compactor_cli.strategies.adaptive.named import NAMED_SHARE, WORKED_ON_SHARE, named_lines, worked_on
from compactor_cli.strategies.adaptive.postponed import postponed
from compactor_cli.strategies.adaptive.said_anew import anew_first, corrected, said_anew
from compactor_cli.strategies.adaptive.small_talk import SmallTalk, told_now
from compactor_cli.strategies.shared.asked import OURS, conflicts
from compactor_cli.strategies.shared.chats import chat_lines
from compactor_cli.strategies.shared.pending_results import take_pending
from compactor_cli.strategies.shared.protected import is_cut_system, room_for_typed
from compactor_cli.strategies.shared.quoted_lines import MARK
from compactor_cli.strategies.shared.rooms import LARGE_IN_CHAT, LARGE_REQUEST, LARGE_ROOM, share_of
from compactor_cli.strategies.shared.selection import HEADING, ChosenLine
from compactor_cli.text.later_figures import figures_of
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.rest_of_items import unnamed_items
from compactor_cli.text.sentences import ASKS_WITHIN

_CONCLUSION = (0.4, 0.12)
"""Shares of a small and of a large room for what the agent said at the very end."""
_ANSWERS = (0.05, 0.18)
"""Shares of a small and of a large room for what the user answered: the end of the text before each request."""
_AGREED, _PICKED, _LONGEST_AGREED = (0.2, 0.1), (0.4, 0.1), 300
"""Shares of a small and of a large room, and tokens, up to which an answer that the newest request agrees to stays
whole. The second pair applies to what it picks from an answer."""
_REST = (0.6, 0.12)
"""Shares of a small and of a large room for the rest of a list from which the newest request picks items."""
_BESIDE = (0.2, 0.1)
"""Shares of a small and of a large room for what kept requests depend on: the list items that they pick."""
_POSTPONED = (0.12, 0.1)
"""Shares of a small and of a large room for proposals that were put off."""
_FAILED = (0.4, 0.1)
"""Shares of a small and of a large room for a call that failed and has to be repeated."""
_ALMOST = 1.2
"""Tokens of the user's words, per token left to them, up to which nearly all fit. Of more, what binds comes first."""
_BARE_REPLY = 6
"""Maximum tokens of a reply of a word or two."""
_RESULTS = 0.15
"""Share of the room for results since the newest request that stay whole."""
_EXERCISE = (0.4, 0.1)
"""Shares of a small and of a large room for exercises that the agent of a chat sets at the end of a paragraph."""
_LONGEST_ASKING = 600
"""Maximum characters of a paragraph that its last sentence asks about. Longer ones only end in a question."""
_ANSWERS_SEEN = 3
"""Number of newest answers of a chat to search for an exercise."""
_FIGURES = 2
"""Minimum number of figures of a paragraph that the reply works with."""
_BREAK = compiled_later(r"\n[ \t]*\n")
_SMALL_RESULT = 400
"""Maximum characters of a small result, without lines that say nothing."""
_PATH = compiled_later(
    r"(?:[A-Za-z]:)?(?=[^\n]*[/\\])(?=[^\n]*[A-Za-z])"
    r"(?:[^\s:*?\"<>|,;=]+|[^\n:*?\"<>|,;=]+\.[A-Za-z]\w{0,7})"  # with blanks only where it ends as a file does
)
_FILE = compiled_later(r"[\w.@+-]+\.[A-Za-z]\w{0,7}")
_FILES_LISTED = range(3, 41)
"""Numbers of files that make up a list of what was found."""
_OTHER_LINES = 3
"""Maximum number of other lines in such a list."""


class RequiredLines(PlanBuilder):
    """Takes lines whatever their value, each kind within its share of the room."""

    instruction_lines: frozenset[int] = frozenset()
    """Lines of standing instructions that were taken."""

    def build(self, chosen: Sequence[ChosenLine]) -> Attempt:
        """Return what happens to each group when these lines are taken. Binding lines come before details of the state,
        which the first summary contains. If that summary does not fit with all details, it gets as many as fit."""
        attempt = super().build(chosen)
        over = attempt.tokens - self.room
        if over <= 0 or not (chosen and self.state and attempt.slots):
            return attempt
        if self.binding.issuperset(choice.line for choice in chosen):
            whole, left = self.state, self._extra() - over
            self.state = must_keep.state_within(left, whole, self.inputs.count, lambda _: False) if left > 0 else ()
            shorter = super().build(chosen)
            self.state = whole
            return shorter if shorter.tokens <= self.room else attempt
        return attempt

    @property
    def binding(self) -> frozenset[int]:
        """Return the lines taken from the user's words and from standing instructions."""
        return self.request_lines | self.instruction_lines

    def _take_required(self, free: int) -> None:
        """Take, in `free` tokens, what comes before the most valuable lines; in talk, the most valuable statements."""
        inputs = self.inputs
        words = Words(inputs, self.lines, self.selector.tokens)
        if self.works:
            self._take_standing(words)
            self._take_words(words, min(self.share_asked, free - MARK))
            self.request_lines = frozenset(self.selector.taken)
        self._take(answered_lines(inputs.messages, self.lines, self.selector.cost, self.room))
        self._take(offers.open_offers(inputs.messages, self.lines, self.selector.cost, self._stays, self.room))
        if self.chat:
            self._take(exercises(inputs.messages, self.lines, self.selector.tokens, self._stays, self.room))
        if self.talk and inputs.profile is not None:
            self._take(sorted(self.awaited))
            if self.awaited:
                self._take(told_now(inputs.groups[max(self.large)], self.lines))
            if not (self.works or self.people):
                self._take_typed(words, free)
            newest = self.lines.message(max(self.awaited)) if self.awaited else -1
            given = inputs.messages, self.lines, self.selector.tokens, self.room, inputs.profile
            anew = {} if self.people else said_anew(inputs.messages, self.lines)
            if self.works:
                ranked = chat_lines(*given)
            else:
                small_talk = SmallTalk(*given, newest=newest)
                ranked, self.anew = small_talk.ranked(), small_talk.anew
            self._take(filterfalse(self._ends_summary, anew_first(ranked, anew, self.lines, self.selector.tokens)))
            return
        self.anew = corrected(self.asked, self.lines)
        self._take_asked(words, free)
        self._take_results(int(_RESULTS * self.room))
        self._take_standing(words)
        told, share = must_keep.account(inputs.messages, self.lines)
        self._take(words.within(share * self.room, told))
        self._take(offers.newest_draft(inputs.messages, self.lines, self.selector.cost, self.room))
        failed = must_keep.failed_call(self.state, inputs.messages, self.lines, inputs.pairing)
        said = (
            (share_of(self.room, *_CONCLUSION), [self.concluded]),
            (share_of(self.room, *_REST), [rest_of_list(inputs.messages, self.lines)]),
            (share_of(self.room, *_BESIDE), must_keep.beside_requests(inputs.messages, self.lines, self.stays_in_part)),
            (share_of(self.room, *_POSTPONED), postponed(inputs.messages, self.lines, self.stays_in_part)),
            (share_of(self.room, *_ANSWERS) - self._take_agreed(), must_keep.answers(inputs.messages, self.lines)),
            (share_of(self.room, *_FAILED), [failed]),
            (NAMED_SHARE * self.room, named_lines(inputs.messages, self.lines, self.room)),
            (WORKED_ON_SHARE * self.room, worked_on(inputs.messages, self.lines, self.room)),
        )
        for room, texts in said:
            absent = (text for text in texts if not all(map(self._stays, text)))
            for text in must_keep.within(room, absent, self.lines, self.selector.cost):
                self._take(text)

    def _take_typed(self, words: Words, free: int) -> None:
        """In talk, take what the user said if it fits into its share, or almost into what a cut system message left."""
        if self.asked_tokens <= self.share_asked:
            self._take(self.asked_lines())
        elif self.asked_tokens <= _ALMOST * self.typed_room:
            self._take_words(words, min(self.needed, free - MARK))

    def _take_asked(self, words: Words, free: int) -> None:
        """Take what the user said, in `free` tokens, and the results that the agent answers next. If a small room ends
        with results, they come before words of the user that exceed their share."""
        known = set(self.selector.taken)
        self._take_words(words, min(self.needed if self.ends_in_results else self.words_room, free - MARK))
        before = set(self.selector.taken)
        self._take_pending()
        pending = self.selector.taken.keys() - before
        if self.ends_in_results and self.needed < self.asked_tokens:
            free = self.room - self.build([*self.selector.taken.values()]).tokens
            self._take_words(words, min(self.words_room, free - MARK))
        self.request_lines = frozenset(self.selector.taken.keys() - known - pending)

    def _take_standing(self, words: Words) -> None:
        """Take standing instructions."""
        standing = [*words.standing(self.room, [*must_keep.instructions(self.inputs.messages, self.lines)])]
        self._take(standing)
        self.instruction_lines = frozenset(standing)

    def _take_words(self, words: Words, room: float) -> None:
        """Take what the user said, in `room` tokens."""
        self._take(words.within(room, self.asked, bare=self.bare_replies))

    def _take_agreed(self) -> int:
        """Take a short answer that the newest request agrees to, or what it picks, or the parts of a longer answer that
        name something. Return the tokens taken."""
        for words, is_picked in must_keep.agreed_to(self.inputs.messages, self.lines):
            limit = min(_LONGEST_AGREED, share_of(self.room, *(_PICKED if is_picked else _AGREED)))
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
        return bool(newest_said(self.inputs.messages).results) and self.room < LARGE_ROOM

    @cached_property
    def asked(self) -> list[must_keep.UserWords]:
        """What the user asked, in order."""
        return list(must_keep.requests(self.inputs.messages, self.lines))

    @cached_property
    def concluded(self) -> list[int]:
        """The lines of what the agent said at the very end."""
        return must_keep.conclusion(self.inputs.messages, self.lines)

    def asked_lines(self) -> list[int]:
        """Return the lines of what the user asked."""
        return [line for said in self.asked for line in self.lines.overlapping(said.piece, said.start, said.end)]

    @cached_property
    def asked_tokens(self) -> int:
        """The tokens of what the user said."""
        return sum(map(self.selector.tokens, self.asked_lines())) + HEADING * len(self.asked)

    @property
    def needed(self) -> int:
        """The tokens of what the user said, up to its share of the room. They come before everything else."""
        share = self.words_room if self.awaits else self.share_asked
        return int(min(self.asked_tokens, max(share, self.typed_room)))

    @property
    def words_room(self) -> float:
        """The tokens of the room for what the user said."""
        return max(self.request_room, self.typed_room)

    @cached_property
    def typed_room(self) -> int:
        """The tokens that cut system messages leave to what the user typed; 0 if none were cut."""
        is_cut = any(is_cut_system(self.inputs, decision) for decision in self.kept.values())
        return min(self.room, room_for_typed(self.inputs, self.inputs.target or 0)) if is_cut else 0

    @property
    def share_asked(self) -> float:
        """The tokens up to which everything that the user said comes before what the agent did."""
        return (LARGE_IN_CHAT if self.works else LARGE_REQUEST) * self.room

    @property
    def is_answered_next(self) -> bool:
        """Whether the agent, or the newest request, answers the newest exchange. A final message without a question,
        after an act that the state contains, needs no answer."""
        messages, last = self.inputs.messages, self.newest.last
        if newest_said(messages).results:
            return True
        if not is_request(self.inputs.groups[-1], messages):
            return False
        said = [messages[i] for group in last.values() for i in group.messages]
        if any(message.results or ASKS_WITHIN.search(message.text("text")) for message in said):
            return True
        before = reversed(messages[: said[0].index if said else 0])
        turn = takewhile(lambda message: message.origin != "request", before)
        done = {line.message for line in self.state if line.kind == "effect"}
        return done.isdisjoint(message.index for message in turn)

    def _stays(self, line: int) -> bool:
        """Return whether a line is part of words that stay whole for being new."""
        piece = self.lines.piece(line)
        group = self.group_of[piece.message]
        return piece.speech and group in self.present and piece.tokens <= self.newest.written(group)

    def stays_in_part(self, message: int) -> bool:
        """Return whether a message stays in place, or some of it is taken."""
        return message not in self.left or any(line in self.selector.taken for line in self.lines.of_message(message))

    def _take_pending(self) -> None:
        """Take lines of the results that the agent answers next, or on which its question is based."""
        self._take(self.newest.unsaid(self.lines, self.selector.cost))
        known = self.lines.silent | self.said_by_state
        pending = [line for line in self.newest.pending_results(self.lines) if line not in known]
        asked_for, ends = self.renderer.asked_for, self.ends_in_results
        take_pending(pending, self.lines, self.selector, asked_for, self.room, SMALL, ends=ends)

    def _take_results(self, room: int) -> None:
        """Take results since the newest request that are worth keeping whole, the newest first, in `room` tokens."""
        since = takewhile(lambda group: not is_request(group, self.inputs.messages), reversed(self.inputs.groups))
        groups = (group for group in since if group.index not in self.newest.last)
        for wanted in whole_results(groups, self.inputs.messages, self.lines, self.newest.in_place):
            cost = sum(map(self.selector.cost, wanted))
            if cost <= room:
                room -= self._take(wanted)

    def _take_found(self) -> None:
        """Take what the agent found and decided between its calls."""
        found = findings(self.inputs.messages, self.lines, self.selector.cost)
        absent = (told for told in found if not all(map(self._stays, told)))
        room = room_for_findings(self.room, sum(group.tokens for group in self.rest))
        for told in must_keep.within(room, absent, self.lines, self.selector.cost):
            self._take(told)

    def _take(self, lines: Iterable[int]) -> int:
        told = (line for line in lines if line not in self.said_by_state)
        return sum(map(self.selector.take, self.selector.unsaid(told)))

    def _ends_summary(self, line: int) -> bool:
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
        and sum(part.tokens for part in messages[request].parts) <= _BARE_REPLY
        and not must_keep.names_something(messages[request].text("text"))
        and ASKS_WITHIN.search(messages[answer].text("text"))
    )


def rest_of_list(messages: Sequence[Message], lines: SessionLines) -> list[int]:
    """Return the items left over from a list if a request says what to do with the rest. The newest such request
    counts, because nothing else says what is left to do."""
    for index, request in sorted(answers_before_turns(messages), key=lambda turn: -turn[1]):
        reply = messages[request].text("text")
        found: list[int] = []
        for number, own in groupby(speech_of(lines, index), key=lines.piece_of.__getitem__):
            spans = unnamed_items(lines.session.pieces[number].text, reply)
            rest = {line for span in spans for line in lines.overlapping(number, *span)}
            found += [line for line in own if line in rest]
        if found:
            return found
    return []


def exercises(
    messages: Sequence[Message],
    lines: SessionLines,
    cost: Callable[[int], int],
    stays: Callable[[int], bool],
    room: int,
) -> Iterator[int]:
    """Yield the paragraphs at the end of the newest answers that ask a question whose reply works with their figures:
    later replies may continue with them. `stays`: returns whether a line is kept anyway."""
    left = share_of(room, *_EXERCISE)
    turns = sorted(answers_before_turns(messages), key=itemgetter(1), reverse=True)
    for index, reply in islice(turns, _ANSWERS_SEEN):
        asked = _asked_about(speech_of(lines, index), lines)
        text = " ".join(map(lines.text, asked))
        shared = figures_of(text) & figures_of(messages[reply].text("text"))
        used = sum(map(cost, asked))
        if len(shared) >= _FIGURES and used <= left and not all(map(stays, asked)):
            left -= used
            yield from asked


def _asked_about(speech: Sequence[int], lines: SessionLines) -> Sequence[int]:
    """Return the lines of the last paragraph of an answer if it ends with a question and is not long."""
    if not speech or not ASKS_WITHIN.search(lines.text(speech[-1])):
        return ()
    text = lines.piece(speech[-1]).text
    begin = len(speech) - 1
    while begin and not _BREAK.search(text, lines.ends[speech[begin - 1]], lines.starts[speech[begin]]):
        begin -= 1
    is_long = lines.ends[speech[-1]] - lines.starts[speech[begin]] > _LONGEST_ASKING
    return () if is_long else speech[begin:]


def whole_results(
    groups: Iterable[Group], messages: Sequence[Message], lines: SessionLines, in_place: Container[int]
) -> Iterator[list[int]]:
    """Yield the lines of results to keep whole: small results of groups in place, lists of files, and both sides of
    merge conflicts. Results with conflicting lines that an edit has changed since are skipped."""
    for group in groups:
        results = [messages[i] for i in group.messages if messages[i].results]
        own = [line for message in results for line in lines.of_message(message.index)]
        telling = [line for line in own if line not in lines.silent]
        small = sum(lines.ends[line] - lines.starts[line] for line in telling) <= _SMALL_RESULT
        parted = any(OURS in message.text() for message in results)
        if small and (parted or group.index in in_place):
            yield telling
        elif parted:
            sides = [own[at] for at in conflicts([*map(lines.text, own)])]
            if lines.silent.isdisjoint(sides):
                yield sides
        else:
            yield from _lists(results, lines)


def _lists(results: Iterable[Message], lines: SessionLines) -> Iterator[list[int]]:
    """Yield the lines of results that hold little but file paths: they list what there is to go through."""
    for message in results:
        own = [line for line in lines.of_message(message.index) if line not in lines.silent]
        texts = [text.strip() for line in own for text in lines.text(line).split("\n")]
        paths = sum(_PATH.fullmatch(text) is not None for text in texts)
        files = paths + sum(_FILE.fullmatch(text) is not None for text in texts)
        if paths and files in _FILES_LISTED and len(texts) - files <= _OTHER_LINES:
            yield own
