"""Track the current git branch from commands and their output. When it is uncertain, no branch is reported."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.folders import folder_of, within
from compactor_cli.features.work.git_files import folder_option, past_options
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.clean import both_ends
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step

_STANDS_ON = "on branch "
_SAYS = {
    "status": compiled_later(r"^(?:On branch (?P<name>\S+)|HEAD detached )", re.MULTILINE),
    "branch": compiled_later(r"^\* (?:(?P<name>[^\s(]\S*)$|\()", re.MULTILINE),
    "checkout": compiled_later(
        r"^(?:Switched to (?:a new )?branch '(?P<name>[^'\s]+)'|Already on '(?P<same>[^'\s]+)'|Note: switching to )",
        re.MULTILINE,
    ),
    "commit": compiled_later(
        r"^\[(?:(?P<name>[\w./+-]+)(?: \(root-commit\))?|detached HEAD) [0-9a-f]{7,40}\] ", re.MULTILINE
    ),
}
"""What git commands print about the branch, by verb. A match without a name means that no branch is checked out."""
_LIKE = {"switch": "checkout", "cherry-pick": "commit", "revert": "commit"}
_MOVES = ("checkout", "switch")
_MAKES = {"-b", "-B", "-c", "-C", "--create", "--orphan"}
_FILES = {"--", "--ours", "--theirs", "-p", "--patch"}
_NAME = compiled_later(r"(?!HEAD$|-)[\w./+-]*\w")
_PATH = compiled_later(r".*/|\.+|.*\.[A-Za-z]\w*")
_STAYED = compiled_later(r"^(?:error|fatal): |^Updated \d+ paths? from ", re.MULTILINE)
"""Output that shows that a checkout did not switch branches."""
_WINDOW = 2_000
"""Characters at each end of an output that are searched for these messages."""


class Branches(Struct):
    """The branches seen so far, and the current one."""

    seen: set[str] = field(default_factory=set)
    current: str = ""
    """Empty if the branch is unknown or none is checked out."""
    moved: bool = False
    """Whether the work switched from another branch, or an earlier round reported several branches."""

    def note(self, call: ToolCall, steps: Sequence[Step], home: str) -> None:
        """Record what the git commands of a command line did and printed in the main folder."""
        if not any(step.words[0] in ("git", "gh") for step in steps):
            return
        verbs = [*_verbs(steps, folder_of(call, home), home)]
        said = both_ends(call.said, _WINDOW, _WINDOW) if verbs else ""
        for verb, rest in verbs:
            pattern = _SAYS.get(_LIKE.get(verb, verb)) if verb != "branch" or not rest else None
            if pattern and (found := list(pattern.finditer(said))):
                name = next(filter(None, found[-1].groupdict().values()), "")
                self.moved = self.moved or (
                    verb in _MOVES and not _MAKES & set(rest) and name not in ("", self.current)
                )
                self._stands_on(name)
            elif (asks := _asks(verb, rest)) and len(steps) == 1:
                self._is_named(said)
            elif not asks and not _STAYED.search(said) and (name := _goes_to(verb, rest)) is not None:
                sure = not call.failed and not call.undecided and (name in self.seen or _MAKES & set(rest))
                self._stands_on(name if sure or _renames(verb, rest) else "")

    def carry(self, text: str) -> bool:
        """Read a line of an earlier round; return whether it names the branch."""
        if not text.startswith(_STANDS_ON):
            return False
        self.moved = True
        self._stands_on(text.removeprefix(_STANDS_ON))
        return True

    def lines(self) -> list[StateLine]:
        """Return the state line with the branch if there are several branches. It refers to no message, because no
        message that stays in place tells later rounds about the branch."""
        several = self.moved or len(self.seen) > 1
        return [StateLine("effect", f"{_STANDS_ON}{self.current}", -1)] if several and self.current else []

    def _stands_on(self, name: str) -> None:
        self.current = name if _NAME.fullmatch(name) else ""
        self.seen |= {self.current} - {""}

    def _is_named(self, said: str) -> None:
        """Read the answer to a query for the branch name. It is the last line, after anything that a harness adds."""
        name = said.strip().rpartition("\n")[2].strip()
        if name in ("", "HEAD") or _NAME.fullmatch(name):
            self._stands_on(name)


def _verbs(steps: Sequence[Step], folder: str, home: str) -> Iterator[tuple[str, list[str]]]:
    """Yield verb and remaining words of git commands that run in the main folder or below it."""
    for step in steps:
        words = list(step.words)
        if words[0] == "cd" and len(words) > 1:
            folder = within(folder, words[1], home)
        elif words[:3] == ["gh", "pr", "checkout"] and _is_within(folder):
            yield "checkout", ["-"]
        elif words[0] == "git" and _is_within(within(folder, folder_option(words[1:]), home)):
            verb, *rest = past_options(words[1:]) or [""]
            yield verb, rest


def _is_within(folder: str) -> bool:
    return not folder.startswith(("/", "~", ".."))


def _asks(verb: str, rest: Sequence[str]) -> bool:
    """Return whether a command asks for the name of the branch."""
    return (verb == "branch" and "--show-current" in rest) or (verb, *rest) == ("rev-parse", "--abbrev-ref", "HEAD")


def _renames(verb: str, rest: Sequence[str]) -> bool:
    """Return whether a command renames the current branch."""
    plain = [word for word in rest if not word.startswith("-")]
    return verb == "branch" and bool({"-m", "-M", "--move"} & set(rest)) and len(plain) == 1


def _goes_to(verb: str, rest: Sequence[str]) -> str | None:
    """Return the branch that a command silently switches to, "" if it does not say which one, None if it does not
    switch."""
    plain = [word for word in rest if not word.startswith("-") or word == "-"]
    if verb == "rebase":
        return "" if len(plain) > 1 and not {"--onto", "-x", "--exec", "-s", "-X"} & set(rest) else None
    if _renames(verb, rest):
        return plain[0]
    if verb not in _MOVES or not plain or _FILES & set(rest) or plain == ["HEAD"]:
        return "" if verb in _MOVES and {"-d", "--detach"} & set(rest) else None
    if _MAKES & set(rest):
        return plain[0]
    if len(plain) > 1 or _PATH.fullmatch(plain[0]):
        return None
    return "" if {"-d", "--detach"} & set(rest) else plain[0]
