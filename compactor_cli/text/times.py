"""Convert times in the forms of records to seconds since 1970."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from compactor_cli.text.patterns import compiled_later

_FRACTION = compiled_later(r"\.(\d+)")


def parse_time(value: Any) -> float | None:
    """Return the seconds since 1970 for an ISO 8601 string or a number; large numbers are milliseconds."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        if not -1e15 < value < 1e15:  # also excludes NaN and infinities
            return None
        return value / 1000 if value > 1e11 else float(value)
    if not isinstance(value, str):
        return None
    try:
        # Python 3.10 only reads fractions of three or six digits
        digits = _FRACTION.sub(lambda match: f".{match.group(1):0<6.6}", value.strip())
        parsed = datetime.fromisoformat(digits.replace("Z", "+00:00"))
    except ValueError:
        return None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.utc)).timestamp()
