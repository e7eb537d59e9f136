"""The header of a table is not quoted without a row, and a row brings it."""

from __future__ import annotations

from compactor_cli.strategies.shared.selection import Selector, densest_lines
from tests.builders import call, calling_message, user
from tests.builders import result as answers
from tests.features.sessions import Told

HEADER = "table_schema_of_tides | table_name_of_harbor | column_name_of_gate | data_type_of_level | updated_at_of_all"
ROWS = [f"public_of_all_the_tides_{n} | harbor_{n} | gate_{n} | integer of eight bytes, and {n} more" for n in range(9)]


def told() -> Told:
    table = "\n".join([HEADER, HEADER.translate({at: "-" for at in range(33, 124) if at != ord("|")}), *ROWS])
    asked = '{"sql": "select column_name_of_gate from columns"}'
    return Told(
        user("Look."), calling_message(call("c1", "psql", asked)), answers("c1", table.replace("- | -", "--+--"))
    )


def test_a_header_is_chosen_with_a_row_only() -> None:
    lines = told().lines
    header, *others = lines.of_message(2)
    row = next(line for line in others if "harbor_4" in lines.text(line))
    assert lines.text(header).startswith("table_schema_of_tides")
    assert header not in densest_lines(lines, 10_000)
    selector = Selector(lines, lambda _: 1.0, len)
    selector.take(row)
    assert [*selector.taken] == [header, row]


def headed(*table: str) -> list[tuple[str, str]]:
    """The lines with letters of a result, each with the header it is quoted with."""
    lines = Told(
        user("Look."), calling_message(call("c1", "query", '{"sql": "x"}')), answers("c1", "\n".join(table))
    ).lines
    scopes = [(line, lines.scope(line)) for line in lines.of_message(2) if lines.has_words(line)]
    return [(lines.text(line).split()[1], lines.text(scope).split()[1] if scope >= 0 else "") for line, scope in scopes]


def row(*cells: str) -> str:
    return "| " + " | ".join(f"{cell:<40}" for cell in cells) + " |"


def test_a_row_is_quoted_with_the_header_of_its_own_table() -> None:
    rule = row("", "", "").replace(" ", "-").replace("|", "+")
    first = [rule, row("gate", "level", "of"), rule, row("a7", "high", "x"), row("b7", "low", "x"), rule]
    second = [rule, row("cost", "quay", "of"), rule, row("c7", "rent", "x"), rule, "2 rows in set, all of them now"]
    own = [("gate", ""), ("a7", "gate"), ("b7", "gate"), ("cost", ""), ("c7", "cost"), ("rows", "")]
    assert headed(*first, *second) == own
    assert headed(*first, "", *second) == own


def test_a_header_and_its_rule_are_one_line() -> None:
    lines = told().lines
    header, following, *_ = lines.of_message(2)
    assert lines.text(header).split("\n")[1].strip("-+") == ""
    assert "harbor_0" in lines.text(following)
    assert lines.headers == {header}
