"""Errors of calls that no later success made up for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.calls import ToolCall, answered_call, main_argument
from compactor_cli.features.work.causes import reason_in
from compactor_cli.features.work.endings import is_declined, only_file_complaints, steps_that_succeeded
from compactor_cli.features.work.looking_steps import GIT_LOOKING_VERBS, is_look, is_only_looking
from compactor_cli.features.work.programs import plain_steps
from compactor_cli.features.work.remote_steps import without_leading_options
from compactor_cli.features.work.secret_words import mask_command, mask_words
from compactor_cli.features.work.tool_names import is_acting, is_read_request, only_looks_by_name, tool_words
from compactor_cli.model.message import NO_RESPONSE, Part
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.clean import one_line
from compactor_cli.text.outcomes import result_errors, stated_code
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, parse_steps

_NOT_FOUND = compiled_later(
    r"(?:^|: )([\w./+-]+): (?:command not found|not found|No such file or directory)(?!:)", re.MULTILINE
)
"""How a shell reports that a program does not exist."""
_NOT_FOUND_CODE = 127
"""The exit code in that case."""
_HARMLESS = compiled_later(r"No such file|exists")
"""Complaints of programs that something is already as requested."""
_UNSUPPORTED = compiled_later(
    r"\bno (?:such )?(?:task|script|command|subcommand|option|recipe|rule to make target)\b|\bmissing script\b|"
    r"\b(?:unknown|unrecognized|invalid|illegal|no such) (?:sub-?command|command|option|flag|arguments?|choice)\b|"
    r"\bdoes not contain recipe\b|\bis not an? [\w-]+ command\b|\btask \S+ (?:does not exist|not found)",
    re.IGNORECASE,
)
"""Complaints about what a program or a tool was asked, and not about what it does; any later correct call of it makes
up for the error."""
_WRONG_ARGUMENTS = compiled_later(
    r"InputValidationError|(?:invalid|missing|unexpected)\b[^\n]{0,40}\b(?:parameter|argument|property|field|input)",
    re.IGNORECASE,
)
"""The same of a tool."""
_NAME = compiled_later(r"(?=\S*[^\W\d_])(?=\S*[\d./])\S{4,200}")
"""An identity, a path or an address."""
_TOOL_KEY = "tool "
_POINTERS = ("ref", "uid", "element_id", "selector", "locator", "xpath", "css", "bid")
"""Arguments that point at an element of what is currently shown."""
_HEAD_CHARS = 400
"""Characters at the start of a result that are searched for these messages."""
_EARLIER_LINE = compiled_later(r"open error(?: (\d+)x)?: (.+) \((.+)\)$")
_EDIT_LABEL = compiled_later(r"edit of (.+)$")
_MAX_ERRORS = 50
"""Maximum number of errors tracked; older ones are dropped so that the cost stays linear."""
_MAX_CALLS_OPEN = 40
"""After this many calls an error counts as abandoned, because nobody is going to fix it."""
_EARLIER_CALL_NUMBER = -_MAX_CALLS_OPEN // 2
"""Call number assigned to an error of an earlier round, since its age is unknown."""
_MAX_ERROR, _MAX_LABEL, _MAX_PATH = 160, 80, 300
_MAX_BRIEF_CHARS = 60
"""Maximum length of an error text when the budget is tight; errors are shortened before they are merely counted."""
_CODE_LABEL = "code of "
"""Beginning of the label of an error raised by code that an agent runs in cells; the tool's name follows."""


class OpenError(Struct, frozen=True):
    label: str
    """The command, or the tool with what it was called with."""
    message: int
    call_number: int
    """Number of the call; negative for earlier rounds."""
    earlier: str = ""
    """The text that an earlier round gave."""
    call: ToolCall | None = None
    count: int = 1
    """How many calls in a row ended this way."""

    @property
    def text(self) -> str:
        """Return what went wrong. The result is searched only when the text is shown or compared."""
        call = self.call
        return reason_in(call.output, command=bool(call.command), width=_MAX_ERROR) if call else self.earlier


def is_abandoned(call_number: int, call_count: int) -> bool:
    """Return whether the error of call `call_number` is no longer reported after `call_count` calls."""
    return call_number < call_count - _MAX_CALLS_OPEN


