"""Times as people write them: 7d, 12h, 2026-11-01."""

from __future__ import annotations

import re
from datetime import datetime

from compactor_cli.errors import UsageError
from compactor_cli.formats.base import parse_time

_AGE = re.compile(r"(\d+(?:\.\d+)?)\s*(min|m|h|d|w)[a-z]*", re.IGNORECASE)
_SECONDS = {"min": 60, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}$")


def since(text: str, now: float) -> float:
    """A time in seconds since 1970, for an age (`90min`, `12h`, `7d`, `2 weeks`), a date, which begins where this
    machine is, or an ISO 8601 time. Raises UsageError."""
    age = _AGE.fullmatch(text.strip())
    if age:
        return now - float(age[1]) * _SECONDS[age[2].lower()]
    word = text.strip()
    try:
        time = datetime.fromisoformat(word).timestamp() if _DATE.match(word) else parse_time(word)
    except ValueError:
        time = None
    if time is None:
        raise UsageError(f"--since {text!r} is no time; write an age (90min, 12h, 7d, 2w) or a date (2026-11-01)")
    return time
