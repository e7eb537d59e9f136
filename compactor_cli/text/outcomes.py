"""Read from a tool result whether the tool succeeded, and which lines report errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from compactor_cli.text.cached import cache_by_text
from compactor_cli.text.clean import both_ends
from compactor_cli.text.line_prefixes import find_in_unprefixed, without_prefix
from compactor_cli.text.log_lines import is_error_log, is_log_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.tracebacks import TRACEBACK_HEADER, cell_exception, find_tracebacks

_EXIT_CODE = compiled_later(
    r"(?:exit(?:ed)?(?: with)?(?: code| status)?|exit_?code\"?|return[ _]?code\"?)\s*(?:[:=>]\s*)?(-?\d+)",
    re.IGNORECASE,
)
_WINDOW_CHARS = 400
"""Characters at each end of a result where tools state the exit code."""

_ERROR_STARTS = (
    "error",
    "fatal",
    "panic",
    "failed",
    "fail ",
    "fail:",
    "fail\t",
    "--- fail",
    "traceback",
    "conflict (",
    "✗",
    "✘",
    "e  ",
)
_ERROR_PARTS = (
    "error:",
    "fatal:",
    "exception:",
    "cannot find",
    "cannot open",
    "cannot import",
    "cannot read",
    "not found",
    "permission denied",
    "no such file",
    "undefined: ",
    "declared and not used",
    "imported and not used",
)
_ERROR_STATEMENT = compiled_later(
    r"\s*(?:E\s{2,}|(?:[\w.]+\.)?(?:[A-Z]\w*)?(?:Error|Exception)\b(?!\()|error\b|ERROR\b|[Ff]atal\b|FAILED\b|[Pp]anic)"
)
_STATEMENT_HINTS = [
    *(compiled_later(rf"{word}\b(?!\()") for word in ("Error", "Exception")),
    *(compiled_later(rf"{word}\b") for word in ("error", "ERROR", "atal", "FAILED")),
    *(compiled_later(word) for word in ("anic", r"E\s\s")),
]
"""Every match of `_ERROR_STATEMENT` contains one of these. They begin with letters, so that a search is fast."""
_CODE_ENDS = (",", ";", "{", "(", "[")
"""A line with this ending is code that handles errors, not an error."""
_TASK_PREFIX = r"\[[^\]\n]{1,40}\]\s*"
_TASK_TAG = compiled_later(_TASK_PREFIX)
"""The prefix of task runners on each line of a task: `[lint] `."""
_DIAGNOSIS = compiled_later(
    rf"(?:{_TASK_PREFIX})?[\w./@~-]+\.\w{{1,6}}(?::\d+(?::\d+)?|\(\d+,\d+\)):?\s.*\b(?:error|fatal)\b",
    re.IGNORECASE,
)
"""A message of a compiler or a linter about a location in a file."""
_BARE_FAILURE = compiled_later(r"\W*fail(?:ed)?\W*", re.IGNORECASE)
"""Says that something failed, but not what."""
_TRACEBACK_LINE = f"{TRACEBACK_HEADER}:"
_MAX_LINE_CHARS = 2_000
_ERROR_NAME_ENDS = ("error", "exception", "panic", "fault")
_ERROR_COUNT = compiled_later(r"\b\d+ (?:failed|errors?)\b")
_ERROR_HINTS = (
    "error",
    "fail",
    "fatal",
    "exception",
    "not found",
    "denied",
    "no such",
    "cannot",
    "panic",
    "traceback",
    "fault",
    "conflict (",
    "undefined: ",
    "and not used",
    "\ne  ",
    "✗",
    "✘",
)
"""Every line that reports an error contains one of these in lower case; finding them is cheap."""
_STATEMENT_LINE_HINTS = ("error", "exception", "fatal", "failed", "panic", "\ne  ", " e  ")
"""The same for plain statements; an output may be indented."""


def stated_failure(text: str) -> bool | None:
    """Return True or False if the text states an exit code, otherwise None."""
    code = stated_code(text)
    return None if code is None else code != 0


def stated_code(text: str) -> int | None:
    """Return the exit code that a text states, if any."""
    return _code_in_window(both_ends(text, _WINDOW_CHARS, _WINDOW_CHARS))


@cache_by_text
def _code_in_window(window: str) -> int | None:
    lowered = window.lower()
    for word in ("exit", "return") if "code" in lowered else ("exit",):  # a returned value counts only if it is a code
        index = lowered.find(word)
        while index >= 0:
            match = _EXIT_CODE.match(window, index)
            if match:
                return int(match.group(1)[:6])
            index = lowered.find(word, index + 1)
    return None


def _hinted_lines(text: str, hints: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return (line, lower-case form) for the lines that contain one of the hints, in order; other lines are not
    touched."""
    lowered = text.lower()
    if len(lowered) != len(text):  # some letters become longer in lower case, so positions would differ
        pairs = zip(text.split("\n"), lowered.split("\n"), strict=False)
        return [
            (line.rstrip("\r"), line_lowered.strip()) for line, line_lowered in pairs if len(line) < _MAX_LINE_CHARS
        ]
    spans: dict[int, int] = {}
    if lowered.startswith("e  "):
        spans[0] = lowered.find("\n") if "\n" in lowered else len(lowered)
    for hint in hints:
        index = lowered.find(hint)
        while index >= 0:
            index += hint[0] == "\n"
            start, end = lowered.rfind("\n", 0, index) + 1, lowered.find("\n", index)
            end = end if end >= 0 else len(lowered)
            spans[start] = end
            index = lowered.find(hint, end)
    ordered = sorted(span for span in spans.items() if span[1] - span[0] < _MAX_LINE_CHARS)
    return [(text[start:end].rstrip("\r"), lowered[start:end].strip()) for start, end in ordered]


