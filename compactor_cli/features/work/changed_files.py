"""Files that the session changed: the last action, how often, and whether a check passed afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from posixpath import join, normpath

from msgspec import Struct, field
from msgspec.structs import replace

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.endings import existed_before
from compactor_cli.features.work.file_checks import LABEL, FileChecks
from compactor_cli.features.work.folders import folder_of, is_inside, within
from compactor_cli.features.work.git_files import CHANGE_ACTIONS
from compactor_cli.features.work.ledger import command_actions, every_action, is_within, open_file_edit
from compactor_cli.features.work.same_paths import KnownPaths
from compactor_cli.features.work.tool_names import is_remote_commit, tool_words
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.clean import one_line
from compactor_cli.text.paths import basename, is_rooted
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_CHANGE_ACTIONS = ("created", "wrote", "edited", "deleted", "restored")
_CREATES = ("created", "wrote")
"""Actions that leave a file as the session wrote it. A written file may have existed before."""
BY_GIT = ("restored", "reset", *CHANGE_ACTIONS)
"""Actions on changes rather than on a file."""
_GONE = ("deleted", "restored")
"""Actions after which no change is left for a check to look at."""
EARLIER_LINE = compiled_later(rf"^({'|'.join(_CHANGE_ACTIONS)}) (.+?)(?: (\d+)x)?(?:, edited (\d+)x)?(?:, ({LABEL}))?$")
"""The state's line for a file: action, path, count, edits of a new file, and what checks said."""
_SCRATCH = compiled_later(r"/(?:private/)?(?:var/)?tmp/")
_NOT_CHECKED = compiled_later(r"(?:^|/)\.git/|^/(?:private/)?(?:var/)?tmp/")
"""Paths that no check says anything about."""
_REMOVED_PATH = compiled_later(r"^Removing \"?([^\"\n]+)\"?$", re.MULTILINE)
_NOTHING_STASHED = "No local changes to save"
_WRITING = word_set("write save overwrite dump")
"""Words in names of tools that write a whole file, whether or not it exists."""
_CREATED = compiled_later(r"\bcreat|\bnew\b|\badded\b", re.IGNORECASE)
"""How a tool says that the file it wrote did not exist before."""
_HEAD_CHARS, _MAX_PATH = 300, 300
_UPDATED = compiled_later(r"^Updated [1-9]\d* paths? from ", re.MULTILINE)
_IGNORED_NAME = compiled_later(r"^(?:/dev/|\d+$|&)|[*?${}]|^\.+$")


class Change(Struct):
    """The changes made to a file so far."""

    action: str
    edits: int
    message: int
    call_number: int
    """Number of the last call that changed the file; -1 for an earlier round."""
    checked: str = ""
    """The check result that an earlier round stated."""
    is_new: bool = False
    """Whether the file is in no commit."""
    is_added: bool = False
    """Whether git knows the new file."""
    is_committed: bool = False
    """Whether the change is in a commit."""
    committed: Change | None = None
    """The earlier changes to the file that are in a commit."""


