"""SQL statements that change something. Nothing is told of a script that is not understood with certainty."""

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
_KIND = (
    r"(?:(?:temp|temporary|unique|materialized|foreign|unlogged|external|constraint|fulltext|event|global) )*"
    r"(?:database|domain|extension|function|index|keyspace|policy|procedure|publication|role|rule|schema|sequence|server|"
    r"subscription|synonym|table|tablespace|trigger|type|user|view|warehouse)"
)
_CHANGE = compiled_later(
    r"(?P<rows>(?P<put>(?:insert(?: (?:or )?\w+)?? into|(?:replace|merge) into) (?:table )?[\w.$@-]+)|"
    r"update (?:only )?[\w.$@-]+(?: (?:as )?\w+)?? set\b|delete from [\w.$@-]|copy [\w.$@-]+(?: ?\([^()]*\))? from\b)|"
    rf"(?P<defines>(?:create(?: or \w+)?|drop) {_KIND}|truncate|refresh materialized view)\b|alter {_KIND}\b|"
    r"comment on\b|(?:grant|revoke)\b(?=.* (?:to|from) )",
    re.IGNORECASE,
)
"""How a statement begins that changes rows or defines something."""
_WITH_PREFIX = compiled_later(
    r"with\b.*?\b(?=(?:insert into|update (?:only )?[\w.]+ set|delete from)\b)", re.IGNORECASE
)
"""What precedes a statement that uses the rows of queries."""
_FILLING_WORDS = compiled_later(
    r" (?:or replace|if (?:not )?exists|concurrently|unique|cascade|only|materialized|foreign|unlogged|external)\b|"
    r"(?: as\b| ?\().*",
    re.IGNORECASE,
)
"""Words of a definition that do not say what it defines, and everything after the name."""
_TEMPORARY = compiled_later(r"create (?:or \w+ )?(?:local |global )?temp", re.IGNORECASE)
_BODY = compiled_later(r"(?:create|alter)\b.*\b(?:trigger|rule|function|procedure|event|package)\b", re.IGNORECASE)
"""A definition that may contain statements."""
_HARMLESS_BODY = compiled_later(r"…|\bexecute (?:function|procedure) [\w.]+ ?\([^()]*\)$", re.IGNORECASE)
"""A quoted body, or one that only calls a function."""
_TRANSACTION_START = compiled_later(r"(?:begin|start transaction)(?: (?:work|tran|transaction|immediate)\b.*)?$", re.I)
_ROLLBACK = compiled_later(r"rollback(?: work| tran| transaction)?(?: and no chain)?$", re.IGNORECASE)
"""This takes back what earlier calls did."""
_TRANSACTION_END = compiled_later(r"(?:commit|end)(?: (?:work|tran|transaction))?$", re.IGNORECASE)
_UNREADABLE = compiled_later(
    r"(?:begin|start|commit|end|if|while|declare|delimiter|else|case|loop|for)\b|copy\b.*\bfrom stdin\b|"
    r".*\b(?:rollback|abort|autocommit|implicit_transactions|noexec|parseonly|fmtonly)\b",
    re.IGNORECASE,
)
"""Statements after which it is unknown what is executed, and what persists."""


class SqlChange(Struct, frozen=True):
    """A statement that changes something."""

    text: str
    """On one line, without bodies of functions, secrets, and inserted rows."""
    key: str
    """Equal for statements that do the same."""
    changes_rows: bool = False
    """Whether it changes rows."""

    @property
    def verb(self) -> str:
        """Return the first word, in lower case."""
        return self.text.split(" ", 1)[0].lower()


class _Statement(Struct, frozen=True):
    """A statement on one line: in full, for display, and without quoted text."""

    exact: str
    shown: str
    unquoted: str


@cache_by_text
def sql_changes(script: str) -> tuple[SqlChange, ...]:
    """Return the statements of a script that change something. Return none if a transaction is not committed, or if
    any part of the script is not understood with certainty."""
    if len(script) > _MAX_SCRIPT_CHARS:
        return ()
    statements, is_readable = _split_statements(script)
    if len(statements) == 1 and _ROLLBACK.match(statements[0].unquoted):
        return (SqlChange(statements[0].shown, "rollback"),)
    others: list[_Statement] = []
    is_open = False
    for statement in statements:
        if _TRANSACTION_START.match(statement.unquoted) or _TRANSACTION_END.match(statement.unquoted):
            is_open = _TRANSACTION_END.match(statement.unquoted) is None
        else:
            others.append(statement)
    if not is_readable or is_open or any(_UNREADABLE.match(other.unquoted) for other in others):
        return ()
    if any(_BODY.match(other.unquoted) and not _HARMLESS_BODY.search(other.unquoted) for other in others):
        return ()
    return tuple(change for other in others if (change := _parse_change(other)))


def sql_change(shown: str) -> SqlChange | None:
    """Return what a statement changes, from its displayed form, which may be cut."""
    statements, _ = _split_statements(shown)
    return _parse_change(statements[0]) if statements else None


def _parse_change(statement: _Statement) -> SqlChange | None:
    """Return what a statement changes; None for one that only looks or sets something for the session."""
    unquoted = statement.unquoted
    if with_prefix := _WITH_PREFIX.match(unquoted):
        unquoted = unquoted[with_prefix.end() :]
    match = _CHANGE.match(unquoted)
    if match is None or _TEMPORARY.match(unquoted):
        return None
    text = match["put"] or one_line(statement.shown, _MAX_STATEMENT_CHARS)
    named = " ".join(_FILLING_WORDS.sub("", unquoted).split(" ")[:3])
    key = named if match["defines"] else statement.exact
    return SqlChange(text, key.lower(), changes_rows=bool(match["rows"]))


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
