"""The slash command that the user gave last, where the agent works on it: it asks for something without words."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compactor_cli.model.message import Message
from compactor_cli.model.replies import reply_in
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_RAN = "the user ran /"
_TAGGED = compiled_later(r"<command-name>\s*/?(\w[\w:.-]*)\s*</command-name>")
_BARE = compiled_later(r"\s*/([a-z][\w:-]*)\s*")
_ANSWERED_BY_HARNESS = "<local-command-"
_OF_HARNESS = word_set(
    "add-dir agents clear compact config context cost doctor exit export help hooks login logout mcp memory model new "
    "permissions quit resume rewind settings status theme undo upgrade usage vim"
)
"""Commands with which a user changes the session, and asks the agent for nothing."""


class UserCommand(Struct):
    """The newest slash command that the agent answers, where the user asked for nothing behind it."""

    name: str = ""
    message: int = -1
    """Index of the message; below 0 where an earlier round tells of it, in the order of time."""

    def note(self, messages: Sequence[Message], told: int) -> None:
        """Take over what the user did. What an earlier round tells holds up to the message `told`, by index."""
        answered = expanded = False
        for message in reversed(messages):
            if message.origin == "request" or reply_in(message):
                if message.index > told:
                    self.name = ""
                return
            if message.role == "assistant":
                answered, expanded = True, False
            elif message.origin == "injected":
                text = message.text("text")
                if text.lstrip().startswith(_ANSWERED_BY_HARNESS):
                    answered = expanded = False
                    continue
                # a word behind a slash may be a path, unless the harness put in what the command says
                command = _TAGGED.search(text) or (_BARE.fullmatch(text) if expanded else None)
                if command and answered and command[1] not in _OF_HARNESS:
                    self.name, self.message = command[1], message.index
                    return
                expanded = command is None

    def carry(self, text: str, number: int) -> bool:
        """Take over a line of an earlier round; return whether it is one of these. `number`: its place among what was
        done, in the order of time, below 0."""
        if not text.startswith(_RAN):
            return False
        self.name, self.message = text.removeprefix(_RAN), number
        return True

    def lines(self) -> list[StateLine]:
        """Return the line of the state, where there is such a command."""
        return [StateLine("effect", f"{_RAN}{self.name}", self.message)] if self.name else []
