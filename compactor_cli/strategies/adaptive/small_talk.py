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
from compactor_cli.features.restated import restated_pairs
from compactor_cli.features.talk import (
    Statement,
    discount_value,
    either_probability,
    later_and_binding_values,
    rank_statements,
)
from compactor_cli.features.talk_words import is_question
from compactor_cli.features.wording import shipped_wordings
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.profile import Profile
from compactor_cli.model.talking import is_between_people, is_interjection
from compactor_cli.strategies.adaptive.must_keep import speech_of
from compactor_cli.strategies.adaptive.replaced_statements import newer_first, with_newer
from compactor_cli.strategies.shared.chats import PlacedStatement, split_quotes, statements_in_order
from compactor_cli.strategies.shared.lone_lines import bundle_sentences, short_followers
from compactor_cli.strategies.shared.rooms import SMALL_ROOM, share_between

_ROOM_FRACTION = 4
"""Fraction of the room (one in so many) above which a message is taken sentence by sentence."""
_MAX_WHOLE_TOKENS = 40
"""Maximum tokens of a message that is always taken as a whole."""
_MIN_EVIDENCE = -0.2
"""Minimum evidence of its words against small talk for a sentence that is not small talk."""
_EXTRA_TOKENS = 300
"""Tokens beyond twice the room. In a small room the best statements may be too large, and others are needed."""
_MESSAGE_TOKENS = 4
"""Tokens of a message besides its text."""
_TINY_ROOM, _TINY_ANSWER_WEIGHT = 150, 0.25
"""Tokens up to which a room is tiny, and the weight of an agent's answer there: what the user said comes first."""
_QUESTION_WEIGHT = 0.5
"""Weight of a user's question relative to a statement."""
_LOW_PERCENT, _HIGH_PERCENT = 45, 80
"""Probability, in percent, that a statement is needed. Above the first value one of an agent weighs more, and from the
second on as much as one of a user."""
_MIN_ANSWER_WEIGHT = 0.05
"""Minimum weight of an answer, so that answers still differ from each other."""
_SPEAKERS = "user", "assistant"
_MIN_TELLING_VALUE = 0.4
"""Minimum probability of being needed for a sentence that is also taken without its message."""


def required_sentences(sentences: Sequence[str]) -> list[int]:
    """Return the indices of the sentences that stay in any case of the newest message of small talk.

    If some sentences are not small talk by their words, these are the questions among them, or else the last of them,
    and a question at the very end. Otherwise they are all questions, or else the sentence that is least like small
    talk."""
    evidence = _evidence_against_talk(sentences)
    telling = [index for index, score in enumerate(evidence) if score >= _MIN_EVIDENCE]
    questions = [index for index, text in enumerate(sentences) if is_question(text)]
    if not telling:
        return questions or sorted(range(len(evidence)), key=lambda index: -evidence[index])[:1]
    last = [len(sentences) - 1]
    return sorted(
        {*([index for index in telling if index in questions] or telling[-1:]), *(last if last[0] in questions else ())}
    )


def telling_lines(group: Group, lines: SessionLines) -> list[int]:
    """Return the lines of such a message that are not small talk: each may say what has to be done next."""
    speech = speech_of(lines, max(group.messages))
    return [
        line
        for line, score in zip(speech, _evidence_against_talk(map(lines.text, speech)), strict=True)
        if score >= _MIN_EVIDENCE
    ]


def required_lines(group: Group, lines: SessionLines, tokens: Callable[[int], int], limit: float) -> list[int]:
    """Return the lines of the newest message of talk that stay in any case, or none if they take more than `limit`
    tokens. `tokens`: returns the tokens of a line."""
    speech = speech_of(lines, max(group.messages))
    required = [speech[index] for index in required_sentences([*map(lines.text, speech)])]
    return required if sum(map(tokens, required)) <= limit else []


def are_idle(sentences: Iterable[str]) -> list[bool]:
    """Return for each sentence whether its words are those of small talk."""
    return [score < _MIN_EVIDENCE for score in _evidence_against_talk(sentences)]


def _evidence_against_talk(sentences: Iterable[str]) -> list[float]:
    """Return for each sentence how strongly its words speak against small talk."""
    wordings = shipped_wordings()
    return [wordings.text_values(text)[0] for text in sentences]


