"""Conversations of people, without tools: which messages, or sentences of long ones, are worth most."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain
from operator import itemgetter

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.followed import answers_before_turns
from compactor_cli.features.lines import SessionLines
from compactor_cli.features.restated import restated
from compactor_cli.features.session_text import SessionText
from compactor_cli.features.talk import Statement, both_values, counted, either, rank_statements
from compactor_cli.features.talk_words import asks
from compactor_cli.features.term_scores import talk_share
from compactor_cli.features.wording import shipped_wordings
from compactor_cli.model.message import Message
from compactor_cli.model.profile import Profile
from compactor_cli.model.talking import is_interjection, people_talk
from compactor_cli.strategies.adaptive.must_keep import speech_of
from compactor_cli.strategies.adaptive.said_anew import anew_first
from compactor_cli.strategies.shared.chats import has_calls, is_chat, is_working_chat, quotes
from compactor_cli.strategies.shared.lone_lines import said_after
from compactor_cli.strategies.shared.rooms import SMALL_ROOM, between, part_between

_TALK = 0.6
"""Share of talk from which on a session is people talking; agents that write their actions as text have less."""
_PART = 4
"""Part of the room above which a message is taken sentence by sentence."""
_SHORT = 40
"""Tokens of a message that is always taken as a whole."""
_IDLE, _ASKED_NOW = -0.2, 0.6
"""What the words of a sentence speak for at least that is no small talk; and how likely such a sentence of the newest
message is needed: it may be what has to be done next."""
_TYPED = 100
"""Mean tokens of messages up to which they are of a length that people type."""
_MORE = 300
"""Tokens beyond that: in a small room the best may be too large, and others are looked for."""
_MESSAGE = 4
"""Tokens of a message besides its text."""
_TINY, _ANSWER = 150, 0.25
"""Tokens up to which a room is tiny, and what an answer of an agent counts there: what the user said comes first."""
_MAYBE, _SURELY = 60, 90
"""Hundredths of how likely a statement is needed from which on one of an agent counts more, and as much as a user's."""
_LEAST = 0.05
"""What an answer counts at least: it is told from another one."""
_SPEAKERS = "user", "assistant"
_ANSWERED = 0.3
"""Share of a room for what the newest request answers; of a tiny one it has nothing."""
_TELLS = 0.4
"""How likely a sentence of the user has to be needed for it to be taken without its message, too."""


def is_talk(messages: Sequence[Message], session: SessionText) -> bool:
    """Return whether nobody calls a tool, and what is said is not full of names as work in a text form is, or no longer
    than what somebody types."""
    return not has_calls(messages) and (talk_share(session) >= _TALK or (is_chat(messages) and _is_typed(messages)))


def _is_typed(messages: Sequence[Message]) -> bool:
    """Return whether the messages of each side are short."""
    sizes = ([m.tokens for m in messages if m.role == role] for role in _SPEAKERS)
    return all(sum(each) <= _TYPED * len(each) for each in sizes)


def is_small_talk(messages: Sequence[Message]) -> bool:
    """Return whether all that is said is short: no work is done by talking, and a message is not worth its length."""
    return is_chat(messages) and _is_typed(messages) and not is_working_chat(messages)


def awaited(sentences: Sequence[str]) -> list[int]:
    """Return which sentences of the newest message of small talk stay in any case: those that ask, else the last one
    whose words do not speak for small talk, else the one of which they do least."""
    asking = [at for at, text in enumerate(sentences) if asks(text)]
    if asking or not sentences:
        return asking
    speaks = _speaks_for_more(sentences)
    return [max((at for at, more in enumerate(speaks) if more >= _IDLE), default=speaks.index(max(speaks)))]


def _speaks_for_more(sentences: Iterable[str]) -> list[float]:
    """Return how much the words of each sentence speak for something else than small talk."""
    wordings = shipped_wordings()
    return [wordings.of_text(text)[0] for text in sentences]


def answered_lines(
    messages: Sequence[Message], lines: SessionLines, cost: Callable[[int], int], room: int
) -> Sequence[int]:
    """Return what the newest request answers, or how it ends where it has no room, when an agent does nothing but
    talk: what it says is all that there is to go on with."""
    index, _ = max(answers_before_turns(messages), key=itemgetter(1), default=(-1, -1))
    if index < 0 or has_calls(messages) or people_talk(messages):
        return ()
    speech = speech_of(lines, index)
    used = [*accumulate(map(cost, reversed(speech)))]
    return speech[len(speech) - bisect_right(used, between(room, (_TINY, 0.0), (SMALL_ROOM, _ANSWERED))) :]


