"""SQL statements that change something, and what they change."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from compactor_cli.text.cached import cache_by_text
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later

_MAX_SCRIPT_CHARS = 20_000
"""Maximum length of a script that is parsed."""
_MAX_STATEMENT_CHARS = 110
_PIECE = compiled_later(
    r"(?P<body>\$(?P<tag>\w{0,60})\$.*?\$(?P=tag)\$)|(?P<quoted>'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`)|"
    r"(?P<comment>--[^\n]*|/\*.*?\*/|\\(?:timing|x|echo|pset|d\w*\+?|set ON_ERROR_STOP)\b[^\n]*)|(?P<end>;)|"
    r"(?P<unsure>\$\w{0,60}\$|/\*|['\"`\\#\[])|[^'\"`$;/\\#\[-]+|.",
    re.DOTALL,
)
"""Pieces of a script. An `unsure` piece opens something that is not closed, or has a meaning in one database only."""
_ESCAPED = compiled_later(r"\\['\"`]")
"""A quote that some databases read as part of the quoted text."""
_QUOTED_NAME = compiled_later(r"[\"`]([\w.$-]+)[\"`]")
_SECRET_FOLLOWS = compiled_later(
    r"(?:passw|pwd|secret|token|key|identified|credential)[\w\" ]{0,30}[=:,( ]*$", re.IGNORECASE
)
_SECRET_IN = compiled_later(r"(?:passw|pwd|secret|token|key)\w{0,20}\s{0,3}[=:]|://[^/\s]*@", re.IGNORECASE)
_SECRET_WORD = compiled_later(r"(\bidentified by )[^\s'\";…]+", re.IGNORECASE)
_IDENTIFIER = r"[\w.$@-]+(?![\w.$@…-])"
_NAME_GROUP = rf"(?P<name>{_IDENTIFIER})"
_NAMES_GROUP = rf"(?P<name>{_IDENTIFIER}(?:, ?{_IDENTIFIER})*)"
_IF_EXISTS = r"(?:if (?:not )?exists )?"
_KIND_GROUP = (
    r"(?:(?:unique|materialized|foreign|unlogged|external|constraint|fulltext|event|global) )*(?P<kind>database|domain|"
    r"extension|function|index|keyspace|policy|procedure|publication|role|rule|schema|sequence|server|subscription|"
    rf"synonym|table|tablespace|trigger|type|user|view|warehouse) (?:concurrently )?{_IF_EXISTS}(?:only )?"
)
_INSERTING_VERBS = ("insert", "replace", "merge")
_KINDS_WITH_BODY = ("trigger", "rule", "function", "procedure")
"""Kinds of objects that may contain statements."""
_HARMLESS_BODY = compiled_later(r"…|\bexecute (?:function|procedure) [\w.]+ ?\([^()]*\)$", re.IGNORECASE)
"""A quoted body, or one that only calls a function."""
_TABLE_PREFIX = rf"(?:table )?{_IF_EXISTS}(?:only )?"
_CHANGE_PATTERNS = tuple(
    compiled_later(change, re.IGNORECASE)
    for change in (
        rf"(?P<verb>create)(?: or \w+)? {_KIND_GROUP}{_NAME_GROUP}",
        rf"(?P<verb>drop) {_KIND_GROUP}{_NAMES_GROUP}",
        rf"(?P<verb>alter) {_KIND_GROUP}{_NAME_GROUP}",
        rf"(?P<verb>truncate) {_TABLE_PREFIX}{_NAMES_GROUP}",
        rf"(?P<verb>(?P<rows>insert))(?: (?:or )?\w+)?? into {_TABLE_PREFIX}{_NAME_GROUP}",
        rf"(?P<verb>(?P<rows>replace|merge)) into {_TABLE_PREFIX}{_NAME_GROUP}",
        rf"(?P<verb>(?P<rows>update)) (?:only )?{_NAME_GROUP}(?: (?:as )?\w+)?? set\b",
        rf"(?P<verb>(?P<rows>delete)) from (?:only )?{_NAME_GROUP}",
        rf"(?P<verb>refresh) materialized view (?:concurrently )?{_NAME_GROUP}",
        rf"(?P<verb>comment) on \w+ {_NAME_GROUP}",
        rf"(?P<verb>(?P<rows>copy)) {_NAME_GROUP}(?: ?\([^()]*\))? from\b",
        rf"(?P<verb>grant|revoke) [^;]+? (?:to|from) {_NAME_GROUP}",
        r"(?P<verb>(?P<name>rollback))(?: work| tran| transaction)?(?: and no chain)?$",
    )
)
_WITH_PREFIX = compiled_later(
    r"with\b.*?\b(?=(?:insert into|update (?:only )?[\w.]+ set|delete from)\b)", re.IGNORECASE
)
"""What precedes a statement that uses the rows of queries."""
_FIRST_WORD = compiled_later(
    r"(?:create|drop|alter|truncate|insert|replace|merge|update|delete|refresh|comment|copy|grant|revoke|with|"
    r"rollback)\b",
    re.IGNORECASE,
)
_TEMPORARY = compiled_later(r"create (?:or \w+ )?(?:local |global )?temp", re.IGNORECASE)
_TRANSACTION_START = compiled_later(
    r"(?:begin|start transaction)(?: (?:work|tran|transaction|immediate|deferred|exclusive|isolation|read)\b.*)?$",
    re.IGNORECASE,
)
_TRANSACTION_END = compiled_later(r"(?:commit|end)(?: (?:work|tran|transaction))?$", re.IGNORECASE)
_UNREADABLE = compiled_later(
    r"(?:begin|start|commit|end|if|while|declare|delimiter|else|case|loop|for)\b|"
    r".*\b(?:rollback|abort|autocommit|implicit_transactions|noexec|parseonly|fmtonly)\b",
    re.IGNORECASE,
)
"""Statements after which it is unknown what is executed, and what persists."""


class SqlChange(Struct, frozen=True):
    """A statement that changes something."""

    text: str
    """On one line, without bodies of functions, secrets, and inserted rows."""
    verb: str
    names: tuple[str, ...]
    """What it changes, in lower case."""
    key: str
    """Equal for statements that do the same."""
    changes_rows: bool = False
    """Whether it changes rows."""


class _Statement(Struct, frozen=True):
    """A statement on one line: in full, for display, and without quoted text."""

    exact: str
    shown: str
    unquoted: str


@cache_by_text
def sql_changes(script: str) -> tuple[SqlChange, ...]:
    """Return the statements of a script that change something and are not rolled back. Return none if any part of
    the script is not understood with certainty."""
    if len(script) > _MAX_SCRIPT_CHARS:
        return ()
    statements, is_readable = _split_statements(script)
    changes: list[SqlChange] = []
    transaction: list[SqlChange] | None = None
    for statement in statements if is_readable else ():
        change = _parse_change(statement)
        if _TRANSACTION_START.match(statement.unquoted) and transaction is None:
            transaction = []
        elif _TRANSACTION_END.match(statement.unquoted) and (transaction is not None or statement.unquoted[0] in "cC"):
            changes += transaction or []
            transaction = None
        elif change is not None and change.verb == "rollback" and len(statements) == 1:
            return (change,)
        elif _UNREADABLE.match(statement.unquoted) or (change is None and _may_have_body(statement)):
            return ()
        elif change is not None:
            (changes if transaction is None else transaction).append(change)
    return tuple(changes)


def sql_change(shown: str) -> SqlChange | None:
    """Return what a statement changes, from its displayed form, which may be cut."""
    statements, _ = _split_statements(shown)
    return _parse_change(statements[0]) if statements else None


def _may_have_body(statement: _Statement) -> bool:
    return statement.unquoted.lower().startswith(("create ", "alter ")) and not _TEMPORARY.match(statement.unquoted)


def _parse_change(statement: _Statement) -> SqlChange | None:
    """Return what a statement changes; None for one that only looks, sets something for the session, or has a body
    that is not quoted."""
    unquoted = statement.unquoted
    if not _FIRST_WORD.match(unquoted):
        return None
    if with_prefix := _WITH_PREFIX.match(unquoted):
        unquoted = unquoted[with_prefix.end() :]
    match = next(filter(None, (pattern.match(unquoted) for pattern in _CHANGE_PATTERNS)), None)
    if match is None:
        return None
    groups = match.groupdict("")
    verb, kind, names = groups["verb"].lower(), groups.get("kind", "").lower(), _split_names(groups["name"])
    if verb in ("create", "alter") and kind in _KINDS_WITH_BODY and not _HARMLESS_BODY.search(unquoted):
        return None
    is_definition = verb in ("create", "drop", "truncate", "refresh")
    return SqlChange(
        match.group() if verb in _INSERTING_VERBS else one_line(statement.shown, _MAX_STATEMENT_CHARS),
        verb,
        names,
        " ".join([verb, kind, *names]) if is_definition else statement.exact.lower(),
        changes_rows=bool(groups.get("rows")),
    )


def _split_names(names: str) -> tuple[str, ...]:
    return tuple(name.strip().lower() for name in names.split(","))


def _split_statements(script: str) -> tuple[list[_Statement], bool]:
    """Return the statements of a script without comments and bodies of functions, and whether all of it was
    understood with certainty."""
    statements: list[_Statement] = []
    parts: list[tuple[str, str, str]] = []
    is_readable = True
    for piece in _PIECE.finditer(script):
        text = piece.group()
        if piece["unsure"] or (piece["quoted"] and _ESCAPED.search(text)) or (piece["comment"] and "/*" in text[1:]):
            is_readable = False
            parts.append((script[piece.start() :], script[piece.start() :], ""))
            break
        if piece["end"]:
            statements.append(_join_statement(parts))
            parts = []
        elif piece["quoted"]:
            quoted_name = _QUOTED_NAME.fullmatch(text)
            secret = _SECRET_IN.search(text) or _SECRET_FOLLOWS.search("".join(bare for _, _, bare in parts[-3:])[-80:])
            parts.append((text, f"{text[0]}…{text[0]}" if secret else text, quoted_name[1] if quoted_name else "''"))
        else:
            parts.append(("…" if piece["body"] else " " if piece["comment"] else text,) * 3)
    statements.append(_join_statement(parts))
    return [statement for statement in statements if statement.unquoted], is_readable


def _join_statement(parts: Sequence[tuple[str, str, str]]) -> _Statement:
    exact, shown, unquoted = (
        (" ".join("".join(column).split()) for column in zip(*parts, strict=True)) if parts else ("",) * 3
    )
    return _Statement(exact, _SECRET_WORD.sub(r"\1…", shown), unquoted)
