"""A cache of answers on disk, so that the same request is paid for only once."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from compactor_cli.asking.port import ModelAnswer, ModelRequest

T = TypeVar("T")

PROMPT_VERSION = 1
"""Increased when earlier answers must not be reused even for identical requests."""
_LOCK_TIMEOUT_SECONDS = 30.0
"""Seconds to wait for other writers: SQLite serves them in no particular order, and a slow disk takes time."""
_ROW_OVERHEAD_BYTES = 200
"""Bytes of a cached answer besides its text: key, numbers, index."""
_TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, text BLOB NOT NULL, finish TEXT NOT NULL, prompt_tokens INTEGER, completion_tokens INTEGER,
    size INTEGER NOT NULL, used INTEGER NOT NULL
)"""
_INDEX = "CREATE INDEX IF NOT EXISTS answers_used ON answers (used, size)"
_NEXT_USE = "(SELECT COALESCE(MAX(used), 0) + 1 FROM answers)"
"""`used` counts uses, because a clock might go backwards."""
_EVICT = """
DELETE FROM answers WHERE key IN (
    SELECT key FROM (SELECT key, SUM(size) OVER (ORDER BY used DESC) AS total FROM answers) WHERE total > ?
)"""


def cache_file() -> Path:
    """Return the path of the cache: `answers.sqlite3` in the user's cache folder."""
    from platformdirs import user_cache_path

    return user_cache_path("compactor", appauthor=False) / "answers.sqlite3"


def request_key(
    model: str, api_base: str, temperature: float, request: ModelRequest, *, strict_roles: bool = False
) -> str:
    """Return the SHA-256 of everything that the answer depends on; the purpose of the request does not matter."""
    parts = {
        "model": model,
        "api_base": api_base,
        "temperature": temperature,
        "strict_roles": strict_roles,
        "prompt_version": PROMPT_VERSION,
        "system": request.system,
        "turns": [list(turn) for turn in request.turns],
        "max_tokens": request.max_tokens,
        "schema": request.schema,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class AnswerCache:
    """Answers in one SQLite file that several processes can share. It never fails: problems become a warning.

    A damaged file is created anew. After any other problem (locked, read-only, full) the cache is bypassed.
    """

    def __init__(self, file: Path, megabytes: int) -> None:
        self._file, self._most = file, megabytes * 1_000_000
        self._usable = True
        self.warning = ""
        """The first problem in one line; empty if there was none."""

    def get(self, key: str) -> ModelAnswer | None:
        """Return the cached answer and mark it as most recently used."""

        def read(db: sqlite3.Connection) -> ModelAnswer | None:
            query = "SELECT CAST(text AS BLOB), finish, prompt_tokens, completion_tokens FROM answers WHERE key = ?"
            row = db.execute(query, (key,)).fetchone()
            if row is None:
                return None
            db.execute(f"UPDATE answers SET used = {_NEXT_USE} WHERE key = ?", (key,))
            return ModelAnswer(row[0].decode("utf-8", "surrogatepass"), *row[1:])

        return self._attempt(read)

    def put(self, key: str, answer: ModelAnswer) -> None:
        """Cache an answer, evicting the least recently used ones. One that was cut off counts: asking again is
        useless."""
        if answer.failure or not (answer.text or answer.finish == "length"):
            return
        text = answer.text.encode("utf-8", "surrogatepass")
        size = len(text) + _ROW_OVERHEAD_BYTES
        if size > self._most:
            return
        row = (key, text, answer.finish, answer.prompt_tokens, answer.completion_tokens, size)

        def write(db: sqlite3.Connection) -> None:
            db.execute(f"INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, {_NEXT_USE})", row)
            total = db.execute("SELECT SUM(size) FROM answers").fetchone()[0]
            if total > self._most:
                db.execute(_EVICT, (self._most,))

        self._attempt(write)

    def _attempt(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Run the work in its own transaction; return None if that is impossible."""
        if not self._usable:
            return None
        try:
            return self._transact(work)
        except (OSError, sqlite3.Error, ValueError) as error:
            # OperationalError means that the file is not at fault: locked, read-only, full
            damaged = isinstance(error, (sqlite3.DatabaseError, ValueError))
            if not damaged or isinstance(error, sqlite3.OperationalError):
                self._report_error(error)
                return None
        try:
            self._file.unlink(missing_ok=True)
            self._warn(f"the cache of answers was damaged and is recreated: {self._file}")
            return self._transact(work)
        except (OSError, sqlite3.Error, ValueError) as error:
            self._report_error(error)
            return None

    def _transact(self, work: Callable[[sqlite3.Connection], T]) -> T:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600))  # private: it holds session texts
        with closing(sqlite3.connect(self._file, timeout=_LOCK_TIMEOUT_SECONDS, isolation_level=None)) as db:
            db.execute("PRAGMA auto_vacuum = FULL")
            db.execute("BEGIN IMMEDIATE")  # every reader also writes; taking the lock later could deadlock
            db.execute(_TABLE)
            db.execute(_INDEX)
            result = work(db)
            db.execute("COMMIT")
            return result

    def _report_error(self, error: Exception) -> None:
        self._usable = False
        self._warn(f"the cache of answers is not used: {self._file}: {error}")

    def _warn(self, text: str) -> None:
        self.warning = self.warning or text
