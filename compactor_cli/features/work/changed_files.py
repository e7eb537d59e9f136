"""Files that the session changed: the last action, how often, and whether a check passed after it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.file_checks import LABEL, FileChecks
from compactor_cli.features.work.ledger import file_actions, is_within
from compactor_cli.model.state_line import StateLine
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later

_CHANGES = ("created", "edited", "deleted", "restored")
_GONE = ("deleted", "restored")
"""What leaves nothing of a change that a check could look at."""
_CARRIED = compiled_later(rf"({'|'.join(_CHANGES)}) (.+?)(?: (\d+)x)?(?:, edited (\d+)x)?(?:, ({LABEL}))?$")
_OPENED = compiled_later(r"\[File: (/\S+) \(\d+ lines")
"""How a result names the file that an editor with one open file has changed."""
_SCRATCH = compiled_later(r"/(?:private/)?(?:var/)?tmp/")
_PATH_WIDTH = 300
_PATHLESS = ("edit", "insert")
_IGNORED = re.compile(r"^(?:/dev/|\d+$|&)|[*?${}]|^\.+$")


class Change(Struct):
    """What was done to a file so far."""

    action: str
    edits: int
    message: int
    order: int
    """Number of the last call that changed it; -1 before this round."""
    checked: str = ""
    """What an earlier round says of it."""


class ChangedFiles(Struct):
    """Changes by path, oldest last change first."""

    changes: dict[str, Change] = field(default_factory=dict)
    _by_name: dict[str, dict[str, None]] = field(default_factory=dict)
    """Last part of a path -> paths that end so, among which may be a shorter form of one that comes now."""
    _named: set[str] = field(default_factory=set)
    """Paths as calls named them."""
    seen: set[str] = field(default_factory=set)
    """Paths that were read: who writes to one of them creates nothing."""

    def note(self, call: ToolCall, changes: Iterable[tuple[str, str]], order: int) -> list[str]:
        """Take over the changes of a call that succeeded, as `touched_by` has them; the paths that it changed."""
        changed: list[str] = []
        for path, action in changes:
            if call.command and _SCRATCH.match(path):
                continue
            if action == "restored":
                self._restore(path, call.message, order)
                continue
            known = self._known(path)
            was_there = action == "created" and path in self.seen and known not in self.changes
            name = path if path.startswith("/") else known
            done = "edited" if was_there else action
            self.changes[name] = _after(self.changes.pop(known, None), done, call.message, order)
            self._by_name.setdefault(path.rsplit("/", 1)[-1], {})[name] = None
            self._named.add(name)
            if name != known:
                self._by_name[path.rsplit("/", 1)[-1]].pop(known, None)
            changed.append(path)
        return changed

    def _restore(self, path: str, message: int, order: int) -> None:
        """Take back the changes of a file, or of all in a folder, that is as it was committed."""
        for name in [name for name in self.changes if is_within(name, path)]:
            del self.changes[name]
            self.changes[name] = Change("restored", 0, message, order)

    def carry(self, line: str) -> bool:
        """Take over a line of an earlier round."""
        match = _CARRIED.match(line)
        if match is None:
            return False
        action, path, count, more, checked = match.groups()
        edits = int(count or more or (action == "edited"))
        known = self._known(path)
        self.changes.pop(known, None)
        self.changes[known] = Change(action, edits, -1, -1, checked or "")
        self._by_name.setdefault(known.rsplit("/", 1)[-1], {})[known] = None
        return True

    def _known(self, path: str) -> str:
        """The name under which a file is known: one may be given from the root, the other from some folder."""
        if path in self.changes:
            return path
        same = [
            known
            for known in self._by_name.get(path.rsplit("/", 1)[-1], ())
            if known.startswith("/") != path.startswith("/")
            and (f"/{known}".endswith(f"/{path}") or f"/{path}".endswith(f"/{known}"))
        ]
        return same[0] if len(same) == 1 else path

    def new_paths(self) -> list[str]:
        """Paths that calls named; those of earlier rounds were made short then."""
        return [path for path in self.changes if path in self._named]

    def lines(self, root: str, checks: FileChecks) -> Iterator[StateLine]:
        """A line for each file, newest change first, those that are gone last. `root` is left out of paths."""
        shown: dict[str, Change] = {}
        for path, change in reversed(self.changes.items()):
            short = path.removeprefix(root)
            newer = shown.get(short)
            shown[short] = replace(newer, edits=newer.edits + change.edits) if newer else change
        for path, change in sorted(shown.items(), key=lambda item: item[1].action in _GONE):
            known = "" if change.action in _GONE else checks.of(path, change.order, change.checked)
            yield StateLine("file", _said(path, change) + (f", {known}" if known else ""), change.message)


def touched_by(call: ToolCall) -> tuple[list[tuple[str, str]], list[str]]:
    """(path, action) of the files that a call changes, each path once with its last action; and the paths that it
    reads."""
    actions = file_actions(call.tool, call.arguments)
    found = {path: action for path, action in actions if action in _CHANGES and path}
    if not found and call.tool in _PATHLESS:
        opened = _OPENED.search(call.said)
        found = {opened.group(1): "edited"} if opened else {}
    clean = ((one_line(path, _PATH_WIDTH), action) for path, action in found.items())
    changes = [(path, action) for path, action in clean if path and (action == "restored" or not _IGNORED.search(path))]
    return changes, [path for path, action in actions if action == "read"]


def _after(before: Change | None, action: str, message: int, order: int) -> Change:
    before = None if before and before.action == "restored" else before
    edits = (before.edits if before else 0) + (action == "edited")
    if action == "deleted":
        return Change("deleted", 0, message, order)
    if before and before.action == "created" and action == "edited":
        return Change("created", edits, message, order)
    return Change(action, edits if action == "edited" else 0, message, order)


def _said(path: str, change: Change) -> str:
    times = f" {change.edits}x" if change.edits > 1 else ""
    if change.action == "created":
        return f"created {path}" + (f", edited {change.edits}x" if change.edits else "")
    return f"{change.action} {path}{times}"
