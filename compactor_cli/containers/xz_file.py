"""XZ, of one or several streams."""

from __future__ import annotations

import io

from compactor_cli.containers.base import read_stream
from compactor_cli.model.content import Content


class Xz:
    name = "xz"
    suffixes: tuple[str, ...] = (".xz",)
    copies = False

    def holds(self, data: Content) -> bool:
        return data.startswith(b"\xfd7zXZ\x00")

    def unpack(self, data: bytes) -> bytes:
        import lzma

        return read_stream(lzma.LZMAFile(io.BytesIO(data)), len(data), self.name, (lzma.LZMAError,))

    def pack(self, data: bytes, original: bytes) -> bytes:
        import lzma

        return lzma.compress(data)
