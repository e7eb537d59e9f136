"""The content of a file: bytes in memory, or bytes that stay in a file and are read piece by piece."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Protocol, overload, runtime_checkable

_CHUNK = 1024 * 1024


class Content(Protocol):
    """What is used of the bytes of an input; `bytes` are one kind of it."""

    def __len__(self) -> int: ...

    def __getitem__(self, span: slice, /) -> bytes: ...

    def find(self, sub: bytes, start: int = 0, /) -> int: ...

    def startswith(self, prefix: bytes, /) -> bool: ...

    def endswith(self, suffix: bytes, /) -> bool: ...


class HeldText(Protocol):
    """A text that stays in a file until it is read."""

    def read(self) -> str: ...


@runtime_checkable
class Holds(Protocol):
    """Content that is too large for memory; so are the texts in it."""

    def hold(self, text: str) -> HeldText:
        """Put a text where the content is."""

    def put(self, chunks: Iterable[bytes]) -> Content:
        """Put further content there."""


class Pieces(Sequence[bytes]):
    """Content cut into pieces, which are read when they are looked at."""

    def __init__(self, content: Content, borders: Sequence[int]) -> None:
        """`borders`: where pieces begin, behind the first one."""
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


def in_pieces(content: Content) -> Pieces:
    """Return all of it, in pieces of at most a megabyte."""
    return Pieces(content, range(_CHUNK, len(content), _CHUNK))


def joined(content: Content, chunks: Iterable[bytes]) -> Content:
    """Return further content, where this one is: in memory, or in its file."""
    return content.put(chunks) if isinstance(content, Holds) else b"".join(chunks)


def sha256(content: Content) -> str:
    """Return its SHA-256 as hex digits."""
    digest = hashlib.sha256()
    for chunk in in_pieces(content):
        digest.update(chunk)
    return digest.hexdigest()


def is_same(first: Content, second: Content) -> bool:
    """Return whether both are the same bytes."""
    if first is second or len(first) != len(second):
        return first is second
    return all(a == b for a, b in zip(in_pieces(first), in_pieces(second), strict=True))


def in_memory(content: Content) -> bytes:
    """Return all of it as bytes."""
    return content if isinstance(content, bytes) else content[0 : len(content)]
