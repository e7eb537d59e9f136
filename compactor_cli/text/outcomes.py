"""What a tool result says about its success, and which of its lines tell of errors."""

from __future__ import annotations

import re

_EXIT = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: code| status)?|\"?exit_?code\"?|return ?code)\s*[:=]?\s*(-?\d+)", re.IGNORECASE
)
_WINDOW = 400
"""Characters at either end of a result where tools state the exit code."""

ERROR_LINE = re.compile(
    r"^\s*(?:[\w.]*(?:Error|Exception|Panic|Fault)\b|error\b|fatal\b|panic\b|E\s{2,}|FAILED\b|FAIL\b|Traceback\b|✗|✘)"
    r"|\b(?:error|fatal|exception):|\bcannot (?:find|open|import|read)\b|\bnot found\b|\bpermission denied\b"
    r"|\bno such file\b|\bcommand not found\b|\b\d+ (?:failed|errors?)\b",
    re.IGNORECASE,
)
_STRONG = re.compile(r"^\s*(?:E\s{2,}|[\w.]+(?:Error|Exception)\b|error\b|fatal\b|FAILED\b|panic)", re.IGNORECASE)
_HINTS = ("error", "fail", "fatal", "exception", "not found", "denied", "no such", "cannot", "panic", "traceback", "✗")


def stated_failure(text: str) -> bool | None:
    """True or False when the text states an exit code, else None."""
    window = text if len(text) <= 2 * _WINDOW else text[:_WINDOW] + "\n" + text[-_WINDOW:]
    if "xit" not in window and "eturn" not in window:
        return None
    match = _EXIT.search(window)
    return int(match.group(1)[:6]) != 0 if match else None


def has_error_words(text: str) -> bool:
    """Whether a scan for error lines can find any; cheap."""
    low = text.lower()
    return any(hint in low for hint in _HINTS)


_NUMBERED = re.compile(r"^\s*\d+\s*[→|:\t-]")
"""A line of a file or of a search, with its number: it is quoted, it does not happen."""


def error_lines(text: str, most: int = 8) -> list[str]:
    """Lines that tell of errors, the plain statements first, in their order, at most `most`."""
    if not has_error_words(text):
        return []
    lines = [line for line in text.splitlines() if len(line) < 2000 and ERROR_LINE.search(line)]
    lines = list(dict.fromkeys(line for line in lines if not _NUMBERED.match(line)))
    strong = [line for line in lines if _STRONG.match(line)]
    chosen = set(list(dict.fromkeys(strong + lines))[:most])
    return [line for line in lines if line in chosen]


def result_errors(text: str, failed: bool | None, most: int = 8) -> list[str]:
    """Error lines of a tool result; only plain statements where nothing says that the tool failed."""
    failed = failed if failed is not None else stated_failure(text)
    if failed is False:
        return []
    lines = error_lines(text, most)
    return lines if failed else [line for line in lines if _STRONG.match(line)]
