"""The first row of a table, which says what the cells of the others are of."""

from __future__ import annotations

import pytest

from compactor_cli.text.table_headers import row_heads

TABLE = (
    "Side by side:\n\n| | Barn | House |\n|---|---|---|\n| Hire | 6,800 | 9,500 |\n| Room | 90 | 120 |\n\nWhich one?"
)


def heads(text: str) -> dict[str, str]:
    return {text[at:].partition("\n")[0].rstrip(): text[start:end] for at, (start, end) in row_heads(text).items()}


def test_each_row_is_told_by_the_first_one() -> None:
    first = "| | Barn | House |\n|---|---|---|"
    assert heads(TABLE) == {"| Hire | 6,800 | 9,500 |": first, "| Room | 90 | 120 |": first}
    assert heads(TABLE.replace("\n", "\r\n")) == {row: first.replace("\n", "\r\n") for row in heads(TABLE)}


def test_a_table_that_is_indented_and_ends_the_text() -> None:
    assert heads("  | a | b |\n  |:--|--:|\n  | 1 | 2 |") == {"| 1 | 2 |": "| a | b |\n  |:--|--:|"}


def test_a_table_that_a_summary_quotes_in_part() -> None:
    quoted = "#4: Side by side.\n… | a | b |\n |--|--|\n …\n | 1 | 2 |\n…\n | 3 | 4 |\n#5: Then | so."
    found = heads(quoted)
    assert found["| 1 | 2 |"] == found["| 3 | 4 |"] == "| a | b |\n |--|--|"


@pytest.mark.parametrize(
    "text",
    [
        "| Hire | 6,800 |\n| Room | 90 |",
        "|---|---|\n| Hire | 6,800 |",
        "| | |\n|---|---|\n| Hire | 6,800 |",
        "a | b\n--|--\n1 | 2",
        "| a | b |\n| - a | - b |\n| 1 | 2 |",
        "cat x | grep y |\n  wc -l",
        "| a | b |\n\n|---|---|\n| 1 | 2 |",
        "| a | b |\n|---|---|\nno row",
        "| a | b |\n|   |   |\n| 1 | 2 |",
        f"| {'long ' * 40}| b |\n|---|---|\n| 1 | 2 |",
    ],
)
def test_other_rows_have_none(text: str) -> None:
    assert heads(text) == {}
