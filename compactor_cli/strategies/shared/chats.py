"""Chats of a user and an agent without tools: which sentences and lines are needed to continue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby, zip_longest
from typing import TYPE_CHECKING

from msgspec import Struct

from compactor_cli.features.talk import Statement, either_probability, needed_and_binding
from compactor_cli.features.unrepeated import rank_unrepeated
from compactor_cli.model.message import Message
from compactor_cli.strategies.shared.binding import reverses_course
from compactor_cli.strategies.shared.lone_lines import bundle_sentences, is_lead_in
from compactor_cli.summary_text.excerpts import bare, speaker_of
from compactor_cli.summary_text.state_block import state_lines

if TYPE_CHECKING:
    from compactor_cli.features.lines import SessionLines
    from compactor_cli.model.profile import Profile

_QUOTE_TOKENS = 4
"""Tokens of a quote besides its text."""
_LONG_ANSWER_TOKENS, _MAX_USER_RATIO = 50, 1.5
"""Mean tokens of an agent's answers from which on they are long. Second: the tokens of a user for each token of the
agent that are more than anybody types."""
_SHORT_TOKENS = 40
"""Tokens up to which a message of the user is one statement."""
_REQUEST_SHARE, _RULE_SHARE, _MIN_BINDING = 0.1, 0.15, 0.6
"""Shares of the room for the first request, for the newest one that is chosen line by line (mostly the one before the
newest of all), and for what binds the rest of the chat. Third: the minimum probability that a statement binds."""
_CARRIED_VALUE = 0.15
"""Probability that the user's words are needed for the sole reason that an earlier round kept them."""
_EXTRA_TOKENS = 300
"""Tokens beyond twice the room. In a small room the best statements may be too large, and others are needed."""


class PlacedStatement(Struct, frozen=True):
    """A statement with its position."""

    statement: Statement
    """The `message` field of the statement is the number of its turn."""
    lines: list[int]
    message: int
    is_carried: bool
    """Whether these are words of the user that an earlier round kept."""


def is_chat(messages: Sequence[Message]) -> bool:
    """Return whether a user and an agent only talk: nobody calls a tool, and no harness answers the agent, as one does
    that runs calls written as text."""
    if has_calls(messages) or any(m.origin == "summary" and state_lines(m.text("text")) for m in messages):
        return False  # the state in a summary of an earlier round is of work
    turns = [speaker for speaker, _ in groupby(filter(None, map(_speaker, messages)))]
    return not any(
        (first, second) == ("agent", "harness") and third != "user"
        for first, second, third in zip_longest(turns, turns[1:], turns[2:])
    )


def _speaker(message: Message) -> str:
    """Return who speaks in a message, from the agent's point of view; an empty string for other messages."""
    if message.role == "assistant":
        return "agent"
    return {"injected": "harness", "request": "user"}.get(message.origin, "")


def has_calls(messages: Sequence[Message]) -> bool:
    """Return whether anybody calls a tool."""
    return any(
        message.role == "tool" or part.kind in ("tool_call", "tool_result")
        for message in messages
        for part in message.parts
    )


def is_working_chat(messages: Sequence[Message]) -> bool:
    """Return whether an agent works for its user by talking, with long answers. If the answers are short, facts and
    wishes are scattered among small talk. If the replies to them are much longer, these are output of the agent's
    commands."""
    if not is_chat(messages):
        return False
    answer_tokens = [_text_tokens(message) for message in messages if message.role == "assistant"]
    request_tokens = [_text_tokens(message) for message in messages if message.origin == "request"]
    return (
        bool(request_tokens)
        and sum(request_tokens[1:]) <= _MAX_USER_RATIO * sum(answer_tokens)
        and sum(answer_tokens) >= _LONG_ANSWER_TOKENS * max(1, len(answer_tokens))
    )


def _text_tokens(message: Message) -> int:
    return sum(part.tokens for part in message.parts if part.kind == "text")


