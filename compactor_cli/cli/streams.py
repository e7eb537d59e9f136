"""Standard output and standard error. Their reader may go away, and the disk may be full."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import Any

import typer

from compactor_cli.errors import InputError, UsageError

before_printing: Callable[[], None] | None = None
"""Called before something is written to standard output, so that a progress bar on the same terminal can hide."""


class Outlet(io.RawIOBase):
    """A descriptor to write to. When its reader stops reading, as `head` does, the rest is discarded and the
    command's exit code does not change: a closed pipe must not turn a no into a yes."""

    def __init__(self, descriptor: int, *, reports_errors: bool) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._tells = reports_errors
        """Whether a write failure is an error. For standard error it is not, since nobody would see it."""

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        """Write what fits. Raises UsageError if standard output cannot be written."""
        if self._tells and before_printing is not None:
            before_printing()
        try:
            return os.write(self._descriptor, data)
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._descriptor)
            os.close(nowhere)
            if self._tells and not isinstance(error, BrokenPipeError):
                raise UsageError(f"standard output cannot be written: {error.strerror}") from None
            return len(data)


class ClosedInput(io.RawIOBase):
    """Standard input that was closed when the process started. Reading from it raises an explanation."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Raise InputError."""
        raise InputError("standard input is closed; name a file, or give it something to read", path="-")


def open_streams() -> None:
    """Replace the standard streams by outlets. A stream that was closed at the start counts as one that fails."""
    if sys.stdin is None:
        _occupy(0)
        sys.stdin = io.TextIOWrapper(io.BufferedReader(ClosedInput()))
    sys.stdout = _open_stream(sys.stdout, 1, reports_errors=True)
    sys.stderr = _open_stream(sys.stderr, 2, reports_errors=False)


def check_input() -> None:
    """Raise InputError if standard input was closed at the start, for code without `read_content`."""
    if isinstance(getattr(sys.stdin.buffer, "raw", None), ClosedInput):
        sys.stdin.buffer.read(1)


def print_json(value: object) -> None:
    from compactor_cli.render.jsons import dumps

    typer.echo(dumps(value))


def _occupy(descriptor: int) -> None:
    """Occupy the descriptor of a closed stream. Otherwise the next opened file would become standard output."""
    reading = os.open(os.devnull, os.O_RDONLY)
    if reading != descriptor:
        os.dup2(reading, descriptor)
        os.close(reading)


def _open_stream(stream: Any, descriptor: int, *, reports_errors: bool) -> Any:
    if stream is None:
        _occupy(descriptor)
    encoding, errors = (stream.encoding, stream.errors) if stream else ("utf-8", "")
    if errors not in ("replace", "ignore", "xmlcharrefreplace", "namereplace"):
        errors = "backslashreplace"  # a character that the encoding lacks must not end the command
    raw = Outlet(descriptor, reports_errors=reports_errors)
    terminal = raw.isatty()
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=encoding, errors=errors, line_buffering=terminal or not reports_errors
    )
