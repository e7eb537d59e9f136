"""Put what databases complain of into words that say what to do."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError

_LOST = "the connection to the server was lost; what was not finished is not stored; run again"
_WORDS = (
    ("database is locked", "another process has been writing to it for too long; try again when it is done"),
    ("lock timeout", "another process has been writing to it for too long; try again when it is done"),
    ("disk is full", "the disk is full; free some space and run again"),
    ("no space left", "the disk is full; free some space and run again"),
    ("disk i/o error", "the disk cannot be written to; it may be full or broken"),
    ("readonly database", "it cannot be written to; change its permissions, or name another one with --database"),
    ("read-only transaction", "it cannot be written to; name another one with --database"),
    ("permission denied", "the user has no right to do this; use another user or another database"),
    ("unable to open", "it cannot be opened; check its folder's permissions, or name another one with --database"),
    ("not a database", "the file is no SQLite database; name another one with --database"),
    ("malformed", "the file is damaged; put a copy of it back, or move it away to begin a new one"),
    ("password authentication", "the server does not accept user and password"),
    ('database "', "the server has no such database; create it, or name another one"),
    ('role "', "the server knows no such user; create it, or name another one in the address"),
    ("connection refused", "no server answers there; start it, or name another database"),
    ("could not translate host", "there is no such host; check the address"),
    ("name resolution", "there is no such host; check the address"),
    ("timeout expired", "the server does not answer; check the address and that it runs"),
    ("invalid connection option", "the address has an option that the driver does not know; check it"),
    ("invalid sslmode", "the address has an option that the driver does not know; check it"),
    ("already exists", "another program's table has this name; use a database that is compactor's own"),
    ("terminating connection", _LOST),
    ("server closed the connection", _LOST),
    ("connection is closed", _LOST),
    ("consuming input failed", _LOST),
)
"""Words of a complaint, in lower case -> what is wrong and what to do. The first that occurs counts."""


def explain(error: DBAPIError) -> str:
    """Return what is wrong and what to do, with the database's own words."""
    message = " ".join(str(error.orig).split())
    low = message.lower()
    meaning = next((meaning for words, meaning in _WORDS if words in low), "")
    if not meaning and error.connection_invalidated:
        meaning = _LOST
    return f"{meaning} ({message[:200]})" if meaning else f"the database failed: {message[:300]}"
