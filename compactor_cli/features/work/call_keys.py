"""Keys that distinguish tool calls other than commands. They contain the arguments, except those that only point at
something."""

from __future__ import annotations

import json
import re
from typing import Any

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.text.patterns import compiled_later

_ASIDE = frozenset(
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
_DESCRIBES = ("element", "description")
"""Arguments that may describe the element in words; different words then mean a different element."""
_WORD = compiled_later(r"[^\W\d_]{3}")
_NUMBERED = "index"
"""This argument is a pointer only if it is a number; otherwise it names something that lasts."""
_ELEMENT = r"(?:element|ref(?:erence)?|uid|node|selector|locator|xpath|snapshot)s?"
_GONE = compiled_later(
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
_ASKS = compiled_later(
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
_STATEMENTS = ("sql", "query", "statement", "queries", "statements", "q")
_WRITES = compiled_later(
    r"\b(?:into|update|delete from|create|alter|drop|truncate|grant|revoke|analyze|set|reset|call)\b",
    re.IGNORECASE,
)
_CREATES = compiled_later(
    r"create\s+(?:or\s+replace\s+)?(?:(?:temp|temporary|unique|materialized|unlogged|external)\s+)*(\w+)\s+"
    r"(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?(?!(?:on|for)\b)([\w.\"`]+)(?=[\s(]|\Z)[^;]*\Z",
    re.IGNORECASE,
)
"""A single statement that creates a named object. Once the object exists, it is created, however it is defined."""
_HEAD = 400
"""Characters at the start of a result that state what went wrong."""


def told_apart(call: ToolCall) -> str:
    """Return the tool and the arguments in which two calls must agree to do the same thing. If words describe an
    element, its current location is left out."""
    arguments = call.arguments
    if isinstance(arguments, dict):
        name = next((key for key in _STATEMENTS if isinstance(arguments.get(key), str)), "")
        made = _CREATES.match(_statement(arguments[name])) if name else None
        if made:
            arguments = {**arguments, name: f"create {made[1]} {made[2]}".lower()}
    described = isinstance(arguments, dict) and _says(arguments.get("element"))
    return f"{call.tool} {_written(arguments, _ASIDE | _POINTERS - {'element'} if described else _ASIDE)}"


def aimed_at_nothing(call: ToolCall) -> str:
    """Return the key of the error that a call's target is missing, or "" if the call failed for another reason. The
    target is not part of the key, because the next attempt has to point at something else."""
    return aim(call) if is_gone(call.said[:_HEAD]) else ""


def aim(call: ToolCall) -> str:
    """Return what a call does to its target, without the target itself; "" if the call points at nothing."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    pointers = _POINTERS.intersection(arguments)
    if isinstance(arguments.get(_NUMBERED), int):
        pointers |= {_NUMBERED}
    without = frozenset(key for key in _ASIDE | pointers if key not in _DESCRIBES or not _says(arguments.get(key)))
    return f"{aim_of(call.tool)} {_written(arguments, without)}" if pointers else ""


def _says(value: Any) -> bool:
    """Return whether an element is described in words rather than by its number."""
    return isinstance(value, str) and _WORD.search(value) is not None


def aim_of(tool: str) -> str:
    """Return the key for any pointing call of a tool, when nothing more is known about it."""
    return f"at {tool}"


def is_gone(said: str) -> bool:
    """Return whether a result reports that the target is missing or no longer there."""
    return _GONE.search(said) is not None


def only_asks(arguments: Any) -> bool:
    """Return whether a call only queries a database. If such a call fails, nothing is left to do but to query again."""
    values = (arguments.get(key) for key in _STATEMENTS) if isinstance(arguments, dict) else ()
    asked = next((value for value in values if isinstance(value, str)), "")
    asked = _LITERAL.sub("''", _statement(asked))
    return all(pattern.search(asked) is None for pattern in (_WRITES, _ACTING_FUNCTION)) and bool(_ASKS.match(asked))


def _statement(text: str) -> str:
    """Return a statement without leading comments and without its terminator."""
    at = 0
    while comment := _COMMENT.match(text, at):
        at = comment.end()
    return text[at:].lstrip().rstrip("; \t\r\n")


def _written(arguments: Any, without: frozenset[str]) -> str:
    if isinstance(arguments, dict):
        arguments = {key: value for key, value in arguments.items() if key not in without}
    # not msgspec, which rejects a lone surrogate
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
