"""A temporary file for what is too large for memory: the bytes of an input, and its long texts."""

from __future__ import annotations

import os
import weakref
from collections import OrderedDict
from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import BinaryIO

from compactor_cli.model.content import is_same_content

LARGE = 64 * 1024 * 1024
"""Bytes from which an input is kept in a file."""
_CHUNK_BYTES = 1024 * 1024
_WINDOW_BYTES = 64 * 1024
"""Bytes to read at once when texts are read in sequence."""
_MAX_CACHED_CHARS = 16 * 1024 * 1024
"""Maximum characters of texts cached in memory, since a text is often read several times in a row."""


class Spill:
    """An unnamed file that disappears when the program ends, however it ends."""

    def __init__(self) -> None:
        import tempfile

        self._file = tempfile.TemporaryFile(prefix="compactor-", dir=_spill_folder(), buffering=0)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._size = 0
        self._waiting: list[bytes] = []
        """Bytes for the end of the file that are not written yet: writing each text separately takes several times
        as long."""
        self._written = 0
        self._ahead, self._ahead_start, self._read_to = b"", 0, 0
        """A stretch of the file that was read ahead, where it starts, and the end of the last text that was read. It
        serves texts that are read in sequence."""
        self._texts: OrderedDict[int, str] = OrderedDict()
        self._cached = 0

    def put(self, chunks: Iterable[bytes]) -> SpilledBytes:
        start = self._size
        for chunk in chunks:
            self._put(chunk)
        return SpilledBytes(self, start, self._size)

    def put_text(self, text: str) -> SpilledText:
        data = text.encode("utf-8", "surrogatepass")
        start = self._size
        self._put(data)
        return SpilledText(self, start, len(data))

    def _put(self, data: bytes) -> None:
        self._waiting.append(data)
        self._size += len(data)
        if self._size - self._written >= _CHUNK_BYTES:
            self._write()

    def _write(self) -> None:
        self._file.seek(self._written)
        remaining = memoryview(b"".join(self._waiting))
        while remaining:
            remaining = remaining[self._file.write(remaining) :]
        self._waiting.clear()
        self._written = self._size

    def read(self, start: int, size: int) -> bytes:
        if start + size > self._written:
            self._write()
        self._file.seek(start)
        return self._file.read(size)

    def text(self, start: int, size: int) -> str:
        """Return a stored text. The most recent ones are cached."""
        text = self._texts.get(start)
        if text is None:
            text = self._texts[start] = self._bytes_of_text(start, size).decode("utf-8", "surrogatepass")
            self._cached += len(text)
            while self._cached > _MAX_CACHED_CHARS and len(self._texts) > 1:
                self._cached -= len(self._texts.popitem(last=False)[1])
        return text

    def _bytes_of_text(self, start: int, size: int) -> bytes:
        first = start - self._ahead_start
        if first < 0 or first + size > len(self._ahead):
            follows = 0 <= start - self._read_to < _WINDOW_BYTES
            end = min(start + _WINDOW_BYTES, self._written) if follows else 0
            self._ahead, self._ahead_start, first = self.read(start, max(size, end - start)), start, 0
        self._read_to = start + size
        return self._ahead[first : first + size]


class SpilledText:
    """A text in a `Spill`."""

    __slots__ = ("_size", "_spill", "_start")

    def __init__(self, spill: Spill, start: int, size: int) -> None:
        self._spill, self._start, self._size = spill, start, size

    def read(self) -> str:
        return self._spill.text(self._start, self._size)


class SpilledBytes:
    """Bytes in a `Spill`, with the methods of `bytes` that are used."""

    def __init__(self, spill: Spill, start: int, end: int) -> None:
        self._spill, self._start, self._size = spill, start, end - start
        self._window, self._window_start = b"", 0

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, span: slice, /) -> bytes:
        start, end, _ = span.indices(self._size)
        first, last = start - self._window_start, end - self._window_start
        if 0 <= first <= last <= len(self._window):  # nearly always, because records are read in sequence
            return self._window[first:last]
        return self._read(start, max(0, end - start))

    def find(self, sub: bytes, start: int = 0, /) -> int:
        if start >= self._window_start:
            position = self._window.find(sub, start - self._window_start)
            if position >= 0:
                return self._window_start + position
        while start < self._size:
            offset = self._at(start, len(sub))
            position = self._window.find(sub, offset)
            if position >= 0:
                return self._window_start + position
            end = self._window_start + len(self._window)
            if end >= self._size:
                break
            start = end - len(sub) + 1
        return -1

    def startswith(self, prefix: bytes, /) -> bool:
        return self[: len(prefix)] == prefix

    def endswith(self, suffix: bytes, /) -> bool:
        return self[max(0, self._size - len(suffix)) :] == suffix

    def __eq__(self, other: object) -> bool:
        return is_same_content(self, other) if isinstance(other, (bytes, SpilledBytes)) else NotImplemented

    def __hash__(self) -> int:
        return hash((id(self._spill), self._start, self._size))

    def store_text(self, text: str) -> SpilledText:
        return self._spill.put_text(text)

    def store_chunks(self, chunks: Iterable[bytes]) -> SpilledBytes:
        return self._spill.put(chunks)

    def _read(self, start: int, size: int) -> bytes:
        if size >= _CHUNK_BYTES:
            return self._spill.read(self._start + start, min(size, self._size - start))
        offset = self._at(start, size)
        return self._window[offset : offset + size]

    def _at(self, start: int, size: int) -> int:
        """Return the position of bytes within the window. The window is moved if they are outside it. Most reading
        goes from record to record, some of it backwards."""
        end = min(start + size, self._size)
        if start < self._window_start or end > self._window_start + len(self._window):
            back = start < self._window_start <= end + _CHUNK_BYTES
            first = max(0, end - _CHUNK_BYTES) if back else start
            self._window = self._spill.read(self._start + first, min(_CHUNK_BYTES, self._size - first))
            self._window_start = first
        return start - self._window_start


def spill_stream(stream: BinaryIO, size: int | None = None) -> bytes | SpilledBytes:
    """Return everything in a stream: in memory, or in a file if it is large. `size`: the number of bytes, if known."""
    if size is not None and size < LARGE:
        return stream.read()
    head = stream.read(LARGE) if size is None else b""
    if size is None and len(head) < LARGE:
        return head
    return Spill().put(chain([head], iter(partial(stream.read, _CHUNK_BYTES), b"")))


def spill_chunks(chunks: Iterable[bytes]) -> bytes | SpilledBytes:
    """Return the chunks joined: in memory, or in a file if they are large."""
    head: list[bytes] = []
    size = 0
    remaining = iter(chunks)
    for chunk in remaining:
        head.append(chunk)
        size += len(chunk)
        if size >= LARGE:
            return Spill().put(chain(head, remaining))
    return b"".join(head)


def _spill_folder() -> str | None:
    """Return the folder for large files: `/tmp` is in memory on many machines, `/var/tmp` is not."""
    chosen = any(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    return "/var/tmp" if not chosen and os.access("/var/tmp", os.W_OK) else None
