"""Which of many known beginnings a file has, in one pass over it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def prefix_digests(pieces: Iterable[bytes], sizes: Iterable[int]) -> dict[int, str]:
    """Return SHA-256 of the first `size` bytes of the joined pieces, for each size that they reach."""
    wanted = iter(sorted(set(sizes)))
    digests: dict[int, str] = {}
    hashed, hashed_size = hashlib.sha256(), 0
    size = next(wanted, None)
    for piece in pieces:
        view, offset = memoryview(piece), 0
        while size is not None and size <= hashed_size + len(piece):
            hashed.update(view[offset : size - hashed_size])
            offset = size - hashed_size
            digests[size] = hashed.copy().hexdigest()
            size = next(wanted, None)
        hashed.update(view[offset:])
        hashed_size += len(piece)
    if size == 0:
        digests[0] = hashed.hexdigest()
    return digests
