"""The exchange that is in hand: results end the history, and the agent has not answered them yet."""

from __future__ import annotations

from compactor_cli.features.work.written_calls import written_calls
from compactor_cli.model.group import Group
from compactor_cli.model.message import newest_said
from compactor_cli.model.planning import PlanInput


def exchange_in_hand(inputs: PlanInput) -> list[Group]:
    """Return the groups of the call that ends the history with its results, whatever turn was made up behind them; of a
    call that is written as text, those of both messages. Empty where something else is last."""
    newest = newest_said(inputs.messages)
    if newest.results:
        messages = {newest.index}
    else:
        answered = written_calls(inputs.messages[-2:])
        messages = {index for *_, answer in answered for index in (answer.index - 1, answer.index)}
    return [group for group in inputs.groups[-3:] if not messages.isdisjoint(group.messages)]
