"""Arguments that calls of a session have alike, such as where a command runs and how long it may take: they say nothing
of one call."""

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
_SETTING = compiled_later(r'("[\w-]+")\s*:\s*(?:-?\d[\d.]*|true|false|null)')
"""An argument that is a number or a switch; its key."""


class UsualArguments:
    """What is usual at a place of a session, by the calls before it."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()
        self._settings: set[str] = set()
        """Keys of numbers and switches of which one was usual: others are settings of the tool, too."""

    def has(self, argument: str) -> bool:
        """Return whether an argument, with its key, is usual."""
        if self._times[argument] >= _USUAL:
            return True
        setting = _SETTING.fullmatch(argument)
        return setting is not None and setting[1] in self._settings

    def add(self, arguments: str) -> None:
        """Take note of the arguments of a call, as JSON."""
        for argument in outer_members(arguments):
            if len(argument) <= _LONGEST and not argument.startswith(_FILES):
                self._times[argument] += 1
                if self._times[argument] == _USUAL and (setting := _SETTING.fullmatch(argument)):
                    self._settings.add(setting[1])
