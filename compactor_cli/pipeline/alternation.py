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
from compactor_cli.model.injected import PLACEHOLDER_TEXT
from compactor_cli.model.message import BETWEEN_ID, Message, Origin, Part, Role
from compactor_cli.model.plan import Plan

_ITEM_LABEL = "turns between turns of one role"
_Planned = TypeVar("_Planned")


def placeholder_turn(role: Role, counter: Counter) -> Message:
    """Return a placeholder turn of a role, to separate two turns of the other role."""
    tokens = counter.count(PLACEHOLDER_TEXT)
    origin: Origin = "injected" if role == "user" else "other"
    return Message(
        -1, BETWEEN_ID, role, (Part("text", PLACEHOLDER_TEXT, tokens),), (), tokens + counter.per_message, origin=origin
    )


def separate_turns(messages: Sequence[Message], make_turn: Callable[[Role], Message]) -> list[list[Message]]:
    """Return each message of an output, preceded by a separating turn if it needs one."""
    turns: list[list[Message]] = []
    last: Message | None = None
    for message, following in zip(messages, _following(messages), strict=True):
        if message.role == "system":
            turns.append([message])
            continue
        fitted = _fitting_role(last, message, following)
        turns.append([make_turn(_opposite_role(fitted)), fitted] if _needs_separator(last, fitted) else [fitted])
        last = fitted
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
    """Return a new summary in the other role if neither of its neighbours has that role."""
    if message.index >= 0 or message.origin != "summary" or not _needs_separator(last, message):
        return message
    can_switch = following is None or _needs_separator(message, following)
    return replace(message, role=_opposite_role(message)) if can_switch else message


def repeated_roles(messages: Sequence[Message]) -> list[int]:
    """Return the positions of messages that follow one of the same role, or begin without being the user's."""
    positions: list[int] = []
    last: Message | None = None
    for index, message in enumerate(messages):
        if message.role != "system":
            positions += [index] if _needs_separator(last, message) else []
            last = message
    return positions


def max_placeholders(messages: Sequence[Message], groups: Sequence[Group], plan: Plan, *, inserted: bool) -> int:
    """Return the maximum number of separating turns that a plan needs, whichever summaries are written."""
    slots = {groups[slot.groups[0]].messages[0] for slot in plan.slots}
    kept = {i for d in plan.decisions if d.rendition in ("whole", "shortened") for i in groups[d.group].messages}
    count, summarized = int(inserted), False
    last: Message | None = None
    for index in sorted(slots | kept):
        summarized = summarized or index in slots
        message = messages[index]
        if index in kept and message.role != "system":
            count += summarized or _needs_separator(last, message)
            last, summarized = message, False
    return count


def plan_with_placeholders(
    plan: Callable[[int | None], _Planned], turn_tokens: Callable[[_Planned], int], target: int | None
) -> tuple[_Planned, int]:
    """Return a plan for a target that leaves enough tokens for the turns that the plan itself needs, and that number of
    tokens. Raises BudgetError with the smallest achievable target if there is no such plan."""
    if target is None:
        planned = plan(None)
        return planned, turn_tokens(planned)
    try:
        return _plan_within(plan, turn_tokens, target)
    except BudgetError as error:
        floor = max(error.floor, target + 1)
        while not _fits(plan, turn_tokens, floor):
            floor += 1
        placeholder_items = ((_ITEM_LABEL, floor - error.floor),) if floor > error.floor else ()
        raise BudgetError(target, floor, (*error.items, *placeholder_items)) from None


def _plan_within(
    plan: Callable[[int | None], _Planned], turn_tokens: Callable[[_Planned], int], target: int
) -> tuple[_Planned, int]:
    reserved = 0
    while True:
        try:
            planned = plan(target - reserved)
        except BudgetError as error:
            if not reserved:
                raise
            planned = plan(error.floor)
            if error.floor + turn_tokens(planned) > target:
                raise
            return planned, target - error.floor
        needed = turn_tokens(planned)
        if needed <= reserved:
            return planned, reserved
        reserved = needed


def _fits(plan: Callable[[int | None], _Planned], turn_tokens: Callable[[_Planned], int], target: int) -> bool:
    try:
        _plan_within(plan, turn_tokens, target)
    except BudgetError:
        return False
    return True


def _needs_separator(last: Message | None, message: Message) -> bool:
    """Return whether a message must not follow the last one (None if it is the first). Results of the calls of one
    turn may follow each other, and so may the parts of one record."""
    if last is None:
        return message.role == "assistant"
    if last.records and last.records == message.records:
        return False
    return (last.role == "assistant") == (message.role == "assistant") and not (last.results and message.results)


def _opposite_role(message: Message) -> Role:
    return "user" if message.role == "assistant" else "assistant"
