"""Lines of a result that hold what was asked for: words of its call, or names in the agent's text before the call or in
the newest requests. Lines of a file count if one of these mentions their numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from math import inf
from typing import TYPE_CHECKING

from compactor_cli.features.call_lines import PATHS
from compactor_cli.features.work.ledger import call_arguments
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, Spot, pair
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
_PLACE = compiled_later(
    r'(?:(?:\b|_)[Ll]ines?(?:[ _]number)?"?[ :="]+|#L|\.[A-Za-z]\w*(?:"? (?=\d+\b(?!\.))|[:(])|\bgoto )(\d{2,6})\b'
)
"""A line number in the usual notations: `line 83`, `"line_number": 83`, `fields.py:83`."""
_MAY_BE_PLACE = compiled_later(r'[ :="L(]\d\d')
"""The end that all of these have in common. Most calls contain none."""
_NUMBERED = compiled_later(r"^\s*(\d{2,6}) ?(?:[|\t→]|:(?!\d\d\b))", re.MULTILINE)
"""A line of a file with its number."""
OURS = "<<<<<<<"
"""The beginning of a conflict."""
_CONFLICT = compiled_later(r"^[ \t]*(?:\d+(?:→|\t|[:|-])[ \t]*)?(<{7}(?=\s|$)|={7}[ \t]*$|>{7}(?=\s|$))", re.MULTILINE)
"""The marks with which git separates the sides of a merge conflict."""
_SIDE, _CONFLICTS = 12, 60
"""Maximum number of lines of one side of a conflict, and of all conflicts in a result."""
_QUOTED = compiled_later(r"`([^`\s]{3,40})`")
"""What people set in backticks as a name when they ask for something: `bart@`."""
_READ = 4_000
"""Maximum characters of a call or a text to search for words."""
_FEW, _SHARE = 3, 8
"""A word is specific if it occurs in at most this many lines, or in at most one of this many."""
_NEXT = 8
"""Number of messages after a result in which the agent answers it. Results of parallel calls arrive one by one."""
_WORDS, _SHORT = 40, 200
"""Maximum number of words of the agent's next text and calls to look for, and maximum length of an argument of these
calls."""
_REQUESTS, _EARLIER = 20, 24
"""Number of newest requests to read, and maximum number of names to look for from those before the last one."""
_BEHIND = 2
"""Number of lines after such a line that belong to it."""


class Asked:
    """What the results of a transcript were asked for."""

    def __init__(self, messages: Sequence[Message], pairing: Pairing | None = None, *, goes_on: bool = False) -> None:
        """Take the messages of a transcript. `pairing`: their pairing, if it is known. `goes_on`: if a result has
        nothing that was asked for, look for what the agent spoke of next."""
        self._goes_on = goes_on
        self._messages = messages
        self._pairing = pairing
        self._requested: tuple[frozenset[str], frozenset[str]] | None = None
        self._found: dict[Spot, tuple[int, ...]] = {}

    def lines(self, result: Spot, lines: Sequence[str]) -> tuple[int, ...]:
        """Return the indices of the lines of a result that hold what was asked for.

        The order is: both sides of merge conflicts, rows that differ from all others in something these have in common,
        lines whose numbers were mentioned, and lines with the rarest words. The lines after all these follow. If there
        are none, these are the lines with names that the agent spoke of next. Each result is searched once."""
        if result not in self._found:
            words, numbers = self._wanted(result)
            text = "\n".join(lines)
            parted = conflicts(lines) if OURS in text else ()
            odd = odd_rows(lines, text)
            asked = (*parted, *odd, *_numbered(lines, numbers), *_holding(lines, text, words))
            if not asked and self._goes_on:
                asked = (*_holding(lines, text, self._taken_up(result)),)
            found = list(dict.fromkeys(asked))
            begins = (index for index in found if index not in odd)  # the lines below a row are about something else
            behind = chain.from_iterable(range(index + 1, min(index + 1 + _BEHIND, len(lines))) for index in begins)
            self._found[result] = tuple(dict.fromkeys((*found, *(n for n in behind if has_words(lines[n])))))
        return self._found[result]

    def in_piece(self, number: int, lines: SessionLines) -> list[int]:
        """Return such lines of a piece of a session, by their line numbers in the session."""
        piece, own = lines.session.pieces[number], lines.of_piece(number)
        texts = ["" if line in lines.headers else lines.text(line) for line in own]
        return [own[index] for index in self.lines((piece.message, piece.part), texts)]

    def _wanted(self, result: Spot) -> tuple[frozenset[str], frozenset[str]]:
        """Return the words that a result was asked for, and the line numbers that were asked for."""
        if self._pairing is None:
            self._pairing = pair(self._messages)
        if self._requested is None:
            requests = [m.text("text") for m in reversed(self._messages) if m.origin == "request"]
            last = "".join(requests[:1])
            earlier = chain.from_iterable(sorted(_asked_names(text)) for text in requests[1:_REQUESTS])
            self._requested = _asked_names(last).union(islice(earlier, _EARLIER)), _places(last)
        words, numbers = self._requested
        spot = self._pairing.answers.get(result)
        if spot is None:
            return words, numbers
        message = self._messages[spot[0]]
        call, said = message.parts[spot[1]], message.text("text")
        return words.union(_of_call(call), _names(said)), numbers.union(_places(call.text), _places(said))

    def _taken_up(self, result: Spot) -> frozenset[str]:
        """Return the names in the agent's next text and calls before the user speaks. Long arguments, which the agent
        wrote itself, are skipped."""
        for message in self._messages[result[0] + 1 : result[0] + 1 + _NEXT]:
            if message.origin == "request":
                break
            if message.role == "assistant" and (message.calls or message.text("text")):
                called = chain.from_iterable(_of_call(call, _SHORT) for call in message.calls)
                return frozenset(islice(chain(sorted(_names(message.text("text"))), called), _WORDS))
        return frozenset()


def _of_call(call: Part, longest: float = inf) -> Iterator[str]:
    """Yield the words of what a call asks for, without paths, file names and arguments longer than `longest`."""
    arguments = call_arguments(call)
    values = arguments.items() if isinstance(arguments, dict) else [("", arguments)]
    for key, value in values:
        if isinstance(value, str) and key not in PATHS and len(value) <= longest:
            for chunk in value[:_READ].split():
                if "/" not in chunk and not ("." in chunk and _FILE.fullmatch(chunk)):
                    yield from find_words(_WORD, chunk)
                    if not chunk.isalpha():  # ids and figures have digits
                        yield from _ID.findall(chunk)
                        yield from _FIGURE.findall(chunk)


def _names(text: str) -> frozenset[str]:
    """Return the names in a text that are single words, and its numbers of three digits."""
    names = (name for name in identifiers(text[:_READ]) if _WORD.fullmatch(name))
    return frozenset(chain(names, _FIGURE.findall(text[:_READ])))


def _asked_names(text: str) -> frozenset[str]:
    """Return the same for a request, with the words that it sets in backticks."""
    quoted = _QUOTED.findall(text[:_READ]) if "`" in text else ()
    return _names(text).union(word for name in quoted for word in find_words(_WORD, name))


def _places(text: str) -> frozenset[str]:
    """Return the line numbers that a text mentions."""
    text = text[:_READ]
    return frozenset(_PLACE.findall(text) if _MAY_BE_PLACE.search(text) else ())


def conflicts(lines: Sequence[str]) -> list[int]:
    """Return the indices of both sides of each conflict with the marks around them; of a long side only its first
    lines."""
    found: list[int] = []
    side = -1
    for index, line in enumerate(lines):
        if marks := _CONFLICT.findall(line):
            side = -1 if marks[-1][0] == ">" else index
            found.append(index)
        elif side >= 0 and index - side <= _SIDE:
            found.append(index)
    return found[:_CONFLICTS]


def _numbered(lines: Sequence[str], numbers: frozenset[str]) -> list[int]:
    """Return the lines that have one of these numbers. The first and the last lines of the result do not count, because
    numbers there say from where to where the file was read."""
    if not numbers:
        return []
    inner = range(_BEHIND, len(lines) - _BEHIND)
    found = [index for index in inner if not numbers.isdisjoint(_NUMBERED.findall(lines[index]))]
    return found if len(found) <= _FEW * len(numbers) else []


def _holding(lines: Sequence[str], text: str, words: frozenset[str]) -> list[int]:
    """Return the lines that hold words which few lines have, those with the rarest words first, and of these the words
    with a digit."""
    present = [word for word in words if word in text]
    held: defaultdict[str, list[int]] = defaultdict(list)
    holding = {index for word in present for index, line in enumerate(lines) if word in line}
    for index in sorted(holding):
        line = lines[index]
        for word in chain.from_iterable(words.intersection(find_words(find, line)) for find in (_WORD, _ID, _FIGURE)):
            held[word].append(index)
    few = max(_FEW, len(lines) // _SHARE)
    telling = sorted(
        (len(where), not any(map(str.isdigit, word)), where) for word, where in held.items() if len(where) <= few
    )
    return list(dict.fromkeys(index for _, _, where in telling for index in where))
