"""Read from a tool result whether the tool succeeded, and which lines report errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from compactor_cli.text.cached import remembered
from compactor_cli.text.clean import both_ends
from compactor_cli.text.line_prefixes import as_written, without_prefix
from compactor_cli.text.log_lines import is_logged, logs_error, may_log
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.tracebacks import HEADER, raised_in_cell, raised_in_program

_EXIT = compiled_later(
    r"(?:exit(?:ed)?(?: with)?(?: code| status)?|exit_?code\"?|return[ _]?code\"?)\s*(?:[:=>]\s*)?(-?\d+)",
    re.IGNORECASE,
)
_WINDOW = 400
"""Characters at each end of a result where tools state the exit code."""

_STARTS = (
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
_WITHIN = (
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
_STRONG = compiled_later(
    r"\s*(?:E\s{2,}|(?:[\w.]+\.)?(?:[A-Z]\w*)?(?:Error|Exception)\b(?!\()|error\b|ERROR\b|[Ff]atal\b|FAILED\b|[Pp]anic)"
)
_MAY_BE_STRONG = [
    *(compiled_later(rf"{word}\b(?!\()") for word in ("Error", "Exception")),
    *(compiled_later(rf"{word}\b") for word in ("error", "ERROR", "atal", "FAILED")),
    *(compiled_later(word) for word in ("anic", r"E\s\s")),
]
"""Every match of `_STRONG` contains one of these. They begin with letters, so that a search is fast."""
_CODE_ENDS = (",", ";", "{", "(", "[")
"""A line with this ending is code that handles errors, not an error."""
_TASK = r"\[[^\]\n]{1,40}\]\s*"
_TAG = compiled_later(_TASK)
"""The prefix of task runners on each line of a task: `[lint] `."""
_DIAGNOSIS = compiled_later(
    rf"(?:{_TASK})?[\w./@~-]+\.\w{{1,6}}(?::\d+(?::\d+)?|\(\d+,\d+\)):?\s.*\b(?:error|fatal)\b",
    re.IGNORECASE,
)
"""A message of a compiler or a linter about a location in a file."""
_BARE = compiled_later(r"\W*fail(?:ed)?\W*", re.IGNORECASE)
"""Says that something failed, but not what."""
_HEADER = f"{HEADER}:"
_LONG_LINE = 2_000
_NAMED = ("error", "exception", "panic", "fault")
_COUNTED = compiled_later(r"\b\d+ (?:failed|errors?)\b")
_HINTS = (
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
_STRONG_HINTS = ("error", "exception", "fatal", "failed", "panic", "\ne  ", " e  ")
"""The same for plain statements; an output may be indented."""


def stated_failure(text: str) -> bool | None:
    """Return True or False if the text states an exit code, otherwise None."""
    code = stated_code(text)
    return None if code is None else code != 0


def stated_code(text: str) -> int | None:
    """Return the exit code that a text states, if any."""
    return _stated_in(both_ends(text, _WINDOW, _WINDOW))


@remembered
def _stated_in(window: str) -> int | None:
    lowered = window.lower()
    for word in ("exit", "return") if "code" in lowered else ("exit",):  # a returned value counts only if it is a code
        index = lowered.find(word)
        while index >= 0:
            match = _EXIT.match(window, index)
            if match:
                return int(match.group(1)[:6])
            index = lowered.find(word, index + 1)
    return None


def _hinted_lines(text: str, hints: tuple[str, ...], *, first: bool = False) -> list[tuple[str, str]]:
    """Return (line, lower-case form) for the lines that contain one of the hints, in order; other lines are not
    touched. `first`: only lines that have a hint in their first word, or after the mark E."""
    lowered = text.lower()
    if len(lowered) != len(text):  # some letters become longer in lower case, so positions would differ
        pairs = zip(text.split("\n"), lowered.split("\n"), strict=False)
        return [(line.rstrip("\r"), line_lowered.strip()) for line, line_lowered in pairs if len(line) < _LONG_LINE]
    spans: dict[int, int] = {}
    if lowered.startswith("e  "):
        spans[0] = lowered.find("\n") if "\n" in lowered else len(lowered)
    for hint in hints:
        index = lowered.find(hint)
        while index >= 0:
            index += hint[0] == "\n"
            start, end = lowered.rfind("\n", 0, index) + 1, lowered.find("\n", index)
            end = end if end >= 0 else len(lowered)
            # if it follows a word, so do later hints in the line
            if not first or index - start >= _LONG_LINE or not _is_behind_word(lowered[start:index]):
                spans[start] = end
            index = lowered.find(hint, end)
    ordered = sorted(span for span in spans.items() if span[1] - span[0] < _LONG_LINE)
    return [(text[start:end].rstrip("\r"), lowered[start:end].strip()) for start, end in ordered]


def _is_behind_word(before: str) -> bool:
    """Return whether `before`, the beginning of a line, contains a complete word other than the mark E or the
    beginning of a log line."""
    words = before.split(None, 1)
    return len(words) > 1 and words[0] != "e" and not may_log(before)


def _tells_of_error(lowered: str) -> bool:
    """Return whether a line, stripped and in lower case, reports an error."""
    lowered = _TAG.sub("", lowered, count=1) if lowered.startswith("[") else lowered
    if lowered.startswith(_STARTS) or lowered == "fail" or any(word in lowered for word in _WITHIN):
        return True
    if not lowered or lowered[0].isdigit():
        return _COUNTED.search(lowered) is not None
    if lowered.split(None, 1)[0].rstrip(":").endswith(_NAMED):
        return True
    return ("failed" in lowered or "error" in lowered) and _COUNTED.search(lowered) is not None


_NUMBERED = compiled_later(r"^\s*\d+\s*[→|:\t-]")


def _is_quoted(line: str) -> bool:
    """Return whether a line comes from a file or a search, with its number, so that its text is not an event."""
    return _NUMBERED.match(line) is not None and not is_logged(line)


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


@remembered
def _error_lines(text: str) -> tuple[str, ...]:
    return as_written(text, _errors_of)


def _errors_of(text: str) -> tuple[str, ...]:
    lines = (
        line
        for line, lowered in _hinted_lines(text, _HINTS)
        if _tells_of_error(lowered) or _DIAGNOSIS.match(line) or logs_error(line)
    )
    unique = tuple(dict.fromkeys(line for line in lines if not _is_quoted(line)))
    found = _with_raised(text, unique) if HEADER in text else unique
    return tuple(line for line in found if not _BARE.fullmatch(line)) or found


def _with_raised(text: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines with the exception in place of the first line of its traceback, which is not informative."""
    cell = raised_in_cell(text)
    if cell:
        begin = cell.partition(":")[0]
        lines = tuple(cell if line.startswith(begin) and line.rstrip().endswith(HEADER) else line for line in lines)
    traces = raised_in_program(text)
    raised = [f"{trace.before}{trace.said}".rstrip() for trace in traces if len(trace.said) < _LONG_LINE]
    if not raised:
        return tuple(dict.fromkeys(lines))
    traced = (raised if line.strip() == _HEADER else [line] for line in lines)
    return tuple(dict.fromkeys(chain.from_iterable(traced)))


@remembered
def _plain_statements(text: str) -> tuple[str, ...]:
    if not any(_states(line) or _STRONG.match(without_prefix(line)) for line in _may_be_strong(text)):
        return ()  # whether most lines have a prefix does not matter then
    return as_written(text, _statements_of)


def _may_be_strong(text: str) -> Iterator[str]:
    """Yield the lines that contain the beginning of a plain statement."""
    for word in _MAY_BE_STRONG:
        end = 0
        while found := word.search(text, end):
            begin = found.start()
            end = text.find("\n", begin)
            end = end if end >= 0 else len(text)
            yield text[text.rfind("\n", 0, begin) + 1 : end]


def _statements_of(text: str) -> tuple[str, ...]:
    lines = (line for line, _ in _hinted_lines(text, _STRONG_HINTS, first=True) if _states(line))
    statements = (line for line in lines if not line.rstrip().endswith((*_CODE_ENDS, HEADER)))
    return tuple(dict.fromkeys(line for line in statements if not _is_quoted(line)))


def _states(line: str) -> bool:
    """Return whether a line begins by stating an error."""
    return _STRONG.match(line) is not None or logs_error(line)
