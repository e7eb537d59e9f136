"""Parse and format numbers in the forms that people use."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compactor_cli.text.patterns import compiled_later

_COUNT = compiled_later(r"\+?(\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*([km]?)", re.IGNORECASE | re.ASCII)
_VALUE = compiled_later(r"(?<![\w.,:/-])[$€£¥]?\d+(?:[.,:/-]\d+)*(?![\w/-]|[.,:]\d)[%€]?")
"""A number, time, date, amount or percentage, but not a name with a digit."""
_DIGITS = compiled_later(r"\d+")
_MAX_COUNT = 10**15
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}


def count_in(text: str) -> int | None:
    """Return an integer of at least 1: `4000`, `+4000`, `4,000`, `4k` or `1.5k`; None for anything else."""
    match = _COUNT.fullmatch(text.strip())
    number = float(re.sub("[,_]", "", match[1])) * _FACTORS[match[2].lower()] if match else 0
    return int(number) if 1 <= number < _MAX_COUNT and number == int(number) else None


def share_in(text: str) -> float | None:
    """Return a share from 0 to 1: `0.25` or `25%`; None for anything else."""
    word = text.strip()
    try:
        number = float(word.removesuffix("%")) / (100 if word.endswith("%") else 1) if word.isascii() else -1.0
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def dollars(cost: float) -> str:
    """Return an amount such as `$0.0123`, with four decimal places, or more if all of them would be zero."""
    return f"${cost:.4f}" if cost >= 0.0001 or not cost else f"${cost:.2g}"


def value_forms(text: str) -> frozenset[str]:
    """Return the forms of the times, dates, amounts and percentages in a text: `0:0` for `11:30`, `£0` for `£300`. A
    plain number has no distinctive form."""
    return frozenset(form for _, form in values_in(text) if form != "0")


def values_in(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield (match, form) for the times, dates, amounts, percentages and numbers in a text."""
    for match in _VALUE.finditer(text):
        yield match, _DIGITS.sub("0", match[0])
