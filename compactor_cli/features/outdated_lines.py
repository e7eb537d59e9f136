"""Lines of files that are obsolete: later calls of the session removed them, or a result only repeats them from its
call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.call_lines import ADDED, REMOVED, changed_lines
from compactor_cli.features.work.calls import answered_call
from compactor_cli.features.work.ledger import call_arguments, every_action
from compactor_cli.features.work.restored_files import is_restored, restored_places
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, Spot, pair
from compactor_cli.text.patterns import compiled_later

_SHORTEST = 16
"""Minimum length of a line that is unlikely to occur in other files."""
_WRITES = ("old", "new", "Begin Patch", "content", "file_text")
"""Every call that changes lines of a file contains one of these."""
_BY_GIT = r"(?:\b|\\n)git (?:-\S+ (?:[^-\s]\S* ){0,3}){0,4}"
_GIT = compiled_later(
    rf"{_BY_GIT}(?:checkout(?! -[bB])|restore|reset|stash|revert|switch(?! -[cC])|merge|rebase|pull|cherry-pick)\b"
)
"""Commands after which the content of files is unknown."""
_KEEPS = compiled_later(rf"{_BY_GIT}(?:commit|add|stage|stash|apply|am)\b")
"""Commands after which git may contain lines that were added before."""
_RESTORES = compiled_later(r"(?:\b|\\n)git (?:-C \S+ )?(?:checkout|restore) ")
_BRINGS_BACK = compiled_later(
    rf"{_BY_GIT}(?:apply|am)\b|(?:(?<![\w.-])|\\n)(?:patch|cp|mv|rsync|tar|unzip|install|ln|dd|tee)\s"
)
"""Commands that may put removed lines back into a file."""
_AROUND_NAMES = '/"\\:'
"""Separators between names of files and folders, besides spaces."""
_READ = 300
"""Characters at the beginning of a call, and of a text, that are searched for the name of a file."""
_PLACE = compiled_later(r"^(?:(?:[\w./\\@~-]+[:-])?L?\d+(?:→|\t|[:-]| ?\|)|\+\| )")
"""What precedes a displayed line: its number, with the path in search results, or the mark of an edit."""


class _Removal(Struct, frozen=True):
    """The last message that removed a line, the end of the path of its file, and how often it was removed."""

    message: int
    path: str
    times: int = 1
    since: int = -1
    """The message that had added the line; an equal line before it was a different one."""


class OutdatedLines:
    """The lines that edits of a session removed and did not add again."""

    def __init__(self, messages: Sequence[Message], pairing: Pairing | None = None, since: int = 0) -> None:
        """Read the edits of a session, starting at message `since`: earlier edits removed nothing that is shown
        later. `pairing`: the pairing of the messages, if known."""
        known = (pairing or pair(messages)).answers
        answers = {result: call for result, call in known.items() if call[0] >= since}
        self._calls = {result: messages[call[0]].parts[call[1]] for result, call in answers.items()}
        results = {call: messages[result[0]].parts[result[1]] for result, call in answers.items()}
        self._removed: dict[str, _Removal] = {}
        self._files: set[str] = set()
        """Names of the files from which lines were removed."""
        self._last = -1
        """The last message that removed lines."""
        self._took_back = False
        """Whether some lines were removed only by a checkout."""
        self._put_in: dict[str, dict[str, _Removal]] = {}
        """Path -> lines that edits added since git may last have stored the file's content -> their removal, in case
        git reverts the edits."""
        self._added: dict[Spot, set[str]] = {}
        """Calls that changed files -> the lines that they added."""
        for spot in sorted(results):
            call = messages[spot[0]].parts[spot[1]]
            if self._took_back:
                self._bring_back(call)
            if (self._removed or self._put_in) and "git " in call.text:
                self._by_git(spot, call, results[spot])
            elif self._put_in and "commit" in call.name.lower():
                self._put_in.clear()
            if any(map(call.text.__contains__, _WRITES)):
                self._enter(spot, call, results[spot])
        self._echoes = {result: self._added[call] for result, call in answers.items() if call in self._added}

    def _by_git(self, spot: Spot, call: Part, result: Part) -> None:
        """Record what git commands do to files: a checkout of certain files removes the lines that were added to
        them."""
        ended = answered_call(call, result)
        places = restored_places(ended) if _RESTORES.search(call.text) and not _KEEPS.search(call.text) else ()
        restored = [path for path in self._put_in if any(is_restored(path, place) for place in places)]
        if restored and not _BRINGS_BACK.search(call.text):
            for path in restored:
                tail = _tail(path)
                for text in [text for text, removal in self._removed.items() if removal.path == tail]:
                    del self._removed[text]
                taken = self._put_in.pop(path)
                for text, removal in taken.items() if not (ended.failed or ended.undecided) else ():
                    self._take_out(text, replace(removal, message=spot[0]))
                    self._took_back = True
        elif _GIT.search(call.text):
            self._took_back = False
            self._removed.clear()
            self._put_in.clear()
        elif _KEEPS.search(call.text):
            self._put_in.clear()

    def _bring_back(self, call: Part) -> None:
        """Record that a command may restore lines that a checkout removed; where they come from is unknown. Lines
        added by edits are known."""
        everywhere = _BRINGS_BACK.search(call.text) is not None
        actions = every_action(call.name, call_arguments(call)) if not any(changed_lines(call)) else ()
        names = {_tail(path).rpartition("/")[2] for path, action in actions if action != "read"}
        if everywhere or names:
            taken = [(text, removal.path) for text, removal in self._removed.items() if removal.since >= 0]
            for text in [text for text, path in taken if everywhere or path.rpartition("/")[2] in names]:
                del self._removed[text]

    def _take_out(self, text: str, removal: _Removal) -> None:
        self._removed[text] = removal
        self._last = removal.message
        self._files.add(removal.path.rpartition("/")[2])

    def _enter(self, spot: Spot, call: Part, result: Part) -> None:
        if (ended := answered_call(call, result)).failed or ended.undecided:
            return
        for path, lines in changed_lines(call):
            there = {line.removeprefix(ADDED).strip() for line in lines if not line.startswith(REMOVED)}
            self._added[spot] = self._added.get(spot, set()) | there
            tail = _tail(path)
            new = [line[len(ADDED) :].strip() for line in lines if line.startswith(ADDED)]
            put_in = self._put_in.setdefault(_slashed(path), {})
            for text in new:
                if len(text) >= _SHORTEST and ((known := self._removed.get(text)) is None or known.path != tail):
                    before = put_in.get(text) or _Removal(-1, tail, 0, spot[0])
                    put_in[text] = replace(before, times=before.times + 1)
            for text in there:
                self._removed.pop(text, None)
            for text in (line[len(REMOVED) :].strip() for line in lines if line.startswith(REMOVED)):
                if tail and len(text) >= _SHORTEST and text not in there:
                    put_in.pop(text, None)
                    known = self._removed.get(text)
                    times = known.times + 1 if known and known.path == tail else 1
                    self._take_out(text, _Removal(spot[0], tail, times))

    def within(self, spot: Spot, part: Part, text: str) -> frozenset[int]:
        """Return the numbers, from 0, of the obsolete physical lines in the text of a call or result. These lines
        were removed later, or a result only repeats them from its call."""
        found = self._found(spot, part, text) if spot[0] < self._last else ()
        return frozenset((*found, *self._echoed(spot, text))) if found or spot in self._echoes else frozenset()

    def _found(self, spot: Spot, part: Part, text: str) -> list[int]:
        call = self._calls.get(spot, part)
        mine = part.kind == "tool_result" or spot in self._added
        if not mine or self._files.isdisjoint(_names_in(f"{call.text[:_READ]} {text[:_READ]}")):  # as in most results
            return []
        asked, lines = _slashed(call.text), text.split("\n")
        bare = [_without_place(line.strip()) for line in lines]
        known = {
            text: removal
            for text in bare
            if (removal := self._removed.get(text)) and removal.since <= spot[0] < removal.message
        }
        found = [
            (number, text)
            for number, text in enumerate(bare)
            if text in known and (known[text].path in asked or known[text].path in _slashed(lines[number]))
        ]
        held = Counter(text for _, text in found)  # if more lines are equal, it is unknown which was meant
        return [number for number, text in found if held[text] <= known[text].times]

    def _echoed(self, spot: Spot, text: str) -> Iterator[int]:
        if written := self._echoes.get(spot):
            for number, line in enumerate(map(str.strip, text.split("\n"))):
                bare = _without_place(line)
                if _SHORTEST <= len(bare) < len(line) and bare in written:
                    yield number


def _tail(path: str) -> str:
    """Return the end of a path, which identifies its file."""
    return "/".join(_slashed(path).rsplit("/", 2)[-2:])


def _names_in(text: str) -> list[str]:
    """Return the words of a text that may be names of files."""
    for sign in _AROUND_NAMES:
        text = text.replace(sign, " ")
    return text.split()


def _slashed(text: str) -> str:
    """Return a text with Windows paths written with slashes."""
    return text.replace("\\\\", "/").replace("\\", "/") if "\\" in text else text


def _without_place(line: str) -> str:
    """Return a displayed line of a file without the line number or mark before it."""
    if not line[:1].isdigit() and ":" not in line and "-" not in line and line[:1] not in (ADDED[0], "L"):  # as in most
        return line
    place = _PLACE.match(line)
    return line[place.end() :].strip() if place else line.strip()
