"""Lines of files that are obsolete because later calls of the session removed them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from compactor_cli.features.call_lines import ADDED_MARK, REMOVED_MARK, changed_lines
from compactor_cli.features.work.calls import answered_call
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, PartIndex
from compactor_cli.text.patterns import compiled_later

_MIN_LINE_CHARS = 16
"""Minimum length of a line that is unlikely to occur in other files."""
_EDIT_WORDS = ("old", "new", "Begin Patch", "content", "file_text")
"""Every call that changes lines of a file contains one of these."""
_GIT_COMMAND = r"(?:\b|\\n)git (?:-\S+ (?:[^-\s]\S* ){0,3}){0,4}"
_GIT_REWRITES = compiled_later(
    rf"{_GIT_COMMAND}(?:checkout(?! -[bB])|restore|reset|stash|revert|switch(?! -[cC])|merge|rebase|pull|cherry-pick)\b"
)
"""Commands after which the content of files is unknown."""
_NAME_SEPARATORS = '/"\\:'
"""Separators between names of files and folders, besides spaces."""
_SEARCHED_CHARS = 300
"""Characters at the beginning of a call, and of a text, that are searched for the name of a file."""
_LINE_PREFIX = compiled_later(r"^(?:(?:[\w./\\@~-]+[:-])?L?\d+(?:→|\t|[:-]| ?\|)|\+\| )")
"""What precedes a displayed line: its number, with the path in search results, or the mark of an edit."""


class _Removal(Struct, frozen=True):
    """The last message that removed a line, the end of the path of its file, and how often it was removed."""

    message: int
    path: str
    times: int = 1


class OutdatedLines:
    """The lines that edits of a session removed and did not add again."""

    def __init__(self, messages: Sequence[Message], pairing: Pairing, since: int = 0) -> None:
        """Read the edits of a session, starting at message `since`: earlier edits removed nothing that is shown
        later."""
        answers = {result: call for result, call in pairing.call_of.items() if call[0] >= since}
        self._calls = {result: messages[call[0]].parts[call[1]] for result, call in answers.items()}
        results = {call: messages[result[0]].parts[result[1]] for result, call in answers.items()}
        self._removed: dict[str, _Removal] = {}
        self._files: set[str] = set()
        """Names of the files from which lines were removed."""
        self._last = -1
        """The last message that removed lines."""
        self._edits: set[PartIndex] = set()
        """Calls that changed files."""
        for location in sorted(results):
            call = messages[location[0]].parts[location[1]]
            if self._removed and "git " in call.text and _GIT_REWRITES.search(call.text):
                self._removed.clear()
            if any(map(call.text.__contains__, _EDIT_WORDS)):
                self._record_edit(location, call, results[location])

    def _record_edit(self, location: PartIndex, call: Part, result: Part) -> None:
        if (tool_call := answered_call(call, result)).failed or tool_call.undecided:
            return
        for path, lines in changed_lines(call):
            present = {line.removeprefix(ADDED_MARK).strip() for line in lines if not line.startswith(REMOVED_MARK)}
            self._edits.add(location)
            tail = _path_end(path)
            for text in present:
                self._removed.pop(text, None)
            for text in (line[len(REMOVED_MARK) :].strip() for line in lines if line.startswith(REMOVED_MARK)):
                if tail and len(text) >= _MIN_LINE_CHARS and text not in present:
                    known = self._removed.get(text)
                    times = known.times + 1 if known and known.path == tail else 1
                    self._removed[text] = _Removal(location[0], tail, times)
                    self._last = location[0]
                    self._files.add(tail.rpartition("/")[2])

    def outdated_in(self, location: PartIndex, part: Part, text: str) -> frozenset[int]:
        """Return the numbers, from 0, of the physical lines in the text of a call or result that were removed later."""
        if location[0] >= self._last:
            return frozenset()
        call = self._calls.get(location, part)
        is_searchable = part.kind == "tool_result" or location in self._edits
        # most results name none of the files
        if not is_searchable or self._files.isdisjoint(
            _names_in(f"{call.text[:_SEARCHED_CHARS]} {text[:_SEARCHED_CHARS]}")
        ):
            return frozenset()
        call_text, lines = _with_slashes(call.text), text.split("\n")
        plain_lines = [_without_prefix(line.strip()) for line in lines]
        known = {
            text: removal
            for text in plain_lines
            if (removal := self._removed.get(text)) and location[0] < removal.message
        }
        found = [
            (number, text)
            for number, text in enumerate(plain_lines)
            if text in known and (known[text].path in call_text or known[text].path in _with_slashes(lines[number]))
        ]
        occurrences = Counter(text for _, text in found)  # if more lines are equal, it is unknown which was meant
        return frozenset(number for number, text in found if occurrences[text] <= known[text].times)


def _path_end(path: str) -> str:
    """Return the end of a path, which identifies its file."""
    return "/".join(_with_slashes(path).rsplit("/", 2)[-2:])


def _names_in(text: str) -> list[str]:
    """Return the words of a text that may be names of files."""
    for sign in _NAME_SEPARATORS:
        text = text.replace(sign, " ")
    return text.split()


def _with_slashes(text: str) -> str:
    """Return a text with Windows paths written with slashes."""
    return text.replace("\\\\", "/").replace("\\", "/") if "\\" in text else text


def _without_prefix(line: str) -> str:
    """Return a displayed line of a file without the line number or mark before it."""
    # most lines have none
    if not line[:1].isdigit() and ":" not in line and "-" not in line and line[:1] not in (ADDED_MARK[0], "L"):
        return line
    prefix = _LINE_PREFIX.match(line)
    return line[prefix.end() :].strip() if prefix else line.strip()
