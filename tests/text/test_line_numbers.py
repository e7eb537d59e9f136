"""Numbers of lines are told from sizes, counts and items of lists."""

from __future__ import annotations

import pytest

from compactor_cli.text.line_prefixes import has_ascending_numbers, is_numbered, without_numbers

FILE = "".join(f"{n:6}→line {n}\n" for n in range(98, 112))


@pytest.mark.parametrize(
    ("text", "numbered", "ascending"),
    [
        (FILE, True, True),
        (FILE.replace("→", "\t"), True, True),
        ("1471:    def load(self):\n1472:        return 3\n", True, True),
        ("00011| a\n00012| b\n", True, True),
        ("36→a\n44→b\n51→c\n57→d\n", False, True),  # an earlier round left lines out
        ("259\t./a\n340\t./b\n12\t./c\n", False, False),
        ("12\t./a\n44\t./b\n340\t./c\n", False, True),
        ("10:30:12 started\n10:30:13 stopped\n", False, False),
        ("one line\nanother\n", False, False),
    ],
)
def test_lines_are_numbered_where_the_numbers_follow_one_another(text: str, numbered: bool, ascending: bool) -> None:
    assert (is_numbered(text), has_ascending_numbers(text)) == (numbered, ascending)


def test_where_numbers_jump_there_is_a_gap_without_them() -> None:
    assert without_numbers("36→a\n37→b\n40→c\n", "… ") == "a\nb\n… c\n"
    assert without_numbers("00036| a\n00040| c\n", "… ") == "a\n… c\n"
    assert without_numbers("36→a\n40→c\n", "") == "a\nc\n"
    assert without_numbers("10:30 is when it starts", "… ") == "10:30 is when it starts"
