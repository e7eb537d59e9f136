"""Zstandard, of one or several frames, with or without their size in the header."""

from __future__ import annotations

import io
import sys
from typing import Any

from compactor_cli.containers.base import read_stream
from compactor_cli.model.content import Content


class Zstandard:
    name = "zstandard"
    suffixes: tuple[str, ...] = (".zst", ".zstd")
    copies = False

    def holds(self, data: Content) -> bool:
        return data.startswith(b"\x28\xb5\x2f\xfd")

    def unpack(self, data: bytes) -> bytes:
        library = _library()
        return read_stream(library.ZstdFile(io.BytesIO(data)), len(data), self.name, (library.ZstdError,))

    def pack(self, data: bytes, original: bytes) -> bytes:
        library = _library()
        return bytes(library.compress(data, options={library.CompressionParameter.checksum_flag: 1}))


def _library() -> Any:
    """Return the standard library's module, or the same one for Pythons that have none yet."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
