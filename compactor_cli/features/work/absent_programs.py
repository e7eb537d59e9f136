"""Outputs that say that there is no such program or target as was to be run."""

from __future__ import annotations

import re

from compactor_cli.text.clean import both_ends
from compactor_cli.text.patterns import compiled_later

_NOT_THERE = compiled_later(
    r"(?:^|: )[\w./+-]+: (?:command not found|not found$)|\b[Nn]o task \S+ found|[Mm]issing script:|"
    r"No module named '?(?:pytest|mypy|ruff|black|flake8|pylint|tox|nox|unittest|coverage|build)\b|"
    r"exit(?:ed)?(?: with)?(?: code| status)?:? 127\b|is not recognized as an internal|No rule to make target",
    re.MULTILINE,
)
"""How a shell or a runner says that there is no such program or target: nothing was checked."""
_NOT_THERE_WORDS = ("not found", "o task ", "issing script", "No module named", "127", "not recognized", "No rule")
"""Words of which each of these holds one: whether there is one is known sooner."""
_HEAD = 1_000
"""Characters at either end of an output in which it is said."""


def is_absent(said: str) -> bool:
    """Return whether an output says that there is no such program or target."""
    told = both_ends(said, _HEAD, _HEAD)
    return any(word in told for word in _NOT_THERE_WORDS) and _NOT_THERE.search(told) is not None
