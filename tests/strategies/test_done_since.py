"""A call that an earlier summary quotes as failed, and that was made again since, is not told as still to do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli.model.pairing import pair
from compactor_cli.strategies.shared.quoted_lines import Quoter
from compactor_cli.strategies.shared.selection import ChosenLine
from compactor_cli.summary_text.excerpts import quote
from tests.builders import call, calling, user
from tests.builders import result as answers
from tests.features.sessions import Told

ROWS = 'rows= … ["11/11/2026",1503,"625","Policy F-2240","9,00"],["27/11/2026",1504,"430","Returned F-0392"] …'
ENTRIES: list[list[object]] = [
    ["11/11/2026", 1503, "625", "Policy F-2240", "9,00"],
    ["27/11/2026", 1504, "430", "Returned F-0392", ""],
]
FAILED, OVER = "earlier #48 write_rows failed: ", "earlier #48 write_rows failed, passed since: "


def heading(*later: tuple[Any, ...], quoted: str = ROWS, tool: str = "write_rows") -> str:
    """What stands before the quote of a failed call behind later calls: tools, arguments and results."""
    summary = user(f"## Session Summary of #1-52\n#47 user: enter them\n#48 {tool} failed: {quoted}\n#49 → locked")
    records = [user("Book it."), summary, user("It is open now, again please.")]
    for at, (name, arguments, said) in enumerate(later):
        records += [calling(call(f"c{at}", name, json.dumps(arguments))), answers(f"c{at}", said)]
    told = Told(*records)
    quoter = Quoter(told.messages, told.lines, len, pair(told.messages))
    place = next(at for at, message in enumerate(told.messages) if message.origin == "summary")
    lines = [ChosenLine(line, 1.0, 1) for line in told.lines.of_message(place)]
    text = quote(quoter.excerpts(lines))
    return next(line for line in text.split("\n") if line.startswith(f"earlier #48 {tool}"))


@pytest.mark.parametrize(
    "arguments",
    [
        {"book": "2026", "rows": ENTRIES},
        {"book": "2026", "rows": [*ENTRIES, ["25/11/2026", 1505, "440", "Twice", "302,50"]]},
        {"book": "2026", "rows": [ENTRIES[1], ENTRIES[0]]},
    ],
)
def test_what_was_done_since_is_not_told_as_failed_only(arguments: dict[str, object]) -> None:
    assert heading(("write_rows", arguments, '{"ok": true}')).startswith(OVER)


@pytest.mark.parametrize(
    "later",
    [
        (),
        (("write_rows", {"rows": ENTRIES[:1]}, '{"ok": true}'),),  # one of both
        (("write_rows", {"rows": [["25/11/2026", 1505, "440", "Twice", "302,50"]]}, '{"ok": true}'),),
        (("write_rows", {"rows": ENTRIES}, '{"error": "The period is locked."}'),),
        (("read_rows", {"rows": ENTRIES}, '{"ok": true}'),),  # another tool
        (("write_rows", {"rows": [[*ENTRIES[0][:3], "9,10"], ENTRIES[1]]}, '{"ok": true}'),),  # another amount
        (("write_rows", {"rows": [row[:3] for row in ENTRIES]}, '{"ok": true}'),),
    ],
)
def test_what_was_not_done_is_still_told_as_failed(later: tuple[Any, ...]) -> None:
    assert heading(*later).startswith(FAILED)


def test_words_too_few_to_tell_calls_apart_say_nothing() -> None:
    click = ("click", {"ref": "e207"}, "ok")
    assert heading(click, quoted="ref=e207", tool="click").startswith("earlier #48 click failed: ")


def test_of_commands_the_state_says_what_came_of_them() -> None:
    command = "pytest -q tests/test_a1.py tests/test_b2.py"
    again = ("bash", {"command": f"{command} | tail -3"}, "2 failed")
    assert heading(again, quoted=command, tool="bash").startswith("earlier #48 bash failed: ")


def test_a_call_before_the_summary_does_nothing_over() -> None:
    records = [user("Book it."), calling(call("c0", "write_rows", json.dumps({"rows": ENTRIES}))), answers("c0", "{}")]
    records += [user(f"## Session Summary of #1-52\n#48 write_rows failed: {ROWS}\n#49 → locked"), user("And?")]
    told = Told(*records)
    quoter = Quoter(told.messages, told.lines, len, pair(told.messages))
    place = next(at for at, message in enumerate(told.messages) if message.origin == "summary")
    text = quote(quoter.excerpts([ChosenLine(line, 1.0, 1) for line in told.lines.of_message(place)]))
    assert FAILED in text
