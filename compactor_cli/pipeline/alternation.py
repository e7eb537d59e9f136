"""Alternating roles, for APIs that reject two consecutive turns of the same role.

Removing messages can make turns of the same role consecutive. A placeholder turn of the other role is then placed
between them, and a summary takes the role that its neighbours do not have. Plans reserve tokens for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from compactor_cli.errors import BudgetError
from compactor_cli.formats.base import Counter
from compactor_cli.model.group import Group
from compactor_cli.model.injected import NOTHING_SAID
from compactor_cli.model.message import BETWEEN_ID, Message, Origin, Part, Role
from compactor_cli.model.plan import Plan

_LABEL = "turns between turns of one role"
_Made = TypeVar("_Made")


def nothing_said(role: Role, counter: Counter) -> Message:
    """Return a placeholder turn of a role, to separate two turns of the other role."""
    tokens = counter.count(NOTHING_SAID)
    origin: Origin = "injected" if role == "user" else "other"
    return Message(
        -1, BETWEEN_ID, role, (Part("text", NOTHING_SAID, tokens),), (), tokens + counter.per_message, origin=origin
    )


def alternating(messages: Sequence[Message], between: Callable[[Role], Message]) -> list[list[Message]]:
    """Return each message of an output, preceded by a separating turn if it needs one. `between`: makes such a turn
    for a role."""
    turns: list[list[Message]] = []
    last: Message | None = None
    for message, following in zip(messages, _following(messages), strict=True):
        if message.role == "system":
            turns.append([message])
            continue
        own = _fitting_role(last, message, following)
        turns.append([between(_other(own)), own] if _clash(last, own) else [own])
        last = own
    return turns


def _following(messages: Sequence[Message]) -> list[Message | None]:
    """Return for each message the next one that is not a system message; None after the last."""
    following: list[Message | None] = []
    later: Message | None = None
    for message in reversed(messages):
        following.append(later)
        later = message if message.role != "system" else later
    return following[::-1]


def _fitting_role(last: Message | None, message: Message, following: Message | None) -> Message:
    """Return a new summary in the other role if neither of its neighbours has that role. Any other message is
    returned unchanged."""
    if message.index >= 0 or message.origin != "summary" or not _clash(last, message):
        return message
    turns = following is None or _clash(message, following)
    return replace(message, role=_other(message)) if turns else message


def repeated_roles(messages: Sequence[Message]) -> list[int]:
    """Return the positions of messages that follow one of the same role, or that begin a conversation although they
    are not the user's."""
    found: list[int] = []
    last: Message | None = None
    for index, message in enumerate(messages):
        if message.role != "system":
            found += [index] if _clash(last, message) else []
            last = message
    return found


def most_between(messages: Sequence[Message], groups: Sequence[Group], plan: Plan, *, inserted: bool) -> int:
    """Return the maximum number of separating turns that the kept messages of a plan need, whichever summaries are
    written. `inserted`: whether a message that is not in the plan is added."""
    slots = {groups[slot.groups[0]].messages[0] for slot in plan.slots}
    kept = {i for d in plan.decisions if d.rendition in ("whole", "shortened") for i in groups[d.group].messages}
    count, summarized = int(inserted), False
    last: Message | None = None
    for index in sorted(slots | kept):
        summarized = summarized or index in slots
        message = messages[index]
        if index in kept and message.role != "system":
            count += summarized or _clash(last, message)
            last, summarized = message, False
    return count


def with_room(
    plan: Callable[[int | None], _Made], needs: Callable[[_Made], int], target: int | None
) -> tuple[_Made, int]:
    """Return a plan for a target that leaves enough tokens for the turns that the plan itself needs, and that number of
    tokens.

    Raises BudgetError with the smallest achievable target if there is no such plan.
    """
    if target is None:
        made = plan(None)
        return made, needs(made)
    try:
        return _fitting(plan, needs, target)
    except BudgetError as error:
        floor = max(error.floor, target + 1)
        while not _fits(plan, needs, floor):
            floor += 1
        more = ((_LABEL, floor - error.floor),) if floor > error.floor else ()
        raise BudgetError(target, floor, (*error.items, *more)) from None


def _fitting(plan: Callable[[int | None], _Made], needs: Callable[[_Made], int], target: int) -> tuple[_Made, int]:
    room = 0
    while True:
        try:
            made = plan(target - room)
        except BudgetError as error:
            if not room:
                raise
            made = plan(error.floor)
            if error.floor + needs(made) > target:
                raise
            return made, target - error.floor
        needed = needs(made)
        if needed <= room:
            return made, room
        room = needed


def _fits(plan: Callable[[int | None], _Made], needs: Callable[[_Made], int], target: int) -> bool:
    try:
        _fitting(plan, needs, target)
    except BudgetError:
        return False
    return True


def _clash(last: Message | None, message: Message) -> bool:
    """Return whether a message must not follow the last one (None if it is the first). Results of the calls of one
    turn may follow each other, and so may the parts of one record."""
    if last is None:
        return message.role == "assistant"
    if last.records and last.records == message.records:
        return False
    return _is_users(last) == _is_users(message) and not (last.results and message.results)


def _is_users(message: Message) -> bool:
    return message.role != "assistant"


def _other(message: Message) -> Role:
    return "assistant" if _is_users(message) else "user"
