"""What the agent is doing: a call that has no result yet, and the user's last slash command, which is a request
without words."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compactor_cli.features.work.calls import ToolCall, main_argument, names_its_object, readable_arguments
from compactor_cli.features.work.effects import act_effect
from compactor_cli.features.work.secret_words import mask_command
from compactor_cli.features.work.tool_names import is_acting, tool_words
from compactor_cli.model.message import Message
from compactor_cli.model.replies import reply_in
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_ENDING_WORDS = word_set(
    "finish submit done exit attempt complete completion final answer terminate end task stop mark"
)
"""Tools whose names consist of these words end a session; their calls get no answer."""
MAX_COMMAND_CHARS = 160
"""Maximum length of the description of a call."""
_MAX_SHORT_CHARS = 60
"""Arguments up to this length are shown together; a longer one is what the call is about."""
_RAN_PREFIX = "the user ran /"
_TAGGED_COMMAND = compiled_later(r"<command-name>\s*/?(\w[\w:.-]*)\s*</command-name>")
_BARE_COMMAND = compiled_later(r"\s*/([a-z][\w:-]*)\s*")
_HARNESS_OUTPUT = "<local-command-"
_HARNESS_COMMANDS = word_set(
    "add-dir agents clear compact config context cost doctor exit export help hooks login logout mcp memory model new "
    "permissions quit resume rewind settings status theme undo upgrade usage vim"
)
"""Commands with which a user changes the session without asking the agent for anything."""


def ends_session(tool: str) -> bool:
    """Return whether a tool ends the session, judging by its name. A tool that delegates a task does not."""
    words = tool_words(tool)
    return bool(words) and _ENDING_WORDS.issuperset(words) and words != ("task",)


def describe_call(call: ToolCall) -> str:
    """Return a one-line description of what a call does."""
    values = list(readable_arguments(call.arguments, call.tool).values())
    if call.command:
        command = mask_command(call.command)
        described = command if command.startswith(f"{call.tool} ") else f"{call.tool} {command}"
    elif is_acting(call.tool, call.arguments) or (
        len(values) > 1 and max(map(len, values)) < _MAX_SHORT_CHARS and not names_its_object(call.arguments)
    ):
        described = act_effect(call).text
    else:
        described = f"{call.tool} {main_argument(call.arguments, call.tool)}"
    return one_line(described, MAX_COMMAND_CHARS)


class UserCommand(Struct):
    """The newest slash command that the agent answers, if the user asked for nothing after it."""

    name: str = ""
    message: int = -1
    """Index of the message. A command from an earlier round has a negative number, in chronological order."""

    def record_messages(self, messages: Sequence[Message], covered_to: int) -> None:
        """Record what the user did. What an earlier round reported is valid up to the message with index
        `covered_to`."""
        is_answered = is_expanded = False
        for message in reversed(messages):
            if message.origin == "request" or reply_in(message):
                if message.index > covered_to:
                    self.name = ""
                return
            if message.role == "assistant":
                is_answered, is_expanded = True, False
            elif message.origin == "injected":
                text = message.text("text")
                if text.lstrip().startswith(_HARNESS_OUTPUT):
                    is_answered = is_expanded = False
                    continue
                # a word after a slash may be a path, unless the harness inserted the command's text
                command = _TAGGED_COMMAND.search(text) or (_BARE_COMMAND.fullmatch(text) if is_expanded else None)
                if command and is_answered and command[1] not in _HARNESS_COMMANDS:
                    self.name, self.message = command[1], message.index
                    return
                is_expanded = command is None

    def read_earlier_line(self, text: str, number: int) -> bool:
        """Read a line of an earlier round; return whether it names such a command. `number`: its chronological place
        among the acts, a negative number."""
        if not text.startswith(_RAN_PREFIX):
            return False
        self.name, self.message = text.removeprefix(_RAN_PREFIX), number
        return True

    def state_lines(self) -> list[StateLine]:
        """Return the line for the state if there is such a command."""
        return [StateLine("effect", f"{_RAN_PREFIX}{self.name}", self.message)] if self.name else []
