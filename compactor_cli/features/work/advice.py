"""Errors that say what to do instead, and calls that did that: what failed is got round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.json_results import stated_error
from compactor_cli.features.work.tool_names import only_looks_by_name, tool_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_DOING = (
    "post|use|create|call|try|send|open|submit|add|pass|set|specify|provide|choose|pick|request|start|make|book|file"
)
_ADVICE = compiled_later(rf"(?:^|[.;:!,]\s+)(?i:please\s+|instead,?\s+)?((?i:{_DOING})\s+[^.;:!\n]{{3,100}})")
"""What an error says that one is to do."""
_STOP = word_set(
    "the and for with new another instead this that one again later your valid its from into first "
    + _DOING.replace("|", " ")
)
_WORD = compiled_later(r"[^\W\d_]{3,}|\d+")
_NAMES_ITSELF = compiled_later(r"(?=\S*\d)[\w#][\w.:#/-]{3,39}")
"""A value that identifies something: one word with a digit in it, of four signs at least."""
_HEAD = 600
"""Characters at the start of a result in which an error is looked for."""
_CALLS = 6
"""Within so many calls the advice of an error is followed, if it is at all."""
_SHARED, _TELLING = 2, 4
"""So many words of so many letters two texts share that are about the same thing."""
_LONGEST = 400
"""Characters of an argument in which words are looked for."""


class Advice(Struct, frozen=True):
    """What an error says that one is to do instead."""

    call: ToolCall
    order: int
    words: frozenset[str]
    keys: tuple[str, ...]
    """Under which the failure is told."""


class Advices:
    """What errors advised, until the next call of a tool of the same family shows whether that was done."""

    def __init__(self) -> None:
        self._given: list[Advice] = []

    def note(self, call: ToolCall, order: int, keys: Iterable[str]) -> list[Advice]:
        """Take over a call, and return what failed before and is done now as the error advised. `keys`: those under
        which its own failure is told, where it failed."""
        if call.command or call.undecided or not (self._given or call.failed) or only_looks_by_name(call.tool):
            return []
        self._given = [advice for advice in self._given if order - advice.order <= _CALLS]
        if call.failed:
            words = frozenset(_advised(call))
            self._given += [Advice(call, order, words, tuple(keys))] if words else []
            return []
        later = [advice for advice in self._given if _is_next(call, order, advice)]
        self._given = [advice for advice in self._given if advice not in later]
        return [advice for advice in later if _does(call, advice)]


def _is_next(call: ToolCall, order: int, advice: Advice) -> bool:
    """Return whether a call is of a tool of the same family, and was made when the error was known: calls of one
    message have results that follow one another."""
    same = tool_words(call.tool)[0] == tool_words(advice.call.tool)[0]
    return same and call.message - advice.call.message > order - advice.order


def _advised(call: ToolCall) -> Iterator[str]:
    """Yield the words that tell what the error of a call says one is to do."""
    for advice in _ADVICE.findall((stated_error(call.said) or call.said)[:_HEAD]):
        yield from (word for word in _WORD.findall(advice.lower()) if word not in _STOP)


def _does(call: ToolCall, advice: Advice) -> bool:
    """Return whether a call does what an error advised, for the same thing: the words of that are those of its tool, or
    of arguments, where they are others than those of the call that failed."""
    before, now = _values(advice.call.arguments), _values(call.arguments)
    same_tool = call.tool == advice.call.tool
    new = set(tool_words(call.tool)) - set(tool_words(advice.call.tool))
    for name, value in now.items():
        if before.get(name) != value:
            new |= {*tool_words(name), *_WORD.findall(value.lower())} if same_tool else set()
    known = set(before.values())
    named = any(_NAMES_ITSELF.fullmatch(value) and value in known for value in now.values())
    return not new.isdisjoint(advice.words) and (named or (not same_tool and _alike(before, now)))


def _alike(before: dict[str, str], now: dict[str, str]) -> bool:
    """Return whether two calls have texts about the same thing."""
    words, others = (
        {word for value in values.values() for word in _WORD.findall(value.lower()) if len(word) >= _TELLING}
        for values in (before, now)
    )
    return len(words & others) >= _SHARED


def _values(arguments: Any) -> dict[str, str]:
    """Return the arguments that are one value each, by their names."""
    given = arguments.items() if isinstance(arguments, dict) else ()
    return {
        name: str(value)[:_LONGEST]
        for name, value in given
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }
