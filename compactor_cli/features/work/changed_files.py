"""Files that the session changed: the last action, how often, and whether a check passed after it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from posixpath import join, normpath

from msgspec import Struct, field
from msgspec.structs import replace

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.endings import was_there_before
from compactor_cli.features.work.file_checks import LABEL, FileChecks
from compactor_cli.features.work.folders import folder_of, gone_to, lies_in, of_user, only_goes, within
from compactor_cli.features.work.git_files import KEEPING, commits_back
from compactor_cli.features.work.ledger import command_actions, every_action, is_within, open_file_edit
from compactor_cli.features.work.same_paths import KnownPaths
from compactor_cli.features.work.tool_names import commits_elsewhere, tool_words
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.clean import one_line
from compactor_cli.text.paths import basename, is_rooted
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_CHANGES = ("created", "wrote", "edited", "deleted", "restored")
_MAKES = ("created", "wrote")
"""What leaves a file as the session wrote it; of one that was written nobody knows whether it was there before."""
BY_GIT = ("restored", "reset", *KEEPING)
"""What is done to changes rather than to a file."""
_GONE = ("deleted", "restored")
"""What leaves nothing of a change that a check could look at."""
CARRIED = compiled_later(rf"^({'|'.join(_CHANGES)}) (.+?)(?: (\d+)x)?(?:, edited (\d+)x)?(?:, ({LABEL}))?$")
"""What the state says of a file: action, path, how often, edits of a new file, and what checks said."""
_SCRATCH = compiled_later(r"/(?:private/)?(?:var/)?tmp/")
_NO_SOURCE = compiled_later(r"(?:^|/)\.git/|^/(?:private/)?(?:var/)?tmp/")
"""Paths of which no check tells anything."""
_REMOVING = compiled_later(r"^Removing \"?([^\"\n]+)\"?$", re.MULTILINE)
_WRITES = word_set("write save overwrite dump")
"""Words of tools that write a file as a whole, whether or not it was there."""
_NEW = compiled_later(r"\bcreat|\bnew\b|\badded\b", re.IGNORECASE)
"""How a tool says that the file that it wrote was not there before."""
_SAID_FIRST, _PATH_WIDTH = 300, 300
_UPDATED = compiled_later(r"^Updated [1-9]\d* paths? from ", re.MULTILINE)
_NONE_UPDATED = compiled_later(r"^Updated 0 paths from ", re.MULTILINE)
_BRANCHES = compiled_later(
    r"^(?:Switched to (?:a new )?branch|Already on|Note: switching to) '([^'\n]+)'", re.MULTILINE
)
"""How git says that it took files as they were, and to what it went instead."""
_NOTHING = "No local changes to save"
_IGNORED = compiled_later(r"^(?:/dev/|\d+$|&)|[*?${}]|^\.+$")


class Change(Struct):
    """What was done to a file so far."""

    action: str
    edits: int
    message: int
    order: int
    """Number of the last call that changed it; -1 before this round."""
    checked: str = ""
    """What an earlier round says of it."""
    new: bool = False
    """The file is in no commit."""
    commit: int = 0
    """Number of the session's commit that holds it; 0: none does."""
    committed: Change | None = None
    """What was done to the file before, and is in a commit."""

    def as_of(self, commit: int) -> Change | None:
        """Return what was done up to a commit."""
        change: Change | None = self
        while change and not 0 < change.commit <= commit:
            change = change.committed
        return change


