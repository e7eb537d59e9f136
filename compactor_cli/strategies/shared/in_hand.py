"""The exchange in hand: the history ends with results that the agent has not answered yet."""

from __future__ import annotations

from compactor_cli.features.work.written_calls import written_calls
from compactor_cli.model.group import Group
from compactor_cli.model.message import last_spoken_message
from compactor_cli.model.planning import PlanInput


def exchange_in_hand(inputs: PlanInput) -> list[Group]:
    """Return the groups of the call whose results end the history, even if a synthetic turn follows. For a call written
    as text, return the groups of both messages. Return an empty list if something else comes last."""
    newest = last_spoken_message(inputs.messages)
    if newest.results:
        messages = {newest.index}
    else:
        answered = written_calls(inputs.messages[-2:])
        messages = {index for *_, answer in answered for index in (answer.index - 1, answer.index)}
    return [group for group in inputs.groups[-3:] if not messages.isdisjoint(group.messages)]