class SmallTalk:
    """What is said in a conversation, and how likely each statement of it is needed."""

    def __init__(
        self,
        messages: Sequence[Message],
        lines: SessionLines,
        line_tokens: Callable[[int], int],
        room: int,
        profile: Profile,
        newest: int = -1,
    ) -> None:
        """Take the messages and the lines of a session. `line_tokens`: returns the tokens of a line. `newest`: the
        message whose sentences are taken one by one, however short it is; -1 if it stays whole."""
        self._messages, self._lines, self._cost, self._room, self._profile = messages, lines, line_tokens, room, profile
        self._newest = newest
        self._is_people_talk = is_between_people(messages)
        self._answer_weight = 1.0 if self._is_people_talk else _weigh_answers(messages, room)
        self._statements = [*self._without_nods(statements_in_order(messages, lines, self._split_piece))]

    def rank_lines(self) -> Iterator[int]:
        """Yield the lines of statements, the ones worth most for their tokens first, until about twice the room is
        taken. Before each sentence come those that replace it. A line may occur twice."""
        statements, values = [each.statement for each in self._statements], [*self._statement_values]
        line_lists = [each.lines for each in self._statements]
        for sentence, rest_value in self._telling_sentences(self._sentences):
            values[sentence.statement] = rest_value  # a telling sentence may be taken without the rest of the message
            statements.append(sentence.content)
            line_lists.append([sentence.line, *short_followers(self._lines, sentence.line, self._cost)])
            values.append(sentence.value)
        tokens = [_MESSAGE_TOKENS + sum(map(self._cost, members)) for members in line_lists]
        order = rank_statements(statements, values, tokens)
        order = rank_statements(statements, values, self._with_newer_tokens(order, line_lists, tokens))
        summed_tokens = [*accumulate((tokens[index] for index in order), initial=0)]
        chosen = order[: bisect_right(summed_tokens, 2 * self._room + _EXTRA_TOKENS)]
        ranked = chain.from_iterable(line_lists[index] for index in chosen)
        return newer_first(ranked, self.newer_of, self._lines, self._cost)

    def _with_newer_tokens(
        self, order: Iterable[int], line_lists: Sequence[Sequence[int]], tokens: Sequence[int]
    ) -> list[int]:
        """Return the tokens of statements in this order, each with those of the later sentences that it must not stand
        without, unless statements before it need these anyway."""
        costs, seen = [*tokens], set[int]()
        for index in order:
            needed = with_newer(line_lists[index], self.newer_of, seen)
            costs[index] += sum(map(self._cost, needed.difference(line_lists[index])))
            seen |= needed
        return costs

    @cached_property
    def newer_of(self) -> dict[int, list[int]]:
        """The lines of sentences, each with the lines of later sentences that restate it."""
        statements, values = [each.content for each in self._sentences], [each.value for each in self._sentences]
        newer_of: dict[int, list[int]] = {}
        for older, newer in restated_pairs(statements, values):
            newer_of.setdefault(self._sentences[older].line, []).append(self._sentences[newer].line)
        return newer_of

    def _split_piece(self, number: int, message: Message) -> Iterator[tuple[str, list[int]]]:
        """Yield (speaker, lines) for each statement of a piece. A short piece is one statement; otherwise each sentence
        is, for the user together with the short ones after it. In a summary, each quote is one."""
        piece_lines = [*self._lines.piece_lines(number)]
        max_tokens = 0 if message.index == self._newest else max(_MAX_WHOLE_TOKENS, self._room // _ROOM_FRACTION)
        if message.origin == "summary":
            yield from split_quotes(self._lines, piece_lines)
        elif sum(map(self._cost, piece_lines)) <= max_tokens:
            yield from [(message.role, piece_lines)] if piece_lines else []
        elif message.role == "user":
            yield from ((message.role, bundle) for bundle in bundle_sentences(self._lines, piece_lines, self._cost))
        else:
            yield from ((message.role, [line]) for line in piece_lines)

    def _without_nods(self, statements: Iterable[PlacedStatement]) -> Iterator[PlacedStatement]:
        """Yield the statements without those of one or two words, if people talk with each other. A short answer to a
        question is added to the question."""
        previous: PlacedStatement | None = None
        for each in statements:
            if not self._is_people_talk or not is_interjection(each.statement.text):
                if previous is not None:
                    yield previous
                previous = each
            elif previous is not None and is_question(previous.statement.text):
                yield replace(previous, lines=[*previous.lines, *each.lines])
                previous = None
        if previous is not None:
            yield previous

    @cached_property
    def _statement_values(self) -> list[float]:
        """The probability that each statement is needed, weighted by who says it."""
        statements = [each.statement for each in self._statements]
        values = later_and_binding_values(statements, self._profile.talk, self._profile.binding)
        return [self._weigh_value(each, *pair) for each, pair in zip(statements, values, strict=True)]

    def _weigh_value(self, statement: Statement, needed_value: float, binding_value: float) -> float:
        """Return the value of a statement. A user's question counts less, as it was answered at once. A statement of an
        agent weighs more the likelier it is needed."""
        value = either_probability(needed_value, binding_value)
        if statement.speaker != "assistant":
            return discount_value(value, _QUESTION_WEIGHT) if is_question(statement.text) else value
        share = share_between(int(100 * value), (_LOW_PERCENT, self._answer_weight), (_HIGH_PERCENT, 1.0))
        return discount_value(value, share)

    @cached_property
    def _sentences(self) -> list[_Sentence]:
        """The sentences of everything that is said, in order."""
        lines = self._lines
        # a nod that stays with the statement before it belongs to the next message
        parts = [
            (index, replace(each.statement, text=lines.text(line)), line, len(each.lines) > 1)
            for index, each in enumerate(self._statements)
            for line in each.lines
        ]
        split = [position for position, (_, _, _, is_split) in enumerate(parts) if is_split]
        statements = [part[1] for part in parts]
        values = later_and_binding_values(statements, self._profile.talk, self._profile.binding, split) if split else []
        own_values = {
            position: self._weigh_value(statements[position], *pair)
            for position, pair in zip(split, values, strict=True)
        }
        return [
            _Sentence(index, statement, line, own_values.get(position, self._statement_values[index]))
            for position, (index, statement, line, _) in enumerate(parts)
        ]

    def _telling_sentences(self, sentences: Iterable[_Sentence]) -> Iterator[tuple[_Sentence, float]]:
        """Yield sentences that are likely to be needed, from statements of several, each with the highest probability
        of the statement's other sentences.

        A sentence that binds the rest or tells a fact is often surrounded by small talk. Sentences of an agent are
        included only in a small room, and only from before the last request, because its last answer stays whole."""
        last_request = max((m.index for m in self._messages if m.origin == "request"), default=-1)
        split_statements = {
            index
            for index, each in enumerate(self._statements)
            if len(each.lines) > 1
            and (each.statement.speaker == "user" or (self._room <= SMALL_ROOM and each.message < last_request))
        }
        candidates = [sentence for sentence in sentences if sentence.statement in split_statements]
        other_values: dict[int, float] = {}
        for sentence in candidates:
            if sentence.value < _MIN_TELLING_VALUE:
                other_values[sentence.statement] = max(sentence.value, other_values.get(sentence.statement, 0.0))
        for sentence in candidates:
            if sentence.value >= _MIN_TELLING_VALUE:
                yield sentence, other_values.get(sentence.statement, 0.0)


class _Sentence(Struct, frozen=True):
    """A sentence of what is said."""

    statement: int
    """Index of the statement that it belongs to."""
    content: Statement
    line: int
    value: float
    """Probability that it is needed."""


def _weigh_answers(messages: Sequence[Message], room: int) -> float:
    """Return the weight of an agent's statement relative to one of the user. It is lower if the agent says much more,
    in lists and recipes that it can write again, while the user mentions things only once."""
    tokens = {role: sum(m.tokens for m in messages if m.role == role and m.origin != "summary") for role in _SPEAKERS}
    user, agent = (tokens[role] for role in _SPEAKERS)
    share = max(_MIN_ANSWER_WEIGHT, user / max(1, user, agent))  # everything the user said may be in an earlier summary
    return min(share_between(room, (_TINY_ROOM, _TINY_ANSWER_WEIGHT), (SMALL_ROOM, 1.0)), share)
