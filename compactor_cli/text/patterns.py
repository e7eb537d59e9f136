"""Regular expressions that are compiled when they are used first: most sessions need few of them."""

from __future__ import annotations

import re
from typing import Any, cast


class _Later:
    """A pattern that is not compiled yet."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(re.compile(self._source, self._flags), name)
        self.__dict__[name] = attribute  # from now on it is as quick as that of a pattern
        return attribute


def compiled_later(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return what works as `re.compile(source, flags)` does, for methods and attributes."""
    return cast("re.Pattern[str]", _Later(source, flags))
