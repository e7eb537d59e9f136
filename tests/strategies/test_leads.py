"""What a quoted line is of: a price in a list of flights stands behind its own flight, in JSON and in lists."""

from __future__ import annotations

import json
import re

import pytest

from compactor_cli.text.scopes import parent_items
from compactor_cli.text.units import json_members
from tests.features.sessions import Told
from tests.pipeline.sessions import Json, assistant, compact, result, user

FLIGHTS = [f"HAT{n}" for n in range(301, 325)]
PRICE_OF = {f"{9_000 + 13 * n}": flight for n, flight in enumerate(FLIGHTS)}


def as_json() -> str:
    flights = [
        {
            "flight_number": flight,
            "status": f"available at gate {flight[3:]}-{price[-2:]} of the south hall",
            "seats": {"economy": f"{n} seats in the rows of {price[-3:]}", "business": f"{n} seats at the front"},
            "prices": {
                "basic": f"fare_{n}_basic_of_all_days",
                "economy": int(price),
                "rules": f"fare_rules_{price}.txt",
            },
        }
        for n, (price, flight) in enumerate(PRICE_OF.items())
    ]
    return json.dumps({"date": "2026-05-20", "flights": flights})


def as_list() -> str:
    return "These are the flights:\n\n" + "\n".join(
        f"{n}. **{flight}** to Oslo\n   - Gate: {flight[3:]}-{price[-2:]} in the south hall, behind control two\n"
        f"   - Rules: fare_rules_{price}.txt, which hold for all seats of the economy class\n   - Price: {price}"
        for n, (price, flight) in enumerate(PRICE_OF.items())
    )


def session(said: list[Json]) -> list[Json]:
    asks = [f"fare_rules_{price}.txt" for price in list(PRICE_OF)[3:20:2]]
    checks = [
        record
        for n, name in enumerate(asks)
        for record in (
            assistant(None, (f"r{n}", "Read", {"path": name})),
            result(f"r{n}", "\n".join(f"rule {n}.{at} holds from day {at} on" for at in range(40))),
        )
    ]
    return [user("Find a flight to Oslo, and read the rules of its fare."), *said, *checks]


def wrong(text: str) -> list[str]:
    """Prices that stand behind another flight, or behind none."""
    found, flight = [], ""
    for match in re.finditer(r"HAT\d{3}|\b9\d{3}\b", text):
        if match[0].startswith("HAT"):
            flight = match[0]
        elif PRICE_OF[match[0]] != flight:
            found.append(match[0])
    return found


@pytest.mark.parametrize("kind", ["json", "list"])
def test_a_price_stands_behind_its_own_flight(kind: str) -> None:
    told = 0
    for ratio in (0.06, 0.1, 0.15, 0.2, 0.3, 0.4):
        if kind == "json":
            records = session([assistant("I look for it.", "f1"), result("f1", as_json())])
        else:
            records = session([assistant(as_list())])
        part = compact(records, strategy="adaptive", target_ratio=ratio)
        texts = [m.text() for m in part.messages if m.origin == "summary"]
        quoted = [line for text in texts for line in re.split(r"\n(?=#\d)", text) if "HAT" in line]
        told += len(quoted)
        assert [line for text in quoted if (line := wrong(text))] == []
    assert told > 2


def test_members_of_json_tell_which_object_they_are_of() -> None:
    text = as_json()
    told = {text[m.start : m.end]: [text[start:end] for start, end in m.leads] for m in json_members(text)}
    rules = {own: leads for own, leads in told.items() if "fare_rules" in own and "flight" not in own}
    assert len(rules) == len(FLIGHTS)
    for own, leads in rules.items():
        price = own[own.index("fare_rules_") + 11 :][:4]
        assert leads == [f'"flight_number": "{PRICE_OF[price]}"', '"prices": ']


def test_an_object_in_a_list_stays_whole_up_to_a_long_line() -> None:
    flight = {"flight_number": "HAT276", "date": "2024-05-21", "price": 117, "origin": "SEA", "destination": "JFK"}
    note = {"flight_number": "HAT279", "note": "the first of the day", "gate": "B12 in the south hall, behind control"}
    text = json.dumps({"reservation_id": "BOH180", "flights": [flight, {**note, "seats": 31}, flight]})
    units = [text[member.start : member.end] for member in json_members(text)]
    assert units.count(json.dumps(flight)) == 2  # 102 characters
    assert not any(json.dumps(note)[:-1] in unit for unit in units)  # of 134 characters: taken apart


def test_inner_items_of_a_list_belong_to_the_item_around_them() -> None:
    text = "1. first\n   - a\n     - b\n   - c\n\n2. second\n   - d\n- e\nno item\n  - f"
    of = {text[at + 2]: text[start:end] for at, (start, end) in parent_items(text).items()}
    assert of == {"a": "1. first", "b": "- a", "c": "1. first", "d": "2. second"}


def test_a_row_of_a_table_that_stands_alone_has_the_first_row_before_it():
    table = "| | Barn on the hill | House by the lake | Tannery |\n|---|---|---|---|\n"
    rows = [f"| Cost of the {n}th year there | {n}1,800 | {n}2,500 | {n}4,200 |" for n in range(9)]
    told = Told(user("Look."), assistant(f"Side by side:\n\n{table}" + "\n".join(rows) + "\n\nWhich one?"))
    line = next(n for n, text in enumerate(told.texts) if rows[5] in text)
    head = "| | Barn on the hill | House by the lake | Tannery |\n|---|---|---|---|\n"
    assert told.lines.context(line) == f"{head}…\n"
    assert told.lines.context(line - 5) == head, "no row is left out before the first one"
    assert told.lines.context(line, line - 1) == "", "the row before it has it"


def test_a_row_stands_in_its_table_and_not_on_the_line_of_the_first_row() -> None:
    rows = [f"| 2{n}.03 | 7:{n:02} | 13{n}/8{n} | 6{n} |" for n in range(9)]
    table = "\n".join(["| Day | Hour | Pressure | Pulse |", "|---|---|---|---|", *rows])
    talk = [user("Please keep my table of pressures."), assistant(f"Noted, as you asked:\n\n{table}\n\nAny more?")]
    talk += [user(f"No. On the {n}th my aunt came to tea and brought two cakes.") for n in range(4, 9)]
    lines = [
        line
        for ratio in (0.3, 0.4, 0.5, 0.6, 0.7)
        for message in compact(talk, strategy="adaptive", target_ratio=ratio).messages
        for line in message.text().split("\n")
        if "/8" in line
    ]
    assert lines
    assert [line for line in lines if "Pressure" in line] == []
