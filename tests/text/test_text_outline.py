"""What the sentences of a text stand under."""

from __future__ import annotations

import pytest

from compactor_cli.text.text_outline import outline_units
from tests.cost import count_calls


def above(text: str) -> dict[str, str]:
    """Return each sentence -> the one that it does not stay without."""
    units = outline_units(text)
    said = [text[unit.start : unit.end].strip() for unit in units]
    return {said[at]: said[unit.parent] if unit.parent >= 0 else "" for at, unit in enumerate(units)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# One\nA b c.\n## Two\nD e f.\n# Three\nG h i.\n",
            {"A b c.": "# One", "D e f.": "## Two", "G h i.": "# Three"},
        ),
        ("A list:\n- one\n- two\nAfter it.\n", {"- one": "A list:", "- two": "A list:", "After it.": ""}),
        ("A list:\n\n- one\n\nAfter it.\n", {"- one": "A list:", "After it.": ""}),
        (
            "A text:\nits line\nanother one\n\nAfter it.\n",
            {"its line": "A text:", "another one": "A text:", "After it.": ""},
        ),
        ("- one:\n- two\n", {"- two": ""}),
        ("1. one:\n- in it\n2. two\n", {"- in it": "1. one:", "2. two": ""}),
        ("- one\n  - in it\n  more of it\n- two\n", {"- in it": "- one", "more of it": "- one", "- two": ""}),
        ("open:\n  arguments:\n    - path\nfind:\n", {"arguments:": "open:", "- path": "arguments:", "find:": ""}),
        (
            "- A b: first it is. Then more of it, which is long enough to be said alone here.\n",
            {"Then more of it, which is long enough to be said alone here.": "- A b: first it is."},
        ),
        ("<one>\n# Two\nA b c.\n</one>\nD e f.\n", {"A b c.": "# Two", "D e f.": ""}),
        ("Do it.\n[… 12 characters left out · ctx_00000000]\n", {"Do it.": ""}),
    ],
)
def test_what_sentences_stand_under(text: str, expected: dict[str, str]) -> None:
    found = above(text)
    assert {said: found[said] for said in expected} == expected
    assert not any("left out" in said for said in found)


def test_a_sentence_that_speaks_of_the_one_before_it_stands_under_that() -> None:
    found = above(
        "Everything is to be read before a call of any kind. You do not need to call anything to verify this.\n"
    )
    assert found["You do not need to call anything to verify this."].startswith("Everything")
    found = above(
        "Everything is to be read before a call of any kind. Whoever calls something says so in the end of it.\n"
    )
    assert found["Whoever calls something says so in the end of it."] == ""


@pytest.mark.parametrize(
    "text",
    ["so. ", "- a b\n", "a b:\n", "  a\n", "# a\nb c\n", "<a>\n", "<a>\nb c\n</d>\n", "x\n\n"],
)
def test_reading_costs_no_more_than_the_length_of_a_text(text: str) -> None:
    def cost(count: int) -> int:
        return count_calls(lambda: outline_units(text * count))

    assert cost(3_200) < 12 * cost(400)  # quadratic would be 64 times as much
