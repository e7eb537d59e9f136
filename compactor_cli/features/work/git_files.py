"""What commands of git do to files, and to the changes that a session made to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import operands, word_set

KEEPING = word_set("inside checked picked added committed stashed unstashed cleaned dropped")
"""What commands do to changes, rather than to files: the path that stands with it says to which. `inside` says where
the next command runs, `checked` that a check or a script runs after what came before, `picked` that a checkout took
back what is at a path, or went to a branch of that name."""
_VALUED = word_set("-m -F -s --source --message --file --pathspec-from-file -C -c -e --exclude")
"""Options of these commands whose value is a word of its own."""
_NAMES_FILE = compiled_later(r"^\.?/?$|/$|^(?!v?\d)[^/]*\.[A-Za-z]\w*$|/[^/]*\.[A-Za-z]\w*$")
"""What is a file or a folder, where a branch may stand as well: it ends with a slash, or has an ending."""
_BACK = compiled_later(r"(?:HEAD|@)(?:~(\d{0,4})|(\^+))")
_HELP = frozenset(("-h", "--help"))
_QUIET = ("-q", "--quiet")
_DISCARDS = ("-f", "--force", "--discard-changes")


def git_actions(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield (path, action) for the arguments of git. Removing and moving files is left out; see `past_options`."""
    verb, rest = words[0] if words else "", words[1:]
    if not _HELP.isdisjoint(rest[:1]):
        return
    if verb in ("checkout", "switch"):
        whole = "--" not in rest and any(word in _DISCARDS for word in rest)
        yield from [(".", "restored")] if whole else _checked_out(rest) if verb != "switch" else ()
    elif verb == "restore" and ("--staged" not in rest or {"--worktree", "-W"} & set(rest)):
        yield from ((path, "restored") for path in plain_words(rest))
    elif verb == "reset" and "--hard" in rest:
        yield next(iter(plain_words(rest)), "HEAD"), "reset"
    elif verb == "stash":
        yield from _stash(rest)
    elif verb == "add":
        yield from ((path, "added") for path in plain_words(rest) or ["."])
    elif verb == "commit":
        yield "--amend" if "--amend" in rest else ".", "committed"
    elif verb == "clean" and not any(re.match(r"--dry-run|-[a-z]*[ni]", word) for word in rest):
        quiet = any(re.match(r"--quiet|-[a-z]*q", word) for word in rest)
        yield "." if quiet and not plain_words(rest) else "..", "cleaned"


def folder_option(words: Sequence[str]) -> str:
    """Return the folder that the arguments of git name; empty for the one that they are given in."""
    return words[1] if len(words) > 1 and words[0] == "-C" else ""


def past_options(words: Sequence[str]) -> list[str]:
    """Return the arguments of git from its command on."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-C", "-c", "--git-dir", "--work-tree") else 1
    return list(words[at:])


def plain_words(words: Sequence[str]) -> list[str]:
    """Return the arguments of a command of git that are no options, nor values of these."""
    return operands(words, _VALUED)


def commits_back(name: str) -> int | None:
    """Return how many commits `HEAD~2` or `HEAD^` lies behind the newest; None for a name of another form."""
    found = _BACK.fullmatch(name)
    return (len(found[2] or "") or int(found[1] or 1)) if found else None


def _checked_out(rest: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the paths that `git checkout` takes as they were committed; none where it goes to a branch."""
    words = [word for word in rest if word not in _QUIET]
    if "--" in words:
        yield from ((path, "restored") for path in words[words.index("--") + 1 :])
    elif not any(word.startswith("-") for word in words):
        # a branch stands alone: what comes behind it, or behind a commit, is paths
        first = words[:1] if words[:1] not in (["HEAD"], ["@"]) else []
        yield from ((name, "restored" if _NAMES_FILE.search(name) else "picked") for name in first)
        yield from ((path, "restored") for path in words[1:])


def stash_verb(words: Sequence[str]) -> str:
    """Return what `git stash` is asked to do by the words of a command of git, from its verb on; empty for another
    command."""
    if not words or words[0] != "stash":
        return ""
    return words[1] if len(words) > 1 and not words[1].startswith("-") else "push"


def _stash(rest: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what `git stash` does: `.` stands for all changes of files that git knows, `..` for all changes."""
    verb = stash_verb(("stash", *rest))
    if verb in ("pop", "apply"):
        yield ".", "unstashed"
    elif verb in ("drop", "clear"):
        yield ".", "dropped"
    elif verb in ("push", "save"):
        paths = plain_words(rest[1:]) if rest[:1] == ["push"] else []
        everything = any(re.match(r"--include-untracked|--all|-[a-z]*[ua]", word) for word in rest)
        yield from ((path, "stashed") for path in paths or [".." if everything else "."])
