"""What SQL statements did to a database. They are arguments of calls, or run by a client in a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.effects import Effect, reason, with_alike
from compactor_cli.features.work.json_results import result_members, says_failed, stated_error
from compactor_cli.features.work.result_outcomes import awaits_consent, outcome_of
from compactor_cli.features.work.sql_statements import SqlChange, sql_change, sql_changes
from compactor_cli.features.work.tool_names import LOOKING, only_tries, tool_words
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.secret_values import is_key, is_secret
from compactor_cli.text.shell import word_set

_KEYS = ("sql", "sql_query", "sqlQuery", "sql_statement", "statement", "statements", "ddl", "query", "queries")
_DATABASES = word_set(
    "sql sqlite sqlite3 psql postgres postgresql mysql mariadb db database bigquery snowflake redshift duckdb "
    "clickhouse oracle mssql"
)
"""Words in names of tools whose query is an SQL statement."""
_LOOKS = LOOKING - {"query"} | word_set(
    "format lint parse explain translate convert beautify generate build plan dry docs doc"
)
"""Words in names of tools that do not execute any statement they are given."""
_PLACE = compiled_later(r"[A-Za-z][\w.@-]{0,39}")
"""An argument that selects one of several databases."""
_MOST_PLACES = 2
_TOLD = compiled_later(
    r"(\S+(?: [A-Za-z][\w.@-]{0,39}){0,2}?) ((?:create|drop|alter|truncate|insert|replace|merge|update|"
    r"delete|refresh|comment|copy|grant|revoke|with|rollback)\b.*)",
    re.IGNORECASE,
)
"""How a change is reported: the client, the database, and the statement."""
_ERROR = compiled_later(
    r"^[ \t]*(?:psql:[^\n]*?:\d+: )?(?:ERROR|FATAL|PANIC|[Ee]rror)(?: \d+ \([^)\n]*\)[^:\n]*)?:\s+\S[^\n]*|"
    r"^psql: error[^\n]*|^(?:Parse|Runtime) error\b[^\n]*|^ORA-\d+[^\n]*|^Msg \d+, Level [^\n]*|"
    r"^[\w.]{0,80}?(?:Sql|SQL|Programming|Operational|Integrity)\w{0,40}(?:Error|Exception)\b[^\n]*|"
    r"^SQL compilation error[^\n]*|"
    r"^[^\n]{0,80}\bnear \"[^\"\n]*\": syntax error|^You have an error in your SQL syntax[^\n]*|"
    r"^[^\n]{0,80}\b(?:cannot execute \w+ |permission denied|read-only (?:transaction|database|mode|connection))[^\n]*",
    re.MULTILINE,
)
"""How databases say that a statement failed."""
_TAG = compiled_later(
    r"^[ \t]*((?:CREATE|ALTER|DROP)(?: [A-Z]+){0,3}|TRUNCATE TABLE|REFRESH MATERIALIZED VIEW|COMMENT|"
    r"(?:GRANT|REVOKE)(?: ROLE)?|ROLLBACK|INSERT \d+ (?P<put>\d+)|(?:MERGE|UPDATE|DELETE|COPY) (?P<rows>\d+))[ \t]*$",
    re.MULTILINE,
)
"""What PostgreSQL prints for a statement that it executed."""
_GIVES_ROWS = compiled_later(r"\b(?:select|returning|output)\b", re.IGNORECASE)
_COUNT = compiled_later(r"\b(\d+) rows? affected", re.IGNORECASE)
_COUNTS = ("rowCount", "row_count", "rowsAffected", "rows_affected", "affectedRows", "affected_rows", "changes")
_QUERY_OK = compiled_later(r"^Query OK\b(?!.*warning)", re.MULTILINE)
_ALL_WELL = compiled_later(
    r"\s*(?:ok|null|\[\s*\]|\{\s*\}|\(?(?:bash completed with )?no output\)?|"
    r"(?:query|statement|command|sql)(?: was)? executed successfully)?\.?\s*",
    re.IGNORECASE,
)
"""Results that only say that a statement was executed."""
_NOT_THERE = compiled_later(r"\bskipping\b")
_NO_ROWS = compiled_later(r"\b0 rows\b", re.IGNORECASE)
_COMMITTED = compiled_later(r"^[ \t]*COMMIT[ \t]*$", re.MULTILINE)
_ROLLED_BACK = compiled_later(r"^[ \t]*ROLLBACK[ \t]*$", re.MULTILINE)
_GIVES_BACK = compiled_later(r"\breturning\b", re.IGNORECASE)
_TABLE = compiled_later(
    r"^(?P<name>[^\n]*)\n[ \t]*-+(?:\+-+)*[ \t]*\n(?P<rows>(?:(?!\()[^\n]*\n){1,200})"
    r"[ \t]*\((?P<count>[1-9]\d*) rows?\)",
    re.MULTILINE,
)
"""How PostgreSQL shows rows."""
_CELL = compiled_later(r"[\w#][\w.:/#-]{0,39}")
_MOST_RETURNED = 5
_FAILED_WIDTH = 160
_BRIEF = 200
"""Maximum length of a result that only states the outcome of a statement."""
_OF_ROWS = compiled_later(r"(?:\w+[:.]? ){0,3}[1-9][\d,. ]* rows?\b", re.IGNORECASE)
_QUERY = compiled_later(r"(?:^|;)\s*(?:select|show|explain|describe|pragma|values)\b", re.IGNORECASE)
"""A statement whose result contains rows."""


def sql_of(tool: str, arguments: Any) -> str:
    """Return the SQL statements in a tool call; "" if there are none."""
    words = tool_words(tool)
    if not isinstance(arguments, dict) or only_tries(arguments) or not _LOOKS.isdisjoint(words):
        return ""
    for value in map(arguments.get, _KEYS[:1] if _DATABASES.isdisjoint(words) else _KEYS):
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            return ";\n".join(value)
    return ""


def tool_sql_effects(call: ToolCall) -> Iterator[Effect]:
    """Yield the effects of the SQL statements in a tool call."""
    script = sql_of(call.tool, call.arguments)
    if not script:
        return
    values = (value for value in call.arguments.values() if isinstance(value, str))
    named = (value for value in values if value != script and _PLACE.fullmatch(value))
    places = islice(named, _MOST_PLACES)
    yield from sql_effects(call, " ".join([call.tool, *places]), script, done=not call.failed)


def sql_effects(call: ToolCall, place: str, script: str, *, done: bool | None, alone: bool = True) -> Iterator[Effect]:
    """Yield the effects of the statements of a script. `place`: the client and the database; `done`: whether the
    call, or the step of a shell, took effect, if known; `alone`: whether the result belongs to this script only.
    Yield nothing if the result confirms neither success nor failure, or only repeats the statements."""
    changes = sql_changes(script)
    if not changes or "".join(call.said.split()) == "".join(script.split()):
        return
    waits = outcome_of(call.said, "", (script,)) if len(call.said) <= _BRIEF and awaits_consent(call.said) else None
    if waits and waits.kind == "waits" and not call.undecided:
        text = one_line(f"{place} {'; '.join(change.text for change in changes)}", _FAILED_WIDTH)
        yield Effect(text, f"{place} {changes[0].key}", False, waits=waits.said)
        return
    error = _ERROR.search(call.said)
    if error and error.start() and not _TAG.search(call.said) and _GIVES_ROWS.search(script):
        return  # the error may be part of a row
    tags = list(_tags(changes, call.said))
    proved = len(tags) == len(changes) and (error is None or tags[-1].start() > error.start())
    if not call.undecided and (proved or (done and not error and not _states_error(call.said))):
        yield from _confirmed(call.said, place, script, changes, tags if proved else [])
    elif len(tags) < len(changes) and (
        call.undecided or done is False or (alone and (error or _states_error(call.said)))
    ):
        # earlier statements may have been rolled back with the failed one, later ones may not have run
        which = changes[len(tags) :][: 1 if tags else None]
        text = one_line(f"{place} {'; '.join(change.text for change in which)}", _FAILED_WIDTH)
        why = with_alike(call.said, error.group()) if error else reason(call) or stated_error(call.said)
        key = f"{place} {which[0].key}"
        yield Effect(text, key, False, "" if call.undecided else why, unfinished=call.undecided)


def all_confirmed(said: str, scripts: Sequence[str]) -> bool:
    """Return whether a result shows that all statements of all scripts of a command were executed."""
    changes = [change for script in scripts for change in sql_changes(script)]
    tags = list(_tags(changes, said))
    tagged = len(tags) == len(changes) and not any(map(_is_none, tags))
    return not _ERROR.search(said) and (tagged or _ALL_WELL.fullmatch(said) is not None)


def _confirmed(
    said: str, place: str, script: str, changes: Sequence[SqlChange], tags: Sequence[re.Match[str]]
) -> Iterator[Effect]:
    """Yield the effects of statements if the result confirms them: by its tags, if it has one for each statement."""
    taken_back = _ROLLED_BACK.search(said) and changes[0].verb != "rollback"
    gave = _returned(said) if _GIVES_BACK.search(script) else ""
    stays = (gave and len(changes) == 1) or (_COMMITTED.search(said) and all(_counts(said)))
    confirmed = _confirms(changes, said, only_changes=_QUERY.search(script) is None)
    if taken_back or _NOT_THERE.search(said) or not (tags or stays or confirmed):
        return
    told = (gave or _rows(said)) if sum(change.rows for change in changes) == 1 else ""
    for at, change in enumerate(changes):
        text = f"{place} {change.text}"
        if not tags or not _is_none(tags[at]):
            yield Effect(f"{text} → {told}" if told and change.rows else text, f"{place} {change.key}", True)


def told_change(text: str) -> tuple[str, SqlChange] | None:
    """Return the client and database, and the statement, from an effect's text; None for other effects."""
    told = _TOLD.match(text)
    change = sql_change(told[2]) if told else None
    return (told[1], change) if told and change else None


