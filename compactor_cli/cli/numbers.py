"""Numbers as people write them: 4k, 4,000, 25%."""

from __future__ import annotations

import re

import typer

from compactor_cli.text.patterns import compiled_later

_COUNT = compiled_later(r"([\d,_]*\d(?:\.\d+)?|\.\d+)\s*([km]?)", re.IGNORECASE)
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}


def tokens(text: str | int) -> int:
    """A number of tokens, at least 1: `4000`, `4,000`, `4k` or `1.5k`. Raises BadParameter."""
    found = _COUNT.fullmatch(str(text).strip())
    number = float(re.sub("[,_]", "", found[1])) * _TIMES[found[2].lower()] if found else 0
    if number < 1 or number != int(number):
        raise typer.BadParameter(f"{text!r} is no number of tokens of 1 or more; write 4000, 4,000 or 4k")
    return int(number)


def share(text: str | float) -> float:
    """A share between 0 and 1: `0.25` or `25%`. Raises BadParameter."""
    word = str(text).strip()
    try:
        number = float(word.removesuffix("%")) / (100 if word.endswith("%") else 1)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise typer.BadParameter(f"{text!r} is no share between 0 and 1; write 0.25 or 25%")
    return number
