"""Chats of a user and an agent without tools: which sentences and lines are needed to go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.talk import Statement, needed_values
from compactor_cli.features.unrepeated import rank_unrepeated
from compactor_cli.model.message import Message
from compactor_cli.model.profile import Profile
from compactor_cli.model.talking import people_talk
from compactor_cli.strategies.adaptive.conversation import is_chat, quotes
from compactor_cli.strategies.adaptive.lone_lines import leads_on, said_after

_QUOTED = 4
"""Tokens of a quote besides its text."""
_LONG = 50
"""Mean tokens of an agent's answers from which on they are long."""
_MORE = 300
"""Tokens beyond twice the room: in a small room the best may be too large, and others are looked for."""


def is_working_chat(messages: Sequence[Message]) -> bool:
    """Return whether an agent works for its user by talking: its answers are long. Where they are short, facts and
    wishes stand among small talk."""
    if not is_chat(messages) or people_talk(messages):
        return False
    answers = [message.tokens for message in messages if message.role == "assistant"]
    return bool(answers) and sum(answers) >= _LONG * len(answers)


def chat_lines(
    messages: Sequence[Message], lines: SessionLines, cost: Callable[[int], int], room: int, profile: Profile
) -> Iterator[int]:
    """Yield lines of what was said, those first that are most likely needed for their tokens beside the ones before,
    until about twice the room is taken."""
    statements: list[Statement] = []
    lines_of: list[list[int]] = []
    for number in sorted(lines.first_of):
        piece = lines.session.pieces[number]
        message = messages[piece.message]
        if not piece.speech or message.role == "system":
            continue
        for speaker, members in _statements(lines, number, message, cost):
            text = piece.text[lines.starts[members[0]] : lines.ends[members[-1]]]
            statements.append(Statement(piece.message, speaker, text))
            lines_of.append(members)
    if not statements:
        return
    values = needed_values(statements, profile.needed)
    tokens = [_QUOTED + sum(map(cost, members)) for members in lines_of]
    newest = next((m.text("text") for m in reversed(messages) if m.origin == "request"), "")
    left = 2 * room + _MORE
    for index in rank_unrepeated([said.text for said in statements], values, tokens, newest):
        yield from lines_of[index]
        left -= tokens[index]
        if left < 0:
            return


def _statements(
    lines: SessionLines, number: int, message: Message, cost: Callable[[int], int]
) -> Iterator[tuple[str, list[int]]]:
    """Yield (speaker, lines) of the statements of a piece: a sentence of the user with the short ones behind it, a line
    of the agent that does not only lead to others, and each quote of a summary."""
    if message.origin == "summary":
        yield from quotes(lines, list(lines.of_piece(number)))
        return
    told = -1
    for line in lines.of_piece(number):
        if line > told:
            members = [line, *said_after(lines, line, cost)] if message.role == "user" else [line]
            told = members[-1]
            if message.role == "user" or not leads_on(lines, line):
                yield message.role, members
