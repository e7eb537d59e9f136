"""What an earlier summary quotes as failed, and a call has done since: it would pass for what is still to do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from compactor_cli.features.work.calls import answered_call
from compactor_cli.features.work.ledger import call_arguments
from compactor_cli.features.work.open_errors import misfortune
from compactor_cli.model.message import Message
from compactor_cli.model.pairing import Pairing, answered_calls
from compactor_cli.summary_text.excerpts import GAP
from compactor_cli.summary_text.state_line import PASSED_SINCE
from compactor_cli.text.patterns import compiled_later

_FAILED = compiled_later(r"(?:earlier )?#[\d-]+ (\S+) failed: $")
"""What stands before a call that failed; of several words only for tools that are no tools."""
_WORD = compiled_later(r"[^\W_](?:[\w.,/:@-]*[^\W_])?")
_LEAST_NAMED, _LEAST = 2, 4
"""So many words with a digit, or words in all, a call has at least that is told from others by them."""
_NAMING = 3
"""Letters and digits of a word that may name something."""
_OTHERS = 0.2
"""Share of the words that a call may have which the later one has not: of a text that was written anew."""


class DoneSince:
    """The calls that did what they say, by their tools; read where an earlier summary quotes one that failed."""

    def __init__(self, messages: Sequence[Message], pairing: Pairing) -> None:
        self._messages, self._pairing = messages, pairing

    @cached_property
    def _done(self) -> dict[str, list[tuple[int, frozenset[str]]]]:
        """Tool -> places of the messages of its calls, and their words; of commands, the state says what came of
        them."""
        found: dict[str, list[tuple[int, frozenset[str]]]] = {}
        places = {message.index: at for at, message in enumerate(self._messages)}
        for message, call, _, result in answered_calls(self._messages, self._pairing):
            if result is None or answered_call(call, result).command or misfortune(call, result):
                continue
            words = frozenset(_WORD.findall(_written(call_arguments(call))))
            found.setdefault(call.name, []).append((places[message.index], words))
        return found

    def heading(self, text: str, found: tuple[str, int], summary: int) -> tuple[str, int]:
        """Return the heading of a quote in a summary, and where it stands there, with what came of the call since.
        `summary`: the place of the message."""
        heading, at = found
        failed = _FAILED.match(heading)
        if failed and self._has_done(failed[1], _quoted(text, at), summary):
            heading = f"{heading.removesuffix(': ')}, {PASSED_SINCE}: "
        return heading, at

    def _has_done(self, tool: str, quoted: str, summary: int) -> bool:
        words = set(_WORD.findall(quoted))
        named = {word for word in words if len(word) >= _NAMING and any(map(str.isdigit, word))}
        if len(named) < _LEAST_NAMED and len(words) < _LEAST:
            return False
        return any(
            place > summary and named <= done and len(words - done) <= _OTHERS * len(words)
            for place, done in self._done.get(tool, ())
        )


def _written(value: object) -> str:
    """Return all that a value of JSON says, names of members included."""
    if isinstance(value, dict):
        return " ".join(f"{name} {_written(item)}" for name, item in value.items())
    return " ".join(map(_written, value)) if isinstance(value, list) else str(value)


def _quoted(text: str, start: int) -> str:
    """Return what a summary quotes under the heading at `start`, without that."""
    first, *rest = text[start:].split("\n")
    lines = [first.partition(" failed: ")[2]]
    for line in rest:
        if not line.startswith((" ", GAP)):
            break
        lines.append(line)
    return "\n".join(lines)
