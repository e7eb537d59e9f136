"""Memories: facts worth knowing after the session that they come from has ended (seed 003)."""

from __future__ import annotations

import hashlib
import unicodedata
from typing import Literal, get_args

from msgspec import Struct

Category = Literal["observation", "learning", "preference", "fact", "correction"]
CATEGORIES: tuple[str, ...] = get_args(Category)

COMPACTION, EXTRACTED = "compaction", "smart-extracted"
"""Tags of memories that were extracted while a transcript was being compacted."""


class MemorySource(Struct, frozen=True, forbid_unknown_fields=True):
    """The place in a transcript that a memory comes from."""

    transcript: str = ""
    """Path of the file; empty for a memory that was added by hand."""
    session: str = ""
    """The session id in the transcript's format; empty if the format has none."""
    messages: tuple[int, ...] = ()
    ids: tuple[str, ...] = ()
    """Ids of the messages in the transcript's format."""


class Memory(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One self-contained statement. The order of the fields is the order of keys in an exported line."""

    text: str
    category: str
    """One of CATEGORIES."""
    importance: float
    """0 to 100."""
    confidence: float
    """0 to 1: how sure the extractor is of the category, and that the statement is worth remembering."""
    tags: tuple[str, ...] = ()
    sources: tuple[MemorySource, ...] = ()
    created: float
    """When the memory was created, in seconds since 1970, UTC."""
    used: float | None = None
    """When the memory was last recalled; None if never."""
    uses: int = 0
    pinned: bool = False
    decayed: float | None = None
    """The time up to which decay has been applied to the importance; None if never."""

    @property
    def digest(self) -> str:
        """SHA-256 of the text. White space, Unicode normalization and one final full stop make no difference."""
        text = " ".join(unicodedata.normalize("NFC", self.text).split()).removesuffix(".")
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def id(self) -> str:
        """`mem_` and the first 12 hex digits of the digest, so that equal memories have equal ids everywhere."""
        return f"mem_{self.digest[:12]}"
