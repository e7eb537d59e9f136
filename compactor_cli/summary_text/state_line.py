"""Facts about the state of the work, as values."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Kind = Literal["task", "error", "effect", "check", "file", "pending"]


class StateLine(Struct, frozen=True):
    """One fact about the state, readable alone."""

    kind: Kind
    text: str
    """One line, without bullet and without numbers of messages."""
    message: int
    """Index of the newest message that it stands on; -1 when it was carried over from an earlier round."""
    open: bool = False
    """Still to be done or mended."""
    times: int = 1
    """Calls that came out so, one after the other; `text` says how many where there are several."""