def chat_lines(
    messages: Sequence[Message], lines: SessionLines, cost: Callable[[int], int], room: int, profile: Profile
) -> Iterator[int]:
    """Yield lines of what was said, about twice as many as fit into the room. The first ones are most likely needed for
    their tokens, given the lines before them."""
    placed = [
        *statements_in_order(messages, lines, lambda number, message: _piece_statements(lines, number, message, cost))
    ]
    if not placed:
        return
    statements = [each.statement for each in placed]
    values, binds = needed_and_binding(statements, profile.needed, profile.binding)
    for position, each in enumerate(placed):
        if each.is_carried:
            values[position] = either_probability(values[position], _CARRIED_VALUE)
    tokens = [_QUOTE_TOKENS + sum(map(cost, each.lines)) for each in placed]
    order = list(rank_unrepeated(statements, values, tokens))
    requests = [each.message for each in placed if messages[each.message].origin == "request"]
    of_requests: list[int] = []
    for message in dict.fromkeys([*requests[:1], *requests[-1:]]):
        candidates = [index for index in order if placed[index].message == message]
        of_requests += _fitting(_REQUEST_SHARE * room, candidates, tokens)
    rules = [position for position in order if binds[position] >= _MIN_BINDING]
    rule_indices = _fitting(
        _RULE_SHARE * room, sorted(rules, key=lambda position: -binds[position] / tokens[position] ** 0.5), tokens
    )
    tokens_left = 2 * room + _EXTRA_TOKENS
    strongest_rules = _strongest_rules(statements, values, binds)
    ordered = ((strongest_rules.get(index, index), index) for index in chain(of_requests, rule_indices, order))
    for index in dict.fromkeys(chain.from_iterable(ordered)):
        yield from placed[index].lines
        tokens_left -= tokens[index]
        if tokens_left < 0:
            return


def _strongest_rules(
    statements: Sequence[Statement], values: Sequence[float], binds: Sequence[float]
) -> dict[int, int]:
    """Map each statement to the most binding one of its message if that one is needed at least as much. Otherwise a
    shorter statement that only tells something could be kept without it."""
    found: dict[int, int] = {}
    for _, group in groupby(range(len(statements)), lambda index: statements[index].message):
        members = [*group]
        strongest = max(members, key=binds.__getitem__)
        if binds[strongest] >= _MIN_BINDING:
            found.update((index, strongest) for index in members if values[strongest] >= values[index])
    return found


def statements_in_order(
    messages: Sequence[Message],
    lines: SessionLines,
    split_piece: Callable[[int, Message], Iterable[tuple[str, list[int]]]],
) -> Iterator[PlacedStatement]:
    """Yield the statements in order. `split_piece`: returns (speaker, lines) for each statement of a piece of a
    message. Each quote in a summary counts as a turn of its own, as it did originally."""
    turn_count, last = 0, -1
    for number in sorted(lines.first_of):
        piece = lines.session.pieces[number]
        message = messages[piece.message]
        if not piece.is_speech or message.role == "system":
            continue
        for speaker, members in split_piece(number, message):
            text = piece.text[lines.starts[members[0]] : lines.ends[members[-1]]]
            is_quote = message.origin == "summary"
            turn_count += piece.message != last or (is_quote and speaker_of(text) is not None)
            last = piece.message
            if is_quote:  # its words, without marks
                text = "\n".join(bare(line).removeprefix(" ") for line in text.split("\n"))
            statement = Statement(turn_count, speaker, text)
            yield PlacedStatement(statement, members, piece.message, is_carried=is_quote and speaker == "user")


def _fitting(tokens_left: float, order: Iterable[int], tokens: Sequence[int]) -> Iterator[int]:
    """Yield the statements that fit into the room, one after the other."""
    for index in order:
        if tokens[index] <= tokens_left:
            tokens_left -= tokens[index]
            yield index


def _piece_statements(
    lines: SessionLines, number: int, message: Message, cost: Callable[[int], int]
) -> Iterator[tuple[str, list[int]]]:
    """Yield (speaker, lines) for each statement of a piece.

    A short message of the user is one statement; otherwise each sentence is, with short ones after it and those that
    take it back. Of the agent, each line is, except lines that only introduce others. Of a summary, each quote is, and
    of a long quote of the user each sentence."""
    piece_lines = list(lines.piece_lines(number))
    if message.origin == "summary":
        for speaker, quote in split_quotes(lines, piece_lines):
            if speaker == "user" and sum(map(cost, quote)) > _SHORT_TOKENS:
                yield from ((speaker, bundle) for bundle in bundle_sentences(lines, quote, cost, reverses_course))
            else:
                yield speaker, quote
    elif message.role == "assistant":
        yield from ((message.role, [line]) for line in piece_lines if not is_lead_in(lines, line))
    elif sum(map(cost, piece_lines)) <= _SHORT_TOKENS:
        yield from [(message.role, piece_lines)] if piece_lines else []
    else:
        yield from ((message.role, bundle) for bundle in bundle_sentences(lines, piece_lines, cost, reverses_course))


def split_quotes(lines: SessionLines, all_lines: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
    """Yield (speaker, lines) for each quote in a summary."""
    speaker, quote = "assistant", list[int]()
    for line in all_lines:
        text = lines.text(line)
        if begun := speaker_of(text):
            if quote:
                yield speaker, quote
            speaker, quote = "user" if begun.name == "user" else "assistant", []
        quote.append(line)
    if quote:
        yield speaker, quote
