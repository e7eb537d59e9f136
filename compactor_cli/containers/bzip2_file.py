"""Bzip2, of one or several streams."""

from __future__ import annotations

import io

from compactor_cli.containers.base import read_stream
from compactor_cli.model.content import Content


class Bzip2:
    name = "bzip2"
    suffixes: tuple[str, ...] = (".bz2",)
    copies = False

    def holds(self, data: Content) -> bool:
        return data.startswith(b"BZh") and data[4:10] in (b"1AY&SY", b"\x17rE8P\x90")

    def unpack(self, data: bytes) -> bytes:
        import bz2

        return read_stream(bz2.BZ2File(io.BytesIO(data)), len(data), self.name, (OSError, ValueError))

    def pack(self, data: bytes, original: bytes) -> bytes:
        import bz2

        return bz2.compress(data)
