"""Tool calls with their results, and their outcomes as far as results state them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.endings import (
    OUTCOME_HEAD_CHARS,
    begins_as_failed,
    has_failure_member,
    is_declined,
    is_server_error,
    may_state_outcome,
    only_file_complaints,
)
from compactor_cli.features.work.ledger import PATH_KEYS, call_arguments, is_change_refused, shell_line
from compactor_cli.features.work.named_commands import named_command
from compactor_cli.features.work.secret_arguments import argument_without_values, secrets_in_arguments
from compactor_cli.features.work.tool_names import runs_code
from compactor_cli.features.work.written_calls import written_calls
from compactor_cli.model.message import NO_RESPONSE, Message, Part
from compactor_cli.model.pairing import Pairing, answered_calls
from compactor_cli.text.cached import cache_by_text
from compactor_cli.text.json_values import json_or_text
from compactor_cli.text.outcomes import stated_failure
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set
from compactor_cli.text.tracebacks import TRACEBACK_HEADER, cell_exception, final_exception

NO_CALL = -(10**9)
"""Stands for "no call"; it is lower than every call number. Calls of earlier rounds have negative numbers."""
_STOPPED = compiled_later(
    r"\s*(?:error: )?(?:the )?(?:command |process |execution )?(?:timed out|timeout|was interrupted|killed|aborted|"
    r"(?:is )?still running|(?:is )?running in (?:the )?background|(?:was )?moved to (?:the )?background)\b",
    re.IGNORECASE,
    ("timed out", "timeout", "interrupted", "killed", "aborted", "running", "moved to "),
)
_ABORTED = compiled_later(
    r"(?:\A|\n)[ \t\[(]*(?:the )?command (?:aborted|timed out|was (?:interrupted|killed)|has no new output)[^\n]*"
    r"(?:\n\[[^\n]*\])*\s*\Z",
    re.IGNORECASE,
)
"""How the output of a command ends that did not finish."""
_RUNNING = compiled_later(
    r"(?:running|background)[^\n]{0,80}?\bID:?\s*(?P<behind>\w+)|"
    r"\b(?:ID|(?:shell|session|process|terminal|job|task)_?Id):?\s*(?P<before>\w+)\W+(?:is )?still running",
    re.IGNORECASE,
)
"""How a result says that a command is still running, with the id by which later calls ask for more of its output."""
_EDITOR_COMMANDS = word_set(
    "view create str_replace insert undo_edit plan edit write read delete add remove update list get search send cancel"
)
"""Values of `command` in tools that are not a shell."""
_OUTPUT_KEYS = ("result", "output", "stdout", "stderr", "error")
_REPORT_PREFIXES = ("{", "Command: ", "Output: ", "Stdout: ")
"""How results begin that contain a command's output among other fields."""
_FIELD_LABELS = "Command|Directory|Output|Stdout|Stderr|Error|Exit Code|Signal|Background PIDs|Process Group PGID"
_OUTPUT_LABELS, _EMPTY_OUTPUT = ("Output", "Stdout", "Stderr", "Error"), ("", "(none)", "(empty)")
_LABELLED_FIELD = compiled_later(
    rf"^(?P<name>{_FIELD_LABELS}): (?P<said>.*?)(?=\n(?:{_FIELD_LABELS}): |\Z)", re.MULTILINE | re.DOTALL
)
_REPORT_FIELD = compiled_later(r"^(?:Exit Code: -?\d+|Process Group PGID: \d+)$", re.MULTILINE)
_SUBJECT_ARGUMENTS = ("pattern", "query", "regex", "command")
_MIN_SUBJECT_CHARS = 60
"""Minimum length of an argument that says what a call is about; arguments after it are left out."""
_FOLDER = compiled_later(r"[\[(]Current (?:working )?directory: (/[^\n\])]+)[\])]")
_FOLDER_WINDOW = 400
"""Characters at the end of an output where a harness names the shell's current folder."""
_CHANGES_FOLDER = compiled_later(r"\b(?:cd|pushd|popd)\b")
_LAST_LINES = 1_000
"""Characters at the end of an output that are searched for a message that the command was stopped."""


