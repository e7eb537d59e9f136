"""Nodes of pages that a newer page of the session shows again: their numbers hold no more, and what they say stands
there."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.message import Message
from compactor_cli.model.pairing import Spot
from compactor_cli.text.page_trees import is_tree, node_of


class NewerPages:
    """The pages of a session that are shown as trees of nodes."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._again: dict[Spot, frozenset[int]] = {}
        pages = [  # those of a large file are read from disk, which is quick in their order only
            ((message.index, position), [*map(node_of, part.text.split("\n"))])
            for message in messages
            for position, part in enumerate(message.parts)
            if part.kind == "tool_result" and is_tree(part.text)
        ]
        newer: set[str] = set()
        for page, nodes in reversed(pages):
            self._again[page] = frozenset(number for number, node in enumerate(nodes) if node in newer and node)
            newer.update(nodes)

    def lines(self, result: Spot) -> frozenset[int]:
        """Return the physical lines of a result, from 0, with nodes that a newer page shows, too."""
        return self._again.get(result, frozenset())
