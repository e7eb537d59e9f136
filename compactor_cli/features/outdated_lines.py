"""Lines of files that say nothing any more: later calls of the session took them out, or their own call has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from compactor_cli.features.call_lines import ADDED, REMOVED, changed_lines
from compactor_cli.features.work.calls import answered_call
from compactor_cli.model.message import Message, Part
from compactor_cli.text.escapes import readable
from compactor_cli.text.patterns import compiled_later

_SHORTEST = 16
"""Characters of the shortest line that is not like one of any other file."""
_EDITS = ("old", "Begin Patch")
"""One of these stands in every call that takes lines out of a file."""
_PLACE = compiled_later(r"(?:[\w./@~-]+[:-])?\d+(?:→|\t|[:|-])\s*|\+\|\s*")
"""What stands before a line that is shown: its number, with the path in what a search found; the mark of an edit."""


class _Removal(Struct, frozen=True):
    """The last message that took a line out, and the name of its file."""

    message: int
    file: str


class OutdatedLines:
    """The lines that edits of a session removed, and did not put in again."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._calls = {part.call_id: part for message in messages for part in message.parts if part.kind == "tool_call"}
        self._removed: dict[str, _Removal] = {}
        self._edits: set[str] = set()
        """Ids of calls that changed files."""
        results = {p.call_id: p for message in messages for p in message.parts if p.kind == "tool_result"}
        for message in messages:
            for call in message.parts:
                if call.kind == "tool_call" and any(map(call.text.__contains__, _EDITS)):
                    self._enter(message.index, call, results.get(call.call_id))

    def _enter(self, message: int, call: Part, result: Part | None) -> None:
        if result is None or (ended := answered_call(call, result)).failed or ended.undecided:
            return
        for path, lines in changed_lines(call):
            self._edits.add(call.call_id)
            there = {line.removeprefix(ADDED).strip() for line in lines if not line.startswith(REMOVED)}
            for text in there:
                self._removed.pop(text, None)
            name = path.rpartition("/")[2]
            for text in (line[len(REMOVED) :].strip() for line in lines if line.startswith(REMOVED)):
                if len(text) >= _SHORTEST and text not in there:
                    self._removed[text] = _Removal(message, name)

    def within(self, message: int, part: Part, text: str) -> frozenset[int]:
        """Return the numbers of the physical lines, from 0, of the text of a call or a result that were taken out
        later, and of those that a result only repeats of its call."""
        return frozenset((*self._found(message, part, text), *self._echoed(part, text)) if self._edits else ())

    def _echoed(self, part: Part, text: str) -> Iterator[int]:
        call = self._calls.get(part.call_id)
        if part.kind != "tool_result" or call is None or part.call_id not in self._edits:
            return
        written = {line.strip() for line in readable(call.text).split("\n") if len(line.strip()) >= _SHORTEST}
        for number, line in enumerate(text.split("\n")):
            bare = line.strip()
            place = _PLACE.match(bare)
            if place and bare[place.end() :] in written:
                yield number

    def _found(self, message: int, part: Part, text: str) -> Iterator[int]:
        call = self._calls.get(part.call_id, part)
        for number, line in enumerate(text.split("\n")):
            bare = line.strip()
            removal = self._removed.get(bare)
            if removal is None and (place := _PLACE.match(bare)):
                removal = self._removed.get(bare[place.end() :])
            if (
                removal is not None
                and removal.message > message
                and (removal.file in call.text or removal.file in line)
            ):
                yield number
