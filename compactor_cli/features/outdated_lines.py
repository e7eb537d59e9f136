"""Lines of files that are obsolete: later calls of the session removed them, or a result only repeats them from its
call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.call_lines import ADDED_MARK, REMOVED_MARK, changed_lines
from compactor_cli.features.work.calls import answered_call
from compactor_cli.features.work.ledger import call_arguments, every_action
from compactor_cli.features.work.restored_files import is_restored, restored_paths
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, PartIndex, pair_calls
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
_GIT_STORES = compiled_later(rf"{_GIT_COMMAND}(?:commit|add|stage|stash|apply|am)\b")
"""Commands after which git may contain lines that were added before."""
_RESTORES = compiled_later(r"(?:\b|\\n)git (?:-C \S+ )?(?:checkout|restore) ")
_BRINGS_BACK = compiled_later(
    rf"{_GIT_COMMAND}(?:apply|am)\b|(?:(?<![\w.-])|\\n)(?:patch|cp|mv|rsync|tar|unzip|install|ln|dd|tee)\s"
)
"""Commands that may put removed lines back into a file."""
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
    since: int = -1
    """The message that had added the line; an equal line before it was a different one."""


class OutdatedLines:
    """The lines that edits of a session removed and did not add again."""

    def __init__(self, messages: Sequence[Message], pairing: Pairing | None = None, since: int = 0) -> None:
        """Read the edits of a session, starting at message `since`: earlier edits removed nothing that is shown
        later. `pairing`: the pairing of the messages, if known."""
        call_of = (pairing or pair_calls(messages)).call_of
        answers = {result: call for result, call in call_of.items() if call[0] >= since}
        self._calls = {result: messages[call[0]].parts[call[1]] for result, call in answers.items()}
        results = {call: messages[result[0]].parts[result[1]] for result, call in answers.items()}
        self._removed: dict[str, _Removal] = {}
        self._files: set[str] = set()
        """Names of the files from which lines were removed."""
        self._last = -1
        """The last message that removed lines."""
        self._has_reverted = False
        """Whether some lines were removed only by a checkout."""
        self._revertible: dict[str, dict[str, _Removal]] = {}
        """Path -> lines that edits added since git may last have stored the file's content -> their removal, in case
        git reverts the edits."""
        self._added: dict[PartIndex, set[str]] = {}
        """Calls that changed files -> the lines that they added."""
        for location in sorted(results):
            call = messages[location[0]].parts[location[1]]
            if self._has_reverted:
                self._record_restoring(call)
            if (self._removed or self._revertible) and "git " in call.text:
                self._record_git(location, call, results[location])
            elif self._revertible and "commit" in call.name.lower():
                self._revertible.clear()
            if any(map(call.text.__contains__, _EDIT_WORDS)):
                self._record_edit(location, call, results[location])
        self._echoes = {result: self._added[call] for result, call in answers.items() if call in self._added}

    def _record_git(self, location: PartIndex, call: Part, result: Part) -> None:
        """Record what git commands do to files: a checkout of certain files removes the lines that were added to
        them."""
        tool_call = answered_call(call, result)
        git_paths = (
            restored_paths(tool_call) if _RESTORES.search(call.text) and not _GIT_STORES.search(call.text) else ()
        )
        restored = [path for path in self._revertible if any(is_restored(path, place) for place in git_paths)]
        if restored and not _BRINGS_BACK.search(call.text):
            for path in restored:
                tail = _path_end(path)
                for text in [text for text, removal in self._removed.items() if removal.path == tail]:
                    del self._removed[text]
                reverted = self._revertible.pop(path)
                for text, removal in reverted.items() if not (tool_call.failed or tool_call.undecided) else ():
                    self._record_removed_line(text, replace(removal, message=location[0]))
                    self._has_reverted = True
        elif _GIT_REWRITES.search(call.text):
            self._has_reverted = False
            self._removed.clear()
            self._revertible.clear()
        elif _GIT_STORES.search(call.text):
            self._revertible.clear()

    def _record_restoring(self, call: Part) -> None:
        """Record that a command may restore lines that a checkout removed; where they come from is unknown. Lines
        added by edits are known."""
        any_file = _BRINGS_BACK.search(call.text) is not None
        actions = every_action(call.name, call_arguments(call)) if not any(changed_lines(call)) else ()
        names = {_path_end(path).rpartition("/")[2] for path, action in actions if action != "read"}
        if any_file or names:
            reverted = [(text, removal.path) for text, removal in self._removed.items() if removal.since >= 0]
            for text in [text for text, path in reverted if any_file or path.rpartition("/")[2] in names]:
                del self._removed[text]

    def _record_removed_line(self, text: str, removal: _Removal) -> None:
        self._removed[text] = removal
        self._last = removal.message
        self._files.add(removal.path.rpartition("/")[2])

    def _record_edit(self, location: PartIndex, call: Part, result: Part) -> None:
        if (tool_call := answered_call(call, result)).failed or tool_call.undecided:
            return
        for path, lines in changed_lines(call):
            present = {line.removeprefix(ADDED_MARK).strip() for line in lines if not line.startswith(REMOVED_MARK)}
            self._added[location] = self._added.get(location, set()) | present
            tail = _path_end(path)
            added = [line[len(ADDED_MARK) :].strip() for line in lines if line.startswith(ADDED_MARK)]
            put_in = self._revertible.setdefault(_with_slashes(path), {})
            for text in added:
                if len(text) >= _MIN_LINE_CHARS and ((known := self._removed.get(text)) is None or known.path != tail):
                    before = put_in.get(text) or _Removal(-1, tail, 0, location[0])
                    put_in[text] = replace(before, times=before.times + 1)
            for text in present:
                self._removed.pop(text, None)
            for text in (line[len(REMOVED_MARK) :].strip() for line in lines if line.startswith(REMOVED_MARK)):
                if tail and len(text) >= _MIN_LINE_CHARS and text not in present:
                    put_in.pop(text, None)
                    known = self._removed.get(text)
                    times = known.times + 1 if known and known.path == tail else 1
                    self._record_removed_line(text, _Removal(location[0], tail, times))

    def outdated_in(self, location: PartIndex, part: Part, text: str) -> frozenset[int]:
        """Return the numbers, from 0, of the obsolete physical lines in the text of a call or result. These lines
        were removed later, or a result only repeats them from its call."""
        removed = self._removed_lines(location, part, text) if location[0] < self._last else ()
        return (
            frozenset((*removed, *self._echoed_lines(location, text)))
            if removed or location in self._echoes
            else frozenset()
        )

    def _removed_lines(self, location: PartIndex, part: Part, text: str) -> list[int]:
        call = self._calls.get(location, part)
        is_searchable = part.kind == "tool_result" or location in self._added
        # most results name none of the files
        if not is_searchable or self._files.isdisjoint(
            _names_in(f"{call.text[:_SEARCHED_CHARS]} {text[:_SEARCHED_CHARS]}")
        ):
            return []
        call_text, lines = _with_slashes(call.text), text.split("\n")
        plain_lines = [_without_prefix(line.strip()) for line in lines]
        known = {
            text: removal
            for text in plain_lines
            if (removal := self._removed.get(text)) and removal.since <= location[0] < removal.message
        }
        found = [
            (number, text)
            for number, text in enumerate(plain_lines)
            if text in known and (known[text].path in call_text or known[text].path in _with_slashes(lines[number]))
        ]
        occurrences = Counter(text for _, text in found)  # if more lines are equal, it is unknown which was meant
        return [number for number, text in found if occurrences[text] <= known[text].times]

    def _echoed_lines(self, location: PartIndex, text: str) -> Iterator[int]:
        if written := self._echoes.get(location):
            for number, line in enumerate(map(str.strip, text.split("\n"))):
                plain = _without_prefix(line)
                if _MIN_LINE_CHARS <= len(plain) < len(line) and plain in written:
                    yield number


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
