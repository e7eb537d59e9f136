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

_MAX_TITLE = 80
_CHANGING_VERBS = word_set("push merge rebase cherry-pick revert clean")
_CHANGING_OPTIONS = {
    "branch": word_set("-d -D --delete -m -M"),
    "checkout": word_set("-b -B"),
    "switch": word_set("-c -C --create"),
    "reset": word_set("--hard"),
}
"""Commands that change the repository only with one of these options."""
_HASH = compiled_later(r"[0-9a-f]{7,40}")
_HASH_IN_LINE = compiled_later(r" \(([0-9a-f]{7,10})\)$")
REBASED = "Successfully rebased"
_MOVING_VERBS = word_set("checkout switch pull merge")
"""Commands after which the newest commit is probably not the one that was made last."""
_FILE_OPERAND = compiled_later(r"/$|^\.+$|\.[A-Za-z]\w*$")
"""How the operand of a checkout ends if it is a file."""
_MAX_COMMITS = 50
"""Maximum number of commits remembered, so that the cost stays linear; nobody undoes more than that."""
_NO_COMMIT_OPTIONS = word_set("-n --no-commit --abort --quit")
"""Options with which `git revert` makes no commit."""
_REVERT = "git revert"
_COMMITS = ("git commit", "git cherry-pick", _REVERT)


class Commits(Struct):
    """Commits that can be undone, as the texts of their lines, newest last."""

    undoable: list[str] = field(default_factory=list)

    def record_command(self, text: str, key: str, words: Sequence[str]) -> list[str]:
        """Record a git command that succeeded, without options before its verb. Return the lines of commits that no
        longer exist."""
        verb = words[0] if words else ""
        discarded = (
            self.undoable[-1:] if "--amend" in words else self._lines_discarded(words[1:]) if verb == "reset" else []
        )
        del self.undoable[len(self.undoable) - len(discarded) :]
        if key in _COMMITS and "--abort" not in words:
            self.undoable = [*(made for made in self.undoable[1 - _MAX_COMMITS :] if made != text), text]
        elif verb in _MOVING_VERBS and not _keeps_newest(words):
            self.undoable.clear()
        return discarded

    def lines_reverted(self, words: Sequence[str]) -> list[str]:
        """Return the lines of the commits that `git revert` undoes by a new commit. A revert of a revert is not
        among them; it is reported by its own line."""
        if not words or words[0] != "revert" or not _NO_COMMIT_OPTIONS.isdisjoint(words):
            return []
        found = (self._find_line(word) for word in words[1:])
        return [text for text in found if text and not text.startswith(_REVERT)]

    def _find_line(self, word: str) -> str:
        """Return the line of a commit from its hash or its distance from the newest one."""
        distance = 0 if word in ("HEAD", "@") else commits_back(word)
        if distance is not None:
            return self.undoable[-1 - distance] if distance < len(self.undoable) else ""
        hashes = ((text, _HASH_IN_LINE.search(text)) for text in self.undoable if _HASH.fullmatch(word))
        return next((text for text, found in hashes if found and _same_hash(found[1], word)), "")

    def forget_hashes(self, reported: Iterable[str]) -> dict[str, str]:
        """Map the reported lines of commits to the same lines without the hash, which a rebase made invalid. Lines
        that would become equal are left out."""
        bare_lines = {text: _HASH_IN_LINE.sub("", text) for text in reported if text.startswith(_COMMITS)}
        counts = Counter(bare_lines.values())
        renamed = {text: bare for text, bare in bare_lines.items() if text != bare and counts[bare] == 1}
        self.undoable = [renamed.get(text, text) for text in self.undoable]
        return renamed

    def add_earlier_lines(self, lines: Sequence[str]) -> None:
        """Add lines of an earlier round, in chronological order."""
        known_lines = set(self.undoable)
        older = [line for line in lines if line.startswith(_COMMITS) and line not in known_lines]
        self.undoable = [*older, *self.undoable][-_MAX_COMMITS:]

    def _lines_discarded(self, words: Sequence[str]) -> list[str]:
        """Return the commits that a reset discards."""
        operands = [word for word in words if not word.startswith("-")]
        if len(operands) != 1:
            return []
        if (count := commits_back(operands[0])) is not None:
            return self.undoable[max(0, len(self.undoable) - count) :] if count else []
        if not _HASH.fullmatch(operands[0]):
            return []
        hashes = [found.group(1) if (found := _HASH_IN_LINE.search(text)) else "" for text in self.undoable]
        kept_index = next(
            (index for index, made in enumerate(hashes) if made and _same_hash(made, operands[0])), len(hashes)
        )
        return self.undoable[kept_index + 1 :]


def _same_hash(first: str, second: str) -> bool:
    return first.startswith(second) or second.startswith(first)


def _keeps_newest(words: Sequence[str]) -> bool:
    """Return whether such a command keeps the newest commit where it is."""
    verb, rest = words[0], words[1:]
    operands = [word for word in rest if not word.startswith("-")]
    if verb in ("checkout", "switch"):
        creates = bool(_CHANGING_OPTIONS[verb] & set(rest))
        return "--" in rest or (creates and len(operands) < 2) or any(map(_FILE_OPERAND.search, operands[-1:]))
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
    return one_line(f"git {verb} {' '.join(_without_message(rest))}".strip(), 120), f"git {verb}"


def _changes_repository(verb: str, rest: Sequence[str]) -> bool:
    plain = [word for word in rest if not word.startswith("-")]
    if verb == "tag":
        return bool(plain) and not {"-l", "--list", "-n"} & set(rest)
    if verb in ("stash", "worktree"):
        return plain[:1] not in (["list"], ["show"], ["prune"])
    if verb in _CHANGING_OPTIONS:
        return bool(_CHANGING_OPTIONS[verb] & set(rest))
    return verb in _CHANGING_VERBS


def _without_message(words: Sequence[str]) -> Iterator[str]:
    """Yield the words without the text of a message."""
    skip = False
    for word in words:
        if not skip and word not in ("-m", "--message", "-F", "-am"):
            yield word
        skip = not skip and word in ("-m", "--message", "-F", "-am")


def _commit_title(rest: Sequence[str], step: Step, steps: Sequence[Step]) -> str:
    """Return the first line of the commit's message, if the command contains it."""
    for index, word in enumerate(rest):
        if re.fullmatch(r"-[a-zA-Z]*m|--message", word) and index + 1 < len(rest):
            return title_line(rest[index + 1])
        if word.startswith("--message="):
            return title_line(word.removeprefix("--message="))
    return title_line(next((other.heredoc for other in (step, *steps) if other.heredoc.strip()), ""))


def title_line(text: str) -> str:
    """Return the first line of a title or a message."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return one_line(line, _MAX_TITLE)
