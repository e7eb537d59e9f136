"""Statements of SQL that change something, and what they change."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from compactor_cli.text.cached import remembered
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later

_LONGEST = 50_000
"""Characters of a script that is taken apart."""
_STATEMENT_WIDTH = 110
_PIECE = compiled_later(
    r"(?P<body>\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)|(?P<quoted>'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`)|"
    r"(?P<comment>--[^\n]*|/\*.*?\*/)|(?P<end>;)|[^'\"`$;/-]+|.",
    re.DOTALL,
)
_QUOTED = "'\"`[]"
_NAME = r"(?P<name>(?:[\"`\[][^\"`\]\n]+[\"`\]]|[^\s\"`\[(;,])+)"
_THERE = r"(?:if\s+(?:not\s+)?exists\s+)?"
_KIND = (
    r"(?:(?:unique|materialized|foreign|unlogged|external|constraint|fulltext|event|global)\s+)*(?P<kind>database|domain|"
    r"extension|function|index|keyspace|policy|procedure|publication|role|rule|schema|sequence|server|subscription|"
    rf"synonym|table|tablespace|trigger|type|user|view|warehouse)\s+(?:concurrently\s+)?{_THERE}(?:only\s+)?{_NAME}"
)
_OF_TABLES = ("trigger", "policy", "rule")
"""What has a name of its own for each table."""
_ON = compiled_later(rf"\bon\s+(?:only\s+)?{_NAME}", re.IGNORECASE)
_COLUMN = rf"\s+(?P<does>add|drop|alter|modify|change)\s+(?:column\s+)?{_THERE}(?P<column>[\w\"`]+)"
_ALTERED = compiled_later(
    rf"(?:^|,)\s*(?P<does>add|drop|alter|modify|change)\s+(?:column\s+)?{_THERE}(?P<column>[\w\"`]+)", re.IGNORECASE
)
"""What is done to each of several columns."""
_TABLE = rf"(?:table\s+)?{_THERE}(?:only\s+)?{_NAME}"
_CHANGES = (
    rf"(?P<verb>create)(?P<anew>\s+or\s+\w+)?\s+{_KIND}",
    rf"(?P<verb>(?P<ends>drop))\s+{_KIND}",
    rf"(?P<verb>alter)\s+{_KIND}(?:{_COLUMN})?",
    rf"(?P<verb>(?P<ends>truncate))\s+{_TABLE}",
    rf"(?P<verb>(?P<rows>insert))(?:\s+(?:or\s+)?\w+)??\s+into\s+{_TABLE}",
    rf"(?P<verb>(?P<rows>replace|merge))\s+into\s+{_TABLE}",
    rf"(?P<verb>(?P<rows>update))\s+(?:only\s+)?{_NAME}(?:\s+(?:as\s+)?\w+)??\s+set\b",
    rf"(?P<verb>(?P<rows>delete))\s+from\s+(?:only\s+)?{_NAME}",
    rf"(?P<verb>refresh)\s+materialized\s+view\s+(?:concurrently\s+)?{_NAME}",
    rf"(?P<verb>comment)\s+on\s+\w+\s+{_NAME}",
    rf"(?P<verb>(?P<rows>copy))\s+{_NAME}(?:\s*\([^)]*\))?\s+from\b",
    rf"(?P<verb>grant|revoke)\s+[^;]+?\s(?:to|from)\s+{_NAME}",
)
_WITH = r"with\b.*?\b(?=(?:insert\s+into|update\s+(?:only\s+)?[\w.\"]+\s+set|delete\s+from)\b)"
"""What stands before a statement that uses the rows of queries."""
_CHANGE = tuple(compiled_later(rf"(?:{_WITH})?{change}", re.IGNORECASE | re.DOTALL) for change in _CHANGES)
_FIRST_WORD = compiled_later(
    r"\s*(?:create|drop|alter|truncate|insert|replace|merge|update|delete|refresh|comment|copy|grant|revoke|with)\b",
    re.IGNORECASE,
)
_FOR_CLIENT = compiled_later(r"(?:\s*\\[^\n]*\n)+")
"""Lines that a client of a database reads itself."""
_OPEN_BODY = compiled_later(r"\s*create\b[^…]*\b(?:function|procedure|trigger|event)\b[^…]*\bbegin\b", re.IGNORECASE)
"""A statement whose body has statements of its own, without quotes around it."""
_BEGINS = compiled_later(r"\s*(?:begin|start\s+transaction)\b", re.IGNORECASE)
_TAKEN_BACK = compiled_later(r"\s*(?:rollback|abort)\s*(?:work|transaction)?\s*$", re.IGNORECASE)


class SqlChange(Struct, frozen=True):
    """A statement that changes something."""

    text: str
    """On one line, without the bodies of functions."""
    verb: str
    name: str
    """What it changes, in small letters."""
    kind: str = ""
    """Of what kind that is, where the statement says so."""
    part: str = ""
    """The columns of it."""
    ends: bool = False
    """What it names is no more afterwards, or has no rows."""
    anew: bool = False
    """It stands for what was there under the name."""
    rows: bool = False
    """It changes rows."""


@remembered
def sql_changes(script: str) -> tuple[SqlChange, ...]:
    """Return the statements of a script that change something. None where it takes them back in the end; where it takes
    back what an earlier one began, that is what it changes."""
    if len(script) > _LONGEST:
        return ()
    statements = list(_statements(script))
    if any(map(_TAKEN_BACK.match, statements)):
        return () if any(map(_BEGINS.match, statements)) else (SqlChange("rollback", "rollback", ""),)
    whole = next((at for at, statement in enumerate(statements) if _OPEN_BODY.match(statement)), len(statements))
    return tuple(filter(None, map(sql_change, statements[: whole + 1])))


def sql_change(statement: str) -> SqlChange | None:
    """Return what a statement changes; nothing for one that only looks, or sets something for the session."""
    statement = _FOR_CLIENT.sub("", statement.strip(), count=1).strip()
    if not _FIRST_WORD.match(statement):
        return None
    found = next(filter(None, (pattern.match(statement) for pattern in _CHANGE)), None)
    if found is None:
        return None
    groups = found.groupdict("")
    on = _ON.search(statement) if groups.get("kind", "").lower() in _OF_TABLES else None
    altered = list(_ALTERED.finditer(statement[found.start("does") :].partition(";")[0])) if groups.get("does") else []
    return SqlChange(
        one_line(statement, _STATEMENT_WIDTH),
        groups["verb"].lower(),
        _plain(groups["name"]) + (f" on {_plain(on['name'])}" if on else ""),
        kind=groups.get("kind", "").lower(),
        part=" ".join(_plain(each["column"]) for each in altered),
        ends=bool(groups.get("ends")) or {each["does"].lower() for each in altered} == {"drop"},
        anew=bool(groups.get("anew")),
        rows=bool(groups.get("rows")),
    )


def _plain(name: str) -> str:
    return name.translate(dict.fromkeys(map(ord, _QUOTED))).lower()


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script, without comments, and without what stands in the bodies of functions."""
    parts: list[str] = []
    for piece in _PIECE.finditer(script):
        if piece["end"]:
            yield "".join(parts)
            parts = []
        elif piece["body"]:
            parts.append("…")
        else:
            parts.append(" " if piece["comment"] else piece.group())
    yield "".join(parts)
