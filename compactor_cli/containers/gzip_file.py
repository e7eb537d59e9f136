"""Gzip, of one or several members."""

from __future__ import annotations

import io

from compactor_cli.containers.base import read_stream
from compactor_cli.model.content import Content


class Gzip:
    name = "gzip"
    suffixes: tuple[str, ...] = (".gz",)
    copies = False

    def holds(self, data: Content) -> bool:
        return data.startswith(b"\x1f\x8b\x08")

    def unpack(self, data: bytes) -> bytes:
        import gzip
        import zlib

        return read_stream(gzip.GzipFile(fileobj=io.BytesIO(data)), len(data), self.name, (OSError, zlib.error))

    def pack(self, data: bytes, original: bytes) -> bytes:
        import gzip

        return gzip.compress(data, 6, mtime=0)  # no clock: the same input gives the same bytes
