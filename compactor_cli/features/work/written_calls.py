"""Calls that an agent writes as text, and whose output comes back in a user message. mini-swe-agent, SWE-agent,
Terminus and OpenHands do this with models that do not support tools."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from compactor_cli.model.message import Message, Part
from compactor_cli.text.json_values import json_or_text
from compactor_cli.text.patterns import compiled_later

_WrittenCall = tuple[str, dict[str, Any]]
"""(name of the tool, arguments)."""
_SHELL_TOOL = "shell"
_FENCES = ("```", "~~~")
_SHELL_LANGUAGES = ("", "bash", "sh", "shell", "console", "mswea_bash_command")
"""Languages of a code block with commands."""
_COMMAND_TAGS = ("command", "execute_bash", "bash")
_PARAMETER = compiled_later(r"<parameter=([\w.-]+)>(.*?)</parameter>", re.DOTALL)
_OUTPUT_START = compiled_later(
    r"\s*(?:<returncode>|EXECUTION RESULT of \[|(?:Current terminal state:\s*)?New Terminal Output:)"
)
"""How harnesses begin the output of a command."""
_FILE_COMMANDS = frozenset(("open", "create"))
_EDITOR_COMMANDS = frozenset(
    ("edit", "insert", "append", "goto", "scroll_up", "scroll_down", "search_dir", "search_file", "find_file", "submit")
)
"""Commands of SWE-agent's interface that are not programs."""


def written_calls(messages: Sequence[Message]) -> Iterator[tuple[Part, Part, Message]]:
    """Yield calls that are written as text and answered, as (call part, result part, message of the result)."""
    for action, answer in pairwise(messages):
        if action.role != "assistant" or action.calls or answer.origin != "injected":
            continue
        output = answer.text("text")
        is_same_turn = action.turn is not None and action.turn == answer.turn
        parsed = (
            _parse_call(f"\n{action.text('text').strip()}") if is_same_turn or _OUTPUT_START.match(output) else None
        )
        if parsed is not None:
            name, arguments = parsed
            call = Part("tool_call", json.dumps(arguments, ensure_ascii=False), 0, name=name)
            yield call, Part("tool_result", output, answer.tokens), answer


def _parse_call(text: str) -> _WrittenCall | None:
    """Return the call at the end of a text that begins with a line break."""
    function = _between_marks(text, "\n<function=", "</function>")
    if function is not None:
        name, _, parameters = function.partition(">")
        return name, {key: value.strip("\n") for key, value in _PARAMETER.findall(parameters)}
    for tag in _COMMAND_TAGS:
        if (body := _between_marks(text, f"<{tag}>", f"</{tag}>")) is not None:
            return _command_call(body.strip())
    for fence in _FENCES:
        if (block := _between_marks(text, f"\n{fence}", fence)) is not None:
            language, _, body = block.partition("\n")
            return _command_call(body.strip()) if language.strip() in _SHELL_LANGUAGES else None
    return _keystroke_call(text)


def _between_marks(text: str, opening: str, closing: str) -> str | None:
    """Return the text between the last pair of marks, if the text ends with the closing mark."""
    start = text.rfind(opening, 0, -len(closing)) if text.endswith(closing) else -1
    return text[start + len(opening) : -len(closing)] if start >= 0 else None


def _command_call(body: str) -> _WrittenCall | None:
    """Return the call for a command line, or for a command of the agent's editor."""
    program, _, rest = body.partition("\n")[0].partition(" ")
    if program in _FILE_COMMANDS and rest:
        return program, {"path": rest.split()[0].strip("\"'")}
    if program in _EDITOR_COMMANDS:
        return program, {"text": body.removeprefix(program).strip()}
    return (_SHELL_TOOL, {"command": body}) if body else None


def _keystroke_call(text: str) -> _WrittenCall | None:
    """Return the call of an agent that types into a terminal and describes it as a JSON object (Terminus)."""
    value = json_or_text(text) if text.startswith("\n{") else None
    commands = value.get("commands") if isinstance(value, dict) else None
    lines = (
        [item.get("keystrokes") for item in commands if isinstance(item, dict)] if isinstance(commands, list) else []
    )
    return _command_call("\n".join(line.strip() for line in lines if isinstance(line, str)))
