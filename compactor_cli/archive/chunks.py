"""Split a file into pieces whose borders depend on its content, so that successive states of a session share most
pieces."""

from __future__ import annotations

import hashlib
from itertools import pairwise

from compactor_cli.model.content import ContentChunks
from compactor_cli.model.transcript import Source

RECORDS_PER_CHUNK = 16
"""A piece ends after about one in this many records, depending on the record's digest."""
MAX_CHUNK_BYTES = 64 * 1024
"""Piece size in bytes; a piece ends after the record that reaches it."""


def cut_chunks(source: Source) -> ContentChunks:
    """Return a file in pieces. Borders are before records, and only a record itself decides whether a piece ends after
    it, so that the same records are split alike in every file. A packed file is split at fixed sizes."""
    if source.packed:
        return ContentChunks(source.packed, range(MAX_CHUNK_BYTES, len(source.packed), MAX_CHUNK_BYTES))
    data = source.data
    spans = sorted((record.start, record.end) for transcript in source.transcripts for record in transcript.records)
    borders: list[int] = []
    begin = 0
    for (start, end), (following, _) in pairwise(spans):
        ends_chunk = hashlib.sha256(data[start:end]).digest()[0] % RECORDS_PER_CHUNK == 0
        if ends_chunk or following - begin >= MAX_CHUNK_BYTES:
            borders.append(following)
            begin = following
    return ContentChunks(data, borders)
