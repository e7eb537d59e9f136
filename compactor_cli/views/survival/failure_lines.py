"""The line of a failed result that says what went wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compactor_cli.model.message import Message, Part
from compactor_cli.text.clean import plain
from compactor_cli.views.survival.ended_calls import failed
from compactor_cli.views.survival.normal_form import core

_LONGEST = 160
"""Letters of an error that say which one it is."""
_PLAIN = re.compile(
    r"\s*(?:E\s{3}|(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Panic)\b\s*[:(]|error(?:\[\w+\])?:|fatal:|panic:|FAILED\s)"
)
"""Begins a line that states an error wherever it stands."""
_TELLS = re.compile(
    r"error|exception|fatal|panic|fail|cannot|can't|could not|denied|refused|not found|no such|undefined|unable|invalid"
    r"|expected|timed? ?out|missing",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?(?:tool_use_error|error|output|stdout|stderr|returncode|result)>")
_HOW_IT_ENDED = re.compile(
    r"\W*(?:exit(?:ed)?(?: with)? (?:code|status)|process exited|wall time|chunk id|original token count|output:"
    r"|traceback \()",
    re.IGNORECASE,
)


def errors(messages: Sequence[Message]) -> dict[str, tuple[int, str]]:
    """Return the error of each result that has one: its beginning, as `core` makes it -> (message of the first,
    line)."""
    by_key: dict[str, tuple[int, str]] = {}
    for message in messages:
        for part in message.results:
            for line in _error(part):
                by_key.setdefault(_key(line), (message.index, line))
    by_key.pop("", None)
    return by_key


def _key(line: str) -> str:
    key = core(line)
    return key if len(key) <= _LONGEST else core(key[:_LONGEST])


def _error(result: Part) -> Iterator[str]:
    lines = (_TAG.sub("", line).strip() for line in plain(result.text).split("\n"))
    if not failed(result):
        candidates = [line for line in lines if _PLAIN.match(line)] if result.failed is None else []
        yield from candidates[:1]
        return
    candidates = [line for line in lines if core(line) and not _HOW_IT_ENDED.match(line)]
    stated = next((line for line in candidates if _PLAIN.match(line)), None)
    best = stated or next((line for line in candidates if _TELLS.search(line)), None)
    yield from [best] if best else candidates[:1]
