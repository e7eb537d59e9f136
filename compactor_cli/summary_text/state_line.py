"""Facts about the state of the work, as values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.text.patterns import compiled_later

_FAILED = compiled_later(r"failed(?: (\d+)x)?: ")
_THING = r"[^\s{},\"']+"
_ID = r"(?=[\w./+#-]*[\d@])[\w@./+#-]+"
_ACTS = compiled_later(rf"((?:[\w.-]+ ){{1,3}})\{{({_ID}(?:, {_ID})+)\}}()")
"""A line about several acts of one verb; their ids are told from other words by a digit or an @."""
_FILES = compiled_later(
    rf"((?:created|wrote|edited|deleted|restored) [^\s{{}},\"']*)\{{({_THING}(?:, {_THING})+)\}}((?:, [^{{}}]*)?)"
)

PASSED_SINCE = "passed since"
DECLINED = "declined: "

Kind = Literal["task", "error", "effect", "check", "file", "pending"]

_LEAST_WORDS = 12


class StateLine(Struct, frozen=True):
    """One fact about the state, understandable by itself."""

    kind: Kind
    text: str
    """One line, without a bullet and without message numbers."""
    message: int
    """Index of the newest message that the fact is based on; -1 if it was carried over from an earlier round."""
    open: bool = False
    times: int = 1
    """Number of consecutive calls with this outcome; if there are several, `text` says how many."""
    brief: str = ""


def join(head: str, things: Sequence[str], tail: str) -> str:
    """Return one line about several things, as in `deleted src/{a.py, b.py}`."""
    return f"{head}{{{', '.join(things)}}}{tail}" if len(things) > 1 else f"{head}{''.join(things)}{tail}"


def part(text: str) -> tuple[str, list[str], str]:
    """Return what a line about several things says before them, the things, and what it says after them."""
    match = _FILES.fullmatch(text) or _ACTS.fullmatch(text)
    return (match[1], match[2].split(", "), match[3]) if match else (text, [], "")


def parted(text: str) -> list[str]:
    """Return a line for each of the things that a line is about; any other line as it is."""
    head, things, tail = part(text)
    return [f"{head}{thing}{tail}" for thing in things] or [text]


def count_things(line: StateLine) -> int:
    """Return how many things a line is about; only acts and files share lines."""
    return len(parted(line.text)) if line.kind in ("effect", "file") else 1


def fewer(line: StateLine) -> StateLine | None:
    """Return a line about several things without the oldest ones; None if it is about only one."""
    if count_things(line) == 1:
        return None
    head, things, tail = part(line.text)
    left = len(things) * 4 // 5
    kept = things[-left:] if line.kind == "effect" else things[:left]
    return replace(line, text=join(head, kept, tail))


def failed_times(text: str) -> tuple[int, str]:
    """Return how often the effect in a line failed, 0 if it did not, and the rest of the line."""
    match = _FAILED.match(text)
    return (int(match[1] or 1), text[match.end() :]) if match else (0, text)


def tells(line: str, words: str) -> bool:
    """Return whether a line of the state contains these words. White space is ignored, because it varies in JSON."""
    bare = "".join(words.split())
    return len(bare) >= _LEAST_WORDS and bare in "".join(line.split())


def failed_again(what: str, message: int, before: StateLine | None) -> StateLine:
    """Return the line of a failed effect, counting consecutive failures if `before` is the same effect."""
    failed, known = failed_times(before.text) if before else (0, "")
    times = failed + 1 if known == what else 1
    count = f" {times}x" if times > 1 else ""
    return StateLine("effect", f"failed{count}: {what}", message, open=True, times=times)
