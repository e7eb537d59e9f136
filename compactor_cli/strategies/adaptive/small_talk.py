"""The choice among small talk, of people or of a user and an agent: the messages, or the sentences of long ones, that
are worth most."""

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
"""Fraction of the room (one in so many) above which a message is taken sentence by sentence."""
_SHORT = 40
"""Maximum tokens of a message that is always taken as a whole."""
_IDLE = -0.2
"""Minimum evidence of its words against small talk for a sentence that is not small talk."""
_MORE = 300
"""Tokens beyond twice the room. In a small room the best statements may be too large, and others are needed."""
_MESSAGE = 4
"""Tokens of a message besides its text."""
_TINY, _ANSWER = 150, 0.25
"""Tokens up to which a room is tiny, and the weight of an agent's answer there: what the user said comes first."""
_ASKED = 0.5
"""Weight of a user's question relative to a statement."""
_MAYBE, _SURELY = 45, 80
"""Probability, in percent, that a statement is needed: above the first value one of an agent weighs more, and from the
second on as much as one of a user."""
_LEAST = 0.05
"""Minimum weight of an answer, so that answers still differ from each other."""
_SPEAKERS = "user", "assistant"
_TELLS = 0.4
"""Minimum probability of being needed for a sentence that is also taken without its message."""


def awaited(sentences: Sequence[str]) -> list[int]:
    """Return the indices of the sentences that stay in any case of the newest message of small talk.

    If some sentences are not small talk by their words, these are the questions among them, or else the last of them,
    and a question at the very end. Otherwise they are all questions, or else the sentence that is least like small
    talk."""
    speaks = _speaks_for_more(sentences)
    telling = [at for at, more in enumerate(speaks) if more >= _IDLE]
    asking = [at for at, text in enumerate(sentences) if asks(text)]
    if not telling:
        return asking or sorted(range(len(speaks)), key=lambda at: -speaks[at])[:1]
    last = [len(sentences) - 1]
    return sorted({*([at for at in telling if at in asking] or telling[-1:]), *(last if last[0] in asking else ())})


def told_now(group: Group, lines: SessionLines) -> list[int]:
    """Return the lines of such a message that are not small talk: each may say what has to be done next."""
    said = speech_of(lines, max(group.messages))
    return [line for line, more in zip(said, _speaks_for_more(map(lines.text, said)), strict=True) if more >= _IDLE]


def awaited_lines(group: Group, lines: SessionLines) -> list[int]:
    """Return the lines of the newest message of small talk that stay in any case."""
    said = speech_of(lines, max(group.messages))
    return [said[at] for at in awaited([*map(lines.text, said)])]


def are_idle(sentences: Iterable[str]) -> list[bool]:
    """Return for each sentence whether its words are those of small talk."""
    return [more < _IDLE for more in _speaks_for_more(sentences)]


def _speaks_for_more(sentences: Iterable[str]) -> list[float]:
    """Return for each sentence how strongly its words speak against small talk."""
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
        """Take the messages and the lines of a session. `cost`: returns the tokens of a line. `newest`: the message
        whose sentences are taken one by one, however short it is; -1 if it stays whole."""
        self._messages, self._lines, self._cost, self._room, self._profile = messages, lines, cost, room, profile
        self._newest = newest
        self._people = people_talk(messages)
        self._answers = 1.0 if self._people else _worth_of_answers(messages, room)
        self._said = [*self._without_nods(said_in_turn(messages, lines, self._parted))]

    def ranked(self) -> Iterator[int]:
        """Yield the lines of statements, the ones worth most for their tokens first, until about twice the room is
        taken. Before each sentence come those that replace it. A line may occur twice."""
        said, values = [each.statement for each in self._said], [*self._likely]
        lines_of = [each.lines for each in self._said]
        for sentence, rest in self._telling(self._sentences):
            values[sentence.statement] = rest  # a telling sentence may be taken without the rest of the message
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
        """The lines of sentences, each with the lines of later sentences that restate it."""
        said, values = [each.said for each in self._sentences], [each.value for each in self._sentences]
        anew: dict[int, list[int]] = {}
        for older, newer in restated(said, values):
            anew.setdefault(self._sentences[older].line, []).append(self._sentences[newer].line)
        return anew

    def _parted(self, number: int, message: Message) -> Iterator[tuple[str, list[int]]]:
        """Yield (speaker, lines) for each statement of a piece. A short piece is one statement; otherwise each sentence
        is, for the user together with the short ones behind it. In a summary, each quote is one."""
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
        """Yield the statements without those of one or two words, if people talk with each other. A short answer to a
        question is added to the question."""
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
        """The probability that each statement is needed, weighted by who says it."""
        said = [each.statement for each in self._said]
        likely = both_values(said, self._profile.talk, self._profile.binding)
        return [self._counted(each, *both) for each, both in zip(said, likely, strict=True)]

    def _counted(self, said: Statement, later: float, binds: float) -> float:
        """Return the value of a statement. A user's question counts less, as it was answered at once. A statement of an
        agent weighs more the likelier it is needed."""
        value = either(later, binds)
        if said.speaker != "assistant":
            return counted(value, _ASKED) if asks(said.text) else value
        share = part_between(int(100 * value), (_MAYBE, self._answers), (_SURELY, 1.0))
        return counted(value, share)

    @cached_property
    def _sentences(self) -> list[_Sentence]:
        """The sentences of everything that is said, in order."""
        lines = self._lines
        # a nod that stays with the statement before it belongs to the next message
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
        """Yield sentences that are likely to be needed, from statements of several, each with the highest probability
        of the statement's other sentences.

        What binds the rest or tells a fact often stands among small talk. Sentences of an agent are included only in a
        small room, and only from before the last request, because its last answer stays whole."""
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
    """Index of the statement that it belongs to."""
    said: Statement
    line: int
    value: float
    """Probability that it is needed."""


def _worth_of_answers(messages: Sequence[Message], room: int) -> float:
    """Return the weight of an agent's statement relative to one of the user. It is lower if the agent says much more,
    in lists and recipes that it can write again, while the user mentions things only once."""
    said = {role: sum(m.tokens for m in messages if m.role == role and m.origin != "summary") for role in _SPEAKERS}
    user, agent = (said[role] for role in _SPEAKERS)
    share = max(_LEAST, user / max(1, user, agent))  # everything the user said may be in an earlier summary
    return min(part_between(room, (_TINY, _ANSWER), (SMALL_ROOM, 1.0)), share)
