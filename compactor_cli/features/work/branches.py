"""The branch that work with git stands on, by what its commands say."""

from __future__ import annotations

from msgspec import Struct, field

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.patterns import compiled_later

_STANDS_ON = "on branch "
_SAYS = compiled_later(
    r"^(?:Switched to (?:a new )?branch '([^'\s]+)'|Already on '([^'\s]+)'|On branch (\S+)"
    r"|\[([\w./+-]+)(?: \(root-commit\))? [0-9a-f]{7,40}\] |\* ([\w./+-]+)$)"
)
_ASKS = ("git branch --show-current", "git rev-parse --abbrev-ref HEAD")
"""Commands of which the first line of the output is the name of the branch, where they stand first."""
_NAME = compiled_later(r"[\w./+-]*\w")
_LINES = 400
"""Characters of an output, from its beginning, in which that is looked for."""


class Branches(Struct):
    """The branches that were seen, of which the last one is the one that the work stands on."""

    seen: dict[str, int] = field(default_factory=dict)
    """Name -> the message that says so, the newest last."""
    several: bool = False
    """It is told only where there are others, or where an earlier round told it."""

    def note(self, call: ToolCall) -> None:
        """Take over what a command of git says; not one that looks at another folder."""
        if "git " not in call.command or "git -C " in call.command:
            return
        lines = call.said[:_LINES].split("\n")
        if call.command.startswith(_ASKS) and _NAME.fullmatch(lines[0]):
            self._stands_on(lines[0], call.message)
        for line in lines:
            if found := _SAYS.match(line):
                self._stands_on(next(filter(None, found.groups())), call.message)

    def carry(self, text: str) -> bool:
        """Take over a line of an earlier round; return whether it is one of these."""
        if not text.startswith(_STANDS_ON):
            return False
        self.seen = {text.removeprefix(_STANDS_ON): -1, **self.seen}
        self.several = True
        return True

    def lines(self) -> list[StateLine]:
        """Return the line of the state, where there are several branches."""
        if not self.several:
            return []
        name, message = next(reversed(self.seen.items()))
        return [StateLine("effect", f"{_STANDS_ON}{name}", message)]

    def _stands_on(self, name: str, message: int) -> None:
        self.seen.pop(name, None)
        self.seen[name] = message
        self.several = self.several or len(self.seen) > 1
