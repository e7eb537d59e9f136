"""Lines of a result that hold what was asked for: words of its call, or names in the agent's text before the call, in
the newest request, or in one before the result. Lines of a file count if one of these mentions their numbers."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

from compactor_cli.features.call_lines import PATH_ARGUMENTS
from compactor_cli.features.work.ledger import call_arguments
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, PartIndex, pair_calls
from compactor_cli.text.identifiers import identifiers
from compactor_cli.text.line_prefixes import has_words
from compactor_cli.text.marks import find_words
from compactor_cli.text.odd_rows import odd_rows
from compactor_cli.text.patterns import compiled_later

if TYPE_CHECKING:
    from compactor_cli.features.lines import SessionLines

_WORD = compiled_later(r"\w{4,}")
_ID = compiled_later(r"(?<![\w.-])(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])\w+(?:[.-]\w+)+(?![\w.-]\w)")
"""A token of letters, digits and joining characters, such as the id of an issue: `av-12.3`."""
_FIGURE = compiled_later(r"(?<![\w.,:/-])\d{3}(?![\w,:/-]|\.\d)")
"""A separate number of three digits, such as the status code of a server. Longer numbers count as words."""
_FILE = compiled_later(r"\S*\w\.[A-Za-z]\w{0,4}\W*")
"""A file name. Like a path it says where to look for something, not what to look for."""
_LINE_NUMBER = compiled_later(
    r'(?:(?:\b|_)[Ll]ines?(?:[ _]number)?"?[ :="]+|#L|\.[A-Za-z]\w*(?:"? (?=\d+\b(?!\.))|[:(])|\bgoto )(\d{2,6})\b'
)
"""A line number in the usual notations: `line 83`, `"line_number": 83`, `fields.py:83`."""
_MAYBE_LINE_NUMBER = compiled_later(r'[ :="L(]\d\d')
"""The end that all of these have in common. Most calls contain none."""
_NUMBERED_LINE = compiled_later(r"^\s*(\d{2,6}) ?(?:[|\t→]|:(?!\d\d\b))", re.MULTILINE)
"""A line of a file with its number."""
_QUOTED = compiled_later(r"`([^`\s]{3,40})`")
"""What people set in backticks as a name when they ask for something: `bart@`."""
_MAX_READ_CHARS = 4_000
"""Maximum characters of a call or a text to search for words."""
_MIN_FEW_LINES, _LINES_PER_MATCH = 3, 8
"""A word is specific if it occurs in at most this many lines, or in at most one of this many."""
_MAX_REQUESTS, _MAX_EARLIER_NAMES = 20, 24
"""Number of newest requests to read, and maximum number of names to look for from those before the last one."""
_LINES_AFTER = 2
"""Number of lines after such a line that belong to it."""
_CONFLICT_START = "<<<<<<<"
_CONFLICT = compiled_later(r"^[ \t]*(?:\d+(?:→|\t|[:|-])[ \t]*)?(<{7}(?=\s|$)|={7}[ \t]*$|>{7}(?=\s|$))", re.MULTILINE)
"""The marks with which git separates the sides of a merge conflict."""
_MAX_SIDE_LINES, _MAX_CONFLICT_LINES = 12, 60
"""Maximum number of lines of one side of a conflict, and of all conflicts in a result."""


class RelevantLines:
    """What the results of a transcript were asked for."""

    def __init__(self, messages: Sequence[Message], pairing: Pairing | None = None) -> None:
        """Take the messages of a transcript. `pairing`: their pairing, if it is known."""
        self._messages = messages
        self._pairing = pairing
        requests = [message.index for message in messages if message.origin == "request"][-_MAX_REQUESTS:]
        self._last_request, self._earlier_requests = (requests[-1], requests[:-1]) if requests else (-1, [])
        self._terms: dict[int, tuple[frozenset[str], frozenset[str]]] = {}
        """Number of earlier requests -> names and line numbers in them and in the newest one."""
        self._found: dict[PartIndex, tuple[int, ...]] = {}

    def lines(self, result: PartIndex, lines: Sequence[str]) -> tuple[int, ...]:
        """Return the indices of the lines of a result that hold what was asked for.

        The order is: both sides of merge conflicts, rows that differ from all others in something these have in common,
        lines whose numbers were mentioned, and lines with the rarest words. The lines after all these follow, except
        after rows. Each result is searched once."""
        if result not in self._found:
            words, numbers = self._search_terms(result)
            text = "\n".join(lines)
            conflicts = _conflict_lines(lines) if _CONFLICT_START in text else ()
            odd = odd_rows(lines, text)
            relevant = (*conflicts, *odd, *_lines_numbered(lines, numbers), *_lines_with(lines, text, words))
            found = list(dict.fromkeys(relevant))
            following = chain.from_iterable(
                range(index + 1, min(index + 1 + _LINES_AFTER, len(lines))) for index in found if index not in odd
            )
            self._found[result] = tuple(dict.fromkeys((*found, *(n for n in following if has_words(lines[n])))))
        return self._found[result]

    def in_piece(self, number: int, lines: SessionLines) -> list[int]:
        """Return such lines of a piece of a session, by their line numbers in the session."""
        piece, piece_lines = lines.session.pieces[number], lines.piece_lines(number)
        texts = ["" if line in lines.headers else lines.text(line) for line in piece_lines]
        return [piece_lines[index] for index in self.lines((piece.message, piece.part), texts)]

    def _search_terms(self, result: PartIndex) -> tuple[frozenset[str], frozenset[str]]:
        """Return the words that a result was asked for, and the line numbers that were asked for."""
        if self._pairing is None:
            self._pairing = pair_calls(self._messages)
        words, numbers = self._request_terms(result[0])
        location = self._pairing.call_of.get(result)
        if location is None:
            return words, numbers
        message = self._messages[location[0]]
        call, answer_text = message.parts[location[1]], message.text("text")
        return words.union(_call_words(call), _names(answer_text)), numbers.union(
            _line_numbers(call.text), _line_numbers(answer_text)
        )

    def _request_terms(self, message: int) -> tuple[frozenset[str], frozenset[str]]:
        """Return the names that the newest request mentions, with those of earlier ones that came before a message, and
        the line numbers in the newest request. What is older than a request was read for something else."""
        before = bisect_left(self._earlier_requests, message)
        if before not in self._terms:
            texts = [self._messages[i].text("text") for i in reversed(self._earlier_requests[:before])]
            earlier = chain.from_iterable(sorted(_request_names(text)) for text in texts)
            last = self._messages[self._last_request].text("text") if self._last_request >= 0 else ""
            names = _request_names(last).union(islice(earlier, _MAX_EARLIER_NAMES))
            self._terms[before] = names, _line_numbers(last)
        return self._terms[before]


def _call_words(call: Part) -> Iterator[str]:
    """Yield the words of what a call asks for, without paths and file names."""
    arguments = call_arguments(call)
    values = arguments.items() if isinstance(arguments, dict) else [("", arguments)]
    for key, value in values:
        if isinstance(value, str) and key not in PATH_ARGUMENTS:
            for chunk in value[:_MAX_READ_CHARS].split():
                if "/" not in chunk and not ("." in chunk and _FILE.fullmatch(chunk)):
                    yield from find_words(_WORD, chunk)
                    if not chunk.isalpha():  # ids and figures have digits
                        yield from _ID.findall(chunk)
                        yield from _FIGURE.findall(chunk)


def _names(text: str) -> frozenset[str]:
    """Return the names in a text that are single words, and its numbers of three digits."""
    names = (name for name in identifiers(text[:_MAX_READ_CHARS]) if _WORD.fullmatch(name))
    return frozenset(chain(names, _FIGURE.findall(text[:_MAX_READ_CHARS])))


def _request_names(text: str) -> frozenset[str]:
    """Return the same for a request, with the words that it sets in backticks."""
    quoted = _QUOTED.findall(text[:_MAX_READ_CHARS]) if "`" in text else ()
    return _names(text).union(word for name in quoted for word in find_words(_WORD, name))


def _line_numbers(text: str) -> frozenset[str]:
    """Return the line numbers that a text mentions."""
    text = text[:_MAX_READ_CHARS]
    return frozenset(_LINE_NUMBER.findall(text) if _MAYBE_LINE_NUMBER.search(text) else ())


def _lines_numbered(lines: Sequence[str], numbers: frozenset[str]) -> list[int]:
    """Return the lines that have one of these numbers. The first and the last lines of the result do not count, because
    numbers there say from where to where the file was read."""
    if not numbers:
        return []
    inner_indices = range(_LINES_AFTER, len(lines) - _LINES_AFTER)
    found = [index for index in inner_indices if not numbers.isdisjoint(_NUMBERED_LINE.findall(lines[index]))]
    return found if len(found) <= _MIN_FEW_LINES * len(numbers) else []


def _lines_with(lines: Sequence[str], text: str, words: frozenset[str]) -> list[int]:
    """Return the lines that hold words which few lines have, those with the rarest words first, and of these the words
    with a digit."""
    present = [word for word in words if word in text]
    lines_by_word: defaultdict[str, list[int]] = defaultdict(list)
    matching = {index for word in present for index, line in enumerate(lines) if word in line}
    for index in sorted(matching):
        line = lines[index]
        for word in chain.from_iterable(words.intersection(find_words(find, line)) for find in (_WORD, _ID, _FIGURE)):
            lines_by_word[word].append(index)
    max_lines = max(_MIN_FEW_LINES, len(lines) // _LINES_PER_MATCH)
    ranked = sorted(
        (len(indices), not any(map(str.isdigit, word)), indices)
        for word, indices in lines_by_word.items()
        if len(indices) <= max_lines
    )
    return list(dict.fromkeys(index for _, _, indices in ranked for index in indices))


def _conflict_lines(lines: Sequence[str]) -> list[int]:
    """Return the indices of both sides of each conflict with the marks around them; of a long side only its first
    lines."""
    found: list[int] = []
    side = -1
    for index, line in enumerate(lines):
        if marks := _CONFLICT.findall(line):
            side = -1 if marks[-1] == ">" * 7 else index
            found.append(index)
        elif side >= 0 and index - side <= _MAX_SIDE_LINES:
            found.append(index)
    return found[:_MAX_CONFLICT_LINES]
