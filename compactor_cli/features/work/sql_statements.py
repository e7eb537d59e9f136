"""SQL statements that change something, and what they change."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from compactor_cli.text.cached import remembered
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later

_LONGEST = 20_000
"""Maximum length of a script that is parsed."""
_STATEMENT_WIDTH = 110
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
_SECRET_NEXT = compiled_later(
    r"(?:passw|pwd|secret|token|key|identified|credential)[\w\" ]{0,30}[=:,( ]*$", re.IGNORECASE
)
_SECRET_IN = compiled_later(r"(?:passw|pwd|secret|token|key)\w{0,20}\s{0,3}[=:]|://[^/\s]*@", re.IGNORECASE)
_SECRET_WORD = compiled_later(r"(\bidentified by )[^\s'\";…]+", re.IGNORECASE)
_ONE = r"[\w.$@-]+(?![\w.$@…-])"
_NAME = rf"(?P<name>{_ONE})"
_NAMES = rf"(?P<name>{_ONE}(?:, ?{_ONE})*)"
_THERE = r"(?:if (?:not )?exists )?"
_KIND = (
    r"(?:(?:unique|materialized|foreign|unlogged|external|constraint|fulltext|event|global) )*(?P<kind>database|domain|"
    r"extension|function|index|keyspace|policy|procedure|publication|role|rule|schema|sequence|server|subscription|"
    rf"synonym|table|tablespace|trigger|type|user|view|warehouse) (?:concurrently )?{_THERE}(?:only )?"
)
_OF_TABLES = ("trigger", "policy", "rule")
"""Kinds of objects whose name is unique only within a table."""
_PUTS_IN = ("insert", "replace", "merge")
_WITH_BODY = ("trigger", "rule", "function", "procedure")
"""Kinds of objects that may contain statements."""
_BODY = compiled_later(r"…|\bexecute (?:function|procedure) [\w.]+ ?\([^()]*\)$", re.IGNORECASE)
"""A quoted body, or one that only calls a function."""
_ON = compiled_later(rf"\bon (?:only )?{_NAME}", re.IGNORECASE)
_COLUMN = (
    rf"(?P<does>add|drop|alter|modify|change) (?:column )?{_THERE}"
    r"(?!(?:constraint|primary|foreign|unique|check|index|key|fulltext|partition|period|exclude|column|if)\b)(?P<column>\w+)"
)
_ALTERED = compiled_later(rf"(?:^|,) ?{_COLUMN}", re.IGNORECASE)
"""What is done to each of several columns."""
_TABLE = rf"(?:table )?{_THERE}(?:only )?"
_CHANGES = tuple(
    compiled_later(change, re.IGNORECASE)
    for change in (
        rf"(?P<verb>create)(?P<anew> or \w+)? {_KIND}{_NAME}",
        rf"(?P<verb>(?P<ends>drop)) {_KIND}{_NAMES}",
        rf"(?P<verb>alter) {_KIND}{_NAME}",
        rf"(?P<verb>(?P<ends>truncate)) {_TABLE}{_NAMES}",
        rf"(?P<verb>(?P<rows>insert))(?: (?:or )?\w+)?? into {_TABLE}{_NAME}",
        rf"(?P<verb>(?P<rows>replace|merge)) into {_TABLE}{_NAME}",
        rf"(?P<verb>(?P<rows>update)) (?:only )?{_NAME}(?: (?:as )?\w+)?? set\b",
        rf"(?P<verb>(?P<rows>delete)) from (?:only )?{_NAME}",
        rf"(?P<verb>refresh) materialized view (?:concurrently )?{_NAME}",
        rf"(?P<verb>comment) on \w+ {_NAME}",
        rf"(?P<verb>(?P<rows>copy)) {_NAME}(?: ?\([^()]*\))? from\b",
        rf"(?P<verb>grant|revoke) [^;]+? (?:to|from) {_NAME}",
        r"(?P<verb>(?P<name>rollback))(?: work| tran| transaction)?(?: and no chain)?$",
    )
)
_WITH = compiled_later(r"with\b.*?\b(?=(?:insert into|update (?:only )?[\w.]+ set|delete from)\b)", re.IGNORECASE)
"""What precedes a statement that uses the rows of queries."""
_FIRST_WORD = compiled_later(
    r"(?:create|drop|alter|truncate|insert|replace|merge|update|delete|refresh|comment|copy|grant|revoke|with|rollback)\b",
    re.IGNORECASE,
)
_TEMPORARY = compiled_later(r"create (?:or \w+ )?(?:local |global )?temp", re.IGNORECASE)
_BEGINS = compiled_later(
    r"(?:begin|start transaction)(?: (?:work|tran|transaction|immediate|deferred|exclusive|isolation|read)\b.*)?$",
    re.IGNORECASE,
)
_COMMITS = compiled_later(r"(?:commit|end)(?: (?:work|tran|transaction))?$", re.IGNORECASE)
_UNREAD = compiled_later(
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
    kind: str = ""
    """The kind of object, if the statement states it."""
    columns: tuple[str, ...] = ()
    """The columns of a table that it alters."""
    ends: bool = False
    """Whether what it names no longer exists afterwards, or has no rows."""
    anew: bool = False
    """Whether it replaces what had this name before."""
    rows: bool = False
    """Whether it changes rows."""


class _Statement(Struct, frozen=True):
    """A statement on one line: in full, for display, and without quoted text."""

    exact: str
    shown: str
    bare: str


@remembered
def sql_changes(script: str) -> tuple[SqlChange, ...]:
    """Return the statements of a script that change something and are not rolled back. Return none if any part of
    the script is not understood with certainty."""
    if len(script) > _LONGEST:
        return ()
    statements, sure = _statements(script)
    kept: list[SqlChange] = []
    begun: list[SqlChange] | None = None
    for statement in statements if sure else ():
        change = _change(statement)
        if _BEGINS.match(statement.bare) and begun is None:
            begun = []
        elif _COMMITS.match(statement.bare) and (begun is not None or statement.bare[0] in "cC"):
            kept += begun or []
            begun = None
        elif change is not None and change.verb == "rollback" and len(statements) == 1:
            return (change,)
        elif _UNREAD.match(statement.bare) or (change is None and _may_have_body(statement)):
            return ()
        elif change is not None:
            (kept if begun is None else begun).append(change)
    return tuple(kept)


def sql_change(told: str) -> SqlChange | None:
    """Return what a statement changes, from its displayed form, which may be cut."""
    statements, _ = _statements(told)
    return _change(statements[0]) if statements else None


def _may_have_body(statement: _Statement) -> bool:
    return statement.bare.lower().startswith(("create ", "alter ")) and not _TEMPORARY.match(statement.bare)


def _change(statement: _Statement) -> SqlChange | None:
    """Return what a statement changes; None for one that only looks, sets something for the session, or has a body
    that is not quoted."""
    bare = statement.bare
    if not _FIRST_WORD.match(bare):
        return None
    if before := _WITH.match(bare):
        bare = bare[before.end() :]
    found = next(filter(None, (pattern.match(bare) for pattern in _CHANGES)), None)
    if found is None:
        return None
    groups = found.groupdict("")
    verb, kind, names = groups["verb"].lower(), groups.get("kind", "").lower(), _names(groups["name"])
    if verb in ("create", "alter") and kind in _WITH_BODY and not _BODY.search(bare):
        return None
    on = _ON.search(bare) if kind in _OF_TABLES else None
    if on:
        names = tuple(f"{name} on {on['name'].lower()}" for name in names)
    altered = list(_ALTERED.finditer(bare[found.end() :].lstrip())) if verb == "alter" and kind == "table" else []
    does = [f"{each['does']} {each['column']}".lower() for each in altered]
    plain = does or (verb in ("create", "drop", "truncate", "refresh"))
    key = " ".join([verb, kind, *names, *does]) if plain else statement.exact.lower()
    of_a_table = kind == "index" and _ON.search(bare)  # other tables may have an index of this name
    ends = bool(groups.get("ends")) and not of_a_table
    ends = ends or (bool(altered) and all(each.startswith("drop ") for each in does))
    return SqlChange(
        found.group() if verb in _PUTS_IN else one_line(statement.shown, _STATEMENT_WIDTH),
        verb,
        names,
        key,
        kind=kind,
        columns=tuple(each["column"].lower() for each in altered),
        ends=ends,
        anew=bool(groups.get("anew")),
        rows=bool(groups.get("rows")),
    )


def _names(said: str) -> tuple[str, ...]:
    return tuple(name.strip().lower() for name in said.split(","))


def _statements(script: str) -> tuple[list[_Statement], bool]:
    """Return the statements of a script without comments and bodies of functions, and whether all of it was
    understood with certainty."""
    statements: list[_Statement] = []
    parts: list[tuple[str, str, str]] = []
    sure = True
    for piece in _PIECE.finditer(script):
        text = piece.group()
        if piece["unsure"] or (piece["quoted"] and _ESCAPED.search(text)) or (piece["comment"] and "/*" in text[1:]):
            sure = False
            parts.append((script[piece.start() :], script[piece.start() :], ""))
            break
        if piece["end"]:
            statements.append(_statement(parts))
            parts = []
        elif piece["quoted"]:
            named = _QUOTED_NAME.fullmatch(text)
            secret = _SECRET_IN.search(text) or _SECRET_NEXT.search("".join(bare for _, _, bare in parts[-3:])[-80:])
            parts.append((text, f"{text[0]}…{text[0]}" if secret else text, named[1] if named else "''"))
        else:
            parts.append(("…" if piece["body"] else " " if piece["comment"] else text,) * 3)
    statements.append(_statement(parts))
    return [statement for statement in statements if statement.bare], sure


def _statement(parts: Sequence[tuple[str, str, str]]) -> _Statement:
    exact, shown, bare = (
        (" ".join("".join(column).split()) for column in zip(*parts, strict=True)) if parts else ("",) * 3
    )
    return _Statement(exact, _SECRET_WORD.sub(r"\1…", shown), bare)
