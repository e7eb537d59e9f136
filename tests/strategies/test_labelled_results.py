"""A quoted result says of which call it is, unless that call is quoted right above it."""

from __future__ import annotations

import json

import pytest

from compactor_cli.features.call_lines import call_label
from compactor_cli.model.message import Part
from compactor_cli.model.pairing import pair_calls
from compactor_cli.strategies.shared.quoted_lines import Quoter
from compactor_cli.strategies.shared.selection import ChosenLine
from compactor_cli.summary_text.excerpts import quote
from tests.builders import call, calling_message, result, user
from tests.features.sessions import Told

NORTH, SOUTH = (f"harbors/of/the/{side}/with/many/berths/and/long/quays/tides_{side}.py" for side in ("north", "south"))


def read(name, path, **more):
    return call(name, "Read", json.dumps({"path": path, **more}))


def quoted(*records):
    told = Told(user("Mend it."), *records)
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    chosen = [ChosenLine(line, 1.0, 1) for line in range(len(told.lines)) if told.lines.message_of(line)]
    return [line for line in quote(quoter.excerpts(chosen)).split("\n") if line.startswith("#")]


def test_results_of_parallel_calls_say_of_which_call_they_are():
    both = calling_message(read("n", NORTH), read("s", SOUTH))
    assert quoted(both, result("n", "def high():\n    up()"), result("s", "def low():\n    down()")) == [
        "#2 Read …/quays/tides_north.py → def high():",
        "#3 Read …/quays/tides_south.py → def low():",
    ]


def test_a_call_right_above_its_result_is_no_label():
    assert quoted(calling_message(read("n", NORTH)), result("n", "def high():\n    up()")) == [
        f"#1 Read: path={NORTH}",
        "#2 → def high():",
    ]


@pytest.mark.parametrize("limit", [30, 4])
def test_a_call_that_says_more_than_the_label_is_quoted(limit):
    both = calling_message(read("n", "tides_4.py", limit=limit), read("s", SOUTH))
    lines = quoted(both, result("n", "def high():\n    up()"), result("s", "def low():\n    down()"))
    assert lines[0] == f"#1 Read: path=tides_4.py limit={limit}"
    assert lines[1:] == ["#2 Read tides_4.py → def high():", "#3 Read …/quays/tides_south.py → def low():"]


@pytest.mark.parametrize(
    ("tool", "arguments", "label"),
    [
        ("Grep", {"pattern": "tide_level", "path": NORTH}, "Grep tide_level …/quays/tides_north.py"),
        ("Grep", {"pattern": "tide|" * 9, "path": NORTH}, f"Grep {'tide|' * 8} …/tides_north.py"),
        ("Grep", {"pattern": "tide_level"}, "Grep tide_level"),
        ("search", {"query": "tides of the north"}, "search tides of the north"),
        ("Read", {"path": NORTH, "limit": 3}, "Read …/quays/tides_north.py"),
        ("Bash", {"command": f"cat {NORTH}"}, f"Bash {f'cat {NORTH}'[:60]}"),
    ],
)
def test_the_label_of_a_search_says_what_was_looked_for(tool, arguments, label):
    assert call_label(Part("tool_call", json.dumps(arguments), 9, name=tool)) == label
