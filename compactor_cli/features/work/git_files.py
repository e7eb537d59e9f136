"""What git commands do to files, and to the changes that a session made to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import operands, word_set

CHANGE_ACTIONS = word_set("inside checked picked added committed stashed unstashed dropped cleaned")
"""Actions on changes rather than on files; their path says which changes are affected. `inside` says where the next
command runs. `checked` says that a check or a script runs after the preceding actions. `picked` says that a checkout
reverted a path or switched to a branch of that name."""
_VALUE_OPTIONS = word_set("-m -F -s --source --message --file --pathspec-from-file -C -c -e --exclude")
"""Options of these commands whose value is a separate word."""
_FILE_OPERAND = compiled_later(r"^\.?/?$|/$|^(?!v?\d)[^/]*\.[A-Za-z]\w*$|/[^/]*\.[A-Za-z]\w*$")
"""A file or a folder in a place where a branch may also be named: it ends with a slash, or has a file extension."""
_COMMITS_BACK = compiled_later(r"(?:HEAD|@)(?:~(\d{0,4})|(\^+))")
_HELP_OPTIONS = frozenset(("-h", "--help"))
_QUIET_OPTIONS = ("-q", "--quiet")
_STASH_ACTIONS = {
    **dict.fromkeys(("push", "save"), "stashed"),
    **dict.fromkeys(("pop", "apply"), "unstashed"),
    **dict.fromkeys(("drop", "clear"), "dropped"),
}
_DISCARDING_OPTIONS = ("-f", "--force", "--discard-changes")


def git_actions(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield (path, action) for the arguments of git. Removing and moving files is not covered. The arguments begin
    at the command; see `without_global_options`."""
    verb, rest = words[0] if words else "", words[1:]
    if not _HELP_OPTIONS.isdisjoint(rest[:1]):
        return
    if verb in ("checkout", "switch"):
        discards_all = "--" not in rest and any(word in _DISCARDING_OPTIONS for word in rest)
        yield from [(".", "restored")] if discards_all else _checkout_actions(rest) if verb != "switch" else ()
    elif verb == "restore" and ("--staged" not in rest or {"--worktree", "-W"} & set(rest)):
        yield from ((path, "restored") for path in plain_operands(rest))
    elif verb == "reset" and "--hard" in rest:
        yield next(iter(plain_operands(rest)), "HEAD"), "reset"
    elif verb == "add":
        yield from ((path, "added") for path in plain_operands(rest) or ["."])
    elif verb == "commit":
        yield ".", "committed"
    elif verb == "stash" and (action := _STASH_ACTIONS.get(stash_subcommand(words))):
        paths = plain_operands(rest[1:]) if rest[:1] == ["push"] else []
        yield from ((path, action) for path in paths or ["."])
    elif verb == "clean" and not any(re.match(r"--dry-run|-[a-z]*[ni]", word) for word in rest):
        yield ".", "cleaned"


def folder_option(words: Sequence[str]) -> str:
    """Return the folder that the arguments of git name with -C; "" for the current one."""
    return words[1] if len(words) > 1 and words[0] == "-C" else ""


def without_global_options(words: Sequence[str]) -> list[str]:
    """Return the arguments of git, starting with its command."""
    index = 0
    while index < len(words) and words[index].startswith("-"):
        index += 2 if words[index] in ("-C", "-c", "--git-dir", "--work-tree") else 1
    return list(words[index:])


def plain_operands(words: Sequence[str]) -> list[str]:
    """Return the arguments of a git command that are neither options nor values of options."""
    return operands(words, _VALUE_OPTIONS)


def commits_back(name: str) -> int | None:
    """Return how many commits `HEAD~2` or `HEAD^` is behind the newest one; None for names of other forms."""
    match = _COMMITS_BACK.fullmatch(name)
    return (len(match[2] or "") or int(match[1] or 1)) if match else None


def _checkout_actions(rest: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the paths that `git checkout` restores to their committed state; none if it switches branches."""
    words = [word for word in rest if word not in _QUIET_OPTIONS]
    if "--" in words:
        yield from ((path, "restored") for path in words[words.index("--") + 1 :])
    elif not any(word.startswith("-") for word in words):
        # a branch is the only word: words after it, or after a commit, are paths
        first = words[:1] if words[:1] not in (["HEAD"], ["@"]) else []
        yield from ((name, "restored" if _FILE_OPERAND.search(name) else "picked") for name in first)
        yield from ((path, "restored") for path in words[1:])


def stash_subcommand(words: Sequence[str]) -> str:
    """Return the subcommand of `git stash` from the words of a git command, starting with its verb; "" for other
    commands."""
    if not words or words[0] != "stash":
        return ""
    return words[1] if len(words) > 1 and not words[1].startswith("-") else "push"
