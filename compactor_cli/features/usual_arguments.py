"""Arguments that calls of a session have alike, such as where a command runs: they say nothing of one call."""

from __future__ import annotations

from collections import Counter

from compactor_cli.features.call_lines import PATHS
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.units import outer_members

_USUAL = 3
"""Calls from which on what they have alike is usual: fewer may be one thing that was tried again."""
_LONGEST = 140
"""Characters of an argument that can be usual."""
_FILES = tuple(f'"{key}"' for key in PATHS)
"""What an argument begins with that says which file a call is about."""
_NUMBER = compiled_later(r'"[\w-]+"\s*:\s*(?:-?\d[\d.]*|true|false|null)')
"""An argument that is a number or a switch: it is short, and what an agent has settled on."""


class UsualArguments:
    """What is usual at a place of a session, by the calls before it."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()

    def has(self, argument: str) -> bool:
        """Return whether an argument, with its key, is usual."""
        return self._times.get(argument, 0) >= _USUAL

    def add(self, arguments: str) -> None:
        """Take note of the arguments of a call, as JSON."""
        for argument in outer_members(arguments):
            if len(argument) <= _LONGEST and not argument.startswith(_FILES) and not _NUMBER.fullmatch(argument):
                self._times[argument] += 1
