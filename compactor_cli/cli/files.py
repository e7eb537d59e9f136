"""Files in and out: reading whole inputs, replacing outputs atomically."""

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
from typing import BinaryIO

from compactor_cli.cli.remote import is_remote, local_path, store
from compactor_cli.cli.replacing import access_of, remove_stale, replace_by
from compactor_cli.cli.spill import spilled
from compactor_cli.errors import AccessError, InputError, UsageError
from compactor_cli.model.content import Content, in_memory, in_pieces, is_same
from compactor_cli.text.clean import visible


def is_there(path: str | Path) -> bool:
    """Return whether there is something at a path, as far as one may look; `Path.exists` raises where one may not."""
    return os.path.exists(path)  # noqa: PTH110


def is_folder(path: str | Path) -> bool:
    """Return whether there is a folder at a path, as far as one may look."""
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: str | Path) -> bool:
    """Return whether there is a file at a path, as far as one may look."""
    return os.path.isfile(path)  # noqa: PTH113


def real_path(path: str | Path) -> Path:
    """Return a path without the links on its way; one to itself stays: `Path.resolve` raises for it."""
    return Path(os.path.realpath(path))


def whole_name(path: str) -> str:
    """Return the name by which an input or an output is told from others: the path of a file without links, also of one
    that is named by an address such as file://; other addresses, and `-`, stay."""
    path = local_path(path)
    return path if path == "-" or is_remote(path) else str(real_path(path))


def read_bytes(path: str) -> bytes:
    """Return a file's bytes, or those of standard input for `-`. Raises InputError."""
    return in_memory(read_content(path))


def read_content(path: str) -> Content:
    """Return the same, in a temporary file where it is too large for memory. Raises InputError, also for a device that
    never ends; AccessError where there is something that cannot be read."""
    if path == "-":
        _check_ends(sys.stdin.buffer, path)
        return spilled(sys.stdin.buffer)
    if is_remote(path):
        with store().reading(path) as stream:
            return spilled(stream)
    try:
        with Path(path).open("rb") as file:
            _check_ends(file, path)
            return spilled(file, os.fstat(file.fileno()).st_size)
    except FileNotFoundError:
        raise InputError("there is no such file", path=path) from None
    except IsADirectoryError:
        raise InputError("is a directory; name a file in it", path=path) from None
    except OSError as error:
        raise AccessError(f"cannot be read: {error.strerror}", path=path) from None


def check_ends(path: str) -> None:
    """Raise InputError for a device such as /dev/zero, for what is read elsewhere. Nothing else is opened: what a pipe
    holds is there once."""
    with suppress(OSError):  # whoever reads it is told why that cannot be done
        if Path(path).is_char_device():
            with Path(path).open("rb") as file:
                _check_ends(file, path)


def _check_ends(stream: BinaryIO, path: str) -> None:
    """Raise InputError for a device such as /dev/zero. At a terminal a person ends the input."""
    try:
        state = os.fstat(stream.fileno())
    except io.UnsupportedOperation:  # no descriptor
        return
    if stat.S_ISCHR(state.st_mode) and not stream.isatty() and state.st_rdev != os.stat(os.devnull).st_rdev:  # noqa: PTH116  # a device
        raise InputError("is a device, which may never end; name a file or a pipe", path=path)


def read_text(path: str) -> str:
    """Return a file's text. Raises UsageError when it is not UTF-8."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8: {error.reason} at byte {error.start}") from None


def write_bytes(
    path: str, data: Content, replaces: Content | None = None, inputs: Sequence[str] = (), original: str = ""
) -> None:
    """Write to standard output for `-`, else replace the file in one step; a device or a pipe is written into.

    A run that fails or is killed leaves the old file as it was. `replaces`: what the file must still hold, when it
    was read before; whoever wrote to it in the meantime loses nothing. Raises InputError then. `inputs`: the files
    that the data is made from; the output is never more readable than they are. `original`: the file that this is a
    copy of, whose owner it gets. Raises UsageError where nothing can be written.
    """
    if path == "-":
        _print_bytes(data)
        return
    if is_remote(path):
        if replaces is not None and not is_same(read_content(path), replaces):
            raise changed(path)
        store().write(path, lambda stream: _copy(data, stream))
        return
    try:
        if not _is_file(path):
            _write_into(path, data)
            return
        target = Path(os.path.realpath(path))  # a link stays a link
        like = [access for source in inputs if (access := access_of(source)) is not None]
        model = real_path(original) if original else None
        replace_by(target, partial(_copy, data), like, partial(_check_unchanged, path, target, replaces), model)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None


def make_folder(path: str) -> None:
    """Make the folder that an output is to stand in; stores need none. Raises UsageError."""
    if is_remote(path):
        return
    folder = Path(path).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: the folder cannot be made: {error.strerror}") from None


def _copy(data: Content, stream: BinaryIO) -> None:
    for chunk in in_pieces(data):
        stream.write(chunk)


def clear_beside(path: str) -> None:
    """Remove what killed runs left beside an output: also a run that writes nothing there tidies up."""
    if path not in ("", "-") and not is_remote(path):
        remove_stale(real_path(path))


def split_warning(path: str) -> str:
    """Return what is to be said when a file is replaced that has other names (hard links), which go on to mean it as it
    was; nothing for a file with one."""
    try:
        state = Path(path).stat()
    except OSError:
        return ""
    names = state.st_nlink if stat.S_ISREG(state.st_mode) else 1
    return f"{path}: had {names} names; the others still mean the file as it was" if names > 1 else ""


def _check_unchanged(path: str, target: Path, expected: Content | None) -> None:
    if expected is not None and not is_same(read_content(str(target)), expected):
        raise changed(path)


def changed(path: str) -> InputError:
    """Return what is raised for a file that is no longer as it was read."""
    return InputError("was changed by another program in the meantime and is left as it is; run again", path=path)


def _is_file(path: str) -> bool:
    """Return whether a path is that of a file, or of one that is to be made. Raises OSError for a folder, or for a link
    that leads nowhere."""
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError:
        return True
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return stat.S_ISREG(mode)


def _write_into(path: str, data: Content) -> None:
    """Write into a device or a pipe. A pipe that nobody reads is not waited for; a reader may stop reading."""
    try:
        handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        raise UsageError(f"{path}: cannot be written: nobody reads from it; start the reader first") from None
    os.set_blocking(handle, True)
    with suppress(BrokenPipeError), os.fdopen(handle, "wb", buffering=0) as stream:
        for chunk in in_pieces(data):
            rest = memoryview(chunk)
            while rest:
                rest = rest[stream.write(rest) or 0 :]


def _print_bytes(data: Content) -> None:
    """Write to standard output: to a terminal without what would command it, which JSON can say in other words."""
    if sys.stdout.isatty():
        data = visible(in_memory(data).decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    sys.stdout.flush()
    _copy(data, sys.stdout.buffer)
    sys.stdout.buffer.flush()
