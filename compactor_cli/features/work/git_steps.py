"""Steps of shell commands that change a repository with git: their labels, and the commits that they undo."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field

from compactor_cli.features.work.git_files import commits_back
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, word_set

_TITLE_WIDTH = 80
_GIT = word_set("push merge rebase cherry-pick revert clean")
_GIT_WITH = {
    "branch": word_set("-d -D --delete -m -M"),
    "checkout": word_set("-b -B"),
    "switch": word_set("-c -C --create"),
    "reset": word_set("--hard"),
}
"""Commands that change the repository only with one of these options."""
_HASH = compiled_later(r"[0-9a-f]{7,40}")
_HASH_OF = compiled_later(r" \(([0-9a-f]{7,10})\)$")
_REBASED = "Successfully rebased"
_ELSEWHERE = word_set("checkout switch pull merge")
"""Commands after which the newest commit is probably not the one that was made last."""
_PATH = compiled_later(r"/$|^\.+$|\.[A-Za-z]\w*$")
"""How the operand of a checkout ends if it is a file."""
_MOST = 50
"""Maximum number of commits remembered, so that the cost stays linear; nobody undoes more than that."""
_WORKTREE = "git worktree"
_WAY = compiled_later(r"^(?:\.{0,2}/)+")
_UNCOMMITTED = word_set("-n --no-commit --abort --quit")
"""Options with which `git revert` makes no commit."""
_REVERT = "git revert"
_COMMITS = ("git commit", "git cherry-pick", _REVERT)


class Commits(Struct):
    """Commits that can be undone, as the texts of their lines, newest last."""

    made: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    """Commits of all branches: a rebase may recreate them on a branch that was left before."""

    def note(self, text: str, key: str, words: Sequence[str]) -> list[str]:
        """Record a git command that succeeded, without options before its verb. Return the lines of commits that no
        longer exist."""
        verb = words[0] if words else ""
        before = self.made[-1:] if "--amend" in words else self._behind(words[1:]) if verb == "reset" else []
        del self.made[len(self.made) - len(before) :]
        if key in _COMMITS and "--abort" not in words:
            self.made = [*(made for made in self.made[1 - _MOST :] if made != text), text]
            self.known = [*(known for known in self.known[1 - _MOST :] if known != text and known not in before), text]
        elif verb in _ELSEWHERE and not _stays(words):
            self.made.clear()
        return before

    def reverted(self, words: Sequence[str]) -> list[str]:
        """Return the lines of the commits that `git revert` undoes by a new commit. A revert of a revert is not
        among them; it is reported by its own line."""
        if not words or words[0] != "revert" or not _UNCOMMITTED.isdisjoint(words):
            return []
        found = (self._called(word) for word in words[1:])
        return [text for text in found if text and not text.startswith(_REVERT)]

    def _called(self, word: str) -> str:
        """Return the line of a commit from its hash or its distance from the newest one."""
        back = 0 if word in ("HEAD", "@") else commits_back(word)
        if back is not None:
            return self.made[-1 - back] if back < len(self.made) else ""
        named = ((text, _HASH_OF.search(text)) for text in self.made if _HASH.fullmatch(word))
        return next((text for text, found in named if found and _same(found[1], word)), "")

    def renamed(self, words: Sequence[str], said: str) -> dict[str, str]:
        """Map the lines of commits that a rebase recreated to the same lines without the hash, which is no longer
        valid. Lines that would become equal are left out. `said`: the output, which confirms the rebase."""
        if not words or words[0] not in ("rebase", "pull") or _REBASED not in said:
            return {}
        counts = [count for word in words[1:] if (count := commits_back(word)) is not None]
        anew = self.made[len(self.made) - counts[0] :] if counts else self.known
        without = [_HASH_OF.sub("", text) for text in anew]
        there = Counter(without) + Counter(self.known)
        new = {text: bare for text, bare in zip(anew, without, strict=True) if text != bare and there[bare] == 1}
        self.made, self.known = ([new.get(text, text) for text in texts] for texts in (self.made, self.known))
        return new

    def carry(self, lines: Sequence[str]) -> None:
        """Add lines of an earlier round, in chronological order."""
        known = set(self.made)
        older = [line for line in lines if line.startswith(_COMMITS) and line not in known]
        self.made = [*older, *self.made][-_MOST:]
        self.known = [*(line for line in older if line not in self.known), *self.known][-_MOST:]

    def _behind(self, words: Sequence[str]) -> list[str]:
        """Return the commits that a reset discards."""
        plain = [word for word in words if not word.startswith("-")]
        if len(plain) != 1:
            return []
        if (count := commits_back(plain[0])) is not None:
            return self.made[max(0, len(self.made) - count) :] if count else []
        if not _HASH.fullmatch(plain[0]):
            return []
        hashes = [found.group(1) if (found := _HASH_OF.search(text)) else "" for text in self.made]
        kept = next((at for at, made in enumerate(hashes) if made and _same(made, plain[0])), len(hashes))
        return self.made[kept + 1 :]


def ended_worktree(removal: str, told: Iterable[str]) -> str:
    """Return the line, among those reported, that added the worktree folder which this line removes; "" if none did."""
    if not removal.startswith(f"{_WORKTREE} remove "):
        return ""
    removed = {_place(word) for word in removal.split()[3:] if not word.startswith("-")}
    made = (text for text in told if text.startswith(f"{_WORKTREE} add "))
    return next((text for text in made if _leads_to(removed, text.split()[3:])), "")


def _leads_to(places: Iterable[str], words: Sequence[str]) -> bool:
    """Return whether one of the words names one of the folders; each may be relative to any folder."""
    named = [f"/{_place(word)}" for word in words if not word.startswith("-")]
    return any(name.endswith(f"/{place}") or f"/{place}".endswith(name) for place in places for name in named)


def _place(path: str) -> str:
    """Return the path of a folder without leading `./`, `../` or `/`."""
    return _WAY.sub("", path).rstrip("/")


def _same(first: str, second: str) -> bool:
    return first.startswith(second) or second.startswith(first)


def _stays(words: Sequence[str]) -> bool:
    """Return whether such a command keeps the newest commit where it is."""
    verb, rest = words[0], words[1:]
    plain = [word for word in rest if not word.startswith("-")]
    if verb in ("checkout", "switch"):
        made = bool(_GIT_WITH[verb] & set(rest))
        return "--" in rest or (made and len(plain) < 2) or any(map(_PATH.search, plain[-1:]))
    return bool({"--rebase", "-r", "--abort"} & set(rest))


def git_step(words: Sequence[str], steps: Sequence[Step], step: Step) -> tuple[str, str]:
    """Return the text and the key of a git command, starting with its verb. The text is "" for a command that only
    looks, switches branches or changes files of the working copy."""
    verb = words[0] if words else ""
    rest = words[1:]
    if verb == "commit":
        title = _commit_title(rest, step, steps)
        amend = " --amend" if "--amend" in rest else ""
        return f"git commit{amend}" + (f' "{title}"' if title else ""), "git commit"
    if not _changes_repository(verb, rest):
        return "", f"git {verb}"
    if {"--abort", "--continue", "--skip"} & set(rest):
        return f"git {verb} {rest[0]}", f"git {verb}"
    return one_line(f"git {verb} {' '.join(_message_aside(rest))}".strip(), 120), f"git {verb}"


def _changes_repository(verb: str, rest: Sequence[str]) -> bool:
    plain = [word for word in rest if not word.startswith("-")]
    if verb == "tag":
        return bool(plain) and not {"-l", "--list", "-n"} & set(rest)
    if verb in ("stash", "worktree"):
        return plain[:1] not in (["list"], ["show"], ["prune"])
    if verb in _GIT_WITH:
        return bool(_GIT_WITH[verb] & set(rest))
    return verb in _GIT


def _message_aside(words: Sequence[str]) -> Iterator[str]:
    """Yield the words without the text of a message."""
    skip = False
    for word in words:
        if not skip and word not in ("-m", "--message", "-F", "-am"):
            yield word
        skip = not skip and word in ("-m", "--message", "-F", "-am")


def _commit_title(rest: Sequence[str], step: Step, steps: Sequence[Step]) -> str:
    """Return the first line of the commit's message, if the command contains it."""
    for at, word in enumerate(rest):
        if re.fullmatch(r"-[a-zA-Z]*m|--message", word) and at + 1 < len(rest):
            return first_line(rest[at + 1])
        if word.startswith("--message="):
            return first_line(word.removeprefix("--message="))
    return first_line(next((other.document for other in (step, *steps) if other.document.strip()), ""))


def first_line(text: str) -> str:
    """Return the first line of a title or a message."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return one_line(line, _TITLE_WIDTH)
