"""Frames of web pages, such as a site's navigation and footer.

A frame consists of the lines with which at least three results of a tool begin, or end, in the same way. It is
limited to a few lines at each end. It stops at the first line that differs, or that may be a value of a record or a
table row, since these carry information in each result."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile

from compactor_cli.features.call_lines import COMMANDS, PATHS
from compactor_cli.features.work.endings import has_failed
from compactor_cli.features.work.ledger import call_arguments
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, Spot, pair
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.patterns import compiled_later

_EDGE, _MARKED = 8, 24
"""Lines with words at each end of a result that may be its frame; and the limit that includes lines of tags only."""
_TAGS = compiled_later(r"(?:<[^<>]*>\s*)+")
_WHOLE = 6
"""Minimum number of lines with words in a result; a shorter one may just be the same short message each time."""
_ALIKE = 3
"""Minimum number of results that must share a line."""
_NO_PAGE = (*COMMANDS, *PATHS)
"""Arguments of calls that run a command or concern a file."""
_OF_COMMAND = compiled_later(
    r"\b(?:exit(?:ed)?(?: with)?(?: status)?(?: code)?\W{0,3}\d|process running\b)", re.IGNORECASE
)
"""What precedes the output of a command, also when a later call reads more of it."""
_HEAD = 300
_VALUE = compiled_later(
    r"[^\w\s<]{0,3}\s?[\"'`*_]{0,3}[^\W\d_][\w.()/-]*(?: [\w.()/-]+){0,3}[\"'`*_]*\s*"
    r"(?:[:：=][\"'`*_]*(?=\s*\S)(?!//)|=>|->|\t)"
)
"""A name with a value, as in a record."""
_ROW = compiled_later(r"[|│┃]|[+├└┌╭╰]?[-─=]{2,}[+┬┼┴]|.*\t|\S+(?: \S+)* {2,}\S")
"""A row of a table, or a rule in one."""
_Line = tuple[str, bool, tuple[str, ...]]
"""(tool, whether the line is at the end of its results, the lines from that end up to and including this one)."""


class PageFrames:
    """The frames of the results of a session. The first result with a frame shows it; later ones show what is new."""

    def __init__(self, messages: Sequence[Message], pairing: Pairing | None) -> None:
        self._edges: dict[Spot, list[tuple[int, _Line]]] = {}
        self._lines: dict[Spot, list[tuple[str, str]]] = {}
        """Result -> its lines with words, each with its tool."""
        self._results: Counter[tuple[str, str]] = Counter()
        self._oldest: dict[_Line, Spot] = {}
        self._times: Counter[_Line] = Counter()
        for result, call in (pairing or pair(messages)).answers.items():
            told, part = messages[call[0]].parts[call[1]], messages[result[0]].parts[result[1]]
            if not _is_page(told, part):
                continue
            lines = _with_words(part.text)
            edges = self._edges[result] = list(_edges(told.name, lines))
            self._lines[result] = [(told.name, line) for _, line in lines]
            self._results.update({*self._lines[result]})
            for key in {key for _, key in edges}:
                self._times[key] += 1
                self._oldest[key] = min(result, self._oldest.get(key, result))

    def lines(self, result: Spot) -> frozenset[int]:
        """Return the physical lines of a result, from 0, that belong to a frame which an earlier result shows.
        Return none if they outweigh the rest, as in a list that is requested again; the page may be one long line."""
        edges = self._edges.get(result, ())
        shared = {number: key for number, key in edges if self._times[key] >= _ALIKE and self._oldest[key] != result}
        own = (line for line in self._lines.get(result, ()) if self._results[line] < _ALIKE)
        if sum(len(key[2][-1]) for key in shared.values()) > sum(len(text) for _, text in own):
            return frozenset()
        return frozenset(number for number, key in shared.items() if not any(result_errors(key[2][-1], None)))


def _is_page(call: Part, result: Part) -> bool:
    """Return whether a result is neither the output of a command nor a file; in those, repeated lines still carry
    meaning."""
    arguments = call_arguments(call)
    keys = arguments.keys() if isinstance(arguments, dict) else ()
    if any(key in keys for key in _NO_PAGE) or _OF_COMMAND.search(result.text, 0, _HEAD):
        return False
    return result.text.count("\n") >= _WHOLE - 1 and not has_failed(result)


def _with_words(text: str) -> list[tuple[int, str]]:
    """Return (number, line) for the lines of a text that have words."""
    return [(number, line.strip()) for number, line in enumerate(text.split("\n")) if any(map(str.isalnum, line))]


def _edges(tool: str, lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, _Line]]:
    """Yield the lines at both ends of a result that may belong to a frame, with their numbers. Each end stops at the
    first line with a value."""
    if len(lines) < _WHOLE:
        return
    for at_end, edge in ((False, lines[:_MARKED]), (True, lines[: -_MARKED - 1 : -1])):
        said = accumulate(not _TAGS.fullmatch(line) for _, line in edge)
        frame = [line for line, count in zip(edge, said, strict=True) if count <= _EDGE]
        frame = list(takewhile(lambda line: not (_VALUE.match(line[1]) or _ROW.match(line[1])), frame))
        for place, (number, _) in enumerate(frame, 1):
            yield number, (tool, at_end, tuple(line for _, line in frame[:place]))
