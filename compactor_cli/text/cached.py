"""Remembering what was found in texts that several stages ask about, one after the other."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

_ROOM = 64_000_000
"""Bytes of texts that are remembered: those of any session that is held in memory, and no more of one that is not."""
T = TypeVar("T")


def remembered(find: Callable[[str], T]) -> Callable[[str], T]:
    """A function that knows what `find` gave for the last texts."""
    known: OrderedDict[str, T] = OrderedDict()
    used = 0

    def finding(text: str) -> T:
        nonlocal used
        if text in known:
            return known[text]
        found = known[text] = find(text)
        used += sys.getsizeof(text)
        while used > _ROOM:
            used -= sys.getsizeof(known.popitem(last=False)[0])
        return found

    return finding
