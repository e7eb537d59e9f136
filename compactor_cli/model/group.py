"""Groups: the smallest things that may be kept or removed alone."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compactor_cli.model.message import Message


class Group(Struct, frozen=True):
    """A message, or an assistant message with its calls, their results and its reasoning."""

    index: int
    messages: tuple[int, ...]
    tokens: int
    in_flight: bool = False
    """The last group, with a call that has no result yet: work that goes on."""


def is_request(group: Group, messages: Sequence[Message]) -> bool:
    """Return whether a group is nothing but what the user asks for. `messages`: those of the session."""
    return all(messages[i].origin == "request" for i in group.messages)


class Fault(Struct, frozen=True):
    """A way in which an API would refuse the transcript; `index` is the message."""

    kind: str
    index: int
    detail: str
    call_id: str = ""