class OpenErrors:
    """Open errors by the key that a later success must have to resolve them."""

    def __init__(self) -> None:
        self.errors: dict[str, OpenError] = {}
        self.resolved_messages: set[int] = set()
        """Messages with errors that a later call made up for."""
        self.messages_by_key: dict[str, list[int]] = {}
        """Key of an open error -> messages in which an error with this key occurred."""

    def record_correct_call(self, call: ToolCall, steps: Sequence[Step]) -> None:
        """Record that a tool, or the programs of a command line, were called correctly. This makes up for an earlier
        error of the tool, unless it was about something else, and for calls that the programs did not support."""
        if not self.errors or call.undecided or not call.answered:
            return
        for step in plain_steps(steps):
            self._resolve(basename(step.words[0]))
        if not call.command:
            for key in [key for key, error in self.errors.items() if _is_made_up_for(key, error, call)]:
                self._resolve(key)

    def _resolve(self, key: str) -> None:
        if self.errors.pop(key, None) is not None:
            self.resolved_messages.update(self.messages_by_key.pop(key, ()))

    def record_call(self, call: ToolCall, steps: Sequence[Step], changed: Sequence[str], path: str, order: int) -> None:
        """Record a call that is neither a check nor an effect. `changed`: files that it changed, `path`: the file
        that it names."""
        self.record_changes(changed)
        if call.undecided or not call.answered:
            return
        line = plain_steps(steps)
        working = self._working(line) or (line if call.failed and _is_forbidden(call.output) else [])
        key, label = _shell_key(working, line, call) if call.command else _tool_key(call, path)
        if not key:
            return
        if call.failed:
            self._add(key, OpenError(label, call.message, order, call=call))
        elif call.command:
            self.record_success(call, steps)
        elif path:
            self._resolve(key)

    def record_changes(self, changed: Iterable[str]) -> None:
        """Record that files were changed, whatever else the call did."""
        for path in changed if self.errors else ():
            self._resolve_path(path)

    def record_success(self, call: ToolCall, steps: Sequence[Step]) -> None:
        """Record a command line that did not fail: each step that must have succeeded for that resolves its error."""
        if not self.errors or call.failed or call.undecided or not call.answered:
            return
        line = plain_steps(steps)
        working = self._working(line)
        done = {id(step) for step in steps_that_succeeded(line, call.output)}
        for step in [step for step in working if id(step) in done or step is working[-1]]:
            key = _command_key(step.words)
            previous = self.errors.get(key)
            if previous and previous.text and "|" in call.command and previous.text in call.output:
                continue  # the exit code is that of a filter
            if previous and _has_no_error(call):
                self._resolve(key)

    def _working(self, steps: Sequence[Step]) -> list[Step]:
        """Return the steps that do more than look around, or that failed before."""
        return [step for step in steps if not is_look(step) or _command_key(step.words) in self.errors]

    def read_earlier_line(self, line: str) -> bool:
        """Read a line of an earlier round; return whether it is an open error."""
        match = _EARLIER_LINE.match(line)
        if match is None:
            return False
        times, text, label = match.groups()
        edit_label = _EDIT_LABEL.match(label)
        steps = plain_steps(parse_steps(label))
        words = next((step.words for step in reversed(steps) if not is_look(step)), label.split())
        if edit_label:
            key = f"file {edit_label.group(1)}"
        elif label.startswith(_CODE_LABEL):
            key = f"{_TOOL_KEY}{label.removeprefix(_CODE_LABEL)}"
        else:
            key = basename(words[0]) if _UNSUPPORTED.search(text) else _command_key(words)
        self._add(key, OpenError(label, -1, _EARLIER_CALL_NUMBER, earlier=text, count=int(times or 1)))
        return True

    def _add(self, key: str, error: OpenError) -> None:
        known_key = self._known_key(key)
        previous = self.errors.pop(known_key, None)
        self.messages_by_key[key] = [*(self.messages_by_key.pop(known_key, ()) if previous else ()), error.message]
        is_repeated = previous is not None and previous.text == error.text
        self.errors[key] = replace(error, count=previous.count + error.count) if previous and is_repeated else error
        if len(self.errors) > _MAX_ERRORS:
            del self.errors[next(iter(self.errors))]

    def _known_key(self, key: str) -> str:
        """Return the key under which an error is known: an earlier round shortens paths at the beginning."""
        if key in self.errors or not key.startswith("file "):
            return key
        path = key.removeprefix("file ")
        return next(
            (known for known, error in self.errors.items() if error.message < 0 and _names_path(known, path)), key
        )

    def _resolve_path(self, path: str) -> None:
        for key in [key for key in self.errors if _names_path(key, path)]:
            self._resolve(key)

    def state_lines(self, root: str, call_number: int) -> Iterator[StateLine]:
        """Yield open errors, newest first, except abandoned ones. `root` is cut from paths."""
        for error in reversed(self.errors.values()):
            if is_abandoned(error.call_number, call_number):
                continue
            label = error.label.replace(root, "") if root else error.label
            count = f" {error.count}x" if error.count > 1 else ""
            text = f"open error{count}: {error.text} ({label})"
            short = one_line(error.text, _MAX_BRIEF_CHARS)
            brief = f"open error{count}: {short} ({label})" if short != error.text else ""
            yield StateLine("error", text, error.message, open=True, times=error.count, brief=brief)


