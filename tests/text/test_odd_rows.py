"""Which rows of an output differ from all others in what these agree in."""

from __future__ import annotations

import json

import pytest

from compactor_cli.text.odd_rows import odd_rows

NAMES = ("harbor", "quay", "pier", "crane", "barge", "lock", "dredge", "tug", "buoy", "mole")


def table(parted: str, usual: str, odd: str, at: int = 6) -> list[str]:
    return [parted.join((name, odd if n == at else usual, f"{n * 7 + 3}s")) for n, name in enumerate(NAMES)]


@pytest.mark.parametrize("parted", ["  ", "\t", " | ", ","])
@pytest.mark.parametrize(("usual", "odd"), [("OK", "FAILED"), ("erledigt", "offen"), ("成功", "失败"), ("0", "137")])
def test_the_row_whose_cell_differs_is_found(parted: str, usual: str, odd: str) -> None:
    lines = ["Steps of the night:", *table(parted, usual, odd), "10 steps"]
    assert odd_rows(lines) == [7]


def test_a_header_is_no_row() -> None:
    header = ["step  state  time", "----  -----  ----"]
    assert odd_rows([*header, *table("  ", "ok", "broken")]) == [8]
    assert odd_rows([*header, *table("  ", "ok", "ok")]) == []


def test_the_record_whose_member_differs_is_found() -> None:
    records = [{"id": f"job-{n}", "state": "late" if n == 4 else "done", "took": n * 3} for n in range(9)]
    assert odd_rows([json.dumps(record) for record in records]) == [4]
    lines = json.dumps(records, indent=1).split("\n")
    assert [lines[at].strip() for at in odd_rows(lines)] == ['"state": "late",']


def test_rows_whose_others_agree_most_come_first() -> None:
    rows = [f"{name}{n}\t{'b' if n in (2, 5) else 'a'}\t{'y' if n == 8 else 'x'}" for n, name in enumerate(NAMES * 2)]
    assert odd_rows(rows) == [8, 2, 5]


@pytest.mark.parametrize(
    "lines",
    [
        table("  ", "OK", "OK"),  # all agree
        table("  ", "OK", "FAILED")[5:],  # too few to say what is usual
        [f"{name}  {'OK' if n % 2 else 'FAILED'}  {n}s" for n, name in enumerate(NAMES)],  # two kinds
        [f"{name}  {'FAILED' if n < 6 else 'OK'}  {n}s" for n, name in enumerate(NAMES * 3)],  # six differ
        [f"{name}  {name}-{n}  {n}s" for n, name in enumerate(NAMES)],  # no column agrees
        [f"row  {'b' if n == 3 else 'a'}  of the table" for n in range(10)],  # nothing tells the rows apart
        [f"{name} was loaded by the crane at {n}." for n, name in enumerate(NAMES)],  # prose
        [f"    {name} = load({n}, {'None' if n == 3 else 'True'})" for n, name in enumerate(NAMES)],  # code
        [f"{n}\t    return total" for n in range(10)],  # the same line of a file, with its number
        [f"{name}  {'' if n == 3 else 'ok'}  {n}s" for n, name in enumerate(NAMES)],  # an empty cell
        [f"| {name} | --- | {n} |" for n, name in enumerate(NAMES)],  # a rule
        [json.dumps([{"a": 1, "b": n} for n in range(4)])] * 8,  # several records a line
        [f"{name}  {'x' * 60 if n == 2 else 'ok'}  {n}s" for n, name in enumerate(NAMES)],  # a text, no state
        [f'"{name}": "ok",' for name in NAMES],  # members of one record
        [],
    ],
)
def test_what_looks_alike_is_none(lines: list[str]) -> None:
    assert odd_rows(lines) == []
