"""What a tool result says about its success, and which of its lines tell of errors."""

from __future__ import annotations

import re

from compactor_cli.text.cached import remembered
from compactor_cli.text.ends import both_ends

_EXIT = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: code| status)?|exit_?code\"?|return ?code)\s*[:=]?\s*(-?\d+)", re.IGNORECASE
)
_WINDOW = 400
"""Characters at either end of a result where tools state the exit code."""

_STARTS = ("error", "fatal", "panic", "failed", "fail ", "fail:", "traceback", "conflict (", "✗", "✘", "e  ")
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
)
_STRONG = re.compile(
    r"\s*(?:E\s{2,}|(?:[\w.]+\.)?(?:[A-Z]\w*)?(?:Error|Exception)\b(?!\()|error\b|ERROR\b|[Ff]atal\b|FAILED\b|[Pp]anic)"
)
_CODE_ENDS = (",", ";", "{", "(", "[")
"""A line that ends so is code that speaks of errors, shown and not happened."""
_TAG = re.compile(r"\[[^\]\n]{1,40}\]\s*")
"""What runners of tasks put before each line of a task: `[lint] `."""
_DIAGNOSIS = re.compile(
    rf"(?:{_TAG.pattern})?[\w./@~-]+\.\w{{1,6}}(?::\d+(?::\d+)?|\(\d+,\d+\)):?\s.*\b(?:error|fatal)\b", re.IGNORECASE
)
"""What a compiler or a linter says of a place in a file."""
_LONG_LINE = 2_000
_NAMED = ("error", "exception", "panic", "fault")
_COUNTED = re.compile(r"\b\d+ (?:failed|errors?)\b")
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
    "\ne  ",
    "✗",
    "✘",
)
"""Every line that tells of an error holds one of these in lower case; finding them is cheap."""
_STRONG_HINTS = ("error", "exception", "fatal", "failed", "panic", "\ne  ", " e  ")
"""The same for plain statements; an output may be indented."""


@remembered
def stated_failure(text: str) -> bool | None:
    """True or False when the text states an exit code, else None."""
    window = both_ends(text, _WINDOW, _WINDOW)
    low = window.lower()
    for word in ("exit", "return"):
        at = low.find(word)
        while at >= 0:
            match = _EXIT.match(window, at)
            if match:
                return int(match.group(1)[:6]) != 0
            at = low.find(word, at + 1)
    return None


def _hinted_lines(text: str, hints: tuple[str, ...], *, first: bool = False) -> list[tuple[str, str]]:
    """Lines that hold one of the hints, in order, each with its lower-case form; other lines are not touched. `first`:
    only those that have one in their first word, or that an E marks."""
    low = text.lower()
    if len(low) != len(text):  # a few letters grow in lower case: places would not agree
        pairs = zip(text.split("\n"), low.split("\n"), strict=False)
        return [(line.rstrip("\r"), small.strip()) for line, small in pairs if len(line) < _LONG_LINE]
    spans: dict[int, int] = {}
    if low.startswith("e  "):
        spans[0] = low.find("\n") if "\n" in low else len(low)
    for hint in hints:
        at = low.find(hint)
        while at >= 0:
            at += hint[0] == "\n"
            start = low.rfind("\n", 0, at) + 1
            if first and at - start < _LONG_LINE and _is_behind_word(low[start:at]):
                at = low.find(hint, at + 1)
                continue
            end = low.find("\n", at)
            spans[start] = end = end if end >= 0 else len(low)
            at = low.find(hint, end)
    ordered = sorted(span for span in spans.items() if span[1] - span[0] < _LONG_LINE)
    return [(text[start:end].rstrip("\r"), low[start:end].strip()) for start, end in ordered]


def _is_behind_word(before: str) -> bool:
    """Return whether a word, but for a mark E, stands between the begin of a line and where `before` ends."""
    words = before.split(None, 1)
    return len(words) > 1 and words[0] != "e"


def _tells_of_error(small: str) -> bool:
    """Return whether a line, stripped and in lower case, tells of an error."""
    small = _TAG.sub("", small, count=1) if small.startswith("[") else small
    if small.startswith(_STARTS) or small == "fail" or any(word in small for word in _WITHIN):
        return True
    if not small or small[0].isdigit():
        return _COUNTED.search(small) is not None
    if small.split(None, 1)[0].rstrip(":").endswith(_NAMED):
        return True
    return ("failed" in small or "error" in small) and _COUNTED.search(small) is not None


_NUMBERED = re.compile(r"^\s*\d+\s*[→|:\t-]")
"""A line of a file or of a search, with its number: it is quoted, it does not happen."""


def error_lines(text: str, most: int = 8) -> list[str]:
    """Return at most `most` lines that tell of errors, in their order: diagnoses and plain statements before others."""
    lines = _error_lines(text)
    if len(lines) <= most:
        return list(lines)
    diagnoses = (line for line in lines if _DIAGNOSIS.match(line))
    chosen = set(tuple(dict.fromkeys((*diagnoses, *_plain_statements(text), *lines)))[:most])
    return [line for line in lines if line in chosen]


def result_errors(text: str, failed: bool | None, most: int = 8) -> list[str]:
    """Error lines of a tool result; only plain statements where nothing says that the tool failed."""
    failed = failed if failed is not None else stated_failure(text)
    if failed is False:
        return []
    return error_lines(text, most) if failed else list(_plain_statements(text)[:most])


@remembered
def _error_lines(text: str) -> tuple[str, ...]:
    found = (line for line, small in _hinted_lines(text, _HINTS) if _tells_of_error(small) or _DIAGNOSIS.match(line))
    return tuple(dict.fromkeys(line for line in found if not _NUMBERED.match(line)))


@remembered
def _plain_statements(text: str) -> tuple[str, ...]:
    lines = (line for line, _ in _hinted_lines(text, _STRONG_HINTS, first=True) if _STRONG.match(line))
    found = (line for line in lines if not line.rstrip().endswith(_CODE_ENDS))
    return tuple(dict.fromkeys(line for line in found if not _NUMBERED.match(line)))