class ToolCall(Struct, frozen=True):
    """A tool call and its result."""

    tool: str
    """Name of the tool without the server prefix."""
    arguments: Any
    """The JSON value, or the text itself if it is not JSON."""
    command: str
    """The shell command that the call runs; empty for other tools."""
    message: int
    """Index of the newest message of the call: that of its result, or else that of the call."""
    result: Part | None = None
    answered: bool = False
    failed: bool | None = None
    """None if nothing states the outcome."""
    stated: bool = False
    """Whether the format or an exit code states the outcome."""
    undecided: bool = False
    """Whether the call was declined, stopped, or is still running: it neither succeeded nor failed by itself."""
    running_id: str = ""
    """The id under which the command is still running."""
    polled_id: str = ""
    """The id of the running command that the call asked about."""
    call_message: int = 0
    """Index of the message with the call itself. Results of parallel calls come later, so the call was made without
    them."""
    folder_after: str = ""
    """The folder of the shell after a command, if its output states it."""

    @property
    def output(self) -> str:
        """Return the text of the result; for a command, its output. It is not stored, because all results together
        may be too large for memory."""
        text = "" if self.result is None else self.result.text
        return _command_output(text) if self.command and text.startswith(_REPORT_PREFIXES) else text


@cache_by_text
def _command_output(text: str) -> str:
    """Return the output of a command whose result is a JSON object or a report with labels. Return the text itself
    if it contains no such output."""
    if not text.startswith("{"):
        fields = [field["said"].strip() for field in _LABELLED_FIELD.finditer(text) if field["name"] in _OUTPUT_LABELS]
        return "\n".join(each for each in fields if each not in _EMPTY_OUTPUT) if _REPORT_FIELD.search(text) else text
    value = json_or_text(text)
    if not isinstance(value, dict):
        return text
    values = [value[key] for key in _OUTPUT_KEYS if isinstance(value.get(key), str) and value[key].strip()]
    return "\n".join(values) or text


def read_calls(messages: Sequence[Message], pairing: Pairing | None = None) -> tuple[ToolCall, ...]:
    """Return all calls in order, including those that agents without tools write as text. A call that asks for more
    output of a running command becomes another run of that command. `pairing`: the pairing of the messages, if
    known."""
    read: list[ToolCall] = []
    running: dict[str, ToolCall] = {}
    for message, part, answer, result in answered_calls(messages, pairing):
        call = _new_call(part, message.index)
        polled_id = next((word for word in id_arguments(call.arguments) if word in running), "") if running else ""
        if polled_id:
            polled = running[polled_id]
            call = replace(
                call, tool=polled.tool, arguments=polled.arguments, command=polled.command, polled_id=polled_id
            )
        if answer and result:
            call = _with_result(call, result, answer.index)
        if call.command and (running_id := _running_id(call.output[:OUTCOME_HEAD_CHARS])):
            running[running_id] = call = replace(call, failed=None, undecided=True, running_id=running_id)
        read.append(call)
    written = [
        _with_result(_new_call(call, answer.index - 1), result, answer.index)
        for call, result, answer in written_calls(messages)
    ]
    calls = sorted([*read, *written], key=lambda call: call.message) if written else read
    return tuple(_add_successes(_add_folders(calls)))


def answered_call(call: Part, result: Part) -> ToolCall:
    """Return a call with the outcome that its result states."""
    return _with_result(_new_call(call, 0), result, 0)


def runs_command(call: Part) -> bool:
    """Return whether a call runs a command, either in a shell or of the program that its tool is named after."""
    return bool(_new_call(call, 0).command)


def call_secrets(call: Part) -> Sequence[str]:
    """Return the secret values among the arguments of a call."""
    return _call_secrets(f"{call.name}\n{call.text}")


@cache_by_text
def _call_secrets(name_and_text: str) -> tuple[str, ...]:
    name, _, text = name_and_text.partition("\n")
    call = _new_call(Part("tool_call", text, 0, name=name), 0)
    return tuple(secrets_in_arguments(call.tool, call.arguments, call.command))


def main_argument(arguments: Any, tool: str = "") -> str:
    """Return what a call is about: what it looks for or does, and a path. Otherwise return its words and numbers up
    to the first long one, since any of them may distinguish it from other calls."""
    texts = readable_arguments(arguments, tool)
    named = [texts[key] for key in (*_SUBJECT_ARGUMENTS, *PATH_KEYS) if key in texts]
    values = list(texts.values())
    last = next((index for index, value in enumerate(values) if len(value) >= _MIN_SUBJECT_CHARS), len(values))
    return " ".join(named[:2] or values[: last + 1])


def names_its_object(arguments: Any) -> bool:
    """Return whether a call has a common argument for what it looks for or for a path."""
    return not _plain_arguments(arguments).keys().isdisjoint((*_SUBJECT_ARGUMENTS, *PATH_KEYS))


def readable_arguments(arguments: Any, tool: str = "") -> dict[str, str]:
    """Return name -> value of the arguments that are words or numbers, without secret values."""
    values = _plain_arguments(arguments)
    return {key: argument_without_values(key, value, arguments, tool) for key, value in values.items()}


