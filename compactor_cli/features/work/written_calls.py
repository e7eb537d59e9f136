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

_Call = tuple[str, dict[str, Any]]
"""(name of the tool, arguments)."""
_SHELL = "shell"
_FENCES = ("```", "~~~")
_SHELLS = ("", "bash", "sh", "shell", "console", "mswea_bash_command")
"""Languages of a code block with commands."""
_TAGS = ("command", "execute_bash", "bash")
_PARAMETER = compiled_later(r"<parameter=([\w.-]+)>(.*?)</parameter>", re.DOTALL)
_OUTPUT = compiled_later(
    r"\s*(?:<returncode>|EXECUTION RESULT of \[|(?:Current terminal state:\s*)?New Terminal Output:)"
)
"""How harnesses begin the output of a command."""
_OF_FILES = frozenset(("open", "create"))
_EDITOR = frozenset(
    ("edit", "insert", "append", "goto", "scroll_up", "scroll_down", "search_dir", "search_file", "find_file", "submit")
)
"""Commands of SWE-agent's interface that are not programs."""


def written_calls(messages: Sequence[Message]) -> Iterator[tuple[Part, Part, Message]]:
    """Yield calls that are written as text and answered, as (call part, result part, message of the result)."""
    for action, answer in pairwise(messages):
        if action.role != "assistant" or action.calls or answer.origin != "injected":
            continue
        said = answer.text("text")
        together = action.turn is not None and action.turn == answer.turn
        written = _written(f"\n{action.text('text').strip()}") if together or _OUTPUT.match(said) else None
        if written is not None:
            name, arguments = written
            call = Part("tool_call", json.dumps(arguments, ensure_ascii=False), 0, name=name)
            yield call, Part("tool_result", said, answer.tokens), answer


def _written(text: str) -> _Call | None:
    """Return the call at the end of a text that begins with a line break."""
    function = _within(text, "\n<function=", "</function>")
    if function is not None:
        name, _, parameters = function.partition(">")
        return name, {key: value.strip("\n") for key, value in _PARAMETER.findall(parameters)}
    for tag in _TAGS:
        if (body := _within(text, f"<{tag}>", f"</{tag}>")) is not None:
            return _command(body.strip())
    for fence in _FENCES:
        if (block := _within(text, f"\n{fence}", fence)) is not None:
            language, _, body = block.partition("\n")
            return _command(body.strip()) if language.strip() in _SHELLS else None
    return _keystrokes(text)


def _within(text: str, opening: str, closing: str) -> str | None:
    """Return the text between the last pair of marks, if the text ends with the closing mark."""
    start = text.rfind(opening, 0, -len(closing)) if text.endswith(closing) else -1
    return text[start + len(opening) : -len(closing)] if start >= 0 else None


def _command(body: str) -> _Call | None:
    """Return the call for a command line, or for a command of the agent's editor."""
    program, _, rest = body.partition("\n")[0].partition(" ")
    if program in _OF_FILES and rest:
        return program, {"path": rest.split()[0].strip("\"'")}
    if program in _EDITOR:
        return program, {"text": body.removeprefix(program).strip()}
    return (_SHELL, {"command": body}) if body else None


def _keystrokes(text: str) -> _Call | None:
    """Return the call of an agent that types into a terminal and describes it as a JSON object (Terminus)."""
    value = json_or_text(text) if text.startswith("\n{") else None
    typed = value.get("commands") if isinstance(value, dict) else None
    lines = [item.get("keystrokes") for item in typed if isinstance(item, dict)] if isinstance(typed, list) else []
    return _command("\n".join(line.strip() for line in lines if isinstance(line, str)))
