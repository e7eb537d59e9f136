"""Groups: the smallest units that can be kept or removed separately."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compactor_cli.model.message import Message


class Group(Struct, frozen=True):
    """A single message, or an assistant message with its tool calls, their results and its reasoning."""

    index: int
    messages: tuple[int, ...]
    tokens: int
    in_flight: bool = False
    """Whether this is the last group and one of its calls has no result yet, so the work is still going on."""


def is_request(group: Group, messages: Sequence[Message]) -> bool:
    """Return whether a group consists only of user requests. `messages`: all messages of the session."""
    return all(messages[i].origin == "request" for i in group.messages)


class Fault(Struct, frozen=True):
    """A reason why an API would reject the transcript; `index` is that of the message."""

    kind: str
    index: int
    detail: str
    call_id: str = ""