def _plain_arguments(arguments: Any) -> dict[str, str]:
    values = arguments if isinstance(arguments, dict) else {}
    return {
        key: str(value) for key, value in values.items() if isinstance(value, str | int) and not isinstance(value, bool)
    }


def _running_id(output: str) -> str:
    """Return the id of a command that is still running according to a result, or ""."""
    lowered = output.lower()
    match = _RUNNING.search(output) if "running" in lowered or "background" in lowered else None
    return (match["behind"] or match["before"]) if match else ""


def _new_call(part: Part, index: int) -> ToolCall:
    arguments = call_arguments(part)
    tool, command = part.name.rsplit("__", 1)[-1], _shell_command(arguments)
    named, shell_arguments = named_command(tool, arguments, command)
    if named:
        return ToolCall(named.split(" ", 1)[0], shell_arguments, named, index, call_message=index)
    return ToolCall(tool, arguments, command, index, call_message=index)


def _shell_command(arguments: Any) -> str:
    command = shell_line(arguments)
    if command and str(arguments.get("is_input")).lower() == "true":
        return ""  # keys for a running program
    return "" if command and len(arguments) > 1 and command in _EDITOR_COMMANDS else command


def id_arguments(arguments: Any) -> Iterator[str]:
    """Yield the ids among the arguments; one of them may be the id of a running command."""
    if isinstance(arguments, dict):
        for key, value in arguments.items():
            if key.lower().endswith("id") and isinstance(value, str | int):
                yield str(value)


def _with_result(call: ToolCall, result: Part, index: int) -> ToolCall:
    text = result.text
    failed, stated, undecided = result.failed, True, False
    may_state_failure = may_state_outcome(text)
    stopped = failed is not False and (
        (may_state_failure and _STOPPED.match(text)) or (call.command and _is_aborted(text))
    )
    if stopped or text == NO_RESPONSE or (may_state_failure and is_declined(text)):
        failed, stated, undecided = None, False, True
    elif failed is None:
        failed = stated_failure(text) if call.command else None
        if failed is None:
            stated = False
            refused = not call.command and (
                is_change_refused(call.tool, call.arguments, result) or _has_raised(call, text)
            )
            refused = refused or (only_file_complaints(text) if call.command else is_server_error(text))
            failed = (
                True if refused or (may_state_failure and begins_as_failed(text)) or has_failure_member(text) else None
            )
    message = max(call.message, index)
    ended = replace(
        call, message=message, result=result, answered=True, failed=failed, stated=stated, undecided=undecided
    )
    folder = _folder_after(ended)
    return replace(ended, folder_after=folder) if folder else ended


def _folder_after(call: ToolCall) -> str:
    """Return the folder of the shell after a command, if its output states it."""
    output_end = call.output[-_FOLDER_WINDOW:] if call.command else ""
    return match.group(1) if "irectory: /" in output_end and (match := _FOLDER.search(output_end)) else ""


def _has_raised(call: ToolCall, output: str) -> bool:
    """Return whether code that a call ran raised an error. A traceback in something that it only displayed does not
    count."""
    if TRACEBACK_HEADER not in output or not runs_code(call.tool, call.arguments):
        return False
    return (cell_exception(output) or final_exception(output)) != ""


def _is_aborted(output: str) -> bool:
    end = output[-_LAST_LINES:]
    return "ommand" in end and _ABORTED.search(end) is not None


def _add_folders(calls: Iterable[ToolCall]) -> list[ToolCall]:
    """Return the calls, with the shell's folder added to commands that do not name theirs. A shell stays in the
    folder where the previous command left it."""
    placed: list[ToolCall] = []
    folder = ""
    for call in calls:
        folder_after = call.folder_after
        before = folder or ("" if _CHANGES_FOLDER.search(call.command) else folder_after)
        folder = folder_after or folder
        if call.command and before and isinstance(call.arguments, dict):
            placed.append(replace(call, arguments={"cwd": before, **call.arguments}))
        else:
            placed.append(call)
    return placed


def _add_successes(calls: Sequence[ToolCall]) -> Iterator[ToolCall]:
    """Yield the calls. If a tool states the failures of commands, its commands without a stated failure count as
    successful."""
    stating_tools = {call.tool for call in calls if call.command and call.stated and call.failed}
    for call in calls:
        if call.command and call.answered and call.failed is None and not call.undecided and call.tool in stating_tools:
            yield replace(call, failed=False)
        else:
            yield call
