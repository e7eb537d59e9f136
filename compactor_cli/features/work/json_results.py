"""Results that are JSON objects or tables of one row. Read what they state about how the call ended, even if a part
of them was left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from compactor_cli.text.cached import remembered
from compactor_cli.text.json_values import json_or_text
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shorten import is_shortened

_MOST = 20_000
"""Maximum length of a result that is read as JSON, unless only an error is wanted."""
_ONE_ROW = 3
"""Lines of a table with one row: the names, a rule, and the row."""
_RULE = compiled_later(r"\|?(?:[ \t]*:?-+:?[ \t]*\|?)+")
_GAP = "[… "
"""Beginning of the mark that replaces text that was left out."""
_TOKEN = compiled_later(r'"(?:[^"\\]|\\.)*"|["{}\[\],]', re.DOTALL)
_FIRST = compiled_later(r'\s*\{[ \t]*\r?\n([ \t]+)"')
_MEMBER = compiled_later(r'^([ \t]+)"(ok|success|error|is_error|isError)"[ \t]*:[ \t]*(.+?),?[ \t]*$', re.MULTILINE)
_TELLS = ("error", "success", "ok", "is_error", "isError", "status")
"""Members that say how a call ended."""
_SAYS = ("message", "error", "detail", "details", "description", "reason", "title", "code")
"""Members of an error that describe it, most informative first."""
_UNDONE = (
    *("error", "failed", "failure", "not_found"),
    *("confirmation_required", "requires_confirmation", "needs_confirmation", "confirmation_needed"),
)
"""Status values in results of acts that did nothing."""
_UNKNOWN = compiled_later(
    r"no (?:such )?[\w -]{1,40}\b(?:with|for|by|has) (?:the |that )?(?:id|number|name)\b.{0,80}", re.I
)
_CLOSING = {"{": "}", "[": "]"}


def result_members(said: str) -> dict[str, Any]:
    """Return the members of a result that is a JSON object, or of a table's only row. If a part was left out, return
    those that can be read. Return {} for any other result and for very long ones."""
    begin = said.lstrip()[:1] if len(said) <= _MOST else ""
    return _object(said) if begin == "{" else _only_row(said) if begin == "|" else {}


def says_failed(said: str) -> bool:
    """Return whether a result that begins as a JSON object has a member that says that the call failed."""
    value = _object(said)
    return bool(value.get("error") or value.get("is_error") or value.get("isError")) or (
        value.get("success") is False or value.get("ok") is False
    )


def says_undone(said: str, given: Iterable[str]) -> bool:
    """Return whether the result of an act says that it did not take place. `given`: values of the call's arguments,
    one of which may be the new state of the thing."""
    if not said.lstrip().startswith("{"):
        return _UNKNOWN.fullmatch(said.strip()) is not None
    value = result_members(said)
    status = str(value.get("status", "")).lower()
    failed = status in _UNDONE and status not in map(str.lower, given)
    has_errors = isinstance(value.get("errors"), list) and value["errors"] != []
    return failed or has_errors or str(value.get("success", value.get("ok"))).lower() == "false"


def tells_end(said: str) -> bool:
    """Return whether a result can show how the call ended. It must be complete, or what remains must begin with
    words or have a member that states the outcome."""
    if not is_shortened(said):
        return True
    begin = said.lstrip()
    return not begin.startswith(_GAP) and (
        not begin.startswith("{") or not result_members(said).keys().isdisjoint(_TELLS)
    )


def stated_error(said: str) -> str:
    """Return the error in a member of a JSON result; "" if there is none. An error code is combined with its
    message."""
    value = result_members(said)
    error = value.get("error")
    if isinstance(error, str) and re.fullmatch(r"\S+", error) and isinstance(value.get("message"), str):
        return f"{error}: {value['message']}"
    return next(filter(None, (_told(value.get(key)) for key in ("error", "message", "detail"))), "")


def _told(value: Any) -> str:
    """Return the description of an error: the member's text, or that of the most informative of its own members."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        return next((text for key in _SAYS if isinstance(text := value.get(key), str) and text), "")
    return value if isinstance(value, str) else ""


def _only_row(said: str) -> dict[str, Any]:
    """Return name -> value of a table's only row; {} if there are more rows."""
    lines = said.strip().split("\n")
    if len(lines) != _ONE_ROW or not _RULE.fullmatch(lines[1].strip()):
        return {}
    names, values = ([cell.strip() for cell in line.strip().strip("|").split("|")] for line in (lines[0], lines[2]))
    if len(names) != len(values) or not all(names):
        return {}
    return {name: json_or_text(text) if text[:1] != "0" else text for name, text in zip(names, values, strict=True)}


@remembered
def _object(said: str) -> dict[str, Any]:
    value = json_or_text(said)
    if isinstance(value, dict):
        return value
    if not is_shortened(said):
        return {}
    before, _, behind = said.partition(_GAP)
    found = next((value for text in _closed(before) if isinstance(value := json_or_text(text), dict)), {})
    first = _FIRST.match(said)
    outermost = first.group(1) if first else ""
    for indent, name, text in _MEMBER.findall(behind):
        if indent == outermost:  # deeper members belong to something else
            found = {name: json_or_text(text), **found}
    return found


def _closed(begin: str) -> Iterator[str]:
    """Yield the beginning of a JSON text, closed so that it parses: first all of it, then up to its last complete
    element."""
    opened: list[str] = []
    whole = ""
    for token in _TOKEN.finditer(begin):
        sign = token.group()
        if sign == '"':
            break
        if sign in _CLOSING:
            opened.append(_CLOSING[sign])
        elif sign in ("}", "]") and opened:
            opened.pop()
        elif sign == ",":
            whole = begin[: token.start()] + "".join(reversed(opened))
    yield begin.rstrip().rstrip(",") + "".join(reversed(opened))
    yield whole
