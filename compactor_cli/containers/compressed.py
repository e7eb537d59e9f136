"""Compressed files with one or several members, streams or frames. Each library is imported where it is used."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from compactor_cli.containers.base import read_stream
from compactor_cli.model.content import Content


class Library(NamedTuple):
    """What reads and writes one kind of compression."""

    open: Callable[[Any], Any]
    """Returns a stream that decompresses a file."""
    errors: tuple[type[Exception], ...]
    """What the stream raises for damage."""
    compress: Callable[[bytes], bytes]


@dataclass(slots=True)
class Compressed:
    """One kind of compressed files."""

    name: str
    suffixes: tuple[str, ...]
    begins: bytes
    load: Callable[[], Library]
    blocks: tuple[bytes, ...] = (b"",)
    """How the bytes from the fifth on can begin."""
    copies = False

    def holds(self, data: Content) -> bool:
        return data.startswith(self.begins) and data[4:10].startswith(self.blocks)

    def unpack(self, data: bytes) -> bytes:
        library = self.load()
        return read_stream(library.open(io.BytesIO(data)), len(data), self.name, library.errors)

    def pack(self, data: bytes, original: bytes) -> bytes:
        return self.load().compress(data)


def _gzip() -> Library:
    import gzip
    import zlib

    # no time, so that the same input gives the same bytes
    return Library(gzip.open, (OSError, zlib.error), lambda data: gzip.compress(data, 6, mtime=0))


def _bzip2() -> Library:
    import bz2

    return Library(bz2.BZ2File, (OSError, ValueError), bz2.compress)


def _xz() -> Library:
    import lzma

    return Library(lzma.LZMAFile, (lzma.LZMAError,), lzma.compress)


def _zstandard() -> Library:
    """Return the standard library's module or, for Pythons without one, its backport. It reads frames with or without
    the size in their header."""
    zstd: Any
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    options = {zstd.CompressionParameter.checksum_flag: 1}
    return Library(zstd.ZstdFile, (zstd.ZstdError,), lambda data: bytes(zstd.compress(data, options=options)))


COMPRESSED = (
    Compressed("gzip", (".gz",), b"\x1f\x8b\x08", _gzip),
    Compressed("zstandard", (".zst", ".zstd"), b"\x28\xb5\x2f\xfd", _zstandard),
    Compressed("bzip2", (".bz2",), b"BZh", _bzip2, (b"1AY&SY", b"\x17rE8P\x90")),
    Compressed("xz", (".xz",), b"\xfd7zXZ\x00", _xz),
)
