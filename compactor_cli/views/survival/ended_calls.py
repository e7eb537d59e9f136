"""Tool calls and how they ended according to their results, and the line of a result that states the error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import answered_calls
from compactor_cli.text.clean import both_ends, plain
from compactor_cli.text.json_values import parse_json
from compactor_cli.views.survival.normal_form import normal_form

_COMMANDS = ("command", "cmd", "script", "keystrokes")
_EDGE_CHARS = 400
_STATUS = re.compile(
    r"\b(?:exit(?:ed)?(?: with)?(?: code| status)?|exit_code|return ?code)\W{0,3}(-?\d+)", re.IGNORECASE
)
_REFUSED = re.compile(
    r"[\s<\[{\"']*(?:tool_use_error|error\b(?!['\"]?\s*:\s*(?:\"\"|''|null|none|false|0\b))"
    r"|errors:|fatal:|panic:|traceback \(|failed\b|failure\b|permission denied"
    r"|command failed|the user doesn't want|request interrupted|\w+(?:error|exception):)",
    re.IGNORECASE,
)
_STATED = re.compile(r"\"(?:is_?error|isError)\"\s*:\s*true|\"(?:success|ok)\"\s*:\s*false")
_MAX_ERROR_CHARS = 160
_STATES_ERROR = re.compile(
    r"\s*(?:E\s{3}|(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Panic)\b\s*[:(]|error(?:\[\w+\])?:|fatal:|panic:|FAILED\s)"
)
_ERROR_WORDS = re.compile(
    r"error|exception|fatal|panic|fail|cannot|can't|could not|denied|refused|not found|no such|undefined|unable|invalid"
    r"|expected|timed? ?out|missing",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?(?:tool_use_error|error|output|stdout|stderr|returncode|result)>")
_ENDING_LINE = re.compile(
    r"\W*(?:exit(?:ed)?(?: with)? (?:code|status)|process exited|wall time|chunk id|original token count|output:"
    r"|traceback \()",
    re.IGNORECASE,
)


class Call(Struct, frozen=True):
    """A call: its position, its arguments, and its result (None if it has none)."""

    message: int
    id: str
    name: str
    arguments: dict[str, Any]
    argument_text: str
    result: Part | None
    succeeded: bool

    @property
    def answer(self) -> str | None:
        """Return the text of the result. It is read on demand, since all results together may be too large for
        memory."""
        return None if self.result is None else self.result.text


def find_calls(messages: Sequence[Message]) -> list[Call]:
    """Return every call, in order."""
    return [_make_call(message.index, call, result) for message, call, _, result in answered_calls(messages)]


def _make_call(message: int, part: Part, answer: Part | None) -> Call:
    try:
        value = parse_json(part.text)
    except ValueError:
        value = None
    arguments = value if isinstance(value, dict) else {"input": value if isinstance(value, str) else part.text}
    name = re.split(r"__|\.", part.name)[-1]
    return Call(
        message, part.call_id, name, arguments, part.text, answer, answer is not None and not has_failed(answer)
    )


def has_failed(result: Part) -> bool:
    """Return whether a result reports that its call failed: in the format, by its status, or by how it begins."""
    if result.failed is not None:
        return result.failed
    text = result.text
    if _REFUSED.match(text):
        return True
    edges = both_ends(text, _EDGE_CHARS, _EDGE_CHARS)
    status = _STATUS.search(edges)
    return bool(status and status[1] != "0") or _STATED.search(edges) is not None


def command_of(call: Call) -> str:
    """Return the command line that a call runs; empty if it runs none."""
    for key in _COMMANDS:
        value = call.arguments.get(key)
        if isinstance(value, str) and not (key == "command" and "path" in call.arguments):
            return value
        if isinstance(value, list):
            return " ".join(map(str, value))
    return ""


def texts_of(call: Call) -> Iterator[str]:
    """Return the strings among the arguments of a call."""
    return (value for value in call.arguments.values() if isinstance(value, str))


def find_errors(messages: Sequence[Message]) -> dict[str, tuple[int, str]]:
    """Return the errors in results: normalized beginning -> (first message with it, line)."""
    by_key: dict[str, tuple[int, str]] = {}
    for message in messages:
        for part in message.results:
            for line in _error_line(part):
                by_key.setdefault(_key(line), (message.index, line))
    by_key.pop("", None)
    return by_key


def _key(line: str) -> str:
    key = normal_form(line)
    return key if len(key) <= _MAX_ERROR_CHARS else normal_form(key[:_MAX_ERROR_CHARS])


def _error_line(result: Part) -> Iterator[str]:
    lines = (_TAG.sub("", line).strip() for line in plain(result.text).split("\n"))
    if not has_failed(result):
        candidates = [line for line in lines if _STATES_ERROR.match(line)] if result.failed is None else []
        yield from candidates[:1]
        return
    candidates = [line for line in lines if normal_form(line) and not _ENDING_LINE.match(line)]
    stated = next((line for line in candidates if _STATES_ERROR.match(line)), None)
    best = stated or next((line for line in candidates if _ERROR_WORDS.search(line)), None)
    yield from [best] if best else candidates[:1]
