"""Reading whole inputs, and replacing outputs atomically."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

from compactor_cli.cli.replacing import access_of, remove_stale, replace_by
from compactor_cli.cli.spill import spill_stream
from compactor_cli.errors import AccessError, InputError, UsageError
from compactor_cli.model.content import Content, is_same_content, read_all, split_chunks
from compactor_cli.text.clean import visible
from compactor_cli.text.patterns import compiled_later

_ADDRESS = compiled_later(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_remote(path: str) -> bool:
    """Return whether a path is an address in a store that fsspec accesses."""
    return _ADDRESS.match(path) is not None


def local_path(path: str) -> str:
    """Return the local path for an address such as file://; anything else is returned unchanged."""
    return str(load_store().local_path(path)) if path.startswith(("file://", "local://")) else path


def load_store() -> ModuleType:
    """Return the module that reads and writes remote stores. Raises UsageError if fsspec is missing."""
    try:
        from compactor_cli.remote import store as found
    except ImportError:
        raise UsageError(
            "addresses such as s3:// need fsspec, which is not installed: pip install 'compactor-cli[remote]'"
        ) from None
    return found


def is_there(path: str | Path) -> bool:
    """Return whether something is at a path, as far as permissions show. `Path.exists` raises where they do not."""
    return os.path.exists(path)  # noqa: PTH110


def is_folder(path: str | Path) -> bool:
    """Return whether a folder is at a path, as far as permissions show."""
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: str | Path) -> bool:
    """Return whether a file is at a path, as far as permissions show."""
    return os.path.isfile(path)  # noqa: PTH113


def real_path(path: str | Path) -> Path:
    """Return a path with all links resolved. A link to itself is left as it is, where `Path.resolve` raises."""
    return Path(os.path.realpath(path))


def whole_name(path: str) -> str:
    """Return the name that identifies an input or output: a file's path without links, other addresses unchanged."""
    path = local_path(path)
    return path if path == "-" or is_remote(path) else str(real_path(path))


def read_bytes(path: str) -> bytes:
    """Return the bytes of a file, or of standard input for `-`. Raises InputError."""
    return read_all(read_content(path))


def read_content(path: str) -> Content:
    """Return the contents of a file or of standard input, in a temporary file if they are too large for memory.
    Raises InputError, also for a device that never ends, and AccessError if a file exists but cannot be read."""
    if path == "-":
        _check_ends(sys.stdin.buffer, path)
        return spill_stream(sys.stdin.buffer)
    if is_remote(path):
        with load_store().reading(path) as stream:
            return spill_stream(stream)
    try:
        with Path(path).open("rb") as file:
            _check_ends(file, path)
            return spill_stream(file, os.fstat(file.fileno()).st_size)
    except FileNotFoundError:
        raise InputError("file not found", path=path) from None
    except IsADirectoryError:
        raise InputError("is a directory; name a file", path=path) from None
    except OSError as error:
        raise AccessError(f"cannot be read: {error.strerror}", path=path) from None


def check_ends(path: str) -> None:
    """Raise InputError for a device such as /dev/zero; nothing else is opened, as a pipe can be read only once."""
    with suppress(OSError):  # the code that reads the file reports why it cannot
        if Path(path).is_char_device():
            with Path(path).open("rb") as file:
                _check_ends(file, path)


def _check_ends(stream: BinaryIO, path: str) -> None:
    """Raise InputError for a device such as /dev/zero. A terminal is fine, since a person ends the input."""
    try:
        state = os.fstat(stream.fileno())
    except io.UnsupportedOperation:  # no descriptor
        return
    if stat.S_ISCHR(state.st_mode) and not stream.isatty() and state.st_rdev != os.stat(os.devnull).st_rdev:  # noqa: PTH116  # a device
        raise InputError("is a device, which may never end; name a file or pipe", path=path)


def read_text(path: str) -> str:
    """Return a file's text. Raises UsageError if it is not UTF-8."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8: {error.reason} at byte {error.start}") from None


def write_bytes(
    path: str, data: Content, replaces: Content | None = None, inputs: Sequence[str] = (), original: str = ""
) -> None:
    """Write to standard output for `-`, into a device or pipe, or replace a file in one step. Raises UsageError.

    `replaces`: what the file must still contain; otherwise InputError is raised, so that no change of another program
    is lost. `inputs`: what the data is made from; the output is never more readable. `original`: the file that the
    output is a copy of, whose owner it gets.
    """
    if path == "-":
        _print_bytes(data)
        return
    if is_remote(path):
        if replaces is not None and not is_same_content(read_content(path), replaces):
            raise changed_error(path)
        load_store().write(path, lambda stream: _copy(data, stream))
        return
    try:
        if not _is_regular(path):
            _write_into(path, data)
            return
        target = Path(os.path.realpath(path))  # replace the target of a link, not the link
        like = [access for source in inputs if (access := access_of(source)) is not None]
        model = real_path(original) if original else None
        replace_by(target, partial(_copy, data), like, partial(_check_unchanged, path, target, replaces), model)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None


def make_folder(path: str) -> None:
    """Create the folder for an output; a remote store needs none. Raises UsageError."""
    if is_remote(path):
        return
    folder = Path(path).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: the folder cannot be created: {error.strerror}") from None


def _copy(data: Content, stream: BinaryIO) -> None:
    for chunk in split_chunks(data):
        stream.write(chunk)


def clear_beside(path: str) -> None:
    """Remove the leftovers of killed runs next to an output. A run that writes nothing cleans up as well."""
    if path not in ("", "-") and not is_remote(path):
        remove_stale(real_path(path))


def split_warning(path: str) -> str:
    """Return a warning if a replaced file has further names (hard links), which keep the old contents."""
    try:
        state = Path(path).stat()
    except OSError:
        return ""
    names = state.st_nlink if stat.S_ISREG(state.st_mode) else 1
    return f"{path}: had {names} hard links; the others still point to the old content" if names > 1 else ""


def _check_unchanged(path: str, target: Path, expected: Content | None) -> None:
    if expected is not None and not is_same_content(read_content(str(target)), expected):
        raise changed_error(path)


def changed_error(path: str) -> InputError:
    return InputError("was changed by another program in the meantime, so it was left unchanged; run again", path=path)


def _is_regular(path: str) -> bool:
    """Return whether a path is a file, or a file yet to be created. Raises OSError for a folder or a broken link."""
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError:
        return True
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return stat.S_ISREG(mode)


def _write_into(path: str, data: Content) -> None:
    """Write into a device or a pipe. Raise UsageError if nobody reads the pipe. A reader may stop early."""
    try:
        handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        raise UsageError(
            f"{path}: cannot be written: no program reads from this pipe; start the reader first"
        ) from None
    os.set_blocking(handle, True)
    with suppress(BrokenPipeError), os.fdopen(handle, "wb", buffering=0) as stream:
        for chunk in split_chunks(data):
            remaining = memoryview(chunk)
            while remaining:
                remaining = remaining[stream.write(remaining) or 0 :]


def _print_bytes(data: Content) -> None:
    """Write to standard output. On a terminal, control sequences are escaped; JSON can express them in another way."""
    if sys.stdout.isatty():
        data = visible(read_all(data).decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    sys.stdout.flush()
    _copy(data, sys.stdout.buffer)
    sys.stdout.buffer.flush()
