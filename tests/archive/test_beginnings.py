"""Digests of many beginnings of a file in one pass."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.archive.stored.archive_find import prefix_digests


@given(st.lists(st.binary(max_size=20)), st.lists(st.integers(0, 120)))
def test_each_digest_is_that_of_the_beginning(pieces, sizes):
    whole = b"".join(pieces)
    expected = {size: hashlib.sha256(whole[:size]).hexdigest() for size in sizes if size <= len(whole)}
    assert prefix_digests(pieces, sizes) == expected
