"""Chats of a user and an agent without tools: which sentences and lines are needed to go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, zip_longest

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.talk import Statement, needed_values
from compactor_cli.features.unrepeated import rank_unrepeated
from compactor_cli.model.message import Message
from compactor_cli.model.profile import Profile
from compactor_cli.model.talking import people_talk
from compactor_cli.strategies.shared.lone_lines import leads_on, said_after
from compactor_cli.summary_text.excerpts import begins_part, is_said_by
from compactor_cli.summary_text.state_block import state_lines

_QUOTED = 4
"""Tokens of a quote besides its text."""
_LONG = 50
"""Mean tokens of an agent's answers from which on they are long."""
_MORE = 300
"""Tokens beyond twice the room: in a small room the best may be too large, and others are looked for."""


def is_chat(messages: Sequence[Message]) -> bool:
    """Return whether a user and an agent do nothing but talk: nobody calls a tool, and no harness answers the agent, as
    one does that runs calls which are written as text."""
    if has_calls(messages) or any(map(_tells_of_work, messages)):
        return False
    turns = [speaker for speaker, _ in groupby(filter(None, map(_speaker, messages)))]
    return not any(
        (one, following) == ("agent", "harness") and behind != "user"
        for one, following, behind in zip_longest(turns, turns[1:], turns[2:])
    )


def _speaker(message: Message) -> str:
    """Return who says something, as far as an agent hears it in turn."""
    if message.role == "assistant":
        return "agent"
    return {"injected": "harness", "request": "user"}.get(message.origin, "")


def _tells_of_work(message: Message) -> bool:
    """Return whether a summary of an earlier round tells the state of work."""
    return message.origin == "summary" and bool(state_lines(message.text("text")))


def has_calls(messages: Sequence[Message]) -> bool:
    """Return whether anybody calls a tool."""
    return any(
        message.role == "tool" or part.kind in ("tool_call", "tool_result")
        for message in messages
        for part in message.parts
    )


def is_working_chat(messages: Sequence[Message]) -> bool:
    """Return whether an agent works for its user by talking: its answers are long. Where they are short, facts and
    wishes stand among small talk."""
    if not is_chat(messages) or people_talk(messages) or not any(m.origin == "request" for m in messages):
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


def quotes(lines: SessionLines, all_lines: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
    """Yield (speaker, lines) of the quotes in a summary."""
    speaker, quote = "assistant", list[int]()
    for line in all_lines:
        text = lines.text(line)
        if begins_part(text):
            if quote:
                yield speaker, quote
            speaker, quote = "user" if is_said_by("user", text) else "assistant", []
        quote.append(line)
    if quote:
        yield speaker, quote
