"""What several pages have around them is shown of the first one; files, commands and errors stay as they are."""

from __future__ import annotations

import pytest

from tests.builders import call, calling, user
from tests.builders import result as answers
from tests.features.sessions import Told

HEAD = ["Home | Products | Careers of the harbor", "Code TIDE30: a third off all gates this week"]
FOOT = ["Share: by mail, by post, by pigeon", "Prices are net. Harbor SE, Quay 14"]


def silent(
    times: int, tool: str = "open_page", asked: str = '{"page": "%d"}', foot: list[str] = FOOT, said: str = ""
) -> list[int]:
    """How many lines of each page are not shown."""
    pages = [
        (
            calling(call(f"c{n}", tool, asked % n)),
            answers(
                f"c{n}",
                "\n".join(
                    [HEAD[0], said or HEAD[1], *(f"gate_{n}_{at} of the page is high" for at in range(12)), *foot]
                ),
            ),
        )
        for n in range(times)
    ]
    pieces = Told(user("Look."), *(message for page in pages for message in page)).lines.session.pieces
    return [len(piece.outdated) for piece in pieces if piece.text.startswith(HEAD[0])]


def test_the_first_page_shows_the_frame_of_all() -> None:
    assert silent(4) == [0, 4, 4, 4]


@pytest.mark.parametrize(
    ("tool", "asked"), [("Bash", '{"command": "curl x/%d"}'), ("Read", '{"path": "page_%d.html"}')]
)
def test_two_pages_commands_and_files_have_no_frame(tool: str, asked: str) -> None:
    assert silent(2) == [0, 0]
    assert silent(4, tool, asked) == [0, 0, 0, 0]
    assert silent(4, said="Process exited with code 0") == [0, 0, 0, 0]


def test_an_error_on_each_page_is_shown_of_each() -> None:
    assert silent(3, foot=["Error: the quay is closed for all ships", FOOT[1]]) == [0, 3, 3]


def test_a_list_that_is_asked_for_again_is_no_frame_of_its_news() -> None:
    rows = [f"gate {n} is high" for n in range(30)]
    told = [
        (calling(call(f"c{n}", "list_gates", "{}")), answers(f"c{n}", "\n".join([*rows, f"gate 30 is at {n}"])))
        for n in range(4)
    ]
    pieces = Told(user("Look."), *(message for one in told for message in one)).lines.session.pieces
    assert [len(piece.outdated) for piece in pieces if piece.text.startswith(rows[0])] == [0, 0, 0, 0]
