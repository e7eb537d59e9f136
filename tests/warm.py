"""Run the `compactor` command as a process forked from one that has imported everything, so that it starts at once.

Importing takes long compared with what a command does, and tests run many processes. A normal process starts if there
is no fork, or if a variable is set that Python or a module reads at its start (`needs_fresh`). A forked process skips
what Python does at exit after its streams are flushed.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import random
import re
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.builders import FinishedRun, clean_environment, run_fresh

CAN_SERVE = hasattr(os, "fork") and hasattr(socket, "send_fds")
START_VARIABLES = ("PYTHON", "LC_", "LANG", "FORCE_COLOR", "TERMINAL_WIDTH", "_TYPER", "TIKTOKEN_", "DATA_GYM_")
"""Prefixes of variables that are read only once: by Python when it starts, by typer when it is imported, and when a
vocabulary is loaded."""
STORED = ("archive.stored.archive", "archive.stored.rounds", "db.removal", "memory.stored.memories")
"""Modules that commands import when they use the database."""
SAMPLE = Path(__file__).parent / "data" / "session.jsonl"
WARM_COMMANDS = (
    "inspect FILE",
    "inspect FILE --html page.html",
    "score FILE",
    "budget FILE --total 9000",
    "compact FILE --target-ratio 0.3 --strategy rolling --archive -o out.jsonl",
    "restore out.jsonl",
    "diff FILE out.jsonl",
    "evaluate FILE --tokenizer chars",
    "convert FILE --to anthropic",
    "doctor FILE",
    "config",
    "memory list",
    "sessions",
)
"""Commands on a sample. What they import is imported before other processes are forked."""


def needs_fresh(variables):
    """Return whether environment variables would come too late for a process that already runs."""
    return not CAN_SERVE or any(name.startswith(START_VARIABLES) for name in variables)


class WarmProcess:
    """A process that has imported everything and forks one process per command. It starts with the first command.

    All commands are imported. `module` may have a function `preload` that imports more, and a function `begin` that
    runs in each process before its command.
    """

    def __init__(self, module=""):
        self._module, self._socket = module, None

    def run(self, *args, input=None, cwd=None, timeout=120, **variables):
        """Run `compactor ARGS...` and wait for it. Keyword arguments in capitals are environment variables.

        Raise subprocess.TimeoutExpired if the command has not ended after `timeout` seconds.
        """
        if needs_fresh(variables):
            return run_fresh(*args, input=input, cwd=cwd, timeout=timeout, **variables)
        job = {
            "args": list(map(str, args)),
            "cwd": str(cwd or Path.cwd()),
            "env": clean_environment(**variables),
            "timeout": timeout,
            "umask": _umask(),
        }
        reading, giving = os.pipe()
        (out, printing), (err, saying) = os.pipe(), os.pipe()
        self._ask(job, reading, printing, saying)
        with ThreadPoolExecutor(3) as pool:
            pool.submit(_write_all, giving, input or b"")
            printed, said = pool.submit(_read_all, out), pool.submit(_read_all, err)
        code = int(self._line.readline() or _has_ended())
        if code == -signal.SIGALRM:
            raise subprocess.TimeoutExpired(["compactor", *job["args"]], timeout, printed.result(), said.result())
        return FinishedRun(code, printed.result(), said.result().decode("utf-8", "replace"))

    def close(self):
        """Close the connection. The process then ends."""
        if self._socket is not None:
            self._line.close()
            self._socket.close()
            self._socket = None

    def _ask(self, job, *descriptors):
        """Send a command and the descriptors of its streams, and close these in this process."""
        asked = self._socket or self._start()
        text = json.dumps(job).encode()
        socket.send_fds(asked, [len(text).to_bytes(4, "big")], descriptors)
        asked.sendall(text)
        for descriptor in descriptors:
            os.close(descriptor)

    def _start(self):
        self._socket = asked = socket.socket(socket.AF_UNIX)
        asked.connect(socket_path())
        asked.sendall(self._module.encode() + b"\n")
        self._line = asked.makefile("r", encoding="ascii")
        return asked


class _MainProcess:
    """The process that imports everything, once for all processes that run tests, and the place where it listens."""

    def __init__(self):
        self.place, self._process = "", None

    def start(self):
        self.place = str(Path(tempfile.mkdtemp(prefix="warm")) / "socket")  # paths of sockets must be short
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(self.place)
            listening.listen()
            command = [sys.executable, "-m", "tests.warm", str(listening.fileno())]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, pass_fds=[listening.fileno()], env=clean_environment()
            )

    def close(self):
        if self._process is not None:
            self._process.kill()  # it is idle, and a normal exit would take as long as its start
            self._process.communicate(timeout=30)
            self._process = None
            shutil.rmtree(Path(self.place).parent)
            self.place = ""


_main_process = _MainProcess()


def socket_path():
    """Return the socket where the process listens that imports everything; it does so on the first request."""
    if CAN_SERVE and not _main_process.place:
        _main_process.start()
    return _main_process.place


def use_socket(place):
    """Use the process that another one has started."""
    _main_process.place = place


def _has_ended():
    raise AssertionError("the process that forks has ended")


def _umask():
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _write_all(descriptor, data):
    """Write all data, or as much as the reader takes."""
    with contextlib.suppress(BrokenPipeError), os.fdopen(descriptor, "wb") as stream:
        stream.write(data)


def _read_all(descriptor):
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read()


def _accept_clients(listening):
    """Fork a process to serve each client that connects and names its module, until the process that started this one
    is gone. For each module, one process imports what it needs for all clients that name it."""
    branches: dict[str, socket.socket] = {}
    while listening in select.select([listening, 0], [], [])[0]:
        line, _ = listening.accept()
        if not branches:
            _preload()
            _freeze()
            branches[""] = listening
        module = b""
        while not module.endswith(b"\n"):
            module += line.recv(1)
        name = module.decode().strip()
        if name not in branches:
            branches[name], theirs = socket.socketpair()
            if not os.fork():
                for other in (line, *branches.values()):
                    other.close()
                _serve_module(theirs, name)
            theirs.close()
        if name:
            socket.send_fds(branches[name], [b"!"], [line.fileno()])
        elif not os.fork():
            for other in branches.values():
                other.close()
            _serve(line, lambda: None)
        line.close()


def _serve_module(asked, name):
    """Serve the clients that name a module. Never return."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    module = importlib.import_module(name)
    getattr(module, "preload", lambda: None)()
    _freeze()
    while descriptors := socket.recv_fds(asked, 1, 1)[1]:
        line = socket.socket(fileno=descriptors[0])
        if not os.fork():
            asked.close()
            _serve(line, getattr(module, "begin", lambda: None))
        line.close()
    os._exit(0)


