"""What tells calls of tools apart that are no commands: their arguments, but for those that only point at something."""

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
"""Arguments that say why something is done and how long it may take: the next try may have others."""
_POINTERS = frozenset(
    ("ref", "uid", "element", "element_id", "elementId", "selector", "locator", "xpath", "css", "bid")
)
"""Arguments that point at an element of what is shown at the moment."""
_DESCRIBES = ("element", "description")
"""Those and others that may say in words which element it is: another one is meant by other words."""
_WORD = compiled_later(r"[^\W\d_]{3}")
_NUMBERED = "index"
"""The same where it is a number; else it names something that lasts."""
_ELEMENT = r"(?:element|ref(?:erence)?|uid|node|selector|locator|xpath|snapshot)s?"
_GONE = compiled_later(
    rf"\b(?:{_ELEMENT}|index)\b[^\n]{{0,80}}?\b(?:stale|detached|no longer|"
    r"not (?:be )?(?:attached|found|present|exist|visible|match\w*)|does(?: not|n't) (?:exist|match))\b|"
    r"\b(?:stale|no(?: such| matching)?|unknown|detached|(?:could ?n[o']t|can ?n[o']t|can't|unable to) (?:find|locate))"
    rf" (?:the |an? |any )?{_ELEMENT}\b",
    re.IGNORECASE,
)
"""How a tool says that what it was pointed at is not there (any more)."""
_LITERAL = compiled_later(r"'[^']*'")
_COMMENT = compiled_later(r"\s*(?:--[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)")
_SELECTS_FROM = r"\bfrom\s+(?:\(|[\w.\"`\[\]$-]+(?![\w.\"`\[\]$-]|\s*\())"
_ASKS = compiled_later(
    r"(?:show|explain|describe|desc|values|pragma|with\s+\w+\s+as)\b|\\d|"
    rf"select\b(?=[^;(]*\Z|[^;]*{_SELECTS_FROM})",
    re.IGNORECASE,
)
"""How statements begin that only ask. One that selects from nothing may act: `SELECT move_all()`."""
_ACTING_FUNCTION = compiled_later(
    r"(?:\b|_)(?:terminate|cancel|reload|kill|create|drop|delete|migrate|refresh|run|exec|execute|purge|rotate|promote|"
    r"notify|import|send|apply|process|(?:next|set)val|set_config)(?:_\w*)?\s*\(",
    re.IGNORECASE,
)
"""A function that acts by its name, where it is called for what is selected."""
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
"""One statement that makes something with a name: once there is one, it is made, however it is described."""
_HEAD = 400
"""Characters at the start of a result in which it says what went wrong."""


def told_apart(call: ToolCall) -> str:
    """Return the tool and all arguments that a call needs to share with another one to do the same: of an element that
    is described in words, not where it is found at the moment."""
    arguments = call.arguments
    if isinstance(arguments, dict):
        name = next((key for key in _STATEMENTS if isinstance(arguments.get(key), str)), "")
        made = _CREATES.match(_statement(arguments[name])) if name else None
        if made:
            arguments = {**arguments, name: f"create {made[1]} {made[2]}".lower()}
    described = isinstance(arguments, dict) and _says(arguments.get("element"))
    return f"{call.tool} {_written(arguments, _ASIDE | _POINTERS - {'element'} if described else _ASIDE)}"


def aimed_at_nothing(call: ToolCall) -> str:
    """Return the key of the error that what a call points at is not there (any more); empty where that is not what
    went wrong. What it points at is no part of it: the next try has to point at something else."""
    return aim(call) if is_gone(call.said[:_HEAD]) else ""


def aim(call: ToolCall) -> str:
    """Return what a call is to do to that at which it points; empty where it points at nothing."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    pointers = _POINTERS.intersection(arguments)
    if isinstance(arguments.get(_NUMBERED), int):
        pointers |= {_NUMBERED}
    without = frozenset(key for key in _ASIDE | pointers if key not in _DESCRIBES or not _says(arguments.get(key)))
    return f"{aim_of(call.tool)} {_written(arguments, without)}" if pointers else ""


def _says(value: Any) -> bool:
    """Return whether what describes an element does so by words, rather than by a number of it."""
    return isinstance(value, str) and _WORD.search(value) is not None


def aim_of(tool: str) -> str:
    """Return the same of any call of a tool, where no more is known of it."""
    return f"at {tool}"


def is_gone(said: str) -> bool:
    """Return whether a result says that what was pointed at is not there (any more)."""
    return _GONE.search(said) is not None


def only_asks(arguments: Any) -> bool:
    """Return whether a call asks a data base for something: that it fails leaves nothing to do but to ask better."""
    values = (arguments.get(key) for key in _STATEMENTS) if isinstance(arguments, dict) else ()
    asked = next((value for value in values if isinstance(value, str)), "")
    asked = _LITERAL.sub("''", _statement(asked))
    return all(pattern.search(asked) is None for pattern in (_WRITES, _ACTING_FUNCTION)) and bool(_ASKS.match(asked))


def _statement(text: str) -> str:
    """Return a statement without comments before it, and without what ends it."""
    at = 0
    while comment := _COMMENT.match(text, at):
        at = comment.end()
    return text[at:].lstrip().rstrip("; \t\r\n")


def _written(arguments: Any, without: frozenset[str]) -> str:
    if isinstance(arguments, dict):
        arguments = {key: value for key, value in arguments.items() if key not in without}
    # not by msgspec, which takes no half of a surrogate pair
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
