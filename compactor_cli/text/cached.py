"""Cache results for texts that several stages ask about in turn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

_MAX_CACHED_CHARS = 16_000_000
"""Maximum total length of cached texts; the texts of a session may be too large for memory."""
T = TypeVar("T")


def cache_by_text(compute: Callable[[str], T]) -> Callable[[str], T]:
    """Return a function that caches the results of `compute`; the oldest results are dropped first."""
    results: OrderedDict[str, T] = OrderedDict()
    cached_chars = 0

    def cached(text: str) -> T:
        nonlocal cached_chars
        if text in results:
            return results[text]
        result = results[text] = compute(text)
        cached_chars += len(text)
        while cached_chars > _MAX_CACHED_CHARS:
            cached_chars -= len(results.popitem(last=False)[0])
        return result

    return cached
