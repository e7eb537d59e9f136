"""A file cut into pieces whose borders depend on what is in them: a session that grows shares most of them."""

from __future__ import annotations

import hashlib
from itertools import pairwise

from compactor_cli.model.content import Pieces
from compactor_cli.model.transcript import Source

EVERY = 16
"""A piece ends behind one in this many records, as the record's digest has it."""
LARGE = 64 * 1024
"""Bytes from which a piece ends behind the record that reached them."""


def cut(source: Source) -> Pieces:
    """Return the bytes of a file in pieces: put one behind the other, they are the file.

    Borders lie before records. What stands between records, or behind the last, goes with the record before
    it; what stands before the first goes with that. Whether a piece ends behind a record depends on the record
    alone as long as pieces are small, so the same records are cut in the same way in every file. A packed file has
    no such borders.
    """
    if source.packed:
        return Pieces(source.packed, range(LARGE, len(source.packed), LARGE))
    data = source.data
    spans = sorted((record.start, record.end) for transcript in source.transcripts for record in transcript.records)
    borders: list[int] = []
    begin = 0
    for (start, end), (following, _) in pairwise(spans):
        if _ends(data[start:end]) or following - begin >= LARGE:
            borders.append(following)
            begin = following
    return Pieces(data, borders)


def _ends(record: bytes) -> bool:
    return hashlib.sha256(record).digest()[0] % EVERY == 0
