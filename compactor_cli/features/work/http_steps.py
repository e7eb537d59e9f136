"""Read the status that `curl` was asked to print with `-w`."""

from __future__ import annotations

import re

from compactor_cli.features.work.github_steps import option
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step

_VARIABLE = compiled_later(r"%\{(\w+)\}")
_CODES = ("http_code", "response_code")
_JOINED = compiled_later(rf"(?:%\{{(?!{'|'.join(_CODES)})\w+\}})+(?=%\{{(?!{'|'.join(_CODES)})\w+\}})")
"""Variables directly before another one: their values cannot be separated, so they are read as one."""
_DONE = range(200, 400)
"""Status codes for success; 000 is printed if no server answered."""
_MOST, _TAIL = 60, 400
"""Maximum length of another variable's value, and characters at the end of an output that contain the whole status
line."""


def told_status(step: Step, said: str) -> tuple[bool, str]:
    """Return whether the status that `curl` printed at the end (`-w`) means success, and the line that states it.
    The line is "" if no status was asked for or found."""
    form = option(step.words, "-w", "--write-out").replace("\\n", "\n").strip()
    *pieces, end = _VARIABLE.split(_JOINED.sub("", form))
    if set(_CODES).isdisjoint(pieces[1::2]):
        return False, ""
    told = zip(pieces[::2], pieces[1::2], [*pieces[2::2], end], strict=True)
    pattern = "".join(re.escape(text) + _told_for(name, behind) for text, name, behind in told)
    found = re.search(rf"{pattern}{re.escape(end)}\s*\Z", said[-_TAIL:])
    return (int(found[1]) in _DONE, found.group().strip()) if found else (False, "")


def _told_for(name: str, behind: str) -> str:
    """Return the pattern for the value of a variable. A value ends at the first character of `behind`, the text
    after it, so that a long line can be split in only one way."""
    if name in _CODES:
        return r"(\d{3})"
    return rf"[^\s{re.escape(behind[:1])}]{{0,{_MOST}}}" if behind else rf"\S{{0,{_MOST}}}?"
