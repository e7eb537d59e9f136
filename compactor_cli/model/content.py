"""The content of a file: either bytes in memory, or bytes that stay in a file and are read piece by piece."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Protocol, overload, runtime_checkable

_CHUNK_BYTES = 1024 * 1024


class Content(Protocol):
    """The operations that the package uses on the bytes of an input. `bytes` itself satisfies this protocol."""

    def __len__(self) -> int: ...

    def __getitem__(self, span: slice, /) -> bytes: ...

    def find(self, sub: bytes, start: int = 0, /) -> int: ...

    def startswith(self, prefix: bytes, /) -> bool: ...

    def endswith(self, suffix: bytes, /) -> bool: ...


class FileText(Protocol):
    """A text that stays in a file until it is read."""

    def read(self) -> str: ...


@runtime_checkable
class FileContent(Protocol):
    """Content too large for memory. Its texts also stay in the file."""

    def store_text(self, text: str) -> FileText:
        """Store a text next to the content."""

    def store_chunks(self, chunks: Iterable[bytes]) -> Content:
        """Store more content next to this content."""


class ContentChunks(Sequence[bytes]):
    """Content split into pieces; each piece is read only when it is accessed."""

    def __init__(self, content: Content, borders: Sequence[int]) -> None:
        """`borders`: the offset where each piece after the first begins."""
        self._content, self._starts = content, (0, *borders)
        self._ends = (*borders, len(content))

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int, /) -> bytes: ...

    @overload
    def __getitem__(self, index: slice, /) -> list[bytes]: ...

    def __getitem__(self, index: int | slice, /) -> bytes | list[bytes]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        return self._content[self._starts[index] : self._ends[index]]


def split_chunks(content: Content) -> ContentChunks:
    """Return the whole content in pieces of at most one megabyte."""
    return ContentChunks(content, range(_CHUNK_BYTES, len(content), _CHUNK_BYTES))


def join_chunks(content: Content, chunks: Iterable[bytes]) -> Content:
    """Return the chunks joined into new content, stored where `content` is: in memory, or in its file."""
    return content.store_chunks(chunks) if isinstance(content, FileContent) else b"".join(chunks)


def sha256(content: Content) -> str:
    """Return the SHA-256 of the content in hex."""
    digest = hashlib.sha256()
    for chunk in split_chunks(content):
        digest.update(chunk)
    return digest.hexdigest()


def is_same_content(first: Content, second: Content) -> bool:
    """Return whether both contents hold the same bytes."""
    if first is second or len(first) != len(second):
        return first is second
    return all(a == b for a, b in zip(split_chunks(first), split_chunks(second), strict=True))


def read_all(content: Content) -> bytes:
    """Return the whole content as bytes."""
    return content if isinstance(content, bytes) else content[0 : len(content)]
