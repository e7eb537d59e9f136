"""What a call that nobody has answered yet is about."""

from __future__ import annotations

from compactor_cli.features.work.calls import ToolCall, main_argument, names_its_object, told_arguments
from compactor_cli.features.work.effects import act_effect
from compactor_cli.features.work.secret_words import command_without_values
from compactor_cli.features.work.tool_names import acts, tool_words
from compactor_cli.text.clean import one_line
from compactor_cli.text.shell import word_set

_ENDS = word_set("finish submit done exit attempt complete completion final answer terminate end task stop mark")
"""Words of which the names of tools are that end a session; nobody answers them."""
COMMAND_WIDTH = 160
"""Characters of what a call does."""
_SHORT = 60
"""Characters of arguments that stand beside others; a longer one is what the call is about."""


def ends_session(tool: str) -> bool:
    """Return whether a tool ends the session, by its name. One that gives a task to others does not."""
    words = tool_words(tool)
    return bool(words) and _ENDS.issuperset(words) and words != ("task",)


def told_in_flight(call: ToolCall) -> str:
    """Return what a call does, in one line."""
    values = list(told_arguments(call.arguments, call.tool).values())
    if call.command:
        command = command_without_values(call.command)
        told = command if command.startswith(f"{call.tool} ") else f"{call.tool} {command}"
    elif acts(call.tool, call.arguments) or (
        len(values) > 1 and max(map(len, values)) < _SHORT and not names_its_object(call.arguments)
    ):
        told = act_effect(call).text
    else:
        told = f"{call.tool} {main_argument(call.arguments, call.tool)}"
    return one_line(told, COMMAND_WIDTH)
