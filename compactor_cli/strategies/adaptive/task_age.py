"""Tasks that the agent listed before the user spoke again, who may have said otherwise."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from compactor_cli.features.work.earlier_rounds import earlier_rounds
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.summary_text.state_block import without_tasks
from compactor_cli.summary_text.state_line import StateLine


def said_since(state: Iterable[StateLine], messages: Sequence[Message]) -> list[int]:
    """Return the messages with what the user said since tasks were listed of which some are open."""
    tasks = [line for line in state if line.kind == "task"]
    if not any(line.open for line in tasks):
        return []
    listed = max(line.message for line in tasks)
    if listed < 0:  # an earlier round tells them
        listed = earlier_rounds(messages)[2].last
    return [message.index for message in messages if message.origin == "request" and message.index > listed]


def still_told(
    lines: Sequence[StateLine], messages: Sequence[Message], groups: Iterable[Group], stay: Container[int]
) -> Sequence[StateLine]:
    """Return lines of the state, without tasks where something that the user said since they were listed stands in a
    group that does not stay."""
    said = set(said_since(lines, messages))
    if said and any(not said.isdisjoint(group.messages) for group in groups if group.index not in stay):
        return without_tasks(lines)
    return lines
