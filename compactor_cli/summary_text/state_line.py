"""Facts about the state of the work, as values."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from compactor_cli.text.patterns import compiled_later

_FAILED = compiled_later(r"failed(?: (\d+)x)?: ")

PASSED_SINCE = "passed since"
"""What is said of an error, or of a command that failed, that a later call made up for."""
DECLINED = "declined: "
"""What the line begins with of something that the user did not want."""

Kind = Literal["task", "error", "effect", "check", "file", "pending"]

_LEAST_WORDS = 12
"""Characters from which on words are told by a line rather than by chance."""


class StateLine(Struct, frozen=True):
    """One fact about the state, readable alone."""

    kind: Kind
    text: str
    """One line, without bullet and without numbers of messages."""
    message: int
    """Index of the newest message that it stands on; -1 when it was carried over from an earlier round."""
    open: bool = False
    """Still to be done or mended."""
    times: int = 1
    """Calls that came out so, one after the other; `text` says how many where there are several."""
    brief: str = ""
    """The same with its short details only, where it has longer ones."""


def failed_times(text: str) -> tuple[int, str]:
    """Return how often an effect failed of which a line tells, and what stands behind that; 0 and the whole line where
    it did not fail."""
    match = _FAILED.match(text)
    return (int(match[1] or 1), text[match.end() :]) if match else (0, text)


def tells(line: str, words: str) -> bool:
    """Return whether a line of the state has these words, whatever blanks stand between them: those of JSON differ."""
    bare = "".join(words.split())
    return len(bare) >= _LEAST_WORDS and bare in "".join(line.split())


def failed_again(what: str, message: int, before: StateLine | None) -> StateLine:
    """Return the line of an effect that failed, with how often it did where it is as `before`."""
    failed, known = failed_times(before.text) if before else (0, "")
    times = failed + 1 if known == what else 1
    count = f" {times}x" if times > 1 else ""
    return StateLine("effect", f"failed{count}: {what}", message, open=True, times=times)