class ChangedFiles(Struct):
    """Changes by path; the path whose last change is oldest comes first."""

    main_folder: str = ""
    """The folder in which most commands run."""
    changes: dict[str, Change] = field(default_factory=dict)
    _open: dict[str, None] = field(default_factory=dict)
    """Paths whose last change is in no commit."""
    _earlier_paths: list[str] = field(default_factory=list)
    """Paths that only an earlier round mentions."""
    _git_folder: str = ""
    """The folder of the last git command if it is outside of `main_folder`; only paths in that folder then count."""
    _stashes: list[tuple[int, dict[str, Change]]] = field(default_factory=list)
    """(number of the call, changes that it stashed)."""
    _paths: KnownPaths = field(default_factory=KnownPaths)
    """The paths of `changes`; a new path may be a shorter or longer form of one of them."""
    _by_folder: dict[str, dict[str, None]] = field(default_factory=dict)
    """Name of a folder -> paths of changed files that are in a folder with this name."""
    _called: set[str] = field(default_factory=set)
    """Paths as calls named them."""
    seen: set[str] = field(default_factory=set)
    """Paths that were read: a call that writes one of them does not create it."""

    def __post_init__(self) -> None:
        self._paths = KnownPaths(main_folder=self.main_folder)

    def record_call(self, call: ToolCall, changes: Iterable[tuple[str, str]], call_number: int) -> list[str]:
        """Record what a call did to files (the `changes` of `touched_by`). Return the paths that it changed."""
        changed: list[str] = []
        unchecked: list[str] = []
        git_folder = ""
        for path, action in changes:
            if action == "inside":
                git_folder = path
                continue
            if action == "checked":
                for name in unchecked:
                    # the result of a check that runs in this call is newer
                    self.changes[name].call_number = call_number - 1
                unchecked = []
                continue
            if call.command and _SCRATCH.match(path):
                continue
            if action in BY_GIT:
                folder = within(folder_of(call, self.main_folder), git_folder, self.main_folder)
                self._git_folder = folder if folder.startswith(("/", "~")) else ""
                self._record_git((folder, path), action, call, call_number)
                git_folder = ""
                continue
            known = self._paths.find(path)
            before = self.changes.get(known)
            existed = before.action in ("edited", "restored") if before else path in self.seen
            was_there = before is not None and before.action != "deleted"
            done = _resolve(action, existed=existed, known=was_there)
            if done == "deleted" and before is None:
                self._forget(path)
            name = path if is_rooted(path) and not is_rooted(known) else known
            change = _apply(before, done, call.message, call_number)
            self._put(
                name, known, replace(change, is_new=change.is_new or (not existed and done in _CREATES and not before))
            )
            self._called.add(name)
            unchecked.append(name)
            changed.append(path)
        return changed

    def _put(self, name: str, known: str, change: Change) -> None:
        """Record a change as the newest one. `known`: the path under which the file was known so far."""
        self._drop(known)
        self.changes[name] = change
        self._paths.add(name)
        for folder in name.split("/")[:-1]:
            self._by_folder.setdefault(folder, {})[name] = None
        if not change.is_committed and change.action != "restored":
            self._open[name] = None

    def _drop(self, name: str) -> None:
        if self.changes.pop(name, None):
            self._open.pop(name, None)
            self._paths.discard(name)
            for folder in name.split("/")[:-1]:
                self._by_folder.get(folder, {}).pop(name, None)

    def _forget(self, folder: str) -> None:
        """Record that a folder was deleted, so that none of the changes in it remain."""
        for name in list(self._by_folder.get(basename(folder), ())):
            from_root = name.startswith("/") and not folder.startswith("/")
            if name.startswith(f"{folder}/") or (from_root and f"/{folder}/" in name):
                self._drop(name)

    def _below(self, path: str, pool: Iterable[str]) -> list[str]:
        """Return the paths of the pool that are at or below a place."""
        last_name = basename(path.rstrip("/"))
        if last_name in ("", ".", ".."):
            return [name for name in pool if self._is_in_git_folder(name)]
        candidates = {**dict.fromkeys(self._paths.paths_named(last_name)), **self._by_folder.get(last_name, {})}
        return [name for name in self._below(".", candidates) if name in pool and is_within(name, path)]

    def _is_in_git_folder(self, name: str) -> bool:
        """Return whether the last git command was about a folder that contains the file."""
        path = name if name.startswith(("/", "~")) else f"{self.main_folder}/{name}"
        return not self._git_folder or is_inside(path, self._git_folder)

    def _record_git(self, location: tuple[str, str], action: str, call: ToolCall, call_number: int) -> None:
        """Record what a git command does to the changes at or below a place, or to all of them. `location`: (folder it
        runs in, place)."""
        folder, target = location
        if action == "restored" or (action == "picked" and _UPDATED.search(call.output)):
            if f"'{target}'" not in call.output:  # git quotes the branch that it switches to
                self._revert(self._checked_out(folder, target), call.message, call_number)
        elif action == "added":
            for name in self._below(target, self._open):
                self.changes[name].is_added = self.changes[name].is_new
        elif action == "reset":
            discarded = self._below(".", self._open)
            self._revert(discarded, call.message, call_number)
            self._delete((name for name in discarded if self.changes[name].is_added), call.message, call_number)
            for name in self._below(".", list(self.changes)) if target not in ("HEAD", "@") else ():
                if self.changes[name].is_committed:  # nobody knows whether its commit is still there
                    self._drop(name)
        elif action == "committed":
            for name in self._below(".", self._open):
                self.changes[name] = replace(self.changes[name], is_new=False, is_committed=True)
                del self._open[name]
        elif action == "cleaned":
            removed = (name for path in _REMOVED_PATH.findall(call.output) for name in self._below(path, self._open))
            self._delete((name for name in removed if self.changes[name].is_new), call.message, call_number)
        else:
            self._record_stash(target, action, call, call_number)

    def _delete(self, names: Iterable[str], message: int, call_number: int) -> None:
        for name in list(names):
            self._put(name, name, Change("deleted", 0, message, call_number, is_new=True))

    def _record_stash(self, path: str, action: str, call: ToolCall, call_number: int) -> None:
        """Record that changes are stashed, or restored from the newest stash."""
        if action == "stashed" and _NOTHING_STASHED not in call.output:
            names = self._below(path, self._open)
            self._stashes.append((call_number, {name: self.changes[name] for name in names}))
            self._revert(names, call.message, call_number)
        elif action != "stashed" and self._stashes:
            number, stashed = self._stashes.pop()
            for name, change in stashed.items() if action == "unstashed" else ():
                newer = replace(change, message=call.message, call_number=call_number)
                self._put(name, name, change if number == call_number else newer)

    def _checked_out(self, folder: str, path: str) -> list[str]:
        """Return the open changes at or below a place that git was given in a folder."""
        is_outside = folder.startswith(("/", "~"))
        changes_below = [] if is_outside or not folder else self._below(normpath(join(folder, path)), self._open)
        return changes_below or self._below(path, self._open)

    def _revert(self, names: Iterable[str], message: int, call_number: int) -> None:
        """Revert the changes that are in no commit. New files stay, since git may not know them."""
        for name in names:
            change = self.changes[name]
            if not change.is_new and change.action != "restored":
                kept = change.committed or Change("restored", 0, message, call_number)
                self._put(name, name, replace(kept, message=message, call_number=call_number))

    def read_earlier_commit(self) -> None:
        """Record that an earlier round made a commit, for the files known only from there."""
        for name in self._earlier_paths:
            self._put(name, name, replace(self.changes[name], is_new=False, is_committed=True))
        self._earlier_paths = []

    def read_earlier_line(self, line: str) -> bool:
        """Read a line of an earlier round; return whether it is about a file."""
        match = EARLIER_LINE.match(line)
        if match is None:
            return False
        action, path, count, edit_count, checked = match.groups()
        edits = int(count or edit_count or (action == "edited"))
        known = self._paths.find(path)
        if known not in self.changes:
            self._earlier_paths.append(known)
        before = self.changes.get(known) or Change(action, 0, -1, -1, is_new=action in _CREATES)
        change = replace(before, action=action, edits=edits, message=-1, call_number=-1, checked=checked or "")
        self._put(known, known, change)
        return True

    def new_paths(self) -> list[str]:
        """Return the paths that calls named. Paths of earlier rounds were shortened at that time."""
        return [path for path in self.changes if path in self._called]

    def edits_to_check(self) -> dict[str, int]:
        """Return path -> number of the last call that changed it, for files that a check may look at. Left out are
        files that git keeps for itself, the system's scratch files, and deleted files of the session that were never
        in a commit."""
        return {
            path: change.call_number
            for path, change in self.changes.items()
            if not (
                _NOT_CHECKED.search(path) or (change.action == "deleted" and change.is_new and not change.committed)
            )
        }

    def state_lines(self, root: str, checks: FileChecks) -> Iterator[StateLine]:
        """Yield one line per file, newest change first and removed files last. `root` is cut from the paths."""
        shown: dict[str, Change] = {}
        by_time = sorted(self.changes.items(), key=lambda item: item[1].call_number)
        for path, change in reversed(by_time):
            short = path.removeprefix(root)
            newer = shown.get(short)
            shown[short] = replace(newer, edits=newer.edits + change.edits) if newer else change
        for path, change in sorted(shown.items(), key=lambda item: item[1].action in _GONE):
            known = "" if change.action in _GONE else checks.check_label(path, change.call_number, change.checked)
            yield StateLine("file", _change_text(path, change) + (f", {known}" if known else ""), change.message)


