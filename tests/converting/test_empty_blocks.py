"""Blocks of content that say nothing: where a target has no place for them they are left out, and that is told."""

from __future__ import annotations

import pytest

from compactor_cli.converting import TARGETS
from tests.builders import user
from tests.converting.builders import converted, losses, source_of


@pytest.mark.parametrize("block", [None, "", {"type": "note", "content": ""}, {"type": "text", "text": " "}])
def test_a_block_without_a_word_ends_no_conversion(block):
    source = source_of({"role": "user", "content": [block]}, user("Go on."))
    for name in TARGETS:
        made = converted(source, name, cwd="/p")
        assert b"Go on." in made.data
        assert losses(made).get(("empty_texts", "left_out"), 1) == 1
    assert losses(converted(source, "sharegpt"))["empty_texts", "left_out"] == 1
