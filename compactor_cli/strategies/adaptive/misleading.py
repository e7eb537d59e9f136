"""Groups that would mislead if they stayed without what followed them."""

from __future__ import annotations

from collections.abc import Mapping

from compactor_cli.model.group import Group, is_request
from compactor_cli.model.plan import Decision
from compactor_cli.model.planning import PlanInput


def misleads(index: int, inputs: PlanInput, decisions: Mapping[int, Decision]) -> bool:
    """Return whether a group would pass for what it is not: an answer for one that nobody replied to, as the reply is
    gone; calls for what the user replies to, as the answer that they led to is gone."""

    def is_gone(group: Group) -> bool:
        return decisions[group.index].rendition == "gone"

    groups = inputs.groups
    calls = any(inputs.messages[i].calls for i in groups[index].messages)
    for at in range(index + 1, len(groups)):
        group, following = groups[at - 1], groups[at]
        if is_request(following, inputs.messages):
            if at - 1 > index:
                return calls and is_gone(group) and not is_gone(following)
            return not calls and is_gone(following)
    return False
