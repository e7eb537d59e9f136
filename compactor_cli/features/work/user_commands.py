"""The slash command that the user gave last, where the agent works on it: it asks for something without words."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compactor_cli.model.message import Message
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.patterns import compiled_later

_RAN = "the user ran "
_COMMAND = compiled_later(r"(?:\s*<command-message>[^<]*</command-message>)?\s*(?:<command-name>\s*)?(/[a-z][\w:.-]*)")
_ANSWERED_BY_HARNESS = "<local-command-"


class UserCommand(Struct):
    """The newest slash command that the agent answers, where the user asked for nothing behind it."""

    name: str = ""
    message: int = -1
    """Index of the message; -1 where an earlier round tells of it."""

    def note(self, messages: Sequence[Message], told: int) -> None:
        """Take over what the user did. What an earlier round tells holds up to the message `told`, by index."""
        answered = False
        for message in reversed(messages):
            if message.role == "assistant":
                answered = True
            elif message.origin == "request":
                if message.index > told:
                    self.name = ""
                return
            elif message.origin == "injected":
                text = message.text("text")
                if text.lstrip().startswith(_ANSWERED_BY_HARNESS):
                    answered = False
                elif answered and (command := _COMMAND.match(text)):
                    self.name, self.message = command[1], message.index
                    return

    def carry(self, text: str) -> bool:
        """Take over a line of an earlier round; return whether it is one of these."""
        if not text.startswith(f"{_RAN}/"):
            return False
        self.name = text.removeprefix(_RAN)
        return True

    def lines(self) -> list[StateLine]:
        """Return the line of the state, where there is such a command."""
        return [StateLine("effect", f"{_RAN}{self.name}", self.message)] if self.name else []
