"""The ledger: facts computed from tool calls and results. Files touched, commands run, errors met."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from msgspec import Struct, field

from compactor_cli.features.work.code_files import called_with, patched_files, written_by
from compactor_cli.features.work.endings import ended, has_failed, is_declined, refuses_edit, was_there_before
from compactor_cli.features.work.shell_files import is_file, shell_actions
from compactor_cli.features.work.written_calls import written_calls
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, answered_calls
from compactor_cli.text.cached import remembered
from compactor_cli.text.clean import one_line
from compactor_cli.text.json_values import json_or_text
from compactor_cli.text.outcomes import result_errors, stated_failure
from compactor_cli.text.patterns import compiled_later

PATH_KEYS = (
    *("path", "file_path", "filePath", "filename", "target_file", "notebook_path", "file"),
    *("TargetFile", "AbsolutePath"),
)
_COMMAND_KEYS = ("command", "cmd", "script", "code_to_run", "keystrokes", "CommandLine", "argv")
_GIVEN_TO = "argv"
"""Argument with a command word by word, or with what a script is given that another argument names."""
_NO_SCRIPT = frozenset((*PATH_KEYS, "program", "executable", "module", "script", "script_path")).isdisjoint
_SEVERAL = "commands"
"""Argument with several command lines."""
_CODE = "code"
"""Argument with a program."""
_SHELLS = ("bash", "sh", "zsh", "shell", "terminal")
"""Languages of programs that are command lines."""
_NO_PATH, _NO_COMMAND = frozenset(PATH_KEYS).isdisjoint, frozenset((*_COMMAND_KEYS, _SEVERAL, _CODE)).isdisjoint
"""Whether arguments have none of these."""
PATHLESS = ("edit", "insert")
"""Tools of an editor with one open file, which their calls do not name."""
_OPENED = compiled_later(r"\[File: (/\S+) \(\d+ lines")
"""How a result names the file that such a tool has changed."""
_LISTS = ("files", "paths", "file_paths", "filePaths", "replacements", "edits")
"""Arguments that may name several files, by themselves or in objects."""
_NO_FILE = compiled_later(r"\n|^(?!file:)\w+://")
_LONGEST_PATH = 299
"""Characters."""
_CREATES = compiled_later(
    r"(?:^|_)(?:write|create|new)|^(?!get|read|load|show|list|find|open|view|check|is_|has_)(?:.+_)?save_(?:to_)?file$"
    r"|^save(?:To)?File$",
    re.IGNORECASE,
)
_EDITS = compiled_later(r"edit|replace|patch|apply_?diff|update|insert|append|modify", re.IGNORECASE)
_DELETES = compiled_later(r"delete|remove|unlink", re.IGNORECASE)
_READS = compiled_later(r"read|view|open|cat|show|get", re.IGNORECASE)
CHANGES = ("created", "edited", "deleted")
_MODE_KEYS = ("command", "mode", "operation", "action")
_MODES = {
    **dict.fromkeys(("create", "write"), "created"),
    **dict.fromkeys(("str_replace", "insert", "replace", "edit", "append", "overwrite", "undo_edit"), "edited"),
    **dict.fromkeys(("view", "read"), "read"),
    "delete": "deleted",
}
"""What tools of several uses are to do with a file, as their arguments name it."""
_ONLY_TRIES = ("dryRun", "dry_run")
_NO_LIST, _NO_MODE = frozenset(_LISTS).isdisjoint, frozenset((*_MODE_KEYS, *_ONLY_TRIES)).isdisjoint
_OF_FOLDERS = compiled_later(r"directory|mkdir", re.IGNORECASE)
_MOVES = compiled_later(r"(?:^|_)(?:move|rename|copy)", re.IGNORECASE)
_FROM_TO = (("source", "destination"), ("source_path", "destination_path"), ("old_path", "new_path"), ("src", "dst"))
"""Arguments of tools that move and copy files."""

_NOT_PASSED = compiled_later(r"\t(?:fail|pending|cancel)\t")
"""A check of a pull request, one of several, that keeps it from being merged."""
_TELLING = compiled_later(
    r"\b(?:errors?|fail(?:ed|ure)?|conflict|cannot|can't|denied|refused|not found|missing|invalid|issues?)\b",
    re.IGNORECASE,
)
_PREAMBLE = compiled_later(
    r"\s*(?:exit(?:ed)? (?:with )?(?:code|status)|<|Chunk ID|Wall time|Process exited)", re.IGNORECASE
)
_HEADING = compiled_later(r"\W*(?:errors?|failures?)\W*$", re.IGNORECASE)
"""Stands over errors and says nothing itself."""
ACTIONS = ("created", "edited", "deleted", "restored", "read")
_SHOWS_FILE = frozenset(("read", "edited", "restored"))
"""What is done to a file that is there."""
_SAID_AS = {"written": "edited", "reset": "restored"}


class FileFact(Struct):
    """What was done to a file, and in which messages."""

    actions: dict[str, list[int]] = field(default_factory=dict)


class CommandFact(Struct, frozen=True):
    """A command that was run: where, how it ended (None: not known), and its first error line."""

    text: str
    message: int
    failed: bool | None
    error: str


class Ledger(Struct, frozen=True):
    files: dict[str, FileFact]
    commands: tuple[CommandFact, ...]
    errors: tuple[tuple[str, tuple[int, ...]], ...]
    """First error line of failed results, with the messages where it occurred."""


def compute_ledger(messages: Sequence[Message], pairing: Pairing | None = None) -> Ledger:
    """Return the ledger of some messages, in one pass. `pairing`: that of the messages, where it is known."""
    files: dict[str, FileFact] = {}
    commands: list[CommandFact] = []
    errors: dict[str, list[int]] = {}
    written = list(written_calls(messages))
    calls = ((each.call, each.result, each.message.number) for each in answered_calls(messages, pairing))
    for call, answer, number in chain(calls, ((call, said, m.number) for call, said, m in written)):
        arguments = call_arguments(call)
        for path, action in _done_actions(call, arguments, answer):
            known = files.setdefault(path, FileFact()).actions
            existed = action == "created" and "created" not in known and _existed(known, answer)
            known.setdefault("edited" if existed else action, []).append(number)
        command = command_of(arguments)
        if command and not (answer is not None and is_declined(answer.text)):
            failed, error = _outcome(answer)
            if answer is not None:
                failed = ended(command, failed, answer.text)
            commands.append(CommandFact(command, number, failed, error))
    results = ((part, message.number) for message in messages for part in message.results)
    for part, number in chain(results, ((said, m.number) for _, said, m in written)):
        failed, error = _outcome(part)
        if failed and says_why(error) and not is_declined(part.text):
            errors.setdefault(error, []).append(number)
    return Ledger(files, tuple(commands), tuple((line, tuple(at)) for line, at in errors.items()))


def _existed(known: Mapping[str, list[int]], answer: Part | None) -> bool:
    """Return whether a file that was written was there before: it had been shown or changed, or the result says so."""
    return was_shown(known) or (answer is not None and was_there_before(answer.text))


def was_shown(actions: Iterable[str]) -> bool:
    """Return whether what was done to a file says that it is there."""
    return not _SHOWS_FILE.isdisjoint(actions)


def _done_actions(call: Part, arguments: Any, answer: Part | None) -> Sequence[tuple[str, str]]:
    """Return (path, action) pairs of what a call did, though it failed in the end."""
    if answer is None or not (
        has_failed(answer) or (answer.failed is None and is_refused(call.name, arguments, answer))
    ):
        return file_actions(call.name, arguments) or (open_file_edit(call.name, answer.text) if answer else ())
    return () if is_declined(answer.text) else _of_files(command_actions(arguments, answer.text))


def call_arguments(call: Part) -> Any:
    """Return the arguments of a call as a JSON value, which nobody may change; the text itself where it is no JSON."""
    return json_or_text(call.text)


def call_text(call: Part) -> str:
    """Return what a call does, in its own words: the command that it runs, or its arguments."""
    return command_of(call_arguments(call)) or call.text


def call_actions(call: Part) -> Sequence[tuple[str, str]]:
    """Return (path, action) pairs of one call."""
    return _call_actions(f"{call.name}\n{call.text}")


@remembered
def _call_actions(name_and_text: str) -> tuple[tuple[str, str], ...]:
    name, _, text = name_and_text.partition("\n")
    return tuple(file_actions(name, json_or_text(text)))


def file_actions(tool: str, arguments: Any) -> Sequence[tuple[str, str]]:
    """Return (path, action) pairs of one call, from its arguments, patches in them, and shell commands."""
    return _of_files(every_action(tool, arguments))


def _of_files(actions: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what was done to files, without what commands of git did to changes but take them back."""
    found: list[tuple[str, str]] = []
    for path, action in actions:
        if action in ACTIONS:
            found.append((path, action))
        elif action in _SAID_AS:
            found.append((path if action == "written" else ".", _SAID_AS[action]))
    return found


