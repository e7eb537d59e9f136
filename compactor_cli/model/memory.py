"""Memories: what is worth knowing beyond the session that it was said in (seed 003)."""

from __future__ import annotations

import hashlib
import unicodedata
from typing import Literal, get_args

from msgspec import Struct

Category = Literal["observation", "learning", "preference", "fact", "correction"]
CATEGORIES: tuple[str, ...] = get_args(Category)

COMPACTION, EXTRACTED = "compaction", "smart-extracted"
"""Tags of memories that were extracted when a transcript was compacted."""


class MemorySource(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a memory was said."""

    transcript: str = ""
    """Path of the file; empty for a memory that was added by hand."""
    session: str = ""
    """The format's session id; empty where it has none."""
    messages: tuple[int, ...] = ()
    ids: tuple[str, ...] = ()
    """The messages' ids in the format."""


class Memory(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One statement that stands alone. The order of the fields is that of a line of an export."""

    text: str
    category: str
    """One of CATEGORIES."""
    importance: float
    """0 to 100."""
    confidence: float
    """0 to 1: how sure whoever extracted it is that it is worth remembering, and of its category."""
    tags: tuple[str, ...] = ()
    sources: tuple[MemorySource, ...] = ()
    created: float
    """Seconds since 1970, UTC: when it was remembered."""
    used: float | None = None
    """When it was last recalled; None when it never was."""
    uses: int = 0
    pinned: bool = False
    decayed: float | None = None
    """Up to when decay has lowered its importance; None when it never did."""

    @property
    def digest(self) -> str:
        """SHA-256 of what it says; white space, Unicode's form of letters and one final stop do not matter."""
        text = " ".join(unicodedata.normalize("NFC", self.text).split()).removesuffix(".")
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def id(self) -> str:
        """`mem_` and the first 12 hex digits of its digest: the same memory has the same id everywhere."""
        return f"mem_{self.digest[:12]}"
