"""Files in and out: reading whole inputs, replacing outputs atomically."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from compactor_cli.errors import InputError, UsageError


def read_bytes(path: str) -> bytes:
    """A file's bytes, or those of standard input for `-`."""
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError("there is no such file", path=path) from None
    except IsADirectoryError:
        raise InputError("is a directory; name the files in it (a shell pattern will do)", path=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None


def read_text(path: str) -> str:
    """A file's text. Raises UsageError when it is not UTF-8."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8: {error.reason} at byte {error.start}") from None


def write_bytes(path: str, data: bytes, replaces: bytes | None = None) -> None:
    """Write to standard output for `-`, else replace the file in one step; a device or a pipe is written into.

    A run that fails or is killed leaves the old file as it was. `replaces`: what the file must still hold, when it
    was read before; whoever wrote to it in the meantime loses nothing. Raises InputError then.
    """
    if path == "-":
        _print_bytes(data)
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    if target.exists() and not target.is_file() and not target.is_dir():
        target.write_bytes(data)
        return
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        _fill(handle, data)
        if target.exists():
            shutil.copymode(target, temporary)
        else:
            umask = os.umask(0)
            os.umask(umask)
            Path(temporary).chmod(0o666 & ~umask)
        if replaces is not None and target.read_bytes() != replaces:
            raise InputError(
                "was changed by another program in the meantime and is left as it is; run again", path=path
            )
        Path(temporary).replace(target)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
        raise


def _print_bytes(data: bytes) -> None:
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"standard output cannot be written: {error.strerror}") from None


def _fill(handle: int, data: bytes) -> None:
    """Write a file and wait until it is on its disk."""
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
