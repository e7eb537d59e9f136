"""Read the status that `curl` was asked to print with `-w`."""

from __future__ import annotations

import re

from compactor_cli.features.work.github_steps import option_value
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step

_VARIABLE = compiled_later(r"%\{(\w+)\}")
_STATUS_VARIABLES = ("http_code", "response_code")
_ADJACENT_VARIABLES = compiled_later(
    rf"(?:%\{{(?!{'|'.join(_STATUS_VARIABLES)})\w+\}})+(?=%\{{(?!{'|'.join(_STATUS_VARIABLES)})\w+\}})"
)
"""Variables directly before another one: their values cannot be separated, so they are read as one."""
_SUCCESS_CODES = range(200, 400)
"""Status codes for success; 000 is printed if no server answered."""
_MAX_VALUE_CHARS, _TAIL_CHARS = 60, 400
"""Maximum length of another variable's value, and characters at the end of an output that contain the whole status
line."""


def printed_status(step: Step, output: str) -> tuple[bool, str]:
    """Return whether the status that `curl` printed at the end (`-w`) means success, and the line that states it.
    The line is "" if no status was asked for or found."""
    template = option_value(step.words, "-w", "--write-out").replace("\\n", "\n").strip()
    *pieces, end = _VARIABLE.split(_ADJACENT_VARIABLES.sub("", template))
    if set(_STATUS_VARIABLES).isdisjoint(pieces[1::2]):
        return False, ""
    variables = zip(pieces[::2], pieces[1::2], [*pieces[2::2], end], strict=True)
    pattern = "".join(re.escape(text) + _value_pattern(name, next_text) for text, name, next_text in variables)
    match = re.search(rf"{pattern}{re.escape(end)}\s*\Z", output[-_TAIL_CHARS:])
    return (int(match[1]) in _SUCCESS_CODES, match.group().strip()) if match else (False, "")


def _value_pattern(name: str, next_text: str) -> str:
    """Return the pattern for the value of a variable. A value ends at the first character of `next_text`, the text
    after it, so that a long line can be split in only one way."""
    if name in _STATUS_VARIABLES:
        return r"(\d{3})"
    return rf"[^\s{re.escape(next_text[:1])}]{{0,{_MAX_VALUE_CHARS}}}" if next_text else rf"\S{{0,{_MAX_VALUE_CHARS}}}?"
