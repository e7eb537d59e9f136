"""Ids and times that depend only on the input."""

from __future__ import annotations

import hashlib
from datetime import datetime, timezone

from compactor_cli.formats.base import uuid_text

UNKNOWN_TIME = 946_684_800.0
"""2000-01-01T00:00:00Z in seconds since 1970, used for anything without a time."""


def digest(*words: str | int) -> str:
    """Return 64 hex digits derived from these words."""
    text = "\0".join(map(str, words))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def uuid_of(*words: str | int) -> str:
    """Return a UUID derived from these words, of version 5, as some agents reject later ones."""
    return uuid_text(digest(*words), version=5, variant="a")


def iso(time: float) -> str:
    """Return a time in the form that agents use: UTC, milliseconds, `Z`."""
    return moment(time).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(time: float) -> datetime:
    """Return a time in UTC. A time outside the calendar becomes UNKNOWN_TIME."""
    try:
        result = datetime.fromtimestamp(time, timezone.utc)
    except (OverflowError, OSError, ValueError):
        result = datetime.fromtimestamp(UNKNOWN_TIME, timezone.utc)
    return result


def millis(time: float) -> int:
    return round(moment(time).timestamp() * 1000)
