"""Results that say what they say as a whole only: small ones, and what a merge could not put together."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from compactor_cli.features.lines import SessionLines
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.strategies.shared.asked import OURS, conflicts

_SMALL = 400
"""Characters of a small result, without lines that say nothing."""


def whole_results(
    groups: Iterable[Group], messages: Sequence[Message], lines: SessionLines, in_place: Container[int]
) -> Iterator[list[int]]:
    """Yield the lines of small results of those groups that stay at their place, and both sides of conflicts in results
    of any, as long as no edit took a line of them out."""
    for group in groups:
        results = [messages[i] for i in group.messages if messages[i].results]
        parted = any(OURS in message.text() for message in results)
        if not parted and group.index not in in_place:
            continue
        own = [line for message in results for line in lines.of_message(message.index)]
        telling = [line for line in own if line not in lines.silent]
        if sum(lines.ends[line] - lines.starts[line] for line in telling) <= _SMALL:
            yield telling
        elif parted:
            sides = [own[at] for at in conflicts([*map(lines.text, own)])]
            if lines.silent.isdisjoint(sides):
                yield sides
