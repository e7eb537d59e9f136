"""What `curl` was asked to tell of how a request came out, and what it told."""

from __future__ import annotations

import re

from compactor_cli.features.work.github_steps import option
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step

_VARIABLE = compiled_later(r"%\{(\w+)\}")
_CODES = ("http_code", "response_code")
_REFUSED = 400


def told_status(step: Step, said: str) -> tuple[bool, str]:
    """Return whether a server did what `curl` sent it, by the status that this was asked to tell behind all else
    (`-w`), and the line that says so; no line where it was not asked to."""
    form = option(step.words, "-w", "--write-out").replace("\\n", "\n").strip()
    *pieces, end = _VARIABLE.split(form)
    if set(_CODES).isdisjoint(pieces[1::2]):
        return False, ""
    pattern = "".join(
        re.escape(text) + (r"(\d{3})" if name in _CODES else r".*?")
        for text, name in zip(pieces[::2], pieces[1::2], strict=True)
    )
    found = re.search(rf"{pattern}{re.escape(end)}\s*\Z", said)
    return (int(found[1]) < _REFUSED, found.group().strip()) if found else (False, "")
