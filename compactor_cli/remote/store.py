"""Read, write and find files through fsspec."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from glob import has_magic
from itertools import takewhile
from typing import IO, Any, cast

from fsspec.core import url_to_fs

from compactor_cli.errors import InputError, UsageError


def _file_system(path: str) -> tuple[Any, str]:
    """Return the file system for an address, and the path in it. Raises UsageError if the scheme is unknown or its
    package is missing."""
    local = path.startswith(("file://", "local://"))
    try:
        return cast("tuple[Any, str]", url_to_fs(path, **({"auto_mkdir": True} if local else {})))
    except (ImportError, ValueError) as error:
        raise UsageError(f"{path}: cannot be reached: {error}") from None


def local_path(address: str) -> str:
    """Return the local path for an address as fsspec determines it, without decoding anything."""
    return _file_system(address)[1]


@contextmanager
def reading(path: str) -> Iterator[IO[bytes]]:
    """Provide a seekable file to read from. Raises InputError."""
    store, inside = _file_system(path)
    try:
        with store.open(inside, "rb") as stream:
            yield stream
    except FileNotFoundError:
        raise InputError("file not found", path=path) from None
    except IsADirectoryError:
        raise InputError("is a directory; name a file in it", path=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None


def write(path: str, put: Callable[[IO[bytes]], object]) -> None:
    """Replace a file by what `put` writes, completely or, if that fails, not at all. Raises UsageError."""
    store, inside = _file_system(path)
    try:
        with store.transaction, store.open(inside, "wb") as stream:
            put(stream)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None


def remove(path: str) -> None:
    """Delete a file if it exists."""
    store, inside = _file_system(path)
    try:
        if store.exists(inside):
            store.rm_file(inside)
    except OSError as error:
        raise UsageError(f"{path}: cannot be removed: {error.strerror or error}") from None


def exists(path: str) -> bool:
    """Return whether a file exists at an address. Raises InputError."""
    store, inside = _file_system(path)
    try:
        return bool(store.exists(inside))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None


def meant(path: str) -> list[tuple[str, str]]:
    """Return the files that an address denotes, each with its name. For patterns and folders, names are paths
    relative to the fixed part of the address. Raises InputError if there are none."""
    store, inside = _file_system(path)
    try:
        if has_magic(inside):
            steps = inside.split("/")
            root = "/".join(takewhile(lambda step: not has_magic(step), steps))
            places = [name for name, about in store.glob(inside, detail=True).items() if about["type"] == "file"]
        elif store.isdir(inside):
            root, places = inside, store.find(inside)
        else:
            return [(path, inside.rstrip("/").rpartition("/")[2])]
    except OSError as error:
        raise InputError(f"cannot be listed: {error.strerror or error}", path=path) from None
    if not places:
        raise InputError("no file matches; * matches a part of a name, ** any folders", path=path)
    return [(store.unstrip_protocol(name), name.removeprefix(root).lstrip("/")) for name in sorted(places)]