def touched_by(call: ToolCall) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the (path, action) pairs of the files that a call changes, and the paths that it reads. Between two git
    commands, each path occurs once with its last action."""
    if not call.command and is_remote_commit(call.arguments):  # the files are on a server, so the call is an effect
        return [], []
    failed = call.command and (call.failed or call.undecided)
    actions = command_actions(call.arguments, call.output) if failed else every_action(call.tool, call.arguments)
    read = [path for path, action in actions if action == "read"]
    if len(read) == len(actions):
        actions = open_file_edit(call.tool, call.output)
        if not actions:
            return [], read
    found: dict[tuple[str, int], str] = {}
    existed = not call.command and existed_before(call.output)
    may_be_new = (
        call.command or _WRITING.isdisjoint(tool_words(call.tool)) or _CREATED.search(call.output[:_HEAD_CHARS])
    )
    commands = 0  # of git, which apply to everything done so far
    for path, action in actions:
        if action in BY_GIT:
            commands += 1
        if action != "read" and path:
            stated = action if action != "created" or may_be_new else "saved"
            found[one_line(path, _MAX_PATH), commands] = "edited" if existed and action == "created" else stated
    changes = [(path, did) for (path, _), did in found.items() if did in BY_GIT or not _IGNORED_NAME.search(path)]
    return changes, read


def _resolve(action: str, *, existed: bool, known: bool) -> str:
    """Return the action for a file. `existed`: the file was there before the session; `known`: the session knows it."""
    if action in ("written", "saved"):
        again = existed or (known and action == "written")
        return "edited" if again else "wrote"
    return "edited" if action == "created" and existed else action


def _apply(before: Change | None, action: str, message: int, call_number: int) -> Change:
    if before and before.action == "created" and action == "wrote":
        action = "created"
    before = None if before and before.action == "restored" else before
    edits = (before.edits if before else 0) + (action == "edited")
    new = before is not None and before.is_new
    committed = before if before and before.is_committed else before.committed if before else None
    if before and before.action in _CREATES and action == "edited":
        action = before.action
    elif action != "edited":
        edits = 0
    return Change(action, edits, message, call_number, is_new=new, committed=committed)


def _change_text(path: str, change: Change) -> str:
    times = f" {change.edits}x" if change.edits > 1 else ""
    if change.action in _CREATES:
        return f"{change.action} {path}" + (f", edited {change.edits}x" if change.edits else "")
    return f"{change.action} {path}{times}"
