"""The ledger: facts computed from tool calls and results, namely files touched, commands run and errors met."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from msgspec import Struct, field

from compactor_cli.features.work.code_files import patched_files, path_calls, written_files
from compactor_cli.features.work.endings import edited_nothing, existed_before, has_failed, is_declined, pipeline_failed
from compactor_cli.features.work.outcome_words import USUAL_FAILURE_WORDS, names_failure
from compactor_cli.features.work.shell_files import is_file, shell_actions
from compactor_cli.features.work.written_calls import written_calls
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, answered_calls
from compactor_cli.text.cached import cache_by_text
from compactor_cli.text.clean import one_line
from compactor_cli.text.json_values import json_or_text
from compactor_cli.text.outcomes import result_errors, stated_failure
from compactor_cli.text.patterns import compiled_later

PATH_KEYS = (
    *("path", "file_path", "filePath", "filename", "target_file", "notebook_path", "file"),
    *("TargetFile", "AbsolutePath"),
)
_COMMAND_KEYS = ("command", "cmd", "script", "code_to_run", "keystrokes", "CommandLine", "argv")
_ARGV_KEY = "argv"
"""An argument with the words of a command, or with the arguments of a script that another argument names."""
_NO_SCRIPT = frozenset((*PATH_KEYS, "program", "executable", "module", "script", "script_path")).isdisjoint
_COMMANDS_KEY = "commands"
"""An argument with several command lines."""
_CODE_KEY = "code"
"""An argument with a program."""
_SHELLS = ("bash", "sh", "zsh", "shell", "terminal")
"""Languages in which a program is a command line."""
_NO_PATH, _NO_COMMAND = (
    frozenset(PATH_KEYS).isdisjoint,
    frozenset((*_COMMAND_KEYS, _COMMANDS_KEY, _CODE_KEY)).isdisjoint,
)
"""True if arguments contain none of these keys."""
PATHLESS = ("edit", "insert")
"""Tools of an editor that has one open file; their calls do not name it."""
_OPEN_FILE = compiled_later(r"\[File: (/\S+) \(\d+ lines")
"""How a result names the file that such a tool changed."""
_LIST_KEYS = ("files", "paths", "file_paths", "filePaths", "replacements", "edits")
"""Arguments that may name several files, as strings or in objects."""
_NOT_A_PATH = compiled_later(r"\n|^(?!file:)\w+://")
_MAX_PATH = 299
"""Maximum length of a path."""
_CREATING_TOOL = compiled_later(
    r"(?:^|_)(?:write|create|new)|^(?!get|read|load|show|list|find|open|view|check|is_|has_)(?:.+_)?save_(?:to_)?file$"
    r"|^save(?:To)?File$",
    re.IGNORECASE,
)
_EDITING_TOOL = compiled_later(r"edit|replace|patch|apply_?diff|update|insert|append|modify", re.IGNORECASE)
_DELETING_TOOL = compiled_later(r"delete|remove|unlink", re.IGNORECASE)
_READING_TOOL = compiled_later(r"read|view|open|cat|show|get", re.IGNORECASE)
CHANGE_ACTIONS = ("created", "edited", "deleted")
_MODE_KEYS = ("command", "mode", "operation", "action")
_MODES = {
    **dict.fromkeys(("create", "write"), "created"),
    **dict.fromkeys(("str_replace", "insert", "replace", "edit", "append", "overwrite", "undo_edit"), "edited"),
    **dict.fromkeys(("view", "read"), "read"),
    "delete": "deleted",
}
"""Mode argument of a multi-purpose tool -> what it does to a file."""
_DRY_RUN_KEYS = ("dryRun", "dry_run")
_NO_LIST, _NO_MODE = frozenset(_LIST_KEYS).isdisjoint, frozenset((*_MODE_KEYS, *_DRY_RUN_KEYS)).isdisjoint
_FOLDER_TOOL = compiled_later(r"directory|mkdir", re.IGNORECASE)
_MOVING_TOOL = compiled_later(r"(?:^|_)(?:move|rename|copy)", re.IGNORECASE)
_MOVE_KEYS = (("source", "destination"), ("source_path", "destination_path"), ("old_path", "new_path"), ("src", "dst"))
"""Pairs of arguments of tools that move or copy files."""

_CHECK_NOT_PASSED = compiled_later(r"\t(?:fail|pending|cancel)\t")
"""One of several checks of a pull request, with a result that blocks merging."""
_PASSED_STEP = compiled_later(r"\s*[✓✔√✅]")
"""A step of a program that succeeded before another one failed."""
_PREAMBLE = compiled_later(
    r"\s*(?:exit(?:ed)? (?:with )?(?:code|status)|<|Chunk ID|Wall time|Process exited)", re.IGNORECASE
)
_ERROR_HEADING = compiled_later(r"\W*(?:errors?|failures?)\W*$", re.IGNORECASE)
"""A heading above errors that says nothing itself."""
ACTIONS = ("created", "edited", "deleted", "restored", "read")
_ACTIONS_ON_EXISTING = frozenset(("read", "edited", "restored"))
"""Actions on a file that exists."""
_REPORTED_ACTIONS = {"written": "edited", "reset": "restored"}


class FileFact(Struct):
    """What was done to a file, and in which messages."""

    actions: dict[str, list[int]] = field(default_factory=dict)


class CommandFact(Struct, frozen=True):
    """A command that was run: where, its outcome (None if unknown), and its first error line."""

    text: str
    message: int
    failed: bool | None
    error: str


class Ledger(Struct, frozen=True):
    files: dict[str, FileFact]
    commands: tuple[CommandFact, ...]
    errors: tuple[tuple[str, tuple[int, ...]], ...]
    """(first error line, messages with it) of failed results."""


def compute_ledger(messages: Sequence[Message], pairing: Pairing | None = None) -> Ledger:
    """Return the ledger of some messages, computed in one pass. `pairing`: the pairing of the messages, if known."""
    files: dict[str, FileFact] = {}
    commands: list[CommandFact] = []
    errors: dict[str, list[int]] = {}
    written = list(written_calls(messages))
    calls = ((each.call, each.result, each.message.number) for each in answered_calls(messages, pairing))
    for call, answer, number in chain(calls, ((call, said, m.number) for call, said, m in written)):
        arguments = call_arguments(call)
        for path, action in _finished_actions(call, arguments, answer):
            earlier_actions = files.setdefault(path, FileFact()).actions
            existed = (
                action == "created" and "created" not in earlier_actions and _file_existed(earlier_actions, answer)
            )
            earlier_actions.setdefault("edited" if existed else action, []).append(number)
        command = command_of(arguments)
        if command and not (answer is not None and is_declined(answer.text)):
            failed, error = _outcome(answer)
            if answer is not None:
                failed = pipeline_failed(command, failed, answer.text)
            commands.append(CommandFact(command, number, failed, error))
    results = ((part, message.number) for message in messages for part in message.results)
    for part, number in chain(results, ((said, m.number) for _, said, m in written)):
        failed, error = _outcome(part)
        if failed and states_cause(error) and not is_declined(part.text):
            errors.setdefault(error, []).append(number)
    return Ledger(files, tuple(commands), tuple((line, tuple(numbers)) for line, numbers in errors.items()))


def _file_existed(earlier_actions: Mapping[str, list[int]], answer: Part | None) -> bool:
    """Return whether a written file existed before: it had been shown or changed, or the result says so."""
    return implies_existed(earlier_actions) or (answer is not None and existed_before(answer.text))


def implies_existed(actions: Iterable[str]) -> bool:
    """Return whether one of the actions on a file implies that the file existed."""
    return not _ACTIONS_ON_EXISTING.isdisjoint(actions)


def _finished_actions(call: Part, arguments: Any, answer: Part | None) -> Sequence[tuple[str, str]]:
    """Return (path, action) pairs of what a call did, including what it did before it failed."""
    if answer is None or not (
        has_failed(answer) or (answer.failed is None and is_change_refused(call.name, arguments, answer))
    ):
        return file_actions(call.name, arguments) or (open_file_edit(call.name, answer.text) if answer else ())
    return () if is_declined(answer.text) else _only_file_actions(command_actions(arguments, answer.text))


def call_arguments(call: Part) -> Any:
    """Return the arguments of a call as a JSON value, which must not be modified; or the text itself if it is not
    JSON."""
    return json_or_text(call.text)


def call_text(call: Part) -> str:
    """Return the text of what a call does: the command that it runs, or else its arguments."""
    return command_of(call_arguments(call)) or call.text


def call_actions(call: Part) -> Sequence[tuple[str, str]]:
    """Return (path, action) pairs of one call."""
    return _call_actions(f"{call.name}\n{call.text}")


@cache_by_text
def _call_actions(name_and_text: str) -> tuple[tuple[str, str], ...]:
    name, _, text = name_and_text.partition("\n")
    return tuple(file_actions(name, json_or_text(text)))


def file_actions(tool: str, arguments: Any) -> Sequence[tuple[str, str]]:
    """Return (path, action) pairs of one call, from its arguments, patches in them, and shell commands."""
    return _only_file_actions(every_action(tool, arguments))


def _only_file_actions(actions: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return only the actions on files; `written` becomes `edited`. Of git's actions on changes, only a reset stays."""
    found: list[tuple[str, str]] = []
    for path, action in actions:
        if action in ACTIONS:
            found.append((path, action))
        elif action in _REPORTED_ACTIONS:
            found.append((path if action == "written" else ".", _REPORTED_ACTIONS[action]))
    return found


