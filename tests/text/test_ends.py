"""Both ends of a long text."""

from __future__ import annotations

import pytest

from compactor_cli.text.clean import both_ends


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("abc", "abc"),
        ("abcde", "abcde"),
        ("abcdef", "abc\nef"),
        ("abcdefghij", "abc\nij"),
    ],
)
def test_a_longer_text_than_both_ends_has_a_gap_between_them(text: str, expected: str) -> None:
    assert both_ends(text, 3, 2) == expected