def sql_key(text: str) -> str:
    """Return what a later success has to share with a failed change, from its text; "" for other effects."""
    told = told_change(text)
    return f"{told[0]} {told[1].key}" if told else ""


def _tags(changes: Sequence[SqlChange], said: str) -> Iterator[re.Match[str]]:
    """Yield the tags in a result for the changes, in order, up to the first change without one."""
    found = _TAG.finditer(said)
    for change in changes:
        tag = next((tag for tag in found if tag[1].split(" ")[0].lower() == change.verb), None)
        if tag is None:
            return
        yield tag


def _is_none(tag: re.Match[str]) -> bool:
    return int(tag["put"] or tag["rows"] or 1) == 0


def _confirms(changes: Sequence[SqlChange], said: str, *, only_changes: bool) -> bool:
    """Return whether a result without tags says that statements were executed. `only_changes`: no statement of the
    script returns rows."""
    if _ALL_WELL.fullmatch(said):
        return True
    if _TAG.search(said):
        return False
    if not any(change.rows for change in changes):
        if _QUERY_OK.search(said):
            return True
    elif _NO_ROWS.search(said):
        return False
    counts = list(_counts(said))
    stated = result_members(said)
    well = any(stated.get(key) is True for key in ("success", "ok")) or stated.get("status") in ("ok", "success")
    return all(counts) if counts else well or (only_changes and _is_brief(said))


