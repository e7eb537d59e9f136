"""What the results of earlier calls spoke of: things that were there before a call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.text.patterns import compiled_later

_NAME = compiled_later(r"(?<![\w-])(?=[\w-]*\d)[\w-]{4,40}(?![\w-])")
"""One word with a digit, which may be a name; a shorter one may stand for something else."""


class ToldBefore:
    """The results of a session's calls, looked through once, where a call leaves open what it made."""

    def __init__(self, calls: Sequence[ToolCall] = ()) -> None:
        self._calls = calls

    def has(self, name: str, call: ToolCall) -> bool:
        """Return whether the result of another tool had a name first, before a call was made. Calls that failed tell
        nothing, and what the tool itself had told first is its own: done twice it would read as two things."""
        tool, message = self._first.get(name, (call.tool, call.begun))
        return tool != call.tool and message < call.begun

    @cached_property
    def _first(self) -> dict[str, tuple[str, int]]:
        """Which tool told of a name first, and on which message, by names."""
        found: dict[str, tuple[str, int]] = {}
        for call in sorted(self._told(), key=lambda call: call.message):
            for name in _NAME.findall(call.said):
                found.setdefault(name, (call.tool, call.message))
        return found

    def _told(self) -> Iterator[ToolCall]:
        return (call for call in self._calls if call.answered and not call.failed)
