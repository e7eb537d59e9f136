"""Replace a file in one step, and clean up after runs that were killed meanwhile."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO

from msgspec import Struct

DONE_FILE_NAME = ".compactor-done.jsonl"
"""Name of the list of finished files in the output folder of a run over many files."""
_PART_SUFFIX = ".compactor-part"
_MAX_NAME_BYTES = 200
"""Maximum bytes of a file's name that its temporary file's name repeats, so that the whole stays below 255."""


class Access(Struct, frozen=True):
    """Who may read a file."""

    mode: int
    group: int


def access_of(path: str) -> Access | None:
    """Return who may read an input (standard input: only a file). None if this process cannot read it either."""
    try:
        state = os.fstat(0) if path == "-" else os.stat(path)  # noqa: PTH116  # a descriptor has no path
    except OSError:
        return None
    if path != "-" and not os.access(path, os.R_OK):
        return None
    if stat.S_ISDIR(state.st_mode):  # a session in parts: who may look into the folder
        return Access(stat.S_IMODE(state.st_mode) & 0o666, state.st_gid)
    return Access(stat.S_IMODE(state.st_mode), state.st_gid) if stat.S_ISREG(state.st_mode) else None


def replace_by(
    target: Path,
    write: Callable[[IO[bytes]], object],
    like: Sequence[Access],
    check: Callable[[], None] = lambda: None,
    model: Path | None = None,
) -> None:
    """Put what `write` writes into a stream, which can be read back, in place of a file. If that raises OSError, the
    old file is unchanged and nothing is left beside it. `like`: the inputs; the file is never more readable. `check` is
    called right before the replacement. `model`: the file whose owner, mode and attributes the new one gets.
    """
    remove_stale(target)
    with _temporary_file(target) as (handle, temporary):
        with os.fdopen(handle, "w+b", closefd=False) as stream:
            write(stream)
            stream.flush()
            os.fsync(handle)
        _give_access(model or target, handle, temporary, like)
        check()
        temporary.replace(target)


def remove_stale(target: Path) -> None:
    """Remove what killed runs left beside a file. A process that is still writing holds a lock."""
    try:
        import fcntl
    except ImportError:  # Windows: nobody can remove a file that another process has open
        fcntl = None  # type: ignore[assignment]
    for leftover in _leftovers(target):
        with suppress(OSError):
            if fcntl is not None:
                handle = os.open(leftover, os.O_RDONLY)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                finally:
                    os.close(handle)
            leftover.unlink()


def remove_leftovers(targets: Iterable[Path]) -> None:
    """Remove what killed processes left beside files, including those killed since the folder was first listed."""
    _leftovers_in.cache_clear()
    for target in targets:
        remove_stale(target)


def _leftovers(target: Path) -> Iterator[Path]:
    if parts := _leftovers_in(target.parent):  # most folders have none
        start = f".{_shorten_name(target.name)}."
        yield from (target.parent / name for name in parts if name.startswith(start))


@cache
def _leftovers_in(folder: Path) -> tuple[str, ...]:
    """Return what killed runs left in a folder, cached, as a folder may get many outputs in a row."""
    with suppress(OSError), os.scandir(folder) as entries:
        return tuple(entry.name for entry in entries if entry.name.endswith(_PART_SUFFIX))
    return ()


def is_own_file(name: str) -> bool:
    """Return whether a file name is one of the program's own: a temporary file, or the list of finished files."""
    return name.endswith(_PART_SUFFIX) or name == DONE_FILE_NAME


def _shorten_name(name: str) -> str:
    raw = os.fsencode(name)
    return name if len(raw) <= _MAX_NAME_BYTES else os.fsdecode(raw[:_MAX_NAME_BYTES])


@contextmanager
def _temporary_file(target: Path) -> Iterator[tuple[int, Path]]:
    """Create a locked temporary file beside the target that only its owner can read. Remove it at the end."""
    temporary = target.parent / f".{_shorten_name(target.name)}.{os.urandom(4).hex()}{_PART_SUFFIX}"
    handle = None
    try:  # a signal may arrive between any two steps, so the name is known before the file exists
        handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle, temporary
    finally:
        with suppress(OSError):
            temporary.unlink()
        if handle is not None:
            os.close(handle)


def _give_access(model: Path, handle: int, temporary: Path, like: Sequence[Access]) -> None:
    """Give the temporary file the owner, attributes and mode of `model`; without one, the mode of a new file."""
    try:
        old = model.stat()
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    else:
        mode = stat.S_IMODE(old.st_mode)
        like = (*like, Access(mode, old.st_gid))
        if hasattr(os, "chown"):
            with suppress(OSError):
                os.chown(handle, -1, old.st_gid)
            with suppress(OSError):
                os.chown(handle, old.st_uid, -1)
        _copy_attributes(model, temporary)
    mode = narrow_mode(mode, os.fstat(handle).st_gid, like)
    if hasattr(os, "fchmod"):
        os.fchmod(handle, mode)
    else:
        temporary.chmod(mode)


def narrow_mode(mode: int, group: int, like: Iterable[Access]) -> int:
    """Return a mode for a file of a group such that it is never more readable than the inputs."""
    for access in like:
        # another group than the input's gets only what the input grants to everyone
        other_bits = access.mode & 0o7
        mode &= access.mode if group == access.group else (access.mode & ~0o070) | (other_bits << 3)
    return mode


def _copy_attributes(target: Path, temporary: Path) -> None:
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        for name in os.listxattr(target):
            with suppress(OSError):  # only the system may set some attributes
                os.setxattr(temporary, name, os.getxattr(target, name))
