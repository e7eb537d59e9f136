"""Task lists that an agent keeps as a table in its own database: rows that are added, changed and deleted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from compactor_cli.text.patterns import compiled_later

SQL_TOOL = "sql"
"""The tool for the agent's own database; tools for a project's database have longer names."""
_TASK_TABLE = r"[\"`]?todos[\"`]?"
_LITERAL = compiled_later(r"'((?:[^']|'')*)'")
_PLACEHOLDER = compiled_later("\x00(\\d+)\x00")
"""Placeholder for a literal while a statement is parsed."""
_INSERT = compiled_later(
    rf"(?:INSERT|REPLACE)\b[\w\s]*?\bINTO\s+{_TASK_TABLE}\s*\(([^)]*)\)\s*VALUES\s*(.*)", re.I | re.S
)
_UPDATE = compiled_later(rf"UPDATE\s+{_TASK_TABLE}\s+SET\s(.*?)(?:\sWHERE\s(.*))?$", re.I | re.S)
_DELETE = compiled_later(rf"DELETE\s+FROM\s+{_TASK_TABLE}(?:\s+WHERE\s+(.*))?$", re.I | re.S)
_ROW = compiled_later(r"\(([^()]*)\)")
_CONDITION = compiled_later(r"\s*(id|status)\s*(?:=|IN\b)\s*\(?([^()]*)\)?\s*$", re.I)
_COMMENT = compiled_later(r"--[^\n]*")


class RowChange(Struct, frozen=True):
    """A change to the rows of a table of tasks."""

    values: dict[str, str]
    """Column -> new value."""
    adds: bool = False
    deletes: bool = False
    column: str = ""
    """The column that selects rows; "" for all rows."""
    selected_values: tuple[str, ...] = ()
    """The values of that column in the selected rows."""


def row_changes(script: str) -> Iterator[RowChange]:
    """Yield the changes that the statements of a script make to the table of tasks, in order. Statements that only
    look, or have an unknown form, are skipped."""
    literals: list[str] = []

    def hold(literal: re.Match[str]) -> str:
        literals.append(literal.group(1).replace("''", "'"))
        return f"\x00{len(literals) - 1}\x00"

    for statement in _COMMENT.sub("", _LITERAL.sub(hold, script)).split(";"):
        yield from _statement_changes(statement.strip(), literals)


def _statement_changes(statement: str, literals: list[str]) -> Iterator[RowChange]:
    if added := _INSERT.match(statement):
        columns = [name.strip('"` \n\t').lower() for name in added[1].split(",")]
        for row in _ROW.findall(added[2]):
            yield RowChange(dict(zip(columns, _values(row, literals), strict=False)), adds=True)
    elif changed := _UPDATE.match(statement):
        pairs = (part.partition("=") for part in changed[1].split(","))
        values = {name.strip().lower(): _value(value, literals) for name, has_value, value in pairs if has_value}
        yield from _limited_change(changed[2], RowChange(values), literals)
    elif deleted := _DELETE.match(statement):
        yield from _limited_change(deleted[1], RowChange({}, deletes=True), literals)


def _limited_change(condition: str | None, change: RowChange, literals: list[str]) -> Iterator[RowChange]:
    """Yield a change limited to the rows of a condition; nothing if the condition has an unknown form."""
    if condition is None:
        yield change
    elif match := _CONDITION.match(condition):
        selected_values = tuple(_values(match[2], literals))
        yield RowChange(change.values, deletes=change.deletes, column=match[1].lower(), selected_values=selected_values)


def _values(row: str, literals: list[str]) -> list[str]:
    return [_value(value, literals) for value in row.split(",")]


def _value(text: str, literals: list[str]) -> str:
    placeholder = _PLACEHOLDER.fullmatch(text.strip())
    return literals[int(placeholder[1])] if placeholder else text.strip()
