"""The line of an output that says why something failed."""

from __future__ import annotations

import re

from compactor_cli.features.work.ledger import failure_line, says_why
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.patterns import compiled_later

_AT_LINE = compiled_later(
    r"^(?:\[\S+\] |[ \t]+)?\S+\.\w+(?::\d+(?::\d+)?:|\(\d+,\d+\): error) .+$|"
    r"^[ \t]+\d+:\d+\s+error\s.+$|^would reformat .+$",
    re.MULTILINE,
)
"""How linters and compilers say where something is wrong."""
_ONLY_FAILED = compiled_later(
    r"(?:FAIL(?:ED)?|ERROR|✗|✘)\b[^a-z]*$|(?:FAIL(?:ED)?|ERROR|--- FAIL:|not ok)[\s:]+\S+(?:\s+[\d.]+m?s|\s+\[.*\])?$|"
    r".*\b\d+ (?:failed|errors?)\b|Traceback|\[\S+\] (?:\S+ )?ERROR task failed|error: test failed|"
    r"(?:<\w+>)?(?:error: )?command failed with exit code\b",
    re.IGNORECASE,
)
"""Lines that say no more than that something failed."""


def cause_line(output: str, *, places: bool) -> str:
    """Return the line of an output that says what went wrong, not only that something did; empty where none does.
    `places`: one that says where something is wrong will do, too, as linters and compilers write it."""
    stated = (line.strip() for line in result_errors(output, True))
    found = next((line for line in stated if not _ONLY_FAILED.match(line)), "")
    found = re.sub(r"^E\s+", "", found)  # pytest marks lines of errors so
    place = _AT_LINE.search(output) if places and not found else None
    found = found or (place.group().strip() if place else "")
    if not found:
        told = failure_line(output)
        found = told if says_why(told) and not _ONLY_FAILED.match(told.strip()) else ""
    return found
