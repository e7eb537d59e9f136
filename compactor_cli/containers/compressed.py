"""Compressed files with one or several members, streams or frames. Each library is imported where it is used."""

from __future__ import annotations

import io
import sys
from abc import abstractmethod
from typing import Any, BinaryIO

from compactor_cli.containers.base import Container, read_stream
from compactor_cli.model.content import Content


class _Compressed(Container):
    copies = False
    begins: bytes

    def holds(self, data: Content) -> bool:
        return data.startswith(self.begins)

    def unpack(self, data: bytes) -> bytes:
        stream, errors = self._open(io.BytesIO(data))
        return read_stream(stream, len(data), self.name, errors)

    @abstractmethod
    def _open(self, file: BinaryIO) -> tuple[io.BufferedIOBase, tuple[type[Exception], ...]]:
        """Return a stream that decompresses the file, and the exceptions that it raises for damage."""


class Gzip(_Compressed):
    name, suffixes, begins = "gzip", (".gz",), b"\x1f\x8b\x08"

    def _open(self, file: BinaryIO) -> tuple[io.BufferedIOBase, tuple[type[Exception], ...]]:
        import gzip
        import zlib

        return gzip.GzipFile(fileobj=file), (OSError, zlib.error)

    def pack(self, data: bytes, original: bytes) -> bytes:
        import gzip

        return gzip.compress(data, 6, mtime=0)  # no time, so that the same input gives the same bytes


class Bzip2(_Compressed):
    name, suffixes, begins = "bzip2", (".bz2",), b"BZh"

    def holds(self, data: Content) -> bool:
        return super().holds(data) and data[4:10] in (b"1AY&SY", b"\x17rE8P\x90")

    def _open(self, file: BinaryIO) -> tuple[io.BufferedIOBase, tuple[type[Exception], ...]]:
        import bz2

        return bz2.BZ2File(file), (OSError, ValueError)

    def pack(self, data: bytes, original: bytes) -> bytes:
        import bz2

        return bz2.compress(data)


class Xz(_Compressed):
    name, suffixes, begins = "xz", (".xz",), b"\xfd7zXZ\x00"

    def _open(self, file: BinaryIO) -> tuple[io.BufferedIOBase, tuple[type[Exception], ...]]:
        import lzma

        return lzma.LZMAFile(file), (lzma.LZMAError,)

    def pack(self, data: bytes, original: bytes) -> bytes:
        import lzma

        return lzma.compress(data)


class Zstandard(_Compressed):
    """Reads frames with or without the size in their header."""

    name, suffixes, begins = "zstandard", (".zst", ".zstd"), b"\x28\xb5\x2f\xfd"

    def _open(self, file: BinaryIO) -> tuple[io.BufferedIOBase, tuple[type[Exception], ...]]:
        library = _zstd()
        return library.ZstdFile(file), (library.ZstdError,)

    def pack(self, data: bytes, original: bytes) -> bytes:
        library = _zstd()
        return bytes(library.compress(data, options={library.CompressionParameter.checksum_flag: 1}))


def _zstd() -> Any:
    """Return the standard library's module or, for Pythons without one, its backport."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