def _is_made_up_for(key: str, error: OpenError, call: ToolCall) -> bool:
    """Return whether an error is one of the tool of a correct call, and not about something else than this call. Of an
    error from an earlier round, only the label is known."""
    tool, _, argument = error.label.partition(" ")
    if not f"{key} ".startswith(f"{_TOOL_KEY}{call.tool} ") and (error.call or tool != call.tool):
        return False
    told = error.call.output[:_HEAD_CHARS] if error.call else error.earlier
    if error.label.startswith(_CODE_LABEL) or _UNSUPPORTED.search(told) or _WRONG_ARGUMENTS.search(told):
        return True
    names = _names(error.call.arguments if error.call else {"": argument})
    other_names = _names(call.arguments)
    return not (names and other_names and names.isdisjoint(other_names))


def _names(arguments: Any) -> set[str]:
    """Return the values of arguments that name something, and do not just point at what is currently shown."""
    values = arguments.items() if isinstance(arguments, dict) else ()
    texts = (value for name, value in values if isinstance(value, str) and name not in _POINTERS)
    return set(filter(_NAME.fullmatch, texts))


def _is_forbidden(output: str) -> bool:
    """Return whether programs only say that they could not change files which are there."""
    text = output.partition("\n")[2] if output.startswith("Exit code") else output
    return only_file_complaints(text) and not all(map(_HARMLESS.search, text.strip().split("\n")))


def _has_no_error(call: ToolCall) -> bool:
    """Return whether a call neither is known to have failed nor reports an error."""
    return call.failed is False or not call.command or not result_errors(call.output, True, limit=1)


def _names_path(key: str, path: str) -> bool:
    """Return whether the key of an error names the end of a path."""
    return key.startswith("file ") and f"/{path}".endswith(f"/{key.removeprefix('file ').removeprefix('/')}")


def failure_kind(call: Part, result: Part) -> str:
    """Return how a call ended that did not do what it says: `failed`, `declined`, or `unanswered` if unknown. Return
    "" for a call that did, and for one that only looked and found nothing."""
    if result.text == NO_RESPONSE:
        return "unanswered"
    if is_declined(result.text):
        return "declined"
    tool_call = answered_call(call, result)
    if not tool_call.failed:
        return ""
    only_looked = tool_call.command and is_only_looking(tool_call.command)
    return "" if only_looked and not result_errors(tool_call.output, True, limit=1) else "failed"


def _shell_key(working: Sequence[Step], line: Sequence[Step], call: ToolCall) -> tuple[str, str]:
    """Return the key and the label of a command, from its steps that do something; ("", "") if there are none. If the
    program did not support what it was asked to do, the key is the program. If the exit code belongs to a later step
    after `;`, the label covers the whole line."""
    if not working:
        return "", ""
    missing = _NOT_FOUND.search(call.output) if call.failed else None
    if missing:
        working = [step for step in working if basename(step.words[0]) == basename(missing[1])] or working
    words = working[-1].words
    is_unknown = missing is not None or stated_code(call.output) == _NOT_FOUND_CODE
    is_use = call.failed and (is_unknown or _UNSUPPORTED.search(call.output[:_HEAD_CHARS]))
    key = basename(missing[1] if missing else words[0]) if is_use else _command_key(words)
    ended = next((index for index in range(len(line) - 2, -1, -1) if line[index].operator == ";"), -1)
    if len(working) == 1 and working[-1] in line[ended + 1 :]:
        return key, one_line(" ".join(mask_words(words)), _MAX_LABEL)
    return key, one_line(" ".join(mask_command(call.command).split()), _MAX_LABEL)


def _command_key(words: Sequence[str]) -> str:
    """Return the program and what it is asked to do: its first two words that are not options."""
    plain_words = [word for word in without_leading_options(words) if not word.startswith("-")] if words else []
    return one_line(" ".join(plain_words[:2]), _MAX_LABEL // 2)


def _tool_key(call: ToolCall, path: str) -> tuple[str, str]:
    """Return the key and the label of another call: the file that it changes, or the tool, of which any later correct
    call makes up for the error; ("", "") for a call that only looks, or that acts outside the session."""
    words = tool_words(call.tool)
    only_looks_at = words[:1] == ("git",) and words[1:] and words[1] in GIT_LOOKING_VERBS
    only_looks_at = only_looks_at or only_looks_by_name(call.tool) or is_read_request(call.tool, call.arguments)
    if only_looks_at or is_acting(call.tool, call.arguments):
        return "", ""
    if path:
        return f"file {path}", one_line(f"edit of {path}", _MAX_PATH)
    has_code = isinstance(call.arguments, dict) and isinstance(call.arguments.get("code"), str)
    label = f"{_CODE_LABEL}{call.tool}" if has_code else f"{call.tool} {main_argument(call.arguments, call.tool)}"
    names = () if has_code else sorted(_names(call.arguments))
    return " ".join([f"{_TOOL_KEY}{call.tool}", *names]), one_line(label, _MAX_LABEL)
