"""Track the current git branch from what git prints. When it is uncertain, no branch is reported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.folders import folder_of, within
from compactor_cli.features.work.git_files import folder_option, without_global_options
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.clean import both_ends
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step

_ON_BRANCH = "on branch "
_BRANCH_MESSAGE = compiled_later(
    r"^(?:On branch (\S+)|Already on '(\S+)'|Switched to (?:a new )?branch '(\S+)'|"
    r"\[([\w./+-]+)(?: \(root-commit\))? [0-9a-f]{7,40}\] |HEAD detached |Note: switching to |"
    r"\[detached HEAD [0-9a-f]{7,40}\] )",
    re.MULTILINE,
)
"""What git prints about the branch. Without a name, no branch is checked out."""
_PRINTING_VERBS = {"status", "checkout", "switch", "commit", "cherry-pick", "revert", "branch"}
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
        """Record what the git commands of a command line printed in the main folder."""
        folder = folder_of(call, main_folder)
        commands: list[Sequence[str]] = []
        for step in steps:
            words = step.words
            if words[0] == "cd":
                folder = within(folder, "".join(words[1:2]), main_folder)
            elif words[:3] == ("gh", "pr", "checkout") or (
                words[0] == "git" and not _PRINTING_VERBS.isdisjoint(words[1:5])
            ):
                place = within(folder, folder_option(words[1:]), main_folder)
                commands += [words] if not place.startswith(("/", "~", "..")) else []
        if commands:
            self._read_output(both_ends(call.output, _SEARCHED_CHARS, _SEARCHED_CHARS), commands)

    def _read_output(self, output: str, commands: Iterable[Sequence[str]]) -> None:
        found = [*_BRANCH_MESSAGE.finditer(output)]
        if found:
            name = next(filter(None, found[-1].groups()), "")
            is_switch = found[-1].group().startswith("Switched to branch ")
            self.is_several = self.is_several or (is_switch and name != self.current)
            self.current = name
            self.seen |= {name} - {""}
        elif any(map(_may_switch, commands)) and not _NOT_SWITCHED.search(output):
            self.current = ""

    def read_earlier_line(self, text: str) -> bool:
        """Read a line of an earlier round; return whether it names the branch."""
        if not text.startswith(_ON_BRANCH):
            return False
        self.is_several = True
        self.current = text.removeprefix(_ON_BRANCH)
        self.seen.add(self.current)
        return True

    def lines(self) -> list[StateLine]:
        """Return the state line with the branch if there are several branches. It refers to no message, because no
        message that stays in place tells later rounds about the branch."""
        several = self.is_several or len(self.seen) > 1
        return [StateLine("effect", f"{_ON_BRANCH}{self.current}", -1)] if several and self.current else []


def _may_switch(words: Sequence[str]) -> bool:
    """Return whether a command may change the current branch, or its name, without a word in the output."""
    verb, *rest = without_global_options(words[1:]) or [""]
    if verb == "branch":
        return not {"-m", "-M", "--move"}.isdisjoint(rest)
    return words[0] == "gh" or (verb in ("checkout", "switch") and "--" not in rest)
