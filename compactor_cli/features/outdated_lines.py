"""Lines of files that say nothing any more: later calls of the session took them out, or their own call has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from compactor_cli.features.call_lines import ADDED, REMOVED, changed_lines
from compactor_cli.features.work.calls import answered_call
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, Spot, pair
from compactor_cli.text.escapes import readable
from compactor_cli.text.patterns import compiled_later

_SHORTEST = 16
"""Characters of the shortest line that is not like one of any other file."""
_EDITS = ("old", "Begin Patch")
"""One of these stands in every call that takes lines out of a file."""
_NAME = compiled_later(r"[^/\s\"\\:]+")
_READ = 300
"""Characters at the beginning of a call, and of a text, in which the name of a file is looked for."""
_PLACE = compiled_later(r"^(?:(?:[\w./@~-]+[:-])?\d+(?:→|\t|[:|-])|\+\| )")
"""What stands before a line that is shown: its number, with the path in what a search found; the mark of an edit."""


class _Removal(Struct, frozen=True):
    """The last message that took a line out, and the name of its file."""

    message: int
    file: str


class OutdatedLines:
    """The lines that edits of a session removed, and did not put in again."""

    def __init__(self, messages: Sequence[Message], pairing: Pairing | None = None) -> None:
        """Read the edits of a session. `pairing`: that of the messages, where it is known."""
        answers = (pairing or pair(messages)).answers
        self._calls = {result: messages[call[0]].parts[call[1]] for result, call in answers.items()}
        results = {call: messages[result[0]].parts[result[1]] for result, call in answers.items()}
        self._removed: dict[str, _Removal] = {}
        self._files: set[str] = set()
        """Names of the files that lines were taken out of."""
        self._last = -1
        """The last message that took lines out."""
        self._edits: set[Spot] = set()
        """Calls that changed files."""
        for at, message in enumerate(messages):
            for position, call in enumerate(message.parts):
                if call.kind == "tool_call" and any(map(call.text.__contains__, _EDITS)):
                    self._enter((at, position), call, results.get((at, position)))
        self._echoes = {result for result, call in answers.items() if call in self._edits}

    def _enter(self, spot: Spot, call: Part, result: Part | None) -> None:
        if result is None or (ended := answered_call(call, result)).failed or ended.undecided:
            return
        for path, lines in changed_lines(call):
            self._edits.add(spot)
            there = {line.removeprefix(ADDED).strip() for line in lines if not line.startswith(REMOVED)}
            for text in there:
                self._removed.pop(text, None)
            name = path.rpartition("/")[2]
            for text in (line[len(REMOVED) :].strip() for line in lines if line.startswith(REMOVED)):
                if len(text) >= _SHORTEST and text not in there:
                    self._removed[text] = _Removal(spot[0], name)
                    self._last = spot[0]
                    self._files.add(name)

    def within(self, spot: Spot, part: Part, text: str) -> frozenset[int]:
        """Return the numbers of the physical lines, from 0, of the text of a call or a result that were taken out
        later, and of those that a result only repeats of its call."""
        found = self._found(spot, part, text) if spot[0] < self._last else ()
        return frozenset((*found, *self._echoed(spot, text))) if found or spot in self._echoes else frozenset()

    def _found(self, spot: Spot, part: Part, text: str) -> list[int]:
        call = self._calls.get(spot, part)
        mine = part.kind == "tool_result" or spot in self._edits
        if not mine or self._files.isdisjoint(_NAME.findall(f"{call.text[:_READ]} {text[:_READ]}")):  # as in most
            return []
        lines = text.split("\n")
        removals = [self._removed.get(_without_place(line.strip())) for line in lines]
        return [
            number
            for number, removal in enumerate(removals)
            if removal and removal.message > spot[0] and (removal.file in call.text or removal.file in lines[number])
        ]

    def _echoed(self, spot: Spot, text: str) -> Iterator[int]:
        if spot in self._echoes:
            written = {line.strip() for line in readable(self._calls[spot].text).split("\n")}
            for number, line in enumerate(text.split("\n")):
                bare = _without_place(line.strip())
                if len(bare) >= _SHORTEST and len(bare) < len(line.strip()) and bare in written:
                    yield number


def _without_place(line: str) -> str:
    """Return a line of a file without what stands before it where it is shown."""
    if not line[:1].isdigit() and ":" not in line and "-" not in line and line[:1] != ADDED[0]:  # as most
        return line
    return _PLACE.sub("", line, count=1).strip()