def _reports_error(lowered: str) -> bool:
    """Return whether a line, stripped and in lower case, reports an error."""
    lowered = _TASK_TAG.sub("", lowered, count=1) if lowered.startswith("[") else lowered
    if lowered.startswith(_ERROR_STARTS) or lowered == "fail" or any(word in lowered for word in _ERROR_PARTS):
        return True
    if not lowered or lowered[0].isdigit():
        return _ERROR_COUNT.search(lowered) is not None
    if lowered.split(None, 1)[0].rstrip(":").endswith(_ERROR_NAME_ENDS):
        return True
    return ("failed" in lowered or "error" in lowered) and _ERROR_COUNT.search(lowered) is not None


_NUMBERED = compiled_later(r"^\s*\d+\s*[→|:\t-]")


def _is_quoted(line: str) -> bool:
    """Return whether a line comes from a file or a search, with its number, so that its text is not an event."""
    return _NUMBERED.match(line) is not None and not is_log_line(line)


def error_lines(text: str, limit: int = 8) -> list[str]:
    """Return at most `limit` lines that report errors, in order. Diagnoses and plain statements take precedence."""
    lines = _error_lines(text)
    if len(lines) <= limit:
        return list(lines)
    diagnoses = (line for line in lines if _DIAGNOSIS.match(line))
    chosen = set(tuple(dict.fromkeys((*diagnoses, *_plain_statements(text), *lines)))[:limit])
    return [line for line in lines if line in chosen]


def result_errors(text: str, failed: bool | None, limit: int = 8) -> list[str]:
    """Return the error lines of a tool result; only plain statements if nothing says that the tool failed."""
    failed = failed if failed is not None else stated_failure(text)
    if failed is False:
        return []
    return error_lines(text, limit) if failed else list(_plain_statements(text)[:limit])


@cache_by_text
def _error_lines(text: str) -> tuple[str, ...]:
    return find_in_unprefixed(text, _find_errors)


def _find_errors(text: str) -> tuple[str, ...]:
    lines = (
        line
        for line, lowered in _hinted_lines(text, _ERROR_HINTS)
        if _reports_error(lowered) or _DIAGNOSIS.match(line) or is_error_log(line)
    )
    unique = tuple(dict.fromkeys(line for line in lines if not _is_quoted(line)))
    errors = _with_exceptions(text, unique) if TRACEBACK_HEADER in text else unique
    return tuple(line for line in errors if not _BARE_FAILURE.fullmatch(line)) or errors


def _with_exceptions(text: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines with the exception in place of the first line of its traceback, which is not informative."""
    cell = cell_exception(text)
    if cell:
        exception_name = cell.partition(":")[0]
        lines = tuple(
            cell if line.startswith(exception_name) and line.rstrip().endswith(TRACEBACK_HEADER) else line
            for line in lines
        )
    traces = find_tracebacks(text)
    exceptions = [
        f"{trace.indent}{trace.exception}".rstrip() for trace in traces if len(trace.exception) < _MAX_LINE_CHARS
    ]
    if not exceptions:
        return tuple(dict.fromkeys(lines))
    line_groups = (exceptions if line.strip() == _TRACEBACK_LINE else [line] for line in lines)
    return tuple(dict.fromkeys(chain.from_iterable(line_groups)))


@cache_by_text
def _plain_statements(text: str) -> tuple[str, ...]:
    if not any(_states_error(line) or _ERROR_STATEMENT.match(without_prefix(line)) for line in _candidate_lines(text)):
        return ()  # whether most lines have a prefix does not matter then
    return find_in_unprefixed(text, _find_statements)


def _candidate_lines(text: str) -> Iterator[str]:
    """Yield the lines that contain the beginning of a plain statement."""
    for word in _STATEMENT_HINTS:
        end = 0
        while match := word.search(text, end):
            start = match.start()
            end = text.find("\n", start)
            end = end if end >= 0 else len(text)
            yield text[text.rfind("\n", 0, start) + 1 : end]


def _find_statements(text: str) -> tuple[str, ...]:
    lines = (line for line, _ in _hinted_lines(text, _STATEMENT_LINE_HINTS) if _states_error(line))
    statements = (line for line in lines if not line.rstrip().endswith((*_CODE_ENDS, TRACEBACK_HEADER)))
    return tuple(dict.fromkeys(line for line in statements if not _is_quoted(line)))


def _states_error(line: str) -> bool:
    """Return whether a line begins by stating an error."""
    return _ERROR_STATEMENT.match(line) is not None or is_error_log(line)
