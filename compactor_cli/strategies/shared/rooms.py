"""Shares of the room that depend on its size: in a small room, one exchange or one request takes much of it."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.message import Message

INSTRUCTIONS_SHARE = 0.1
"""Share of the room for standing instructions that a harness inserted."""
BINDING_SHARE = 0.08
"""Share of the room for the binding sentences of instructions that do not fit as a whole."""
LARGE_REQUEST_SHARE, SMALL_REQUEST_TOKENS = 0.4, 60
"""Share of the room, and number of tokens in any case, up to which the last request is kept whole."""
LARGE_CHAT_SHARE = 0.6
"""Share of the room up to which the last request is kept whole in a chat. If the agent works only by talking, the same
share applies to everything the user said: there is no state of work that needs room, and the agent's earlier answers
matter less than the current question."""
DETAIL_TOKENS = 60_000
"""Tokens of a room that are distributed line by line. The newest groups get the rest of a larger room, whole."""
_AGENT_SUMMARY_SHARE, _OLD_AGENT_SUMMARY_SHARE = 0.15, 0.05
"""Shares of a room for the summary that an agent had written of its session, which says where the work stood. The
second one applies once the user has asked for more than one thing after it."""
_SMALL_REQUEST_SHARE, _REQUEST_SHARE = 0.48, 0.4
"""Shares of a small and a large room for what the user said: everything whole if it fits, otherwise the binding
sentences."""
MIN_DIALOGUE_REQUESTS, _SMALL_DIALOGUE_SHARE, _LARGE_DIALOGUE_ROOM = 4, 0.7, 1_600
"""Number of requests from which on the user's words are a dialogue, their share of a small room in that case, and the
tokens from which on a room is large for it. In a dialogue a rule is said once, while the work shows again what a single
long request says."""
SMALL_ROOM, LARGE_ROOM = 400, 800
"""Number of tokens up to which a room is small, and from which on it is large."""


def share_of(room: int, small: float, large: float) -> float:
    """Return a share in tokens: `small` applies to small rooms, `large` to large ones, and a proportional share to
    sizes between the two."""
    return tokens_between(room, (SMALL_ROOM, small), (LARGE_ROOM, large))


def tokens_between(room: int, low: tuple[int, float], high: tuple[int, float]) -> float:
    """Return a share in tokens that changes from one room size to another. `low` and `high` are pairs of size and
    share."""
    return room * share_between(room, low, high)


def share_between(room: int, low: tuple[int, float], high: tuple[int, float]) -> float:
    """Return that share itself, as a part of the room."""
    (smallest, first), (largest, last) = low, high
    position = (min(max(room, smallest), largest) - smallest) / (largest - smallest)
    return first + position * (last - first)


def room_for_older(request_tokens: float, room: int) -> float:
    """Return the tokens that the newest groups leave to the choice line by line. `request_tokens`: tokens of what the
    user said before those groups; it stays whole as long as it fits in its share of the whole room."""
    return max(DETAIL_TOKENS, (1 - _REQUEST_SHARE) * DETAIL_TOKENS + min(request_tokens, _REQUEST_SHARE * room))


def room_for_requests(tokens_left: int, room: int, request_count: int) -> float:
    """Return the tokens for what the user said in `request_count` requests. `tokens_left`: the tokens of the room
    that the newest groups leave."""
    is_dialogue = request_count >= MIN_DIALOGUE_REQUESTS
    small = (SMALL_ROOM, _SMALL_DIALOGUE_SHARE if is_dialogue else _SMALL_REQUEST_SHARE)
    return max(
        tokens_between(tokens_left, small, (_LARGE_DIALOGUE_ROOM if is_dialogue else LARGE_ROOM, _REQUEST_SHARE)),
        min(_REQUEST_SHARE * room, tokens_left - (1 - _REQUEST_SHARE) * DETAIL_TOKENS),
    )


def agent_summary_share(messages: Sequence[Message], summary_index: int) -> float:
    """Return the share of a room for the summary in message `summary_index`, which an agent had written of its
    session."""
    asked_since = sum(message.origin == "request" for message in messages[summary_index + 1 :])
    return _OLD_AGENT_SUMMARY_SHARE if asked_since > 1 else _AGENT_SUMMARY_SHARE


def is_followed(messages: Sequence[Message], summary_index: int) -> bool:
    """Return whether the agent continued after such a summary, so that what this says of next steps is out of date."""
    return any(message.role == "assistant" for message in messages[summary_index + 1 :])