class ChangedFiles(Struct):
    """Changes by path, oldest last change first."""

    home: str = ""
    """The folder in which most commands run."""
    changes: dict[str, Change] = field(default_factory=dict)
    _open: dict[str, None] = field(default_factory=dict)
    """Paths whose last change is in no commit, without those of new files that git was not told of."""
    _untracked: dict[str, None] = field(default_factory=dict)
    """Paths of those: what takes back changes leaves them."""
    _carried: list[str] = field(default_factory=list)
    """Paths of which only an earlier round tells."""
    _commits: int = 0
    _elsewhere: str = ""
    """The folder that the last command of git was about, where it is outside of `home`: only what is in it counts."""
    _stashes: list[tuple[int, dict[str, Change]]] = field(default_factory=list)
    """Number of the call, and the changes that it put aside."""
    _paths: KnownPaths = field(default_factory=KnownPaths)
    """Those of `changes`, among which may be a shorter form of one that comes now."""
    _by_folder: dict[str, dict[str, None]] = field(default_factory=dict)
    """Name of a folder -> paths of changed files in one that is called so."""
    _named: set[str] = field(default_factory=set)
    """Paths as calls named them."""
    seen: set[str] = field(default_factory=set)
    """Paths that were read: who writes to one of them creates nothing."""
    _went: bool = False
    """A call did nothing but go to a folder: nobody knows whether those behind it run there."""

    def __post_init__(self) -> None:
        self._paths = KnownPaths(home=self.home)

    def note(self, call: ToolCall, changes: Iterable[tuple[str, str]], order: int) -> list[str]:
        """Take over what a call did to files, as `touched_by` has it; the paths that it changed."""
        changed: list[str] = []
        before_check: list[str] = []
        inside = ""
        self._went = self._went or only_goes(call.command)
        for given, action in changes:
            if action == "inside":
                inside = given
                continue
            if action == "checked":
                for name in before_check:
                    self.changes[name].order = order - 1  # what a check says that runs in this call is newer
                before_check = []
                continue
            if call.command and _SCRATCH.match(given):
                continue
            if action in BY_GIT:
                folder = within(folder_of(call, self.home), inside, self.home)
                self._elsewhere = folder if folder.startswith(("/", "~")) else ""
                self._by_git((folder, given), action, call, order)
                inside = ""
                continue
            path = self._from_where_it_ran(given, call)
            known = self._paths.find(path)
            before = self.changes.get(known)
            if action == "emptied" and before is None and not self._within(path, self.changes):
                continue  # nobody knows that anything was there
            existed = before.action in ("edited", "restored") if before else path in self.seen
            was_there = before is not None and before.action != "deleted"
            done = _done("deleted" if action == "emptied" else action, existed=existed, known=was_there)
            if done == "deleted" and before is None:
                self._forget(path)
            name = path if is_rooted(path) and not is_rooted(known) else known
            change = _after(before, done, call.message, order)
            self._put(name, known, replace(change, new=change.new or (not existed and done in _MAKES and not before)))
            self._named.add(name)
            before_check.append(name)
            changed.append(path)
        return changed

    def _from_where_it_ran(self, path: str, call: ToolCall) -> str:
        """Return the path that a file is known by which a command names from a folder that it went to first."""
        if path in self.changes or path.startswith(("/", "~")) or self._went or folder_of(call, self.home):
            return path
        joined = normpath(join(gone_to(call.command), path))
        return joined if joined in self.changes or joined in self.seen else path

    def _put(self, name: str, known: str, change: Change) -> None:
        """Take over a change as the newest one. `known`: the name that the file had so far."""
        was_open = known in self._open
        self._drop(known)
        self.changes[name] = change
        self._paths.add(name)
        for folder in name.split("/")[:-1]:
            self._by_folder.setdefault(folder, {})[name] = None
        if not change.commit and change.action != "restored":
            (self._untracked if change.new and not was_open else self._open)[name] = None

    def _drop(self, name: str) -> None:
        if self.changes.pop(name, None):
            for names in (self._open, self._untracked):
                names.pop(name, None)
            self._paths.discard(name)
            for folder in name.split("/")[:-1]:
                self._by_folder.get(folder, {}).pop(name, None)

    def _forget(self, folder: str) -> None:
        """Take over that a folder is deleted: of what was done in it nothing is left."""
        for name in list(self._by_folder.get(basename(folder), ())):
            from_root = name.startswith("/") and not folder.startswith("/")
            if name.startswith(f"{folder}/") or (from_root and f"/{folder}/" in name):
                self._drop(name)

    def _within(self, place: str, pool: Iterable[str]) -> list[str]:
        """Return those paths of a pool that are within a place, or are that place."""
        last = basename(place.rstrip("/"))
        if last in ("", ".", ".."):
            return [name for name in pool if self._is_where_git_is(name)]
        near = {**dict.fromkeys(self._paths.named(last)), **self._by_folder.get(last, {})}
        return [name for name in self._within(".", near) if name in pool and is_within(name, place)]

    def _is_where_git_is(self, name: str) -> bool:
        """Return whether the last command of git was about the folder of a file, or about one around it."""
        path = name if name.startswith(("/", "~")) else f"{self.home}/{name}"
        return not self._elsewhere or lies_in(path, self._elsewhere)

    def _checked_out(self, folder: str, place: str, said: str) -> list[str]:
        """Return the open changes within a place, as git is told it in a folder; none where git said that it went to
        a branch of that name, or that it took nothing."""
        if place in _BRANCHES.findall(said) or (_NONE_UPDATED.search(said) and not _UPDATED.search(said)):
            return []
        outside = folder.startswith(("/", "~"))
        named = [] if outside or not folder else self._within(normpath(join(folder, place)), self._open)
        found = named or self._within(place, self._open)
        return self._of_one_user(found) if "~" in (folder[:1], self.home[:1]) else found

    def _of_one_user(self, names: list[str]) -> list[str]:
        """Return names without those in the folder of another user than the one in whose folder most are."""
        users = Counter(filter(None, map(of_user, self.changes)))
        others = {user for user, _ in users.most_common()[1:]}
        return [name for name in names if of_user(name) not in others]

    def _picked(self, folder: str, place: str, said: str) -> list[str]:
        """Return the same of a place whose name may be that of a branch: where it is one word, git goes to the branch,
        and says so in any language, or nothing. What git has to say of a name, it says in quotes."""
        if f"'{place}'" in said:
            return []
        found = self._checked_out(folder, place, said)
        if _UPDATED.search(said):
            return found
        if "/" not in place:
            return []
        start = normpath(join(folder, place))
        return [name for name in found if lies_in(name.removeprefix(f"{self.home}/"), start)]

    def _by_git(self, at: tuple[str, str], action: str, call: ToolCall, order: int) -> None:
        """Take over what a command of git does to the changes within a place, or to all of them. `at`: the folder that
        it runs in, and the place."""
        folder, place = at
        if action == "restored":
            self._take_back(self._checked_out(folder, place, call.said), call.message, order, all_tracked=False)
        elif action == "picked":
            self._take_back(self._picked(folder, place, call.said), call.message, order, all_tracked=False)
        elif action == "reset":
            back = None if self._elsewhere else commits_back(place)
            if back is not None:
                self._commits = max(0, self._commits - back)
            pool = self._open if back is None else self.changes
            told = [name for name in pool if name not in self._untracked]
            self._take_back(self._within(".", told), call.message, order)
        elif action == "added":
            for name in self._within(place, self._untracked):
                del self._untracked[name]
                self._open[name] = None
        elif action == "committed":
            self._commits += place != "--amend" or not self._commits
            for name in self._within(".", [*self._open, *self._untracked]):
                self.changes[name] = replace(self.changes[name], new=False, commit=self._commits)
                self._open.pop(name, None)
                self._untracked.pop(name, None)
        elif action == "cleaned":
            removed = ["."] if place == "." else _REMOVING.findall(call.said)
            for name in [name for path in removed for name in self._within(path, self._untracked)]:
                if self.changes[name].action != "deleted":
                    self._put(name, name, Change("deleted", 0, call.message, order, new=True))
        else:
            self._stash(place, action, call, order)

    def _stash(self, place: str, action: str, call: ToolCall, order: int) -> None:
        """Put changes aside, or take them back from there."""
        if action == "stashed" and _NOTHING not in call.said:
            names = self._within(place, self._open) + (self._within(".", self._untracked) if place == ".." else [])
            self._stashes.append((order, {name: self.changes[name] for name in names}))
            self._take_back(names, call.message, order)
        elif action != "stashed" and self._stashes:
            at, aside = self._stashes.pop()
            for name, change in aside.items() if action == "unstashed" else ():
                again = change if at == order else replace(change, message=call.message, order=order)
                self._put(name, name, again)

    def _take_back(self, names: Iterable[str], message: int, order: int, *, all_tracked: bool = True) -> None:
        """Take back the changes that are in no commit. `all_tracked`: new files that git was told of go, too."""
        for name in names:
            change = self.changes[name]
            kept = change.as_of(self._commits)
            stays = change.action == "deleted" or not all_tracked if change.new else change.action == "restored"
            if kept is change or stays:
                continue
            gone = Change("deleted" if change.new else "restored", 0, message, order, new=change.new)
            self._put(name, name, replace(kept, message=message, order=order) if kept else gone)

    def carry(self, line: str) -> bool:
        """Take over a line of an earlier round."""
        match = CARRIED.match(line)
        if match is None:
            return False
        action, path, count, more, checked = match.groups()
        edits = int(count or more or (action == "edited"))
        known = self._paths.find(path)
        if known not in self.changes:
            self._carried.append(known)
        before = self.changes.get(known) or Change(action, 0, -1, -1, new=action in _MAKES)
        told = replace(before, action=action, edits=edits, message=-1, order=-1, checked=checked or "")
        self._put(known, known, told)
        return True

    def carry_commit(self) -> None:
        """Take over that there was a commit in an earlier round, of what is known from there only."""
        for name in self._carried:
            change = self.changes[name]
            self._put(name, name, replace(change, new=False, commit=1))
        self._commits += bool(self._carried)
        self._carried = []

    def new_paths(self) -> list[str]:
        """Return paths that calls named; those of earlier rounds were made short then."""
        return [path for path in self.changes if path in self._named]

    def edits(self) -> dict[str, int]:
        """Return path -> number of the last call that changed it, for what a check may look at: neither what git keeps
        for itself, nor scratch of the system, nor a file of the session that is gone and never was in a commit."""
        return {
            path: change.order
            for path, change in self.changes.items()
            if not (_NO_SOURCE.search(path) or (change.action == "deleted" and change.new and not change.committed))
        }

    def lines(self, root: str, checks: FileChecks) -> Iterator[StateLine]:
        """Yield a line for each file, newest change first, those that are gone last. `root` is left out of paths."""
        shown: dict[str, Change] = {}
        by_time = sorted(self.changes.items(), key=lambda item: item[1].order)
        for path, change in reversed(by_time):
            short = path.removeprefix(root)
            newer = shown.get(short)
            shown[short] = replace(newer, edits=newer.edits + change.edits) if newer else change
        for path, change in sorted(shown.items(), key=lambda item: item[1].action in _GONE):
            known = "" if change.action in _GONE else checks.of(path, change.order, change.checked)
            yield StateLine("file", _said(path, change) + (f", {known}" if known else ""), change.message)