def command_actions(arguments: Any, failed_with: str) -> Sequence[tuple[str, str]]:
    """Return (path, action) pairs of the steps that a command did before it failed, with what it said then."""
    command = shell_line(arguments)
    return shell_actions(command, failed_with) if command else ()


def every_action(tool: str, arguments: Any) -> Sequence[tuple[str, str]]:
    """Return (path, action) pairs of one call, with what commands of git do to changes."""
    if isinstance(arguments, str):
        return list(patched_files(arguments))
    if not isinstance(arguments, dict):
        return ()
    paths = [] if _NO_PATH(arguments) else [arguments[key] for key in PATH_KEYS if isinstance(arguments.get(key), str)]
    lists = () if _NO_LIST(arguments) else _LISTS
    listed = next((value for key in lists if isinstance(value := arguments.get(key), list)), [])
    for item in listed:
        path = next((item[key] for key in PATH_KEYS if key in item), "") if isinstance(item, dict) else item
        paths += [path] if isinstance(path, str) else []
    found: list[tuple[str, str]] = []
    if paths and (action := _action(tool, arguments)):
        found += [(path, action) for path in paths if _may_be_file(path)]
    if _moves(tool):
        found += _moved(tool, arguments)
    command = command_of(arguments)
    if command:
        found += shell_actions(_typed(command, arguments))
    if _CODE in arguments:
        found += _code_actions(arguments)
    for value in arguments.values():
        if isinstance(value, str) and ("*** " in value or "\n+++ " in value) and value != command:
            found += patched_files(value)
    return found


