"""Shares of a room that depend on its size: in a small one, one exchange or one request takes much of it."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.message import Message

INSTRUCTIONS_SHARE = 0.1
"""Share of a room for standing instructions that a harness put in."""
BINDING_SHARE = 0.08
"""Share of a room for the sentences that bind, of those that have no room as a whole."""
LARGE_REQUEST, SMALL_REQUEST = 0.4, 60
"""Share of a room, and tokens in any case, up to which the last request is kept whole."""
LARGE_IN_CHAT = 0.6
"""Share of a room up to which it is kept whole in a chat, and all that the user said where an agent works by talking:
there is no work whose state needs room, and what an agent answered before tells less than what it is asked now."""
DETAIL = 60_000
"""Tokens of room that are given out line by line; of more, the newest groups get the rest whole."""
_ACCOUNT, _OVERTAKEN = 0.15, 0.05
"""Shares of a room for the summary that an agent had written of its session: where the work stood, and of one after
which the user asked for something else."""
_REQUESTS_OF_SMALL, _REQUESTS = 0.48, 0.4
"""Shares of a small and of a large room for what the user said: all of it whole, or the sentences that bind."""
_SEVERAL, _OF_SEVERAL = 4, 0.7
"""Requests from which on what the user said is a dialogue, and its share of a small room then: a rule is said once,
while a single long request says what the work shows again."""
SMALL_ROOM, LARGE_ROOM = 400, 800
"""Tokens up to which a room is small, and from which on it is large."""


def share_of(room: int, small: float, large: float) -> float:
    """Return the tokens of a share: `small` of a small room, `large` of a large one, in proportion between the two."""
    return between(room, (SMALL_ROOM, small), (LARGE_ROOM, large))


def between(room: int, low: tuple[int, float], high: tuple[int, float]) -> float:
    """Return the tokens of a share that changes from one size of room to another, each given with its share."""
    return room * part_between(room, low, high)


def part_between(room: int, low: tuple[int, float], high: tuple[int, float]) -> float:
    """Return such a share itself."""
    (smallest, first), (largest, last) = low, high
    size = (min(max(room, smallest), largest) - smallest) / (largest - smallest)
    return first + size * (last - first)


def room_for_older(asked: float, room: int) -> float:
    """Return the tokens of a room that newest groups leave to what is chosen line by line. `asked`: what the user
    said before those groups, which is whole as long as it fits in its share of the whole room."""
    return max(DETAIL, (1 - _REQUESTS) * DETAIL + min(asked, _REQUESTS * room))


def room_for_requests(left: int, room: int, requests: int) -> float:
    """Return the tokens for what the user said in some `requests`, of those that newest groups have left of a room."""
    small = _OF_SEVERAL if requests >= _SEVERAL else _REQUESTS_OF_SMALL
    return max(share_of(left, small, _REQUESTS), min(_REQUESTS * room, left - (1 - _REQUESTS) * DETAIL))


def account_share(messages: Sequence[Message], account: int) -> float:
    """Return the share of a room for what a summary tells that an agent had written of its session."""
    asked_since = sum(message.origin == "request" for message in messages[account + 1 :])
    return _OVERTAKEN if asked_since > 1 else _ACCOUNT


def is_followed(messages: Sequence[Message], account: int) -> bool:
    """Return whether the agent went on behind such a summary: what it says of next steps is overtaken."""
    return any(message.role == "assistant" for message in messages[account + 1 :])
