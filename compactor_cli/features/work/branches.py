"""Track the current git branch from commands and their output. When it is uncertain, no branch is reported."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.folders import folder_of, within
from compactor_cli.features.work.git_files import folder_option, without_global_options
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.clean import both_ends
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step

_ON_BRANCH = "on branch "
_GIT_MESSAGES = {
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
_SAME_MESSAGES = {"switch": "checkout", "cherry-pick": "commit", "revert": "commit"}
_SWITCHING_VERBS = ("checkout", "switch")
_CREATING_OPTIONS = {"-b", "-B", "-c", "-C", "--create", "--orphan"}
_FILE_OPTIONS = {"--", "--ours", "--theirs", "-p", "--patch"}
_BRANCH_NAME = compiled_later(r"(?!HEAD$|-)[\w./+-]*\w")
_FILE_PATH = compiled_later(r".*/|\.+|.*\.[A-Za-z]\w*")
_NOT_SWITCHED = compiled_later(r"^(?:error|fatal): |^Updated \d+ paths? from ", re.MULTILINE)
"""Output that shows that a checkout did not switch branches."""
_SEARCHED_CHARS = 2_000
"""Characters at each end of an output that are searched for these messages."""


class Branches(Struct):
    """The branches seen so far, and the current one."""

    seen: set[str] = field(default_factory=set)
    current: str = ""
    """Empty if the branch is unknown or none is checked out."""
    is_several: bool = False
    """Whether the work switched from another branch, or an earlier round reported several branches."""

    def record_call(self, call: ToolCall, steps: Sequence[Step], main_folder: str) -> None:
        """Record what the git commands of a command line did and printed in the main folder."""
        if not any(step.words[0] in ("git", "gh") for step in steps):
            return
        verbs = [*_verbs(steps, folder_of(call, main_folder), main_folder)]
        output = both_ends(call.output, _SEARCHED_CHARS, _SEARCHED_CHARS) if verbs else ""
        for verb, rest in verbs:
            pattern = _GIT_MESSAGES.get(_SAME_MESSAGES.get(verb, verb)) if verb != "branch" or not rest else None
            if pattern and (found := list(pattern.finditer(output))):
                name = next(filter(None, found[-1].groupdict().values()), "")
                self.is_several = self.is_several or (
                    verb in _SWITCHING_VERBS and not _CREATING_OPTIONS & set(rest) and name not in ("", self.current)
                )
                self._set_current(name)
            elif (is_query := _is_branch_query(verb, rest)) and len(steps) == 1:
                self._read_query_answer(output)
            elif not is_query and not _NOT_SWITCHED.search(output) and (name := _target_branch(verb, rest)) is not None:
                is_certain = (
                    not call.failed and not call.undecided and (name in self.seen or _CREATING_OPTIONS & set(rest))
                )
                self._set_current(name if is_certain or _renames(verb, rest) else "")

    def read_earlier_line(self, text: str) -> bool:
        """Read a line of an earlier round; return whether it names the branch."""
        if not text.startswith(_ON_BRANCH):
            return False
        self.is_several = True
        self._set_current(text.removeprefix(_ON_BRANCH))
        return True

    def lines(self) -> list[StateLine]:
        """Return the state line with the branch if there are several branches. It refers to no message, because no
        message that stays in place tells later rounds about the branch."""
        several = self.is_several or len(self.seen) > 1
        return [StateLine("effect", f"{_ON_BRANCH}{self.current}", -1)] if several and self.current else []

    def _set_current(self, name: str) -> None:
        self.current = name if _BRANCH_NAME.fullmatch(name) else ""
        self.seen |= {self.current} - {""}

    def _read_query_answer(self, output: str) -> None:
        """Read the answer to a query for the branch name. It is the last line, after anything that a harness adds."""
        name = output.strip().rpartition("\n")[2].strip()
        if name in ("", "HEAD") or _BRANCH_NAME.fullmatch(name):
            self._set_current(name)


def _verbs(steps: Sequence[Step], folder: str, main_folder: str) -> Iterator[tuple[str, list[str]]]:
    """Yield verb and remaining words of git commands that run in the main folder or below it."""
    for step in steps:
        words = list(step.words)
        if words[0] == "cd" and len(words) > 1:
            folder = within(folder, words[1], main_folder)
        elif words[:3] == ["gh", "pr", "checkout"] and _is_within(folder):
            yield "checkout", ["-"]
        elif words[0] == "git" and _is_within(within(folder, folder_option(words[1:]), main_folder)):
            verb, *rest = without_global_options(words[1:]) or [""]
            yield verb, rest


def _is_within(folder: str) -> bool:
    return not folder.startswith(("/", "~", ".."))


def _is_branch_query(verb: str, rest: Sequence[str]) -> bool:
    """Return whether a command asks for the name of the branch."""
    return (verb == "branch" and "--show-current" in rest) or (verb, *rest) == ("rev-parse", "--abbrev-ref", "HEAD")


def _renames(verb: str, rest: Sequence[str]) -> bool:
    """Return whether a command renames the current branch."""
    plain = [word for word in rest if not word.startswith("-")]
    return verb == "branch" and bool({"-m", "-M", "--move"} & set(rest)) and len(plain) == 1


def _target_branch(verb: str, rest: Sequence[str]) -> str | None:
    """Return the branch that a command silently switches to, "" if it does not say which one, None if it does not
    switch."""
    plain = [word for word in rest if not word.startswith("-") or word == "-"]
    if verb == "rebase":
        return "" if len(plain) > 1 and not {"--onto", "-x", "--exec", "-s", "-X"} & set(rest) else None
    if _renames(verb, rest):
        return plain[0]
    if verb not in _SWITCHING_VERBS or not plain or _FILE_OPTIONS & set(rest) or plain == ["HEAD"]:
        return "" if verb in _SWITCHING_VERBS and {"-d", "--detach"} & set(rest) else None
    if _CREATING_OPTIONS & set(rest):
        return plain[0]
    if len(plain) > 1 or _FILE_PATH.fullmatch(plain[0]):
        return None
    return "" if {"-d", "--detach"} & set(rest) else plain[0]
