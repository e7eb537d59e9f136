"""Task lists that an agent keeps as a table in its own database: rows that are added, changed and deleted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from compactor_cli.text.patterns import compiled_later

TOOL = "sql"
"""The tool for the agent's own database; tools for a project's database have longer names."""
_TABLE = r"[\"`]?todos[\"`]?"
_LITERAL = compiled_later(r"'((?:[^']|'')*)'")
_HELD = compiled_later("\x00(\\d+)\x00")
"""Placeholder for a literal while a statement is parsed."""
_INSERT = compiled_later(rf"(?:INSERT|REPLACE)\b[\w\s]*?\bINTO\s+{_TABLE}\s*\(([^)]*)\)\s*VALUES\s*(.*)", re.I | re.S)
_UPDATE = compiled_later(rf"UPDATE\s+{_TABLE}\s+SET\s(.*?)(?:\sWHERE\s(.*))?$", re.I | re.S)
_DELETE = compiled_later(rf"DELETE\s+FROM\s+{_TABLE}(?:\s+WHERE\s+(.*))?$", re.I | re.S)
_ROW = compiled_later(r"\(([^()]*)\)")
_WHERE = compiled_later(r"\s*(id|status)\s*(?:=|IN\b)\s*\(?([^()]*)\)?\s*$", re.I)
_COMMENT = compiled_later(r"--[^\n]*")


class RowChange(Struct, frozen=True):
    """A change to the rows of a table of tasks."""

    values: dict[str, str]
    """Column -> new value."""
    adds: bool = False
    deletes: bool = False
    column: str = ""
    """The column that selects rows; "" for all rows."""
    among: tuple[str, ...] = ()
    """The values of that column in the selected rows."""


def row_changes(script: str) -> Iterator[RowChange]:
    """Yield the changes that the statements of a script make to the table of tasks, in order. Statements that only
    look, or have an unknown form, are skipped."""
    literals: list[str] = []

    def hold(match: re.Match[str]) -> str:
        literals.append(match.group(1).replace("''", "'"))
        return f"\x00{len(literals) - 1}\x00"

    for statement in _COMMENT.sub("", _LITERAL.sub(hold, script)).split(";"):
        yield from _changes(statement.strip(), literals)


def _changes(statement: str, literals: list[str]) -> Iterator[RowChange]:
    if added := _INSERT.match(statement):
        columns = [name.strip('"` \n\t').lower() for name in added[1].split(",")]
        for row in _ROW.findall(added[2]):
            yield RowChange(dict(zip(columns, _values(row, literals), strict=False)), adds=True)
    elif changed := _UPDATE.match(statement):
        pairs = (part.partition("=") for part in changed[1].split(","))
        values = {name.strip().lower(): _value(value, literals) for name, mark, value in pairs if mark}
        yield from _where(changed[2], RowChange(values), literals)
    elif deleted := _DELETE.match(statement):
        yield from _where(deleted[1], RowChange({}, deletes=True), literals)


def _where(condition: str | None, change: RowChange, literals: list[str]) -> Iterator[RowChange]:
    """Yield a change limited to the rows of a condition; nothing if the condition has an unknown form."""
    if condition is None:
        yield change
    elif found := _WHERE.match(condition):
        among = tuple(_values(found[2], literals))
        yield RowChange(change.values, deletes=change.deletes, column=found[1].lower(), among=among)


def _values(row: str, literals: list[str]) -> list[str]:
    return [_value(value, literals) for value in row.split(",")]


def _value(text: str, literals: list[str]) -> str:
    held = _HELD.fullmatch(text.strip())
    return literals[int(held[1])] if held else text.strip()
