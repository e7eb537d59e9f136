"""Shares of the room that depend on its size: in a small room, one exchange or one request takes much of it."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.message import Message

INSTRUCTIONS_SHARE = 0.1
"""Share of the room for standing instructions that a harness inserted."""
BINDING_SHARE = 0.08
"""Share of the room for the binding sentences of instructions that do not fit as a whole."""
LARGE_REQUEST, SMALL_REQUEST = 0.4, 60
"""Share of the room, and number of tokens in any case, up to which the last request is kept whole."""
LARGE_IN_CHAT = 0.6
"""Share of the room up to which the last request is kept whole in a chat. If the agent works only by talking, the same
share applies to everything the user said: there is no state of work that needs room, and the agent's earlier answers
matter less than the current question."""
DETAIL = 60_000
"""Tokens of a room that are distributed line by line. The newest groups get the rest of a larger room, whole."""
_ACCOUNT, _OVERTAKEN = 0.15, 0.05
"""Shares of a room for the summary that an agent had written of its session, which says where the work stood. The
second one applies once the user has asked for more than one thing after it."""
_REQUESTS_OF_SMALL, _REQUESTS = 0.48, 0.4
"""Shares of a small and a large room for what the user said: everything whole if it fits, otherwise the binding
sentences."""
_SEVERAL, _OF_SEVERAL = 4, 0.7
"""Number of requests from which on the user's words are a dialogue, and their share of a small room in that case. In a
dialogue a rule is said once, while the work shows again what a single long request says."""
SMALL_ROOM, LARGE_ROOM = 400, 800
"""Number of tokens up to which a room is small, and from which on it is large."""


def share_of(room: int, small: float, large: float) -> float:
    """Return a share in tokens: `small` applies to small rooms, `large` to large ones, and a proportional share to
    sizes between the two."""
    return between(room, (SMALL_ROOM, small), (LARGE_ROOM, large))


def between(room: int, low: tuple[int, float], high: tuple[int, float]) -> float:
    """Return a share in tokens that changes from one room size to another. `low` and `high` are pairs of size and
    share."""
    return room * part_between(room, low, high)


def part_between(room: int, low: tuple[int, float], high: tuple[int, float]) -> float:
    """Return that share itself, as a part of the room."""
    (smallest, first), (largest, last) = low, high
    size = (min(max(room, smallest), largest) - smallest) / (largest - smallest)
    return first + size * (last - first)


def room_for_older(asked: float, room: int) -> float:
    """Return the tokens that the newest groups leave to the choice line by line. `asked`: tokens of what the user said
    before those groups; it stays whole as long as it fits in its share of the whole room."""
    return max(DETAIL, (1 - _REQUESTS) * DETAIL + min(asked, _REQUESTS * room))


def room_for_requests(left: int, room: int, requests: int) -> float:
    """Return the tokens for what the user said in a number of `requests`. `left`: the tokens of the room that the
    newest groups leave."""
    small = _OF_SEVERAL if requests >= _SEVERAL else _REQUESTS_OF_SMALL
    return max(share_of(left, small, _REQUESTS), min(_REQUESTS * room, left - (1 - _REQUESTS) * DETAIL))


def account_share(messages: Sequence[Message], account: int) -> float:
    """Return the share of a room for the summary in message `account`, which an agent had written of its session."""
    asked_since = sum(message.origin == "request" for message in messages[account + 1 :])
    return _OVERTAKEN if asked_since > 1 else _ACCOUNT


def is_followed(messages: Sequence[Message], account: int) -> bool:
    """Return whether the agent continued after such a summary, so that what this says of next steps is out of date."""
    return any(message.role == "assistant" for message in messages[account + 1 :])
