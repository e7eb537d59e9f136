"""What every container provides: files that hold transcripts packed."""

from __future__ import annotations

from typing import Protocol

from compactor_cli.errors import InputError
from compactor_cli.model.content import Content

_CHUNK = 1 << 20
_SMALL = 64 << 20
"""Bytes up to which unpacked data is never taken for a bomb."""
_RATIO = 500
"""Times its packed size above which unpacked data is taken for a bomb; sessions come to a tenth of that."""


class Container(Protocol):
    """One way to pack transcripts."""

    name: str
    suffixes: tuple[str, ...]
    """Ends of file names that ask for it."""
    copies: bool
    """It can only be written from one that is there, of which the rest is copied."""

    def holds(self, data: Content) -> bool:
        """Return whether a file is of this kind, by its content."""

    def unpack(self, data: bytes) -> bytes:
        """Return the bytes of the transcript, or of several, a line each. Raises InputError for damage and for
        bombs."""

    def pack(self, data: bytes, original: bytes) -> bytes:
        """Return a file of this kind with these bytes. `original`: the one they were unpacked from, or empty."""


def check_size(unpacked: int, packed: int) -> None:
    """Raise InputError when so much comes out of so little that it can only be meant to fill the memory."""
    if unpacked > _SMALL and unpacked > _RATIO * packed:
        raise InputError(
            f"unpacks to more than {_RATIO} times its {packed:,} bytes, as no transcript does; if it is one, unpack it "
            "yourself and name that file"
        )


class Stream(Protocol):
    """An open stream of the standard library."""

    def read(self, size: int, /) -> bytes: ...


def read_stream(stream: Stream, packed: int, name: str, errors: tuple[type[Exception], ...]) -> bytes:
    """Return all bytes of a compressed stream. Raises InputError when it is damaged, cut off, or a bomb."""
    chunks: list[bytes] = []
    size = 0
    try:
        while chunk := stream.read(_CHUNK):
            chunks.append(chunk)
            size += len(chunk)
            check_size(size, packed)
    except EOFError:
        raise InputError(f"the {name} data is cut off; nothing of it was read") from None
    except errors as error:
        raise InputError(f"the {name} data is damaged: {error}") from None
    return b"".join(chunks)