def open_file_edit(tool: str, said: str) -> list[tuple[str, str]]:
    """Return (path, action) of the open file that a call changed without naming it, by what the tool said."""
    opened = _OPENED.search(said) if tool in PATHLESS else None
    return [(opened.group(1), "edited")] if opened else []


def is_refused(tool: str, arguments: Any, result: Part) -> bool:
    """Return whether a call is to change a file, and its result says that it did not."""
    if not isinstance(arguments, dict):
        return False
    if _NO_PATH(arguments) and tool not in PATHLESS:
        changes = any(action != "read" for _, action in _called_actions(arguments))
    else:
        changes = _action(tool, arguments) in CHANGES
    return changes and refuses_edit(result.text)


def _moved(tool: str, arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (path, action) pairs of a call that moves a file, or copies it."""
    for keys in _FROM_TO:
        source, target = (str(arguments.get(key, "")) for key in keys)
        if is_file(source) and is_file(target):
            yield source, "read" if "copy" in tool.lower() else "deleted"
            yield target, "created"


@lru_cache(maxsize=1024)  # a session calls the same few tools many times
def _moves(tool: str) -> bool:
    return _MOVES.search(tool) is not None


def _may_be_file(path: str) -> bool:
    """Return whether an argument that is called a path may be one, and no text or address."""
    marked = "\n" in path or "://" in path
    return 0 < len(path) <= _LONGEST_PATH and not (marked and _NO_FILE.search(path))


def _code_actions(arguments: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (path, action) pairs of the program that a call runs."""
    code = arguments.get(_CODE)
    written = written_by(code) if isinstance(code, str) else ()
    return [*_called_actions(arguments), *((path, did) for path, did in written if is_file(path))]


def _called_actions(arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (path, action) pairs of the functions that a program calls in place of tools."""
    code = arguments.get(_CODE)
    for name, path in called_with(code) if isinstance(code, str) else ():
        action = _action_of(name, replaces=False)
        if action and is_file(path):
            yield path, action


def is_within(path: str, place: str) -> bool:
    """Return whether a path is that of a file or leads into a folder, each of which may begin anywhere above."""
    folder = place.removeprefix("./").strip("/")
    return (
        folder in ("", ".") or f"/{folder}/" in f"/{path.strip('/')}/" or f"/{folder}".endswith(f"/{path.strip('/')}")
    )


def _action(tool: str, arguments: dict[str, Any]) -> str:
    verb = ""
    if not _NO_MODE(arguments):
        if any(arguments.get(key) is True for key in _ONLY_TRIES):
            return "read"
        verb = next((did for key in _MODE_KEYS if (did := _MODES.get(str(arguments.get(key))))), "")
    return verb or _action_of(tool, replaces="old_string" in arguments or "old_str" in arguments)


@lru_cache(maxsize=1024)
def _action_of(tool: str, *, replaces: bool) -> str:
    """Return what a tool does to files, by its name. `replaces`: a call names a text that is replaced."""
    if _OF_FOLDERS.search(tool):
        return ""
    if _DELETES.search(tool):
        return "deleted"
    if _EDITS.search(tool) or replaces:
        return "edited"
    if _CREATES.search(tool):
        return "created"
    return "read" if _READS.search(tool) else ""


def command_of(arguments: Any) -> str:
    """Return the command that the arguments of a call give to a shell; empty when there is none."""
    if not isinstance(arguments, dict) or _NO_COMMAND(arguments):
        return ""
    for key in _COMMAND_KEYS:
        value = arguments.get(key)
        if key == _GIVEN_TO and not _NO_SCRIPT(arguments):
            continue
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return " ".join(value)
    code = arguments.get(_CODE)
    if isinstance(code, str) and str(arguments.get("language")).lower() in _SHELLS:
        return code
    lines = arguments.get(_SEVERAL)
    return "\n".join(lines) if isinstance(lines, list) and all(isinstance(line, str) for line in lines) else ""


def shell_line(arguments: Any) -> str:
    """Return the command as one types it into a shell; some calls give its words one by one."""
    command = command_of(arguments)
    return _typed(command, arguments) if command else ""


def _typed(command: str, arguments: dict[str, Any]) -> str:
    """Return the same of the command that the arguments give."""
    lists = (value for key, value in arguments.items() if isinstance(value, list) and key != _SEVERAL)
    words = next((value for value in lists if command == " ".join(map(str, value))), None)
    return shlex.join(words) if words else command


def _outcome(part: Part | None) -> tuple[bool | None, str]:
    if part is None:
        return None, ""
    failed = part.failed if part.failed is not None else stated_failure(part.text)
    return (True, one_line(failure_line(part.text), 200)) if failed else (failed, "")


def says_why(line: str) -> bool:
    """Return whether a line tells what went wrong."""
    return _TELLING.search(line) is not None or bool(result_errors(line, True, limit=1))


def failure_line(text: str) -> str:
    """Return the line of a failed result that says why: its first error line, else what the tool said first."""
    lines = result_errors(text, True, limit=1)
    if not lines:
        return _first_said(text)
    behind = text.partition(lines[0])[2].lstrip() if _HEADING.match(lines[0]) else ""
    return behind.partition("\n")[0] or lines[0]


def _first_said(text: str) -> str:
    """Return the first line of a failed result that tells what failed; else the first that the tool itself said:
    harnesses put lines such as `Exit code 1` before it."""
    _, marked, said = f"{text}\n".partition("\nOutput:\n")
    lines = [line for line in (said if marked else text).split("\n", 12)[:12] if line.strip()]
    telling = next((line for line in lines if _TELLING.search(line) and not _PREAMBLE.match(line)), "")
    telling = telling or next((line for line in lines if _NOT_PASSED.search(line)), "")
    if telling:
        return telling
    if not lines:  # it said nothing: how it ended is all there is
        lines = sorted(text.split("\n", 12)[:12], key=lambda line: "exit" not in line.lower())[:1]
    return next((line for line in lines if not _PREAMBLE.match(line)), lines[0] if lines else text)


def where(indices: Iterable[int]) -> str:
    """Return `[#3, #9]`: the messages that a line stands on; long lists keep their ends."""
    unique = sorted(set(indices))
    if len(unique) > 4:
        return f"[#{unique[0]}, #{unique[1]}, … #{unique[-1]}]"
    return "[" + ", ".join(f"#{index}" for index in unique) + "]"