def _freeze():
    """Exclude all present objects from garbage collection, so that forks share them, and do not wait for the processes
    that serve."""
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def _serve(line, begin):
    """Fork a process for each command that arrives, and answer with its exit code. Never return."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with contextlib.suppress(ConnectionError):
        while descriptors := (asked := socket.recv_fds(line, 4, 3))[1]:
            length, text = int.from_bytes(asked[0], "big"), b""
            while len(text) < length:
                text += line.recv(length - len(text))
            child = os.fork()
            if not child:
                line.close()
                _become_command(json.loads(text), descriptors, begin)
            for descriptor in descriptors:
                os.close(descriptor)
            _, status = os.waitpid(child, 0)
            line.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _preload():
    """Import all commands with what they need, load a vocabulary, and import SQLAlchemy and alembic by making a
    database."""
    for name in ("cli.app", "cli.recording", "render.tables", *STORED):
        importlib.import_module(f"compactor_cli.{name}")
    commands = importlib.import_module("compactor_cli.cli.command_table").Commands()
    for name in commands:
        commands[name]
    importlib.import_module("compactor_cli.tokens").make_counter().counter.count("awordthatisnotoken")
    open_database = importlib.import_module("compactor_cli.db.database").open_database
    with tempfile.TemporaryDirectory() as folder:
        open_database(str(Path(folder) / "store.sqlite3")).close()
    modules, patterns = find_imports_and_patterns(_use_commands)
    import_all(modules)
    _compile_patterns(patterns)


def _compile_patterns(patterns):
    """Compile the patterns that commands use, and those that the package compiles on first use."""
    later = type(importlib.import_module("compactor_cli.text.patterns").compiled_later(""))
    for pattern in gc.get_objects():
        if type(pattern) is later:
            for name in ("match", "fullmatch", "search", "finditer", "findall", "sub", "split"):
                getattr(pattern, name)
    for source, flags in patterns:  # last, because Python's cache is small
        re.compile(source, flags)


def find_imports(work):
    """Return the modules that a function imports."""
    return find_imports_and_patterns(work)[0]


def find_imports_and_patterns(work):
    """Return the modules that a function imports, and the patterns that Python compiles for it: source and flags. The
    function runs in a forked process, so that it has no other effect."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        found = json.loads(_read_all(reading) or "[[], []]")
        os.waitpid(child, 0)
        return found
    try:
        before = set(sys.modules)
        re.purge()
        work()
        patterns = [(source, flags) for _, source, flags in vars(re)["_cache"] if isinstance(source, str)]
        _write_all(writing, json.dumps([sorted(set(sys.modules) - before), patterns]).encode())
    finally:
        os._exit(0)


