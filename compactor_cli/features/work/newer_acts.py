"""Acts of tools that take the place of an earlier one, and what results call the things by which these are known."""

from __future__ import annotations

import re
from typing import Any

from compactor_cli.features.work.acting_tools import tool_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_REPLACES = compiled_later(r"(?:replaces?|supersedes?|overrides?|instead_?of|in_?place_?of)(?:_?id)?", re.IGNORECASE)
"""Arguments that name what an act takes the place of."""
_NAME = compiled_later(r"(?=\S*\d)[\w#][\w.:#/-]{1,39}")
_VALUES = ("value", "enabled", "new_value", "newValue")
_WHY = frozenset(("reason", "comment", "note", "message", "why", "description"))
"""Arguments that say nothing of what is set."""

_MEASURED = compiled_later(
    r"(?:^|_)(?:at|ts|time|date|timestamp|eta(?:_?\w+)?|m?s|sec|seconds|count|total|duration)$|At$"
)
"""Members of a result that say when something was done, or how much; they name nothing."""
_SAID_ID = compiled_later(r"(?<![\w-])(?:(\w+)[ _-])?(?:id|ID|Id)[ ]?[=:#][ ]?(\S+?)(?=[\s,;)\]]|[.]?$)")
"""How a result in few words says what something is called: `ok id=tl-4`."""
_OF_OTHERS = word_set("user session request node payment trace correlation tenant process thread run job parent")
_FEW_CHARACTERS = 80


def measures(member: str) -> bool:
    """Return whether a member of a result says when or how much, by its name."""
    return _MEASURED.search(member) is not None


def said_name(said: str) -> str:
    """Return what a result in few words calls what was made; empty where it calls nothing so."""
    match = _SAID_ID.search(said.strip()) if len(said) <= _FEW_CHARACTERS else None
    if not match or (match[1] or "").lower() in _OF_OTHERS or said.lstrip().startswith(("{", "[")):
        return ""
    return match[2] if _NAME.fullmatch(match[2]) else ""


def replaced_line(head: str, arguments: dict[str, Any]) -> str:
    """Return what the line of that act begins with which a call with these arguments takes the place of: one of the
    same tool. `head`: what lines of this begin with. Empty where it replaces none."""
    named = (value for key, value in arguments.items() if isinstance(value, str) and _REPLACES.fullmatch(key))
    name = next(filter(_NAME.fullmatch, named), "")
    return f"{head} {name}" if name else ""


def begins_line(text: str, begin: str) -> bool:
    """Return whether a line is that of an act, by what it begins with."""
    return text == begin or text.startswith((f"{begin} ", f"{begin}:"))


def setting_key(tool: str, arguments: dict[str, Any]) -> str:
    """Return what later calls share that set the same to another value; empty where a call sets nothing to one."""
    named = next((name for name in _VALUES if name in arguments), "")
    if not named or "set" not in tool_words(tool):
        return ""
    value = arguments[named]
    parts = sorted(value) if isinstance(value, dict) else type(value).__name__
    rest = sorted((name, str(said)) for name, said in arguments.items() if name != named and name not in _WHY)
    return f"{tool} {named} {parts} {rest}" if rest else ""