def command_actions(arguments: Any, output: str) -> Sequence[tuple[str, str]]:
    """Return (path, action) pairs of the steps that a command completed before it failed; `output` is its
    output."""
    command = shell_line(arguments)
    return shell_actions(command, output) if command else ()


def every_action(tool: str, arguments: Any) -> Sequence[tuple[str, str]]:
    """Return (path, action) pairs of one call, including the actions of git commands on changes."""
    if isinstance(arguments, str):
        return list(patched_files(arguments))
    if not isinstance(arguments, dict):
        return ()
    paths = [] if _NO_PATH(arguments) else [arguments[key] for key in PATH_KEYS if isinstance(arguments.get(key), str)]
    lists = () if _NO_LIST(arguments) else _LIST_KEYS
    listed = next((value for key in lists if isinstance(value := arguments.get(key), list)), [])
    for item in listed:
        path = next((item[key] for key in PATH_KEYS if key in item), "") if isinstance(item, dict) else item
        paths += [path] if isinstance(path, str) else []
    found: list[tuple[str, str]] = []
    if paths and (action := _action(tool, arguments)):
        found += [(path, action) for path in paths if _may_be_file(path)]
    if _is_moving_tool(tool):
        found += _move_actions(tool, arguments)
    command = command_of(arguments)
    if command:
        found += shell_actions(_as_typed(command, arguments))
    if _CODE_KEY in arguments:
        found += _code_actions(arguments)
    for value in arguments.values():
        if isinstance(value, str) and ("*** " in value or "\n+++ " in value) and value != command:
            found += patched_files(value)
    return found