def import_all(names):
    for name in names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _use_commands():
    """Run the commands that many tests run, on a sample."""
    from compactor_cli.cli.app import main

    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["COMPACTOR_DATABASE_URL"] = str(Path(folder) / "store.sqlite3")
        for command in WARM_COMMANDS:
            sys.argv = ["-m", *command.replace("FILE", str(SAMPLE)).split()]
            with contextlib.suppress(SystemExit):  # `python -m` would end the process
                main()


def _become_command(job, descriptors, begin):
    """Become the command: set this process's folder, variables, streams and arguments, and run it. Never return."""
    signal.alarm(job["timeout"])  # ends a command that runs too long
    code = 1
    try:
        _take_streams(job, descriptors)
        begin()
        try:
            # as `python -m` does
            runpy.run_module("compactor_cli", run_name="__main__", alter_sys=True)
            code = 0
        except SystemExit as ended:
            code = _exit_code(ended.code)
        except BaseException:
            traceback.print_exc()
        code = _flush_streams(code)
    finally:
        os._exit(code)


def _take_streams(job, descriptors):
    os.chdir(job["cwd"])
    os.umask(job["umask"])
    os.environ.clear()
    os.environ.update(job["env"])
    time.tzset()  # the time zone may be different
    tempfile.tempdir = None
    random.seed()
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    # as with PYTHONUTF8=1
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    sys.argv = ["-m", *job["args"]]
    sys.path[0] = job["cwd"]


def _exit_code(value):
    """Return the exit code of a SystemExit. Print a message to standard error."""
    if value is None or isinstance(value, int):
        return (value or 0) & 0xFF
    print(value, file=sys.stderr)  # noqa: T201
    return 1


def _flush_streams(code):
    """Flush the streams and return the exit code; 120 if they cannot be flushed."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return 120
    return code


_LOCK = threading.Lock()
_shared = WarmProcess()


def run_warm(*args, **options):
    """Run `compactor ARGS...` through the process that all tests in this process share."""
    with _LOCK:  # one at a time
        return _shared.run(*args, **options)


def close_shared():
    """End the processes that this one has started."""
    _shared.close()
    _main_process.close()


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as _listening:
        _accept_clients(_listening)
