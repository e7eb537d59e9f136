"""Code for forked commands that tests kill, or disturb, at a certain step (see `tests.warm`)."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import psycopg  # noqa: F401
import sqlalchemy.dialects.postgresql.psycopg  # noqa: F401

KILL_AT = "TEST_KILL_AT"
"""Variable with the step at which a process kills itself. If it is 0, the number of steps goes to the file `steps`."""
APPENDS = "TEST_APPENDS"
"""Variable with a file to which another program appends a line just before it is replaced."""
_DATABASE = ("do_execute", "do_executemany", "do_commit", "do_begin", "do_close")
_FILES = ("open", "flock", "write", "flush", "fsync", "fchmod", "replace", "unlink")


def begin():
    """Count the steps that change something outside the process, and kill the process at the given step; or append to a
    file, as another program would, just before it is replaced."""
    if APPENDS in os.environ:
        _append_before_it_is_replaced(Path(os.environ[APPENDS]))
    if KILL_AT not in os.environ:
        return
    at, seen = int(os.environ[KILL_AT]), 0

    def step(frame, event, argument):
        nonlocal seen
        if _is_step(frame, event, argument):
            seen += 1
            if seen == at:
                os.kill(os.getpid(), signal.SIGKILL)
            if not at:
                Path("steps").write_text(str(seen))

    sys.setprofile(step)


def _is_step(frame, event, argument):
    """Return whether an event is a step: before or after a statement, or before or after a call that writes a file."""
    code = frame.f_code
    if event in ("call", "return"):
        return code.co_name in _DATABASE and "sqlalchemy" in code.co_filename
    return code.co_filename.endswith("cli/replacing.py") and argument.__name__ in _FILES


def _append_before_it_is_replaced(file):
    done = False

    def step(frame, event, argument):
        nonlocal done
        if not done and event == "return" and frame.f_code.co_name == "_give_access":
            done = True
            with file.open("ab") as stream:
                stream.write(b"appended\n")

    sys.setprofile(step)
