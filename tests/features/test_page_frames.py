"""What several pages have around them is shown of the first one; files, commands and errors stay as they are."""

from __future__ import annotations

import pytest

from tests.builders import call, calling_message, user
from tests.builders import result as answers
from tests.features.sessions import Told

HEAD = ["Home | Products | Careers of the harbor", "Code TIDE30 gives a third off all gates this week"]
FOOT = ["Share it by mail, by post, by pigeon", "Prices are net. Harbor SE, Quay 14"]


def silent(
    times: int,
    tool: str = "open_page",
    asked: str = '{"page": "%d"}',
    foot: list[str] = FOOT,
    said: str = "",
    own: int = 12,
) -> list[int]:
    """How many lines of each page are not shown."""
    pages = [
        (
            calling_message(call(f"c{n}", tool, asked % n)),
            answers(
                f"c{n}",
                "\n".join(
                    [HEAD[0], said or HEAD[1], *(f"gate_{n}_{at} of the page is high" for at in range(own)), *foot]
                ),
            ),
        )
        for n in range(times)
    ]
    pieces = Told(user("Look."), *(message for page in pages for message in page)).lines.session.pieces
    return [len(piece.outdated_lines) for piece in pieces if piece.text.startswith(HEAD[0])]


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
        (calling_message(call(f"c{n}", "list_gates", "{}")), answers(f"c{n}", "\n".join([*rows, f"gate 30 is at {n}"])))
        for n in range(4)
    ]
    pieces = Told(user("Look."), *(message for one in told for message in one)).lines.session.pieces
    assert [len(piece.outdated_lines) for piece in pieces if piece.text.startswith(rows[0])] == [0, 0, 0, 0]


def test_a_page_of_one_long_line_has_a_frame_and_one_of_a_short_line_none() -> None:
    def silent_with(said: str) -> list[int]:
        told = [
            (
                calling_message(call(f"c{n}", "open_page", "{}")),
                answers(f"c{n}", "\n".join([*HEAD, f"{said} {n}", *FOOT, "End"])),
            )
            for n in range(4)
        ]
        pieces = Told(user("Look."), *(message for one in told for message in one)).lines.session.pieces
        return [len(piece.outdated_lines) for piece in pieces if piece.text.startswith(HEAD[0])]

    assert silent_with("The gate of the harbor is high, and the quay is dry. " * 6) == [0, 5, 5, 5]
    assert silent_with("The gate is high.") == [0, 0, 0, 0]


def test_a_result_of_a_few_lines_and_one_that_failed_have_no_frame() -> None:
    assert silent(4, foot=[], own=3) == [0, 0, 0, 0]
    assert silent(4, foot=[], own=4) == [0, 2, 2, 2]
    failed = [
        ["Failed to open the gate of the harbor", *(f"gate_{n}_{at} is shut" for at in range(9))] for n in range(4)
    ]
    assert shown(*failed) == failed


def test_a_frame_is_of_a_few_lines() -> None:
    foot = [f"Way {n} out of the harbor" for n in range(20)]
    assert silent(4, foot=foot, own=40) == [0, 10, 10, 10]


def lines_of_record(at: int, status: str, ship: str) -> list[str]:
    return [
        f"Gate {at}",
        f"opened by ship {at * 7}",
        "of the harbor of Rotterdam",
        ship,
        status,
        f"seen {at} times",
        f"bill {at * 31}",
    ]


def shown(*results: list[str]) -> list[list[str]]:
    """The lines of each result that are not taken for a frame."""
    told = [
        (calling_message(call(f"c{n}", "get_gate", f'{{"id": {n}}}')), answers(f"c{n}", "\n".join(lines)))
        for n, lines in enumerate(results)
    ]
    pieces = Told(user("Look."), *(message for one in told for message in one)).lines.session.pieces
    answered = [piece for piece in pieces if piece.text in {"\n".join(lines) for lines in results}]
    return [
        [line for at, line in enumerate(piece.text.split("\n")) if at not in piece.outdated_lines] for piece in answered
    ]


def test_what_records_have_alike_between_lines_of_their_own_is_no_frame() -> None:
    records = [lines_of_record(n, "lost at sea", "Kiwi of the north") for n in range(1, 5)]
    assert shown(*records) == records


@pytest.mark.parametrize(
    "value",
    [
        "status: lost at sea",
        "- **Status:** lost at sea",
        "状态：丢失",
        "status=lost",
        '"status": "lost",',
        "| lost | at sea |",
        "lost\tat sea",
        "lost    at sea",
        "status of gate => lost",
    ],
)
@pytest.mark.parametrize("behind", [False, True])
def test_a_value_is_shown_of_each_result_and_so_is_what_stands_behind_it(value: str, behind: bool) -> None:
    frame = [HEAD[0], value, "in the north"]
    results = [[f"gate_{n}_{at} of it is high" for at in range(9)] for n in range(4)]
    results = [[*own, *reversed(frame)] if behind else [*frame, *own] for own in results]
    assert shown(*results) == [results[0], *([line for line in own if line != HEAD[0]] for own in results[1:])]


def test_what_two_results_share_further_on_is_not_of_the_frame_of_all() -> None:
    results = [
        [HEAD[0], "in the north" if n % 2 else "in the south", HEAD[1], *(f"gate_{n}_{at}" for at in range(9))]
        for n in range(4)
    ]
    assert shown(*results) == [results[0], *(own[1:] for own in results[1:])]
