"""Frames of web pages, such as a site's navigation and footer.

A frame consists of the lines with which at least three results of a tool begin, or end, in the same way. It is
limited to a few lines at each end. It stops at the first line that differs, or that may be a value of a record or a
table row, since these carry information in each result."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile

from compactor_cli.features.call_lines import COMMAND_ARGUMENTS, PATH_ARGUMENTS
from compactor_cli.features.work.endings import has_failed
from compactor_cli.features.work.ledger import call_arguments
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, PartIndex, pair_calls
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.patterns import compiled_later

_MAX_EDGE_LINES, _MAX_TAGGED_LINES = 8, 24
"""Lines with words at each end of a result that may be its frame; and the limit that includes lines of tags only."""
_TAGS = compiled_later(r"(?:<[^<>]*>\s*)+")
_MIN_PAGE_LINES = 6
"""Minimum number of lines with words in a result; a shorter one may just be the same short message each time."""
_MIN_SHARED_RESULTS = 3
"""Minimum number of results that must share a line."""
_COMMAND_ARGUMENTS = (*COMMAND_ARGUMENTS, *PATH_ARGUMENTS)
"""Arguments of calls that run a command or concern a file."""
_COMMAND_REPORT = compiled_later(
    r"\b(?:exit(?:ed)?(?: with)?(?: status)?(?: code)?\W{0,3}\d|process running\b)", re.IGNORECASE
)
"""What precedes the output of a command, also when a later call reads more of it."""
_HEAD_CHARS = 300
_NAMED_VALUE = compiled_later(
    r"[^\w\s<]{0,3}\s?[\"'`*_]{0,3}[^\W\d_][\w.()/-]*(?: [\w.()/-]+){0,3}[\"'`*_]*\s*"
    r"(?:[:：=][\"'`*_]*(?=\s*\S)(?!//)|=>|->|\t)"
)
"""A name with a value, as in a record."""
_ROW = compiled_later(r"[|│┃]|[+├└┌╭╰]?[-─=]{2,}[+┬┼┴]|.*\t|\S+(?: \S+)* {2,}\S")
"""A row of a table, or a rule in one."""
_EdgeLine = tuple[str, bool, tuple[str, ...]]
"""(tool, whether the line is at the end of its results, the lines from that end up to and including this one)."""


class PageFrames:
    """The frames of the results of a session. The first result with a frame shows it; later ones show what is new."""

    def __init__(self, messages: Sequence[Message], pairing: Pairing | None) -> None:
        self._edges: dict[PartIndex, list[tuple[int, _EdgeLine]]] = {}
        self._sources = set[PartIndex]()
        self._lines: dict[PartIndex, list[tuple[str, str]]] = {}
        """Result -> its lines with words, each with its tool."""
        self._results: Counter[tuple[str, str]] = Counter()
        self._oldest: dict[_EdgeLine, PartIndex] = {}
        self._counts: Counter[_EdgeLine] = Counter()
        for result, call in (pairing or pair_calls(messages)).call_of.items():
            call_part, part = messages[call[0]].parts[call[1]], messages[result[0]].parts[result[1]]
            if _concerns_source(call_part):
                self._sources.add(result)
                continue
            if not _is_page(part):
                continue
            lines = _lines_with_words(part.text)
            edges = self._edges[result] = list(_edges(call_part.name, lines))
            self._lines[result] = [(call_part.name, line) for _, line in lines]
            self._results.update({*self._lines[result]})
            for key in {key for _, key in edges}:
                self._counts[key] += 1
                self._oldest[key] = min(result, self._oldest.get(key, result))

    def is_source(self, result: PartIndex) -> bool:
        """Return whether a result is the output of a command or a file: markup in it may have to be edited."""
        return result in self._sources

    def frame_lines(self, result: PartIndex) -> frozenset[int]:
        """Return the physical lines of a result, from 0, that belong to a frame which an earlier result shows.
        Return none if they outweigh the rest, as in a list that is requested again; the page may be one long line."""
        edges = self._edges.get(result, ())
        shared = {
            number: key
            for number, key in edges
            if self._counts[key] >= _MIN_SHARED_RESULTS and self._oldest[key] != result
        }
        own_lines = (line for line in self._lines.get(result, ()) if self._results[line] < _MIN_SHARED_RESULTS)
        if sum(len(key[2][-1]) for key in shared.values()) > sum(len(text) for _, text in own_lines):
            return frozenset()
        return frozenset(number for number, key in shared.items() if not any(result_errors(key[2][-1], None)))


def _concerns_source(call: Part) -> bool:
    """Return whether a call runs a command or concerns a file; in what it returns, repeated lines still carry
    meaning."""
    arguments = call_arguments(call)
    keys = arguments.keys() if isinstance(arguments, dict) else ()
    return any(key in keys for key in _COMMAND_ARGUMENTS)


def _is_page(result: Part) -> bool:
    if _COMMAND_REPORT.search(result.text, 0, _HEAD_CHARS):
        return False
    return result.text.count("\n") >= _MIN_PAGE_LINES - 1 and not has_failed(result)


def _lines_with_words(text: str) -> list[tuple[int, str]]:
    """Return (number, line) for the lines of a text that have words."""
    return [(number, line.strip()) for number, line in enumerate(text.split("\n")) if any(map(str.isalnum, line))]


def _edges(tool: str, lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, _EdgeLine]]:
    """Yield the lines at both ends of a result that may belong to a frame, with their numbers. Each end stops at the
    first line with a value."""
    if len(lines) < _MIN_PAGE_LINES:
        return
    for at_end, edge in ((False, lines[:_MAX_TAGGED_LINES]), (True, lines[: -_MAX_TAGGED_LINES - 1 : -1])):
        word_counts = accumulate(not _TAGS.fullmatch(line) for _, line in edge)
        frame = [line for line, count in zip(edge, word_counts, strict=True) if count <= _MAX_EDGE_LINES]
        frame = list(takewhile(lambda line: not (_NAMED_VALUE.match(line[1]) or _ROW.match(line[1])), frame))
        for length, (number, _) in enumerate(frame, 1):
            yield number, (tool, at_end, tuple(line for _, line in frame[:length]))
