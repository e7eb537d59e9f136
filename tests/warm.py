"""The `compactor` command as a process of its own that need not import everything first: it is forked off one that has.

Importing takes long beside what a command does, and tests have many processes. Where there is no fork, they start as
ever.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

from compactor_cli.cli.app import main
from compactor_cli.tokens import make_counter
from tests.builders import Finished, environment, run_process

SERVES = hasattr(os, "fork")


class Warm:
    """A process that has imported everything and forks one process a command; it is started with the first.

    `module` has a function `preload` that imports what the commands will need, and may have a function `begin` that is
    called in each process before its command.
    """

    def __init__(self, module):
        self._module, self._parent = module, None

    def run(self, *args, input=b"", cwd=None, timeout=60, **variables):
        """Run `compactor ARGS...` and wait for it. Keyword arguments in capitals are environment variables."""
        if not SERVES:
            return run_process(*args, input=input, cwd=cwd, **variables)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "in").write_bytes(input)
            job = {
                "args": list(map(str, args)),
                "cwd": str(cwd or Path.cwd()),
                "env": environment(**variables),
                "folder": folder,
                "timeout": timeout,
            }
            code = self._asked(job)
            out, err = (Path(folder, name).read_bytes() for name in ("out", "err"))
        return Finished(code, out, err.decode("utf-8", "replace"))

    def close(self):
        if self._parent is not None:
            self._parent.kill()  # it has no work, and its end would take as long as its beginning
            self._parent.communicate(timeout=30)

    def _asked(self, job):
        if self._parent is None:
            command = [sys.executable, "-m", "tests.warm", self._module]
            self._parent = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), text=True
            )
        self._parent.stdin.write(json.dumps(job) + "\n")
        self._parent.stdin.flush()
        answer = self._parent.stdout.readline()
        assert answer, "the process that forks has ended"
        return int(answer)


def _serve(module):
    """Fork a process for each line of standard input, and print its exit code."""
    chosen = importlib.import_module(module)
    chosen.preload()
    make_counter().counter.count("warm")
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if not child:
            _become(job, getattr(chosen, "begin", lambda: None))
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _become(job, begin):
    """This process as the command: its place, variables, files and arguments. It does not return."""
    signal.alarm(job["timeout"])  # ends a command that does not end
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["env"])
    time.tzset()  # the time zone may be another one
    reading, writing = os.O_RDONLY, os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, (name, flags) in enumerate((("in", reading), ("out", writing), ("err", writing))):
        os.dup2(os.open(os.path.join(job["folder"], name), flags, 0o600), number)  # noqa: PTH118  # no more imports
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
    sys.argv = ["compactor", *job["args"]]
    code = 1
    begin()
    try:
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve(sys.argv[1])