def ranked_lines(
    messages: Sequence[Message],
    lines: SessionLines,
    cost: Callable[[int], int],
    room: int,
    profile: Profile,
    newest: int = -1,
) -> Iterator[int]:
    """Yield lines of statements, those worth most for their tokens first, until about twice the room is taken; a line
    may come twice. Where people talk with each other, one or two words are none: in answer to a question they stay with
    it. `newest`: the message whose sentences may tell what has to be done next."""
    statements: list[Statement] = []
    lines_of: list[list[int]] = []
    people, asked = people_talk(messages), False
    for number in sorted(lines.first_of):
        piece = lines.session.pieces[number]
        message = messages[piece.message]
        if not piece.speech or message.role == "system":
            continue
        parted = 0 if piece.message == newest else max(_SHORT, room // _PART)
        for speaker, members in _statements(lines, number, message, cost, parted):
            text = piece.text[lines.starts[members[0]] : lines.ends[members[-1]]]
            if people and is_interjection(text):
                if asked:
                    lines_of[-1] = [*lines_of[-1], *members]
                asked = False
                continue
            asked = asks(text)
            statements.append(Statement(piece.message, speaker, text))
            lines_of.append(members)
    likely = both_values(statements, profile.talk, profile.binding)
    answers = 1.0 if people else _worth_of_answers(messages, room)
    values = [
        counted(either(*each), _told_by(said.speaker, either(*each), answers))
        for each, said in zip(likely, statements, strict=True)
    ]
    for at in (at for at, said in enumerate(statements) if said.message == newest):
        if _speaks_for_more([statements[at].text])[0] >= _IDLE:
            values[at] = max(values[at], _ASKED_NOW)
    sentences = [*_sentences(statements, lines_of, lines, values, profile, answers)]
    anew: dict[int, list[int]] = {}
    told = [sentence.said for sentence in sentences]
    for older, newer in restated(told, [sentence.value for sentence in sentences]):
        anew.setdefault(sentences[older].line, []).append(sentences[newer].line)
    for index, sentence, value, rest in [*_telling(sentences, lines_of)]:
        values[index] = rest  # what tells something has room without the rest of the message
        statements.append(sentence.said)
        lines_of.append([sentence.line, *said_after(lines, sentence.line, cost)])
        values.append(value)
    tokens = [_MESSAGE + sum(map(cost, members)) for members in lines_of]
    ranked = rank_statements(statements, values, tokens)
    in_time = list(accumulate((tokens[index] for index in ranked), initial=0))
    enough = ranked[: bisect_right(in_time, 2 * room + _MORE)]
    yield from anew_first(chain.from_iterable(lines_of[index] for index in enough), anew, lines, cost)


def _worth_of_answers(messages: Sequence[Message], room: int) -> float:
    """Return what a statement of an agent counts beside one of the user: less where it says much more, in lists and
    recipes that it can write again, while what the user tells in passing is told once."""
    said = {role: sum(m.tokens for m in messages if m.role == role and m.origin != "summary") for role in _SPEAKERS}
    user, agent = (said[role] for role in _SPEAKERS)
    share = max(_LEAST, user / max(1, user, agent))  # all that the user said may stand in an earlier summary
    return min(part_between(room, (_TINY, _ANSWER), (SMALL_ROOM, 1.0)), share)


def _told_by(speaker: str, value: float, answers: float) -> float:
    """Return what a statement counts for who says it: of an agent the more, the likelier it is needed."""
    if speaker != "assistant":
        return 1.0
    return max(answers, part_between(int(100 * value), (_MAYBE, answers), (_SURELY, 1.0)))


class _Sentence(Struct, frozen=True):
    """A sentence of what the user says."""

    statement: int
    said: Statement
    line: int
    value: float
    """How likely it is needed."""


def _sentences(
    statements: Sequence[Statement],
    lines_of: Sequence[Sequence[int]],
    lines: SessionLines,
    values: Sequence[float],
    profile: Profile,
    answers: float,
) -> Iterator[_Sentence]:
    """Yield the sentences of what the user says, in order. `lines_of` and `values`: those of each statement."""
    # a nod that stays with the statement before it is of the next message
    sentences = [
        (index, replace(statement, message=lines.message(line), text=lines.text(line)), line)
        for index, (statement, members) in enumerate(zip(statements, lines_of, strict=True))
        for line in members
    ]
    wanted = [at for at, (index, _, _) in enumerate(sentences) if len(lines_of[index]) > 1]
    likely = both_values([said for _, said, _ in sentences], profile.talk, profile.binding, wanted) if wanted else []
    needed = {at: either(*each) for at, each in zip(wanted, likely, strict=True)}
    for at, (index, said, line) in enumerate(sentences):
        if at not in needed:
            yield _Sentence(index, said, line, values[index])
        else:
            yield _Sentence(index, said, line, counted(needed[at], _told_by(said.speaker, needed[at], answers)))


def _telling(
    sentences: Sequence[_Sentence], lines_of: Sequence[Sequence[int]]
) -> Iterator[tuple[int, _Sentence, float, float]]:
    """Yield (index of the statement, sentence, how likely it is needed, and how likely the others of its statement are)
    of sentences that are likely to be needed, where the user says several at once: what binds the rest or tells a fact
    often stands among small talk."""
    several = [sentence for sentence in sentences if len(lines_of[sentence.statement]) > 1]
    others: dict[int, float] = {}
    for sentence in several:
        if sentence.value < _TELLS:
            others[sentence.statement] = max(sentence.value, others.get(sentence.statement, 0.0))
    for sentence in several:
        if sentence.value >= _TELLS:
            yield sentence.statement, sentence, sentence.value, others.get(sentence.statement, 0.0)


def _statements(
    lines: SessionLines, number: int, message: Message, cost: Callable[[int], int], most: int
) -> Iterator[tuple[str, list[int]]]:
    """Yield (speaker, lines) of the statements of a piece: all of it where it takes `most` tokens, else each sentence,
    of the user with the short ones behind it; of a summary each quote."""
    all_lines = list(lines.of_piece(number))
    if message.origin == "summary":
        yield from quotes(lines, all_lines)
    elif sum(map(cost, all_lines)) <= most:
        yield from [(message.role, all_lines)] if all_lines else []
    elif message.role == "user":
        told = -1
        for line in all_lines:
            if line > told:
                members = [line, *said_after(lines, line, cost)]
                told = members[-1]
                yield message.role, members
    else:
        yield from ((message.role, [line]) for line in all_lines)
