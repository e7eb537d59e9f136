"""The interface of containers, which hold transcripts in packed form."""

from __future__ import annotations

from io import BufferedIOBase
from typing import Protocol

from compactor_cli.errors import InputError
from compactor_cli.model.content import Content

_CHUNK_BYTES = 1 << 20
_MIN_CHECKED_BYTES = 64 << 20
"""Unpacked data up to this many bytes is never considered a decompression bomb."""
_MAX_RATIO = 500
"""Unpacked data more than this many times its packed size is considered a bomb. Sessions reach a tenth of that."""


class Container(Protocol):
    """One way of packing transcripts."""

    name: str
    suffixes: tuple[str, ...]
    """File name suffixes that ask for it."""
    copies: bool
    """Whether it can only be written from an existing one, by copying everything else."""

    def holds(self, data: Content) -> bool:
        """Return whether a file is of this kind, judging by its content."""

    def unpack(self, data: bytes) -> bytes:
        """Return the bytes of the transcript, or of several, one per line. Raises InputError for damage and for
        bombs."""

    def pack(self, data: bytes, original: bytes) -> bytes:
        """Return a file of this kind with these bytes. `original`: the file that they were unpacked from, or empty."""


def check_size(unpacked: int, packed: int) -> None:
    """Raise InputError when the unpacked size is so large that the file must be a decompression bomb."""
    if unpacked > _MIN_CHECKED_BYTES and unpacked > _MAX_RATIO * packed:
        raise InputError(
            f"unpacks to more than {_MAX_RATIO} times its {packed:,} bytes, which is unusual for a transcript; if it "
            "is one, unpack it yourself and name that file"
        )


def read_stream(stream: BufferedIOBase, packed: int, name: str, errors: tuple[type[Exception], ...]) -> bytes:
    """Return all bytes of a compressed stream. Raises InputError when it is damaged, cut off, or a bomb."""
    chunks: list[bytes] = []
    size = 0
    try:
        while chunk := stream.read(_CHUNK_BYTES):
            chunks.append(chunk)
            size += len(chunk)
            check_size(size, packed)
    except EOFError:
        raise InputError(f"the {name} data is truncated; nothing was read") from None
    except errors as error:
        raise InputError(f"the {name} data is damaged: {error}") from None
    return b"".join(chunks)