def open_file_edit(tool: str, output: str) -> list[tuple[str, str]]:
    """Return (path, action) for the open file that a call changed without naming it, as stated in the tool's output."""
    open_file = _OPEN_FILE.search(output) if tool in PATHLESS else None
    return [(open_file.group(1), "edited")] if open_file else []


def is_change_refused(tool: str, arguments: Any, result: Part) -> bool:
    """Return whether a call was to change a file and its result says that it did not."""
    if not isinstance(arguments, dict):
        return False
    if _NO_PATH(arguments) and tool not in PATHLESS:
        would_change = any(action != "read" for _, action in _called_actions(arguments))
    else:
        would_change = _action(tool, arguments) in CHANGE_ACTIONS
    return would_change and edited_nothing(result.text)


def _move_actions(tool: str, arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (path, action) pairs of a call that moves or copies a file."""
    for keys in _MOVE_KEYS:
        source, target = (str(arguments.get(key, "")) for key in keys)
        if is_file(source) and is_file(target):
            yield source, "read" if "copy" in tool.lower() else "deleted"
            yield target, "created"


@lru_cache(maxsize=1024)  # a session calls the same few tools many times
def _is_moving_tool(tool: str) -> bool:
    return _MOVING_TOOL.search(tool) is not None


def _may_be_file(path: str) -> bool:
    """Return whether an argument named like a path may be one, rather than a text or a URL."""
    is_suspicious = "\n" in path or "://" in path
    return 0 < len(path) <= _MAX_PATH and not (is_suspicious and _NOT_A_PATH.search(path))


def _code_actions(arguments: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (path, action) pairs of the program that a call runs."""
    code = arguments.get(_CODE_KEY)
    written = written_files(code) if isinstance(code, str) else ()
    return [*_called_actions(arguments), *((path, action) for path, action in written if is_file(path))]


def _called_actions(arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (path, action) pairs of the functions that a program calls as tools."""
    code = arguments.get(_CODE_KEY)
    for name, path in path_calls(code) if isinstance(code, str) else ():
        action = _action_of(name, replaces=False)
        if action and is_file(path):
            yield path, action


def is_within(path: str, folder_path: str) -> bool:
    """Return whether a path is a file or folder at or below a place. Each may be relative to any folder above it."""
    folder = folder_path.removeprefix("./").strip("/")
    return (
        folder in ("", ".") or f"/{folder}/" in f"/{path.strip('/')}/" or f"/{folder}".endswith(f"/{path.strip('/')}")
    )


def _action(tool: str, arguments: dict[str, Any]) -> str:
    verb = ""
    if not _NO_MODE(arguments):
        if any(arguments.get(key) is True for key in _DRY_RUN_KEYS):
            return "read"
        verb = next((mode_action for key in _MODE_KEYS if (mode_action := _MODES.get(str(arguments.get(key))))), "")
    return verb or _action_of(tool, replaces="old_string" in arguments or "old_str" in arguments)


@lru_cache(maxsize=1024)
def _action_of(tool: str, *, replaces: bool) -> str:
    """Return what a tool does to files, judging by its name. `replaces`: whether the call names a text to be
    replaced."""
    if _FOLDER_TOOL.search(tool):
        return ""
    if _DELETING_TOOL.search(tool):
        return "deleted"
    if _EDITING_TOOL.search(tool) or replaces:
        return "edited"
    if _CREATING_TOOL.search(tool):
        return "created"
    return "read" if _READING_TOOL.search(tool) else ""


def command_of(arguments: Any) -> str:
    """Return the shell command in the arguments of a call; "" if there is none."""
    if not isinstance(arguments, dict) or _NO_COMMAND(arguments):
        return ""
    for key in _COMMAND_KEYS:
        value = arguments.get(key)
        if key == _ARGV_KEY and not _NO_SCRIPT(arguments):
            continue
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return " ".join(value)
    code = arguments.get(_CODE_KEY)
    if isinstance(code, str) and str(arguments.get("language")).lower() in _SHELLS:
        return code
    lines = arguments.get(_COMMANDS_KEY)
    return "\n".join(lines) if isinstance(lines, list) and all(isinstance(line, str) for line in lines) else ""


def shell_line(arguments: Any) -> str:
    """Return the command as it would be typed into a shell; some calls give its words separately."""
    command = command_of(arguments)
    return _as_typed(command, arguments) if command else ""


def _as_typed(command: str, arguments: dict[str, Any]) -> str:
    """Return the line of `shell_line` for a command that was found in the arguments."""
    lists = (value for key, value in arguments.items() if isinstance(value, list) and key != _COMMANDS_KEY)
    words = next((value for value in lists if command == " ".join(map(str, value))), None)
    return shlex.join(words) if words else command


def _outcome(part: Part | None) -> tuple[bool | None, str]:
    if part is None:
        return None, ""
    failed = part.failed if part.failed is not None else stated_failure(part.text)
    return (True, one_line(failure_line(part.text), 200)) if failed else (failed, "")


def states_cause(line: str) -> bool:
    """Return whether a line states what went wrong."""
    return names_failure(line) or bool(result_errors(line, True, limit=1))


def failure_line(text: str) -> str:
    """Return the line of a failed result that states the reason: its first error line, or else its first line."""
    lines = result_errors(text, True, limit=1)
    if not lines:
        return _first_reason_line(text)
    after_heading = text.partition(lines[0])[2].lstrip() if _ERROR_HEADING.match(lines[0]) else ""
    return after_heading.partition("\n")[0] or lines[0]


def _first_reason_line(text: str) -> str:
    """Return the first line of a failed result that states what failed, or else the tool's own first line. Harnesses
    put lines such as `Exit code 1` before it."""
    _, has_output_mark, output = f"{text}\n".partition("\nOutput:\n")
    lines = [line for line in (output if has_output_mark else text).split("\n", 12)[:12] if line.strip()]
    lines = [line for line in lines if not _PASSED_STEP.match(line)] or lines
    stated = (line for names in (USUAL_FAILURE_WORDS.search, names_failure) for line in lines if names(line))
    reason = next((line for line in stated if not _PREAMBLE.match(line)), "")
    reason = reason or next((line for line in lines if _CHECK_NOT_PASSED.search(line)), "")
    if reason:
        return reason
    if not lines:  # the tool printed nothing, so only the exit status is left
        lines = sorted(text.split("\n", 12)[:12], key=lambda line: "exit" not in line.lower())[:1]
    return next((line for line in lines if not _PREAMBLE.match(line)), lines[0] if lines else text)


def format_references(indices: Iterable[int]) -> str:
    """Return `[#3, #9]`, the messages that a line refers to; the middle of a long list is left out."""
    unique = sorted(set(indices))
    if len(unique) > 4:
        return f"[#{unique[0]}, #{unique[1]}, … #{unique[-1]}]"
    return "[" + ", ".join(f"#{index}" for index in unique) + "]"
