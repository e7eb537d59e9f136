"""Conversations without tools: whether they are small talk, and what the newest request answers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import itemgetter

from compactor_cli.features.after_request import answers_before_turns
from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import SessionText
from compactor_cli.features.term_scores import talk_share
from compactor_cli.model.message import Message
from compactor_cli.model.talking import is_between_people
from compactor_cli.strategies.adaptive.must_keep import speech_of
from compactor_cli.strategies.adaptive.small_talk import are_idle
from compactor_cli.strategies.shared.chats import has_calls, is_chat, is_working_chat
from compactor_cli.strategies.shared.rooms import SMALL_ROOM, tokens_between
from compactor_cli.text.clauses import split_clauses

_MIN_TALK_SHARE = 0.6
"""Share of talk from which on a session is people talking. Agents that write their actions as text have less."""
_MAX_TYPED_TOKENS, _MAX_TYPED_LINES = 100, 2
"""Maximum mean tokens and lines of messages that people type."""
_NEWEST_REQUESTS, _MIN_IDLE_SHARE = 40, 0.25
"""Number of the user's newest messages to examine, and the share of idle sentences in them from which on they are small
talk. Users who translate, plan or ask for facts line by line have a tenth or two."""
_ANSWER_SHARE = 0.3
"""Share of the room for what the newest request answers. In a tiny room it gets nothing."""
_TINY_ROOM = 150
"""Tokens up to which a room is tiny."""


def is_talk(messages: Sequence[Message], session: SessionText) -> bool:
    """Return whether nobody calls a tool, and the messages are either not full of names, as work in text form is, or no
    longer than what people type."""
    return not has_calls(messages) and (
        talk_share(session) >= _MIN_TALK_SHARE or (is_chat(messages) and _is_typed(messages))
    )


def _is_typed(messages: Sequence[Message]) -> bool:
    """Return whether the messages of each side are short, and rarely have more than one line."""
    for role in ("user", "assistant"):
        role_messages = [m for m in messages if m.role == role and m.origin != "summary"]
        lines = sum(m.text("text").strip().count("\n") + 1 for m in role_messages)
        if sum(m.tokens for m in role_messages) > _MAX_TYPED_TOKENS * len(
            role_messages
        ) or lines > _MAX_TYPED_LINES * len(role_messages):
            return False
    return True


def is_small_talk(messages: Sequence[Message]) -> bool:
    """Return whether all messages are short, and many of the user's last sentences are small talk by their words. Then
    no work is done by talking, and length does not make a message valuable."""
    if not is_chat(messages) or not _is_typed(messages) or is_working_chat(messages):
        return False
    requests = [m.text("text") for m in messages if m.origin == "request"][-_NEWEST_REQUESTS:]
    idle = are_idle(clause.text for text in requests for clause in split_clauses(text))
    return sum(idle) >= _MIN_IDLE_SHARE * len(idle)


def answered_lines(
    messages: Sequence[Message], lines: SessionLines, cost: Callable[[int], int], room: int
) -> Sequence[int]:
    """Return what the newest request answers, or its end if it does not fit. Only for an agent that does nothing but
    talk: then its text is all there is to continue from."""
    index, _ = max(answers_before_turns(messages), key=itemgetter(1), default=(-1, -1))
    if index < 0 or has_calls(messages) or is_between_people(messages):
        return ()
    speech = speech_of(lines, index)
    summed_costs = [*accumulate(map(cost, reversed(speech)))]
    return speech[
        len(speech) - bisect_right(summed_costs, tokens_between(room, (_TINY_ROOM, 0.0), (SMALL_ROOM, _ANSWER_SHARE))) :
    ]
