"""Cache results for texts that several stages ask about in turn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

_ROOM = 16_000_000
"""Maximum total length of cached texts; the texts of a session may be too large for memory."""
T = TypeVar("T")


def remembered(find: Callable[[str], T]) -> Callable[[str], T]:
    """Return a function that caches the results of `find`; the oldest results are dropped first."""
    known: OrderedDict[str, T] = OrderedDict()
    used = 0

    def cached(text: str) -> T:
        nonlocal used
        if text in known:
            return known[text]
        result = known[text] = find(text)
        used += len(text)
        while used > _ROOM:
            used -= len(known.popitem(last=False)[0])
        return result

    return cached
