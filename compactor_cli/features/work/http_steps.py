"""What `curl` was asked to tell of how a request came out, and what it told."""

from __future__ import annotations

import re

from compactor_cli.features.work.github_steps import option
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step

_VARIABLE = compiled_later(r"%\{(\w+)\}")
_CODES = ("http_code", "response_code")
_JOINED = compiled_later(rf"(?:%\{{(?!{'|'.join(_CODES)})\w+\}})+(?=%\{{(?!{'|'.join(_CODES)})\w+\}})")
"""Variables right before another one: nothing tells where one ends, so they are read as one."""
_DONE = range(200, 400)
"""Statuses of what a server did; 000 is told where none answered."""
_MOST, _TAIL = 60, 400
"""Characters of what is told for another variable, and those at the end of an output in which all of it stands."""


def told_status(step: Step, said: str) -> tuple[bool, str]:
    """Return whether a server did what `curl` sent it, by the status that this was asked to tell behind all else
    (`-w`), and the line that says so; no line where it was not asked to."""
    form = option(step.words, "-w", "--write-out").replace("\\n", "\n").strip()
    *pieces, end = _VARIABLE.split(_JOINED.sub("", form))
    if set(_CODES).isdisjoint(pieces[1::2]):
        return False, ""
    told = zip(pieces[::2], pieces[1::2], [*pieces[2::2], end], strict=True)
    pattern = "".join(re.escape(text) + _told_for(name, behind) for text, name, behind in told)
    found = re.search(rf"{pattern}{re.escape(end)}\s*\Z", said[-_TAIL:])
    return (int(found[1]) in _DONE, found.group().strip()) if found else (False, "")


def _told_for(name: str, behind: str) -> str:
    """Return the pattern of what is told for a variable. It ends where the text begins that stands `behind` it: there
    is one way to take a long line apart."""
    if name in _CODES:
        return r"(\d{3})"
    return rf"[^\s{re.escape(behind[:1])}]{{0,{_MOST}}}" if behind else rf"\S{{0,{_MOST}}}?"
