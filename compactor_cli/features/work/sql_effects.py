"""What SQL statements did to a database. They are arguments of calls, or run by a client in a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.effects import Effect, failure_text, reason
from compactor_cli.features.work.json_results import result_members, says_failed, stated_error
from compactor_cli.features.work.result_outcomes import awaits_consent, result_outcome
from compactor_cli.features.work.sql_statements import SqlChange, sql_change, sql_changes
from compactor_cli.features.work.tool_names import LOOKING, is_trial_call, tool_words
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_KEYS = ("sql", "sql_query", "sqlQuery", "sql_statement", "statement", "statements", "ddl", "query", "queries")
_DATABASES = word_set(
    "sql sqlite sqlite3 psql postgres postgresql mysql mariadb db database bigquery snowflake redshift duckdb "
    "clickhouse oracle mssql"
)
"""Words in names of tools whose query is an SQL statement."""
_NOT_EXECUTING_WORDS = LOOKING - {"query"} | word_set(
    "format lint parse explain translate convert beautify generate build plan dry docs doc"
)
"""Words in names of tools that do not execute any statement they are given."""
_DATABASE_ARGUMENT = compiled_later(r"[A-Za-z][\w.@-]{0,39}")
"""An argument that selects one of several databases."""
_MAX_DATABASE_ARGUMENTS = 2
_CHANGE_LINE = compiled_later(
    r"(\S+(?: [A-Za-z][\w.@-]{0,39}){0,2}?) ((?:create|drop|alter|truncate|insert|replace|merge|update|"
    r"delete|refresh|comment|copy|grant|revoke|with)\b.*)",
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
_COMMAND_TAG = compiled_later(
    r"^[ \t]*((?:CREATE|ALTER|DROP)(?: [A-Z]+){0,3}|TRUNCATE TABLE|REFRESH MATERIALIZED VIEW|COMMENT|"
    r"(?:GRANT|REVOKE)(?: ROLE)?|ROLLBACK|INSERT \d+ (?P<put>\d+)|(?:MERGE|UPDATE|DELETE|COPY) (?P<rows>\d+))[ \t]*$",
    re.MULTILINE,
)
"""What PostgreSQL prints for a statement that it executed."""
_ROW_COUNT = compiled_later(r"\b(\d+) rows? affected", re.IGNORECASE)
_ROW_COUNT_KEYS = ("rowCount", "row_count", "rowsAffected", "rows_affected", "affectedRows", "affected_rows", "changes")
_BARE_SUCCESS = compiled_later(
    r"\s*(?:ok|null|commit|\[\s*\]|\{\s*\}|\(?(?:bash completed with )?no output\)?|"
    r"(?:query|statement|command|sql)(?: was)? executed successfully)?\.?\s*",
    re.IGNORECASE,
)
"""Results that only say that a statement was executed."""
_SKIPPED = compiled_later(r"\bskipping\b")
_NO_ROWS = compiled_later(r"\b0 rows\b", re.IGNORECASE)
_ROLLBACK_TAG = compiled_later(r"^[ \t]*ROLLBACK[ \t]*$", re.MULTILINE)
_MAX_FAILED_CHARS = 160
_MAX_BRIEF_CHARS = 200
"""Maximum length of a result that only states the outcome of a statement."""
_ROWS_PHRASE = compiled_later(r"(?:\w+[:.]? ){0,3}[1-9][\d,. ]* rows?\b", re.IGNORECASE)
_ASKS = compiled_later(r"(?:(?:^|;)\s*(?:select|show|explain|describe|pragma|values)|\breturning)\b", re.IGNORECASE)
"""A statement whose result contains rows."""
_RETURNING = compiled_later(r"\breturning\b", re.IGNORECASE)
"""With this word, any text may occur in the rows of a result."""


def sql_script(tool: str, arguments: Any) -> str:
    """Return the SQL statements in a tool call; "" if there are none."""
    words = tool_words(tool)
    if not isinstance(arguments, dict) or is_trial_call(arguments) or not _NOT_EXECUTING_WORDS.isdisjoint(words):
        return ""
    for value in map(arguments.get, _KEYS[:1] if _DATABASES.isdisjoint(words) else _KEYS):
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            return ";\n".join(value)
    return ""


def tool_sql_effects(call: ToolCall) -> Iterator[Effect]:
    """Yield the effects of the SQL statements in a tool call."""
    script = sql_script(call.tool, call.arguments)
    if not script:
        return
    values = (value for value in call.arguments.values() if isinstance(value, str))
    database_values = (value for value in values if value != script and _DATABASE_ARGUMENT.fullmatch(value))
    shown_values = islice(database_values, _MAX_DATABASE_ARGUMENTS)
    yield from sql_effects(call, " ".join([call.tool, *shown_values]), script, done=not call.failed)


def sql_effects(
    call: ToolCall, database: str, script: str, *, done: bool | None, alone: bool = True
) -> Iterator[Effect]:
    """Yield the effects of the statements of a script. `database`: the client and the database; `done`: whether the
    call, or the step of a shell, took effect, if known; `alone`: whether the result belongs to this script only.
    Yield nothing if the result confirms neither success nor failure, or only repeats the statements."""
    changes, output = sql_changes(script), call.output
    if not changes or "".join(output.split()) == "".join(script.split()):
        return
    waiting = result_outcome(output, "", (script,)) if awaits_consent(output) and not call.undecided else None
    if waiting and waiting.kind == "waits" and len(output) <= _MAX_BRIEF_CHARS:
        text = one_line(f"{database} {'; '.join(change.text for change in changes)}", _MAX_FAILED_CHARS)
        yield Effect(text, f"{database} {changes[0].key}", False, waiting_for=waiting.words)
        return
    error = _ERROR.search(output)
    tags = list(_matching_tags(changes, output))
    rolled_back = _ROLLBACK_TAG.search(output) and changes[0].verb != "rollback"
    has_failed = (
        call.undecided
        or done is False
        or (alone and not _RETURNING.search(script) and (error or _states_error(output)))
    )
    if done and not rolled_back and are_all_executed(output, [script]):
        yield from (Effect(f"{database} {change.text}", f"{database} {change.key}", True) for change in changes)
    elif has_failed and len(tags) < len(changes):
        # earlier statements may have been rolled back with the failed one, later ones may not have run
        failed = changes[len(tags) :][: 1 if tags else None]
        text = one_line(f"{database} {'; '.join(change.text for change in failed)}", _MAX_FAILED_CHARS)
        why = "" if call.undecided else failure_text(error.group()) if error else reason(call) or stated_error(output)
        yield Effect(text, f"{database} {failed[0].key}", False, why, is_unfinished=call.undecided)


def are_all_executed(output: str, scripts: Sequence[str]) -> bool:
    """Return whether a result shows that all statements of all scripts of a command were executed: by its tags, by
    the numbers of rows, or in a line that says so."""
    changes = [change for script in scripts for change in sql_changes(script)]
    tags = list(_matching_tags(changes, output))
    if len(tags) == len(changes):
        has_error = _ERROR.search(output) and not any(map(_RETURNING.search, scripts))
        return all(int(tag["put"] or tag["rows"] or 1) for tag in tags) and not (has_error or _SKIPPED.search(output))
    if _ERROR.search(output) or _COMMAND_TAG.search(output) or _NO_ROWS.search(output):
        return _BARE_SUCCESS.fullmatch(output) is not None
    members = result_members(output)
    counts = [int(count) for count in _ROW_COUNT.findall(output)]
    counts += [count for count in map(members.get, _ROW_COUNT_KEYS) if type(count) is int]
    if counts:
        return all(counts)
    if any(members.get(key) is True for key in ("success", "ok")) or members.get("status") in ("ok", "success"):
        return True
    return _BARE_SUCCESS.fullmatch(output) is not None or _is_brief(output, "".join(scripts))


def _parse_change_line(text: str) -> tuple[str, SqlChange] | None:
    """Return the client and database, and the statement, from an effect's text; None for other effects."""
    match = _CHANGE_LINE.match(text)
    change = sql_change(match[2]) if match else None
    return (match[1], change) if match and change else None


