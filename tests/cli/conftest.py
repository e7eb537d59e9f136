"""The command line at a terminal."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.builders import clean_environment, program_command


@pytest.fixture
def at_terminal(tmp_path):
    """Run `compactor ARGS...` with a terminal for its output (or but for standard output, with the file `out`); returns
    what it showed."""
    if sys.platform == "win32":
        pytest.skip("needs a terminal of its own")
    import pty

    def runner(*args, out=None, **variables):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            program_command(*args),
            stdin=theirs,
            stdout=out or theirs,
            stderr=theirs,
            cwd=tmp_path,
            env=clean_environment(**variables),
        )
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 1 << 16):
                shown += chunk
        except OSError:  # the other end has been closed
            pass
        os.close(ours)
        process.wait(timeout=60)
        return shown.decode()

    return runner
