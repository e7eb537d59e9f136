"""Recognize outputs that report a missing program or target."""

from __future__ import annotations

import re

from compactor_cli.text.clean import both_ends
from compactor_cli.text.patterns import compiled_later

_NOT_FOUND = compiled_later(
    r"(?:^|: )[\w./+-]+: (?:command not found|not found$)|\b[Nn]o task \S+ found|[Mm]issing script:|"
    r"No module named '?(?:pytest|mypy|ruff|black|flake8|pylint|tox|nox|unittest|coverage|build)\b|"
    r"exit(?:ed)?(?: with)?(?: code| status)?:? 127\b|is not recognized as an internal|No rule to make target",
    re.MULTILINE,
)
"""How a shell or a task runner reports that a program or target does not exist, so that nothing was checked."""
_NOT_FOUND_WORDS = ("not found", "o task ", "issing script", "No module named", "127", "not recognized", "No rule")
"""Every match of `_NOT_FOUND` contains one of these words; looking for them first is faster."""
_SEARCHED_CHARS = 1_000
"""Characters at each end of an output that are searched for such a report."""


def is_missing(output: str) -> bool:
    """Return whether an output reports that the program or target does not exist."""
    ends = both_ends(output, _SEARCHED_CHARS, _SEARCHED_CHARS)
    return any(word in ends for word in _NOT_FOUND_WORDS) and _NOT_FOUND.search(ends) is not None
