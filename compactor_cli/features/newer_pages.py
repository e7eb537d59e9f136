"""Nodes of web pages that a newer page of the session shows again. Their numbers are no longer valid, and their text
is on the newer page."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.message import Message
from compactor_cli.model.pairing import PartIndex
from compactor_cli.text.page_trees import is_page_tree, node_in_line


class NewerPages:
    """The pages of a session that are shown as trees of nodes."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._repeated: dict[PartIndex, frozenset[int]] = {}
        pages = [  # a large file reads them from disk, which is fast only in order
            ((message.index, position), [*map(node_in_line, part.text.split("\n"))])
            for message in messages
            for position, part in enumerate(message.parts)
            if part.kind == "tool_result" and is_page_tree(part.text)
        ]
        newer: set[str] = set()
        for page, nodes in reversed(pages):
            self._repeated[page] = frozenset(number for number, node in enumerate(nodes) if node in newer and node)
            newer.update(nodes)

    def repeated_lines(self, result: PartIndex) -> frozenset[int]:
        """Return the physical lines of a result, from 0, with nodes that a newer page also shows."""
        return self._repeated.get(result, frozenset())
