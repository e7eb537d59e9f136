"""What statements of SQL did to a database: by calls whose argument they are, or by a client in a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from compactor_cli.features.work.acting_tools import only_tries, tool_words
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.effects import Effect, reason, with_alike
from compactor_cli.features.work.sql_statements import SqlChange, sql_change, sql_changes
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_SQL_KEYS = ("sql", "sql_query", "sqlQuery", "sql_statement", "statement", "statements", "ddl")
_QUERY_KEYS = ("query", "queries")
_SEARCHES = word_set("search find grep docs doc web browse lookup fetch read get list log logs code issue issues ask")
"""Words of tools whose query is no statement, whatever it says."""
_PLACE = re.compile(r"[A-Za-z][\w.@-]{0,39}")
"""An argument that says which of several databases is meant."""
_MOST_PLACES = 2
_TOLD = compiled_later(
    r"(\S+(?: [A-Za-z][\w.@-]{0,39}){0,2}?) ((?:create|drop|alter|truncate|insert|replace|merge|update|"
    r"delete|refresh|comment|copy|grant|revoke|with)\b.*)",
    re.IGNORECASE,
)
"""How a change is told: by what, in which database, and its statement."""
_ERROR = compiled_later(
    r"^(?:psql:[^\n]*?:\d+: )?(?:ERROR|FATAL|PANIC)(?: \d+ \([^)\n]*\)[^:\n]*)?:\s+\S[^\n]*|"
    r"^(?:Parse|Runtime) error\b[^\n]*|"
    r"^[\w.]*(?:Sql|SQL|Programming|Operational|Integrity)\w*(?:Error|Exception)\b[^\n]*",
    re.MULTILINE,
)
"""How databases say that a statement failed."""
_TAG = compiled_later(
    r"^(?:CREATE|ALTER|DROP|TRUNCATE|INSERT|MERGE|UPDATE|DELETE|REFRESH|COMMENT|COPY|GRANT|REVOKE)\b[A-Z ]*(?:\d+ ?)*$",
    re.MULTILINE,
)
"""What PostgreSQL says of a statement that it has carried out."""
_ROWS = compiled_later(
    r"^(?:INSERT \d+|UPDATE|DELETE|MERGE|COPY) (\d+)$|\b(\d+) rows? affected|"
    r"\"(?:row_?count|rows_?affected|affected_?rows)\"\s*:\s*(\d+)",
    re.MULTILINE | re.IGNORECASE,
)
_FAILED_WIDTH = 160


def sql_of(tool: str, arguments: Any) -> str:
    """Return the statements of SQL that a call of a tool gives; empty where it gives none."""
    if not isinstance(arguments, dict) or only_tries(arguments):
        return ""
    keys = _SQL_KEYS if _SEARCHES.intersection(tool_words(tool)) else (*_SQL_KEYS, *_QUERY_KEYS)
    for value in map(arguments.get, keys):
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            return ";\n".join(value)
    return ""


def tool_sql_effects(call: ToolCall) -> Iterator[Effect]:
    """Yield what the statements that a call of a tool gives did."""
    script = sql_of(call.tool, call.arguments)
    values = call.arguments.values() if script else ()
    named = (value for value in values if isinstance(value, str) and value != script and _PLACE.fullmatch(value))
    places = islice(named, _MOST_PLACES)
    yield from sql_effects(call, " ".join([call.tool, *places]), script, done=not call.failed)


def sql_effects(call: ToolCall, place: str, script: str, *, done: bool | None) -> Iterator[Effect]:
    """Yield what the statements of a script did. `place`: by what and in which database; `done`: whether the call, or
    the step of a shell, took effect, as far as that is known."""
    changes = sql_changes(script)
    error = _ERROR.search(call.said)
    if not changes:
        return
    if call.undecided or done is False or error:
        carried_out = len(_TAG.findall(call.said, 0, error.start())) if error else 0
        if not carried_out or carried_out < len(changes):
            # what came before the one that failed may have been taken back with it, what comes behind it may not run
            which = changes[carried_out:][: 1 if _TAG.search(call.said) else None]
            text = one_line(f"{place} {'; '.join(change.text for change in which)}", _FAILED_WIDTH)
            why = "" if call.undecided else with_alike(call.said, error.group()) if error else reason(call)
            yield Effect(text, sql_key(text) or text, False, why, unfinished=call.undecided)
    elif done:
        told = _rows(call.said) if sum(change.rows for change in changes) == 1 else ""
        for change in changes:
            text = f"{place} {change.text}"
            yield Effect(f"{text} → {told}" if told and change.rows else text, sql_key(text) or text, True)


def told_change(text: str) -> tuple[str, SqlChange] | None:
    """Return what an effect was done with and where, and the statement, of its text; nothing for other effects."""
    told = _TOLD.match(text)
    change = sql_change(told[2]) if told else None
    return (told[1], change) if told and change else None


def sql_key(text: str) -> str:
    """Return what a later success has to share with a change that failed, of its text; empty for other effects."""
    told = told_change(text)
    if told is None:
        return ""
    place, change = told
    return " ".join(filter(None, [place, change.verb, change.kind, change.name, change.part]))


def _rows(said: str) -> str:
    """Return how many rows were changed, where a result says so once."""
    found = [next(filter(None, groups)) for groups in _ROWS.findall(said)]
    return f"{found[0]} {'row' if found[0] == '1' else 'rows'}" if len(found) == 1 else ""
