"""Conversations of people, without tools: which messages, or sentences of long ones, are worth most."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from operator import itemgetter

from msgspec.structs import replace

from compactor_cli.features.followed import answers_before_turns
from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import SessionText
from compactor_cli.features.talk import Statement, both_values, counted, either, rank_statements
from compactor_cli.features.talk_words import asks
from compactor_cli.features.term_scores import talk_share
from compactor_cli.model.message import Message
from compactor_cli.model.profile import Profile
from compactor_cli.model.talking import is_interjection, people_talk
from compactor_cli.strategies.adaptive.must_keep import speech_of
from compactor_cli.strategies.shared.chats import has_calls, is_chat, quotes
from compactor_cli.strategies.shared.lone_lines import said_after
from compactor_cli.strategies.shared.rooms import SMALL_ROOM, between, part_between

_TALK = 0.6
"""Share of talk from which on a session is people talking; agents that write their actions as text have less."""
_PART = 4
"""Part of the room above which a message is taken sentence by sentence."""
_SHORT = 40
"""Tokens of a message that is always taken as a whole."""
_TYPED = 100
"""Mean tokens of messages up to which they are of a length that people type."""
_MORE = 300
"""Tokens beyond that: in a small room the best may be too large, and others are looked for."""
_MESSAGE = 4
"""Tokens of a message besides its text."""
_TINY, _ANSWER = 150, 0.25
"""Tokens up to which a room is tiny, and what an answer of an agent counts there: what the user said comes first."""
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
    messages: Sequence[Message], lines: SessionLines, cost: Callable[[int], int], room: int, profile: Profile
) -> Iterator[int]:
    """Yield lines of statements, those worth most for their tokens first, until about twice the room is taken; a line
    may come twice. Where people talk with each other, one or two words are none: in answer to a question they stay with
    it."""
    statements: list[Statement] = []
    lines_of: list[list[int]] = []
    people, asked = people_talk(messages), False
    for number in sorted(lines.first_of):
        piece = lines.session.pieces[number]
        message = messages[piece.message]
        if not piece.speech or message.role == "system":
            continue
        for speaker, members in _statements(lines, number, message, cost, room):
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
        counted(either(later, binds), answers if said.speaker == "assistant" else 1.0)
        for (later, binds), said in zip(likely, statements, strict=True)
    ]
    for index, sentence, line, value, rest in [*_telling_sentences(statements, lines_of, lines, profile)]:
        values[index] = rest  # what tells something has room without the rest of the message
        statements.append(sentence)
        lines_of.append([line, *said_after(lines, line, cost)])
        values.append(value)
    tokens = [_MESSAGE + sum(map(cost, members)) for members in lines_of]
    left = 2 * room + _MORE
    for index in rank_statements(statements, values, tokens):
        yield from lines_of[index]
        left -= tokens[index]
        if left < 0:
            return


def _worth_of_answers(messages: Sequence[Message], room: int) -> float:
    """Return what a statement of an agent counts beside one of the user: less where it says much more, in lists and
    recipes that it can write again, while what the user tells in passing is told once."""
    said = {role: sum(m.tokens for m in messages if m.role == role and m.origin != "summary") for role in _SPEAKERS}
    user, agent = (said[role] for role in _SPEAKERS)
    share = max(_LEAST, user / max(1, user, agent))  # all that the user said may stand in an earlier summary
    return min(part_between(room, (_TINY, _ANSWER), (SMALL_ROOM, 1.0)), share)


def _telling_sentences(
    statements: Sequence[Statement], lines_of: Sequence[Sequence[int]], lines: SessionLines, profile: Profile
) -> Iterator[tuple[int, Statement, int, float, float]]:
    """Yield (index of the statement, sentence, its line, how likely it is needed, and how likely the others of its
    statement are) of sentences that are likely to be needed, where the user says several at once: what binds the rest
    or tells a fact often stands among small talk. `lines_of`: the lines of each."""
    # a nod that stays with the statement before it is of the next message
    sentences = [
        (index, replace(statement, message=lines.message(line), text=lines.text(line)), line)
        for index, (statement, members) in enumerate(zip(statements, lines_of, strict=True))
        for line in members
    ]
    wanted = [
        at for at, (index, said, _) in enumerate(sentences) if len(lines_of[index]) > 1 and said.speaker == "user"
    ]
    if not wanted:
        return
    likely = both_values([said for _, said, _ in sentences], profile.talk, profile.binding, wanted)
    needed = [either(*each) for each in likely]
    others: dict[int, float] = {}
    for at, value in zip(wanted, needed, strict=True):
        if value < _TELLS:
            others[sentences[at][0]] = max(value, others.get(sentences[at][0], 0.0))
    for at, value in zip(wanted, needed, strict=True):
        if value >= _TELLS:
            yield *sentences[at], value, others.get(sentences[at][0], 0.0)


def _statements(
    lines: SessionLines, number: int, message: Message, cost: Callable[[int], int], room: int
) -> Iterator[tuple[str, list[int]]]:
    """Yield (speaker, lines) of the statements of a piece: all of it, or each sentence, of the user with the
    short ones behind it; of a summary each quote."""
    all_lines = list(lines.of_piece(number))
    if message.origin == "summary":
        yield from quotes(lines, all_lines)
    elif sum(map(cost, all_lines)) <= max(_SHORT, room // _PART):
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
