"""The branch that work with git stands on, by its commands and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.folders import folder_of, within
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.ends import both_ends
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
"""What commands say of the branch, by their verb; a match without a name says that there is none."""
_LIKE = {"switch": "checkout", "cherry-pick": "commit", "revert": "commit"}
_MAKES = ("-b", "-B", "-c", "-C", "--create", "--orphan")
_NAME = compiled_later(r"(?!HEAD$|-)[\w./+-]*\w")
_COMMIT = compiled_later(r"[0-9a-f]{7,40}|.*[~^@:].*")
"""What is checked out without a branch."""
_PATH = compiled_later(r".*/|\.+|.*\.[A-Za-z]\w*")
_WINDOW = 2_000
"""Characters at either end of an output in which that is looked for."""


class Branches(Struct):
    """The branches that were seen, and the one on which the work stands."""

    seen: set[str] = field(default_factory=set)
    current: str = ""
    """Empty while nothing is known, or where no branch is checked out."""
    told: bool = False
    """An earlier round told it."""

    def note(self, call: ToolCall, steps: Sequence[Step], home: str) -> None:
        """Take over what the commands of git in a command line, in the main folder, did and said."""
        if call.undecided or not any(step.words[0] in ("git", "gh") for step in steps):
            return
        verbs = [*_verbs(steps, folder_of(call, home), home)]
        said = both_ends(call.said, _WINDOW, _WINDOW) if verbs else ""
        for verb, rest in verbs:
            found = list(pattern.finditer(said)) if (pattern := _SAYS.get(_LIKE.get(verb, verb))) else []
            if verb == "branch" and "--show-current" in rest and len(steps) == 1:
                self._stands_on(_one_name(said))
            elif verb == "branch" and (renamed := _renamed(rest)):
                self._stands_on(renamed if not call.failed else self.current)
            elif verb == "rev-parse" and rest == ["--abbrev-ref", "HEAD"] and len(steps) == 1:
                self._stands_on(_one_name(said))
            elif found and (verb != "branch" or not rest):
                self._stands_on(next(filter(None, found[-1].groupdict().values()), ""))
            elif verb in ("checkout", "switch") and not call.failed and (name := _checked_out(rest)) is not None:
                self._stands_on(name)

    def carry(self, text: str) -> bool:
        """Take over a line of an earlier round; return whether it is one of these."""
        if not text.startswith(_STANDS_ON):
            return False
        self.told = True
        self._stands_on(text.removeprefix(_STANDS_ON))
        return True

    def lines(self) -> list[StateLine]:
        """Return the line of the state, where there are several branches. It stands on no message: nothing that stays
        at its place tells it to later rounds."""
        several = self.told or len(self.seen) > 1
        return [StateLine("effect", f"{_STANDS_ON}{self.current}", -1)] if several and self.current else []

    def _stands_on(self, name: str) -> None:
        self.current = name
        self.seen |= {name} - {""}


def _verbs(steps: Sequence[Step], folder: str, home: str) -> Iterator[tuple[str, list[str]]]:
    """Yield verb and further words of commands of git that are run in the main folder."""
    for step in steps:
        words = step.words
        if words[0] == "cd" and len(words) > 1:
            folder = within(folder, words[1], home)
        elif not folder and words[0] == "git" and len(words) > 1 and not words[1].startswith("-"):
            yield words[1], list(words[2:])
        elif not folder and words[:3] == ("gh", "pr", "checkout"):
            yield "checkout", ["-"]


def _checked_out(rest: Sequence[str]) -> str | None:
    """Return the branch that a checkout goes to, empty where it goes to a commit; None where it goes nowhere, or does
    not say."""
    plain = [word for word in rest if not word.startswith("-")]
    if "--" in rest or not plain or "-" in rest or "--detach" in rest:
        return "" if "--detach" in rest else None
    made = any(word in _MAKES for word in rest)
    if len(plain) > (2 if made else 1) or (not made and _PATH.fullmatch(plain[0])):
        return None
    return "" if not made and _COMMIT.fullmatch(plain[0]) else plain[0]


def _renamed(rest: Sequence[str]) -> str:
    """Return the new name of the branch at hand, where a command gives it one."""
    plain = [word for word in rest if not word.startswith("-")]
    return plain[0] if {"-m", "-M", "--move"} & set(rest) and len(plain) == 1 else ""


def _one_name(said: str) -> str:
    """Return the name that is all an output says; empty where it says none."""
    name = said.strip()
    return name if _NAME.fullmatch(name) else ""