def sql_key(text: str) -> str:
    """Return what a later success has to share with a failed change, from its text; "" for other effects."""
    parsed = _parse_change_line(text)
    return f"{parsed[0]} {parsed[1].key}" if parsed else ""


def _matching_tags(changes: Sequence[SqlChange], output: str) -> Iterator[re.Match[str]]:
    """Yield the tags in a result for the changes, in order, up to the first change without one."""
    tags = _COMMAND_TAG.finditer(output)
    for change in changes:
        tag = next((tag for tag in tags if tag[1].split(" ")[0].lower() == change.verb), None)
        if tag is None:
            return
        yield tag


def _is_brief(output: str, script: str) -> bool:
    """Return whether a result is one line that says that it was done, or for how many rows, and reports no error."""
    text = output.strip()
    if "\n" in text or len(text) > _MAX_BRIEF_CHARS or text[:1] in ("[", "{") or _ASKS.search(script):
        return False
    kind = result_outcome(text, "", ()).kind
    return kind == "done" or (kind == "" and _ROWS_PHRASE.match(text) is not None)


def _states_error(output: str) -> bool:
    is_brief = len(output) <= _MAX_BRIEF_CHARS and not output.lstrip().startswith("[") and not _NO_ROWS.search(output)
    if is_brief and result_outcome(output, "", ()).kind == "failed":
        return True
    return says_failed(output) or str(result_members(output).get("status")).lower() in ("error", "failed")
