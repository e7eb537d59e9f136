"""Keys that distinguish tool calls other than commands. They contain the arguments, except those that only point at
something."""

from __future__ import annotations

import json
import re
from typing import Any

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.text.patterns import compiled_later

_NOT_COMPARED = frozenset(
    (
        *("description", "explanation", "thought", "reasoning", "timeout", "timeout_ms", "timeoutMs"),
        *("timeout_seconds", "timeoutSeconds"),
    )
)
"""Arguments that give a reason or a time limit; they may differ in the next attempt."""
_POINTERS = frozenset(
    ("ref", "uid", "element", "element_id", "elementId", "selector", "locator", "xpath", "css", "bid")
)
"""Arguments that point at an element of what is currently shown."""
_DESCRIBING_ARGUMENTS = ("element", "description")
"""Arguments that may describe the element in words; different words then mean a different element."""
_THREE_LETTERS = compiled_later(r"[^\W\d_]{3}")
_INDEX_ARGUMENT = "index"
"""This argument is a pointer only if it is a number; otherwise it names something that lasts."""
_ELEMENT = r"(?:element|ref(?:erence)?|uid|node|selector|locator|xpath|snapshot)s?"
_TARGET_GONE = compiled_later(
    rf"\b(?:{_ELEMENT}|index)\b[^\n]{{0,80}}?\b(?:stale|detached|no longer|"
    r"not (?:be )?(?:attached|found|present|exist|visible|match\w*)|does(?: not|n't) (?:exist|match))\b|"
    r"\b(?:stale|no(?: such| matching)?|unknown|detached|(?:could ?n[o']t|can ?n[o']t|can't|unable to) (?:find|locate))"
    rf" (?:the |an? |any )?{_ELEMENT}\b",
    re.IGNORECASE,
)
"""How a tool reports that its target is missing or no longer there."""
_LITERAL = compiled_later(r"'[^']*'")
_COMMENT = compiled_later(r"\s*(?:--[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)")
_SELECTS_FROM = r"\bfrom\s+(?:\(|[\w.\"`\[\]$-]+(?![\w.\"`\[\]$-]|\s*\())"
_QUERY_START = compiled_later(
    r"(?:show|explain|describe|desc|values|pragma|with\s+\w+\s+as)\b|\\d|"
    rf"select\b(?=[^;(]*\Z|[^;]*{_SELECTS_FROM})",
    re.IGNORECASE,
)
"""How read-only statements begin. A select without a table may have side effects: `SELECT move_all()`."""
_ACTING_FUNCTION = compiled_later(
    r"(?:\b|_)(?:terminate|cancel|reload|kill|create|drop|delete|migrate|refresh|run|exec|execute|purge|rotate|promote|"
    r"notify|import|send|apply|process|(?:next|set)val|set_config)(?:_\w*)?\s*\(",
    re.IGNORECASE,
)
"""A function called in a select whose name suggests a side effect."""
_STATEMENT_ARGUMENTS = ("sql", "query", "statement", "queries", "statements", "q")
_WRITING_WORDS = compiled_later(
    r"\b(?:into|update|delete from|create|alter|drop|truncate|grant|revoke|analyze|set|reset|call)\b",
    re.IGNORECASE,
)
_CREATE_STATEMENT = compiled_later(
    r"create\s+(?:or\s+replace\s+)?(?:(?:temp|temporary|unique|materialized|unlogged|external)\s+)*(\w+)\s+"
    r"(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?(?!(?:on|for)\b)([\w.\"`]+)(?=[\s(]|\Z)[^;]*\Z",
    re.IGNORECASE,
)
"""A single statement that creates a named object. Once the object exists, it is created, however it is defined."""
_HEAD_CHARS = 400
"""Characters at the start of a result that state what went wrong."""


def call_key(call: ToolCall) -> str:
    """Return the tool and the arguments in which two calls must agree to do the same thing. If words describe an
    element, its current location is left out."""
    arguments = call.arguments
    if isinstance(arguments, dict):
        name = next((key for key in _STATEMENT_ARGUMENTS if isinstance(arguments.get(key), str)), "")
        creation = _CREATE_STATEMENT.match(_statement(arguments[name])) if name else None
        if creation:
            arguments = {**arguments, name: f"create {creation[1]} {creation[2]}".lower()}
    described = isinstance(arguments, dict) and _is_described(arguments.get("element"))
    return (
        f"{call.tool} "
        f"{_argument_key(arguments, _NOT_COMPARED | _POINTERS - {'element'} if described else _NOT_COMPARED)}"
    )


def target_key(call: ToolCall) -> str:
    """Return the key of the error that a call's target is missing, or "" if the call failed for another reason. The
    target is not part of the key, because the next attempt has to point at something else."""
    return pointer_key(call) if is_gone(call.output[:_HEAD_CHARS]) else ""


def pointer_key(call: ToolCall) -> str:
    """Return what a call does to its target, without the target itself; "" if the call points at nothing."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    pointers = _POINTERS.intersection(arguments)
    if isinstance(arguments.get(_INDEX_ARGUMENT), int):
        pointers |= {_INDEX_ARGUMENT}
    without = frozenset(
        key
        for key in _NOT_COMPARED | pointers
        if key not in _DESCRIBING_ARGUMENTS or not _is_described(arguments.get(key))
    )
    return f"{tool_pointer(call.tool)} {_argument_key(arguments, without)}" if pointers else ""


def _is_described(value: Any) -> bool:
    """Return whether an element is described in words rather than by its number."""
    return isinstance(value, str) and _THREE_LETTERS.search(value) is not None


def tool_pointer(tool: str) -> str:
    """Return the key for any pointing call of a tool, when nothing more is known about it."""
    return f"at {tool}"


def is_gone(output: str) -> bool:
    """Return whether a result reports that the target is missing or no longer there."""
    return _TARGET_GONE.search(output) is not None


def is_query(arguments: Any) -> bool:
    """Return whether a call only queries a database. If such a call fails, nothing is left to do but to query again."""
    values = (arguments.get(key) for key in _STATEMENT_ARGUMENTS) if isinstance(arguments, dict) else ()
    statement = next((value for value in values if isinstance(value, str)), "")
    statement = _LITERAL.sub("''", _statement(statement))
    return all(pattern.search(statement) is None for pattern in (_WRITING_WORDS, _ACTING_FUNCTION)) and bool(
        _QUERY_START.match(statement)
    )


def _statement(text: str) -> str:
    """Return a statement without leading comments and without its terminator."""
    start = 0
    while comment := _COMMENT.match(text, start):
        start = comment.end()
    return text[start:].lstrip().rstrip("; \t\r\n")


def _argument_key(arguments: Any, without: frozenset[str]) -> str:
    if isinstance(arguments, dict):
        arguments = {key: value for key, value in arguments.items() if key not in without}
    # not msgspec, which rejects a lone surrogate
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
