"""Calls with their results, and how they ended as far as results say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.endings import BEGINS_AS_FAILED, is_declined, may_tell, says_so
from compactor_cli.features.work.ledger import call_arguments, shell_line
from compactor_cli.features.work.written_calls import written_calls
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import pair
from compactor_cli.text.outcomes import stated_failure
from compactor_cli.text.patterns import compiled_later

_STOPPED = compiled_later(
    r"(?:command |process |execution )?(?:timed out|timeout|was interrupted|killed|aborted)\b", re.IGNORECASE
)
_BROKEN_OFF = compiled_later(
    r"(?:\A|\n)[ \t\[(]*command (?:aborted|timed out|was (?:interrupted|killed))[^\n]*\s*\Z", re.IGNORECASE
)
"""How an output ends whose command did not come to its end."""
_RUNNING = compiled_later(r"(?:running|background)[^\n]{0,80}?\bID:?\s*(\w+)", re.IGNORECASE)
_EDITOR_COMMANDS = ("view", "create", "str_replace", "insert", "undo_edit", "plan", "edit", "write", "read", "delete")
"""What tools that are no shell have under `command`."""
_WINDOW = 600
"""Characters at the start of a result where harnesses say how a call ended."""
_LAST_LINE = 120
"""Characters at the end of one, where some do."""


class ToolCall(Struct, frozen=True):
    """A call and what came of it."""

    tool: str
    """Name of the tool, without the prefix of a server."""
    arguments: Any
    """The JSON value; the text itself where it is no JSON."""
    command: str
    """The shell command that it runs; empty for other tools."""
    message: int
    """Index of the newest message that it stands on: its result, else the call."""
    result: Part | None = None
    answered: bool = False
    failed: bool | None = None
    """None: nothing says so."""
    stated: bool = False
    """The format or an exit code says how it ended."""
    undecided: bool = False
    """Declined, stopped or still running: it neither succeeded nor failed by itself."""

    @property
    def said(self) -> str:
        """Its result; all results together may be too large for memory."""
        return "" if self.result is None else self.result.text


def read_calls(messages: Sequence[Message]) -> tuple[ToolCall, ...]:
    """All calls in order, with those that an agent without tools writes as text. A call that asks for more output of a
    running command becomes that command's next run."""
    answer_of = {call: result for result, call in pair(messages).answers.items()}
    found: list[ToolCall] = []
    running: dict[str, ToolCall] = {}
    for at, message in enumerate(messages):
        for position, part in enumerate(message.parts):
            if part.kind != "tool_call":
                continue
            spot = answer_of.get((at, position))
            call = _begun(part, message.index)
            handles = _handles(call.arguments) if running else ()
            started = next((running[word] for word in handles if word in running), None)
            if started:
                call = replace(call, tool=started.tool, arguments=started.arguments, command=started.command)
            if spot:
                call = _ended(call, messages[spot[0]].parts[spot[1]], messages[spot[0]].index)
            handle = _running(call.said[:_WINDOW]) if call.command else None
            if handle:
                running[handle.group(1)] = call = replace(call, failed=None, undecided=True)
            found.append(call)
    written = [_ended(_begun(call, 0), result, answer.index) for call, result, answer in written_calls(messages)]
    return tuple(_settled(sorted([*found, *written], key=lambda call: call.message) if written else found))


def answered_call(call: Part, result: Part) -> ToolCall:
    """Return a call with what its result says of how it ended."""
    return _ended(_begun(call, 0), result, 0)


def _running(said: str) -> re.Match[str] | None:
    """Return where a result says that the command goes on, with its number."""
    low = said.lower()
    return _RUNNING.search(said) if "running" in low or "background" in low else None


def _begun(part: Part, index: int) -> ToolCall:
    arguments = call_arguments(part)
    return ToolCall(part.name.rsplit("__", 1)[-1], arguments, _shell_command(arguments), index)


def _shell_command(arguments: Any) -> str:
    command = shell_line(arguments)
    return "" if command and len(arguments) > 1 and command in _EDITOR_COMMANDS else command


def _handles(arguments: Any) -> Iterator[str]:
    if isinstance(arguments, dict):
        for key, value in arguments.items():
            if key.lower().endswith("id") and isinstance(value, str | int):
                yield str(value)


def _ended(call: ToolCall, result: Part, index: int) -> ToolCall:
    said = result.text
    failed, stated, undecided = result.failed, True, False
    telling = may_tell(said)
    stopped = call.command and failed is not False and ((telling and _STOPPED.match(said)) or _breaks_off(said))
    if stopped or (telling and is_declined(said)):
        failed, stated, undecided = None, False, True
    elif failed is None:
        failed = stated_failure(said) if call.command else None
        if failed is None:
            stated = False
            failed = True if (telling and BEGINS_AS_FAILED.match(said)) or says_so(said) else None
    message = max(call.message, index)
    return replace(
        call, message=message, result=result, answered=True, failed=failed, stated=stated, undecided=undecided
    )


def _breaks_off(said: str) -> bool:
    end = said[-_LAST_LINE:]
    return "ommand" in end and _BROKEN_OFF.search(end) is not None


def _settled(calls: Sequence[ToolCall]) -> Iterator[ToolCall]:
    """A tool that states failures of commands has those succeed where it states none."""
    states = {call.tool for call in calls if call.command and call.stated and call.failed}
    for call in calls:
        if call.command and call.answered and call.failed is None and not call.undecided and call.tool in states:
            yield replace(call, failed=False)
        else:
            yield call
