"""Small talk: which messages, or sentences of long ones, are worth most, of people or of a user and an agent."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.restated import restated
from compactor_cli.features.talk import Statement, both_values, counted, either, rank_statements
from compactor_cli.features.talk_words import asks
from compactor_cli.features.wording import shipped_wordings
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.profile import Profile
from compactor_cli.model.talking import is_interjection, people_talk
from compactor_cli.strategies.adaptive.must_keep import speech_of
from compactor_cli.strategies.adaptive.said_anew import anew_first
from compactor_cli.strategies.shared.chats import Said, quotes, said_in_turn
from compactor_cli.strategies.shared.lone_lines import said_after, told_together
from compactor_cli.strategies.shared.rooms import SMALL_ROOM, part_between

_PART = 4
"""Part of the room above which a message is taken sentence by sentence."""
_SHORT = 40
"""Tokens of a message that is always taken as a whole."""
_IDLE = -0.2
"""What the words of a sentence speak for at least that is no small talk."""
_MORE = 300
"""Tokens beyond twice the room: in a small room the best may be too large, and others are looked for."""
_MESSAGE = 4
"""Tokens of a message besides its text."""
_TINY, _ANSWER = 150, 0.25
"""Tokens up to which a room is tiny, and what an answer of an agent counts there: what the user said comes first."""
_ASKED = 0.5
"""What a question of a user counts beside a statement."""
_MAYBE, _SURELY = 45, 80
"""Hundredths of how likely a statement is needed from which on one of an agent counts more, and as much as a user's."""
_LEAST = 0.05
"""What an answer counts at least: it is told from another one."""
_SPEAKERS = "user", "assistant"
_TELLS = 0.4
"""How likely a sentence has to be needed for it to be taken without its message, too."""


def awaited(sentences: Sequence[str]) -> list[int]:
    """Return which sentences of the newest message of small talk stay in any case: those that ask and are no small talk
    by their words, else the last one that is none, and a question at the end; else those that ask, else the one which
    is small talk least."""
    speaks = _speaks_for_more(sentences)
    telling = [at for at, more in enumerate(speaks) if more >= _IDLE]
    asking = [at for at, text in enumerate(sentences) if asks(text)]
    if not telling:
        return asking or sorted(range(len(speaks)), key=lambda at: -speaks[at])[:1]
    last = [len(sentences) - 1]
    return sorted({*([at for at in telling if at in asking] or telling[-1:]), *(last if last[0] in asking else ())})


def told_now(group: Group, lines: SessionLines) -> list[int]:
    """Return the lines of such a message that are no small talk: what has to be done next may stand in each."""
    said = speech_of(lines, max(group.messages))
    return [line for line, more in zip(said, _speaks_for_more(map(lines.text, said)), strict=True) if more >= _IDLE]


def awaited_lines(group: Group, lines: SessionLines) -> list[int]:
    """Return the lines of the newest message of small talk that stay in any case."""
    said = speech_of(lines, max(group.messages))
    return [said[at] for at in awaited([*map(lines.text, said)])]


def are_idle(sentences: Iterable[str]) -> list[bool]:
    """Return of each sentence whether its words speak for small talk."""
    return [more < _IDLE for more in _speaks_for_more(sentences)]


def _speaks_for_more(sentences: Iterable[str]) -> list[float]:
    """Return how much the words of each sentence speak for something else than small talk."""
    wordings = shipped_wordings()
    return [wordings.of_text(text)[0] for text in sentences]


