"""Blocks of content that say nothing: where a target has no place for them they are left out, and that is told."""

from __future__ import annotations

import pytest

from compactor_cli.converting import TARGETS
from tests.builders import user
from tests.converting.builders import convert_one, count_losses, read_source


@pytest.mark.parametrize("block", [None, "", {"type": "note", "content": ""}, {"type": "text", "text": " "}])
def test_a_block_without_a_word_ends_no_conversion(block):
    source = read_source({"role": "user", "content": [block]}, user("Go on."))
    for name in TARGETS:
        made = convert_one(source, name, cwd="/p")
        assert b"Go on." in made.data
        assert count_losses(made).get(("empty_texts", "left_out"), 1) == 1
    assert count_losses(convert_one(source, "sharegpt"))["empty_texts", "left_out"] == 1