def touched_by(call: ToolCall) -> tuple[list[tuple[str, str]], list[str]]:
    """Return (path, action) of the files that a call changes, each path once with its last action; and the paths that
    it reads."""
    if not call.command and commits_elsewhere(call.arguments):  # they are files of a server: the call is an effect
        return [], []
    failed = call.command and (call.failed or call.undecided)
    actions = command_actions(call.arguments, call.said) if failed else every_action(call.tool, call.arguments)
    read = [path for path, action in actions if action == "read"]
    if len(read) == len(actions):
        actions = open_file_edit(call.tool, call.said)
        if not actions:
            return [], read
    found: dict[tuple[str, int], str] = {}
    was_there = not call.command and was_there_before(call.said)
    may_be_new = call.command or _WRITES.isdisjoint(tool_words(call.tool)) or _NEW.search(call.said[:_SAID_FIRST])
    commands = 0  # of git, which take over what was done so far
    for path, action in actions:
        if action in BY_GIT:
            commands += 1
        if action != "read" and path:
            as_said = action if action != "created" or may_be_new else "saved"
            found[one_line(path, _PATH_WIDTH), commands] = "edited" if was_there and action == "created" else as_said
    changes = [(path, did) for (path, _), did in found.items() if did in BY_GIT or not _IGNORED.search(path)]
    return changes, read


def _done(action: str, *, existed: bool, known: bool) -> str:
    """Return what was done to a file. `existed`: it was there before the session; `known`: the session has it."""
    if action in ("written", "saved"):
        again = existed or (known and action == "written")
        return "edited" if again else "wrote"
    return "edited" if action == "created" and existed else action


def _after(before: Change | None, action: str, message: int, order: int) -> Change:
    if before and before.action == "created" and action == "wrote":
        action = "created"
    before = None if before and before.action == "restored" else before
    edits = (before.edits if before else 0) + (action == "edited")
    new = before is not None and before.new
    committed = before if before and before.commit else before.committed if before else None
    if before and before.action in _MAKES and action == "edited":
        action = before.action
    elif action != "edited":
        edits = 0
    return Change(action, edits, message, order, new=new, committed=committed)


def _said(path: str, change: Change) -> str:
    times = f" {change.edits}x" if change.edits > 1 else ""
    if change.action in _MAKES:
        return f"{change.action} {path}" + (f", edited {change.edits}x" if change.edits else "")
    return f"{change.action} {path}{times}"
