"""What pages have around them: lines with which several results of a tool begin or end alike, such as the navigation
and the footer of a site."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from compactor_cli.features.call_lines import COMMANDS, PATHS
from compactor_cli.features.work.endings import has_failed
from compactor_cli.features.work.ledger import call_arguments
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, Spot, pair
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.patterns import compiled_later

_EDGE = 20
"""Lines with words at the beginning, and at the end, of a result in which its frame stands."""
_WHOLE = 6
"""Lines with words that a result has at least: a shorter one may be no more than what it says each time."""
_ALIKE = 3
"""Results from which on what they share is of all of them."""
_MOST = 0.5
"""Share of the lines of a result that its frame is at most."""
_NO_PAGE = (*COMMANDS, *PATHS)
"""Arguments of calls that run a command, or are about a file."""
_OF_COMMAND = compiled_later(
    r"\b(?:exit(?:ed)?(?: with)?(?: status)?(?: code)?\W{0,3}\d|process running\b)", re.IGNORECASE
)
"""What stands before what a command says, also where a later call reads on."""
_HEAD = 300
_Line = tuple[str, bool, str]
"""A tool, whether a line stands at the end of its results, and the line."""


class PageFrames:
    """The frames of the results of a session; the first result with a line of one shows it, and later ones what
    is new in them."""

    def __init__(self, messages: Sequence[Message], pairing: Pairing | None) -> None:
        self._edges: dict[Spot, list[tuple[int, _Line]]] = {}
        self._lines: dict[Spot, int] = {}
        self._oldest: dict[_Line, Spot] = {}
        self._times: Counter[_Line] = Counter()
        for result, call in (pairing or pair(messages)).answers.items():
            told, part = messages[call[0]].parts[call[1]], messages[result[0]].parts[result[1]]
            if not _is_page(told, part):
                continue
            lines = _with_words(part.text)
            edges = self._edges[result] = list(_edges(told.name, lines))
            self._lines[result] = len(lines)
            for key in {key for _, key in edges}:
                self._times[key] += 1
                self._oldest[key] = min(result, self._oldest.get(key, result))

    def lines(self, result: Spot) -> frozenset[int]:
        """Return the physical lines of a result, from 0, that are of a frame which an earlier one shows; none where
        they are most of it, as of a list that is asked for again."""
        edges = self._edges.get(result, ())
        shared = {number for number, key in edges if self._times[key] >= _ALIKE and self._oldest[key] != result}
        if len(shared) > _MOST * self._lines.get(result, 0):
            return frozenset()
        return frozenset(number for number, key in edges if number in shared and not any(result_errors(key[2], None)))


def _is_page(call: Part, result: Part) -> bool:
    """Return whether a result is neither what a command says nor a file, whose lines mean what they say each time."""
    arguments = call_arguments(call)
    keys = arguments.keys() if isinstance(arguments, dict) else ()
    if any(key in keys for key in _NO_PAGE) or _OF_COMMAND.search(result.text, 0, _HEAD):
        return False
    return result.text.count("\n") >= _WHOLE - 1 and not has_failed(result)


def _with_words(text: str) -> list[tuple[int, str]]:
    """Return the lines of a text that have words, with their numbers."""
    return [(number, line.strip()) for number, line in enumerate(text.split("\n")) if any(map(str.isalnum, line))]


def _edges(tool: str, lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, _Line]]:
    """Yield the lines at the ends of a result, with their numbers."""
    if len(lines) >= _WHOLE:
        yield from ((number, (tool, False, line)) for number, line in lines[:_EDGE])
        yield from ((number, (tool, True, line)) for number, line in lines[-_EDGE:])