class SmallTalk:
    """What is said in a conversation, and how likely each statement of it is needed."""

    def __init__(
        self,
        messages: Sequence[Message],
        lines: SessionLines,
        cost: Callable[[int], int],
        room: int,
        profile: Profile,
        newest: int = -1,
    ) -> None:
        """Take the messages and the lines of a session; `cost` counts a line. `newest`: the message whose sentences are
        taken one by one, however short it is; none where that stays as a whole."""
        self._messages, self._lines, self._cost, self._room, self._profile = messages, lines, cost, room, profile
        self._newest = newest
        self._people = people_talk(messages)
        self._answers = 1.0 if self._people else _worth_of_answers(messages, room)
        self._said = [*self._without_nods(said_in_turn(messages, lines, self._parted))]

    def ranked(self) -> Iterator[int]:
        """Yield lines of statements, those worth most for their tokens first, until about twice the room is taken, and
        before each sentence those that say it anew; a line may come twice."""
        said, values = [each.statement for each in self._said], [*self._likely]
        lines_of = [each.lines for each in self._said]
        for sentence, rest in self._telling(self._sentences):
            values[sentence.statement] = rest  # what tells something has room without the rest of the message
            said.append(sentence.said)
            lines_of.append([sentence.line, *said_after(self._lines, sentence.line, self._cost)])
            values.append(sentence.value)
        tokens = [_MESSAGE + sum(map(self._cost, members)) for members in lines_of]
        order = rank_statements(said, values, tokens)
        used = [*accumulate((tokens[index] for index in order), initial=0)]
        enough = order[: bisect_right(used, 2 * self._room + _MORE)]
        ranked = chain.from_iterable(lines_of[index] for index in enough)
        return anew_first(ranked, self.anew, self._lines, self._cost)

    @cached_property
    def anew(self) -> dict[int, list[int]]:
        """Return for lines of sentences those of the later ones that say them anew."""
        said, values = [each.said for each in self._sentences], [each.value for each in self._sentences]
        anew: dict[int, list[int]] = {}
        for older, newer in restated(said, values):
            anew.setdefault(self._sentences[older].line, []).append(self._sentences[newer].line)
        return anew

    def _parted(self, number: int, message: Message) -> Iterator[tuple[str, list[int]]]:
        """Yield (speaker, lines) of the statements of a piece: all of a short one, else each sentence, of the user with
        the short ones behind it; of a summary each quote."""
        own = [*self._lines.of_piece(number)]
        most = 0 if message.index == self._newest else max(_SHORT, self._room // _PART)
        if message.origin == "summary":
            yield from quotes(self._lines, own)
        elif sum(map(self._cost, own)) <= most:
            yield from [(message.role, own)] if own else []
        elif message.role == "user":
            yield from ((message.role, told) for told in told_together(self._lines, own, self._cost))
        else:
            yield from ((message.role, [line]) for line in own)

    def _without_nods(self, said: Iterable[Said]) -> Iterator[Said]:
        """Yield statements without those of one or two words, where people talk with each other: in answer to a
        question they stay with it."""
        before: Said | None = None
        for each in said:
            if not self._people or not is_interjection(each.statement.text):
                if before is not None:
                    yield before
                before = each
            elif before is not None and asks(before.statement.text):
                yield replace(before, lines=[*before.lines, *each.lines])
                before = None
        if before is not None:
            yield before

    @cached_property
    def _likely(self) -> list[float]:
        """Return how likely each statement is needed, as it counts for who says it."""
        said = [each.statement for each in self._said]
        likely = both_values(said, self._profile.talk, self._profile.binding)
        return [self._counted(each, *both) for each, both in zip(said, likely, strict=True)]

    def _counted(self, said: Statement, later: float, binds: float) -> float:
        """Return the value of a statement: what a user asks was answered on the spot, and one of an agent counts the
        more, the likelier it is needed."""
        value = either(later, binds)
        if said.speaker != "assistant":
            return counted(value, _ASKED) if asks(said.text) else value
        share = part_between(int(100 * value), (_MAYBE, self._answers), (_SURELY, 1.0))
        return counted(value, share)

    @cached_property
    def _sentences(self) -> list[_Sentence]:
        """Return the sentences of all that is said, in order."""
        lines = self._lines
        # a nod that stays with the statement before it is of the next message
        parts = [
            (index, replace(each.statement, text=lines.text(line)), line, len(each.lines) > 1)
            for index, each in enumerate(self._said)
            for line in each.lines
        ]
        wanted = [at for at, (_, _, _, several) in enumerate(parts) if several]
        said = [part[1] for part in parts]
        likely = both_values(said, self._profile.talk, self._profile.binding, wanted) if wanted else []
        own = {at: self._counted(said[at], *both) for at, both in zip(wanted, likely, strict=True)}
        return [
            _Sentence(index, statement, line, own.get(at, self._likely[index]))
            for at, (index, statement, line, _) in enumerate(parts)
        ]

    def _telling(self, sentences: Iterable[_Sentence]) -> Iterator[tuple[_Sentence, float]]:
        """Yield sentences that are likely to be needed, each with how likely the others of its statement are, where
        several are said at once: what binds the rest or tells a fact often stands among small talk. Those of an agent
        only in a small room, and not of what it said last: that stays as a whole."""
        asked = max((m.index for m in self._messages if m.origin == "request"), default=-1)
        parted = {
            at
            for at, each in enumerate(self._said)
            if len(each.lines) > 1
            and (each.statement.speaker == "user" or (self._room <= SMALL_ROOM and each.message < asked))
        }
        several = [sentence for sentence in sentences if sentence.statement in parted]
        others: dict[int, float] = {}
        for sentence in several:
            if sentence.value < _TELLS:
                others[sentence.statement] = max(sentence.value, others.get(sentence.statement, 0.0))
        for sentence in several:
            if sentence.value >= _TELLS:
                yield sentence, others.get(sentence.statement, 0.0)


class _Sentence(Struct, frozen=True):
    """A sentence of what is said."""

    statement: int
    """Place of the statement that it is of."""
    said: Statement
    line: int
    value: float
    """How likely it is needed."""


def _worth_of_answers(messages: Sequence[Message], room: int) -> float:
    """Return what a statement of an agent counts beside one of the user: less where it says much more, in lists and
    recipes that it can write again, while what the user tells in passing is told once."""
    said = {role: sum(m.tokens for m in messages if m.role == role and m.origin != "summary") for role in _SPEAKERS}
    user, agent = (said[role] for role in _SPEAKERS)
    share = max(_LEAST, user / max(1, user, agent))  # all that the user said may stand in an earlier summary
    return min(part_between(room, (_TINY, _ANSWER), (SMALL_ROOM, 1.0)), share)
