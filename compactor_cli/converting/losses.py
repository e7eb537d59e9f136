"""Determine what a target could not hold, by comparing what was taken from the source with what is written.

Targets do not record losses themselves, so no target can forget one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Set
from typing import Literal

from msgspec import Struct

from compactor_cli.converting.base import Attribute
from compactor_cli.converting.message_content import Conversation, Item, SpeakerTurn, Spot
from compactor_cli.converting.taking import Taken
from compactor_cli.model.injected import origin_of

Action = Literal["left_out", "as_text", "as_user", "changed", "joined", "moved", "added"]


class Loss(Struct, frozen=True, order=True):
    """How many items of a kind were changed or left out."""

    kind: str
    action: Action
    count: int
    detail: str = ""
    """Which ones, for items with names."""


class UnfaithfulError(Exception):
    """The output would not match the input, which means that the target has a bug."""


def find_losses(source: Taken, after: Conversation, holds: Set[Attribute]) -> tuple[Loss, ...]:
    """Return all losses of one conversation in a fixed order. Raises UnfaithfulError if something is missing or
    different that every target can hold: a text, a call, a result."""
    before = source.conversation
    counts: Counter[tuple[str, Action]] = Counter()
    kept_items = {location: (turn, item) for turn, item in after.items() for location in item.locations}
    for turn, item in before.items():
        if item.locations[0] in kept_items:
            counts.update(_changes(turn, item, *kept_items[item.locations[0]], holds))
        else:
            counts[_left_out(turn, item), "left_out"] += 1
    counts.update(_pictures(before, after))
    counts.update(_merge_losses(before, after))
    counts.update(_attributes(before, holds))
    empty_before, empty_after = (sum(not turn.items for turn in side.turns) for side in (before, after))
    counts["messages_without_content", "left_out"] += empty_before - empty_after
    counts["parts", "moved"] += _count_moved(after)
    for (kind, action), count in _added_items(after).items():
        counts[kind, action] += count
    losses = [Loss(kind, action, count) for (kind, action), count in counts.items() if count > 0]
    return tuple(sorted([*losses, *_outer_losses(source)]))


def merge(losses: Iterator[Loss]) -> tuple[Loss, ...]:
    """Return the losses of several conversations, added up."""
    counts: Counter[tuple[str, Action]] = Counter()
    details: dict[tuple[str, Action], str] = {}
    for loss in losses:
        counts[loss.kind, loss.action] += loss.count
        details.setdefault((loss.kind, loss.action), loss.detail)
    return tuple(sorted(Loss(key[0], key[1], count, details[key]) for key, count in counts.items()))


def _left_out(turn: SpeakerTurn, item: Item) -> str:
    """Return the kind of a missing item. Raises UnfaithfulError if no target may leave it out."""
    if turn.role == "system":
        return "system_messages"
    if item.kind == "thinking":
        return "thinking" if item.text or item.seal is None else "sealed_thinking"
    if item.kind == "picture":
        return "pictures"
    if item.kind in ("text", "other") and not item.text.strip():
        return "empty_texts"
    raise UnfaithfulError(f"a {item.kind} of message {item.locations[0][0]} is missing")


def _changes(
    turn: SpeakerTurn, item: Item, new_turn: SpeakerTurn, new: Item, holds: Set[Attribute]
) -> Iterator[tuple[str, Action]]:
    if item.kind == "result" and new.kind == "text":
        yield "results_without_call", "as_text"
    elif item.kind == "other" and new.kind == "text":
        yield "other_content", "as_text"
    elif item.kind != new.kind:
        raise UnfaithfulError(f"a {item.kind} of message {item.locations[0][0]} became a {new.kind}")
    elif turn.role == "system" and new_turn.role == "user":
        yield "system_messages", "as_user"
    elif turn.role != new_turn.role:
        raise UnfaithfulError(
            f"a {item.kind} of message {item.locations[0][0]} changed from {turn.role} to {new_turn.role}"
        )
    elif item.text != new.text and len(new.locations) == 1:
        if item.kind != "call":
            raise UnfaithfulError(f"a {item.kind} of message {item.locations[0][0]} has another text")
        yield "arguments", "changed"
    if item.kind == "call" and item.name != new.name:
        yield "tool_names", "changed"
    if item.kind == "call" and item.call_id != new.call_id:
        yield "call_ids", "changed"
    if item.seal is not None and new.seal is None:
        yield "seals", "left_out"
    if item.failed and "failed" not in holds:
        yield "failed_marks", "left_out"


def _pictures(before: Conversation, after: Conversation) -> Iterator[tuple[str, Action]]:
    """Yield missing pictures of results, and pictures that moved to another speaker."""
    roles = {(p.location, p.number): turn.role for turn, item in after.items() for p in item.pictures}
    for turn, item in before.items():
        for picture in item.pictures:
            role = roles.get((picture.location, picture.number))
            if role is None and item.kind != "picture":
                yield "pictures", "left_out"
            elif role is not None and role != turn.role:
                yield "pictures_of_results", "as_user"


def _merge_losses(before: Conversation, after: Conversation) -> Iterator[tuple[str, Action]]:
    """Yield messages that were merged, except pieces of the same message, and texts that were merged."""
    turn_by_location: dict[Spot, int] = {}
    for index, turn in enumerate(after.turns):
        for item in turn.items:
            yield from (("parts", "joined") for _ in item.locations[1:])
            turn_by_location |= dict.fromkeys(item.locations, index)
    previous: tuple[int | None, SpeakerTurn] = (None, SpeakerTurn("system", ()))
    for turn in before.turns:
        locations = (location for item in turn.items for location in item.locations)
        turn_index = next((turn_by_location[place] for place in locations if place in turn_by_location), None)
        if turn_index is None or turn.role == "tool":
            continue
        pieces = turn.group is not None and turn.group == previous[1].group
        if turn_index == previous[0] and turn.role == previous[1].role and not pieces:
            yield "messages", "joined"
        previous = (turn_index, turn)


def _attributes(before: Conversation, holds: Set[Attribute]) -> Iterator[tuple[str, Action]]:
    for turn in before.turns:
        if turn.time is not None and "time" not in holds:
            yield "timestamps", "left_out"
        if turn.author and "author" not in holds:
            yield "names_of_authors", "left_out"
        if turn.role == "user" and turn.origin == "injected" and "injected" not in holds:
            text = "\n".join(item.text for item in turn.items if item.kind == "text")
            if origin_of(text) != "injected":
                yield "harness_marks", "left_out"


def _added_items(after: Conversation) -> Counter[tuple[str, Action]]:
    new = [item for _, item in after.items() if not item.locations and item.kind != "picture"]
    return Counter(("results" if item.kind == "result" else "messages", "added") for item in new)


def _count_moved(after: Conversation) -> int:
    """Return how many items were moved: all except the longest run in the original order."""
    tails: list[Spot] = []
    locations = [location for _, item in after.items() for location in item.locations]
    for location in locations:
        position = bisect_left(tails, location)
        tails[position : position + 1] = [location]
    return len(set(locations)) - len(tails)


def _outer_losses(source: Taken) -> Iterator[Loss]:
    if source.records:
        kinds = sorted(source.records.items(), key=lambda pair: (-pair[1], pair[0]))
        kind_list = ", ".join(f"{kind} {count}" for kind, count in kinds[:4])
        detail = kind_list + (f" and {len(kinds) - 4} more kinds" if len(kinds) > 4 else "")
        yield Loss("records_without_message", "left_out", sum(source.records.values()), detail)
    if source.members:
        yield Loss("members_of_the_document", "left_out", len(source.members), ", ".join(source.members[:6]))
    if source.usage:
        yield Loss("usage", "left_out", source.usage)
