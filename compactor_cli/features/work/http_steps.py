"""What `curl` was asked to tell of how a request came out, and what it told."""

from __future__ import annotations

import re

from compactor_cli.features.work.github_steps import option
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step

_VARIABLE = compiled_later(r"%\{(\w+)\}")
_CODES = ("http_code", "response_code")
_DONE = range(200, 400)
"""Statuses of what a server did; 000 is told where none answered."""
_VALUE, _TAIL = r"\S{0,60}", 400
"""What is told for another variable, and the characters at the end of an output in which all of it stands."""


def told_status(step: Step, said: str) -> tuple[bool, str]:
    """Return whether a server did what `curl` sent it, by the status that this was asked to tell behind all else
    (`-w`), and the line that says so; no line where it was not asked to."""
    form = option(step.words, "-w", "--write-out").replace("\\n", "\n").strip()
    *pieces, end = _VARIABLE.split(form)
    if set(_CODES).isdisjoint(pieces[1::2]):
        return False, ""
    pattern = "".join(
        re.escape(text) + (r"(\d{3})" if name in _CODES else _VALUE)
        for text, name in zip(pieces[::2], pieces[1::2], strict=True)
    )
    found = re.search(rf"{pattern}{re.escape(end)}\s*\Z", said[-_TAIL:])
    return (int(found[1]) in _DONE, found.group().strip()) if found else (False, "")
