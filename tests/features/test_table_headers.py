"""The header of a table is not quoted without a row, and a row brings it."""

from __future__ import annotations

from compactor_cli.strategies.shared.selection import Selector, densest
from tests.builders import call, calling, user
from tests.builders import result as answers
from tests.features.sessions import Told

HEADER = "table_schema_of_tides | table_name_of_harbor | column_name_of_gate | data_type_of_level | updated_at_of_all"
ROWS = [f"public_of_all_the_tides_{n} | harbor_{n} | gate_{n} | integer of eight bytes, and {n} more" for n in range(9)]


def told() -> Told:
    table = "\n".join([HEADER, HEADER.translate({at: "-" for at in range(33, 124) if at != ord("|")}), *ROWS])
    asked = '{"sql": "select column_name_of_gate from columns"}'
    return Told(user("Look."), calling(call("c1", "psql", asked)), answers("c1", table.replace("- | -", "--+--")))


def test_a_header_is_chosen_with_a_row_only() -> None:
    lines = told().lines
    header, *others = lines.of_message(2)
    row = next(line for line in others if "harbor_4" in lines.text(line))
    assert lines.text(header).startswith("table_schema_of_tides")
    assert header not in densest(lines, 10_000)
    selector = Selector(lines, lambda _: 1.0, len)
    selector.take(row)
    assert [*selector.taken] == [header, row]
