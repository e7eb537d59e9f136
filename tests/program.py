"""A `compactor` program for tests in which a shell, git or node starts it. Like the commands that tests run themselves,
it is forked from the process that has imported everything (tests/warm.py).

As a script, this file passes its arguments, streams and environment to that process. It needs only Python's standard
library: `python -S -E program.py SOCKET MODULE ARGS...`, with MODULE as in tests/warm.py.
"""

from __future__ import annotations

import json
import os
import shlex
import socket
import sys
from pathlib import Path

_TIMEOUT_SECONDS = 120
"""Seconds after which a command that still runs is ended."""


def write_program(folder: Path, module: str = "") -> Path:
    """Write the program `compactor` to a folder, create the folder if needed, and return the program's path.

    `module`: as in tests/warm.py."""
    from tests import warm

    python = shlex.quote(sys.executable)
    handing = f"{python} -S -E {shlex.quote(__file__)} {shlex.quote(warm.socket_path())} {shlex.quote(module)}"
    line = handing if warm.CAN_SERVE else f"{python} -m compactor_cli"
    folder.mkdir(exist_ok=True)
    program = folder / "compactor"
    program.write_text(f'#!/bin/sh\nexec {line} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return program


def _forward_command(place: str, module: str, args: list[str]) -> int:
    """Let a command run with the streams, folder, variables and umask of this process, and return its exit code."""
    umask = os.umask(0o077)
    job = {"args": args, "cwd": str(Path.cwd()), "env": {**os.environ}, "timeout": _TIMEOUT_SECONDS, "umask": umask}
    with socket.socket(socket.AF_UNIX) as asked:
        asked.connect(place)
        asked.sendall(module.encode() + b"\n")
        text = json.dumps(job).encode()
        socket.send_fds(asked, [len(text).to_bytes(4, "big")], [0, 1, 2])
        asked.sendall(text)
        code = int(asked.makefile().readline())
    return code if code >= 0 else 128 - code  # as a shell reports a signal


if __name__ == "__main__":
    sys.exit(_forward_command(sys.argv[1], sys.argv[2], sys.argv[3:]))