def _is_brief(said: str) -> bool:
    """Return whether a result is one line that says that it was done, or for how many rows, and reports no error."""
    text = said.strip()
    if "\n" in text or len(text) > _BRIEF or text[:1] in ("[", "{"):
        return False
    kind = outcome_of(text, "", ()).kind
    return kind == "done" or (kind == "" and _OF_ROWS.match(text) is not None)


def _states_error(said: str) -> bool:
    brief = len(said) <= _BRIEF and not said.lstrip().startswith("[") and not _NO_ROWS.search(said)
    if brief and outcome_of(said, "", ()).kind == "failed":
        return True
    return says_failed(said) or str(result_members(said).get("status")).lower() in ("error", "failed")


def _counts(said: str) -> Iterator[int]:
    """Yield the numbers of changed rows that a result states."""
    for tag in _TAG.finditer(said):
        if count := tag["put"] or tag["rows"]:
            yield int(count)
    yield from map(int, _COUNT.findall(said))
    stated = result_members(said)
    yield from (count for count in map(stated.get, _COUNTS) if type(count) is int)


def _returned(said: str) -> str:
    """Return the first column of the rows that a statement returned, which identifies them; "" if there are none."""
    table = _TABLE.search(said)
    rows = [row.split("|", 1)[0].strip() for row in table["rows"].rstrip("\n").split("\n")] if table else []
    if not table or len(rows) != int(table["count"]) or not all(map(_CELL.fullmatch, rows)):
        return ""
    if is_secret(table["name"].split("|", 1)[0].strip()) or any(map(is_key, rows)):
        return ""
    more = len(rows) - _MOST_RETURNED
    return ", ".join(rows[:_MOST_RETURNED]) + (f" and {more} more" if more > 0 else "")


def _rows(said: str) -> str:
    """Return the number of changed rows, if a result states exactly one."""
    found = list(_counts(said))
    return f"{found[0]} {'row' if found[0] == 1 else 'rows'}" if len(found) == 1 else ""
