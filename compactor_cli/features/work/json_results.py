"""Results that are JSON objects. Read what they state about how the call ended, even if a part of them was left
out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from compactor_cli.text.cached import cache_by_text
from compactor_cli.text.json_values import json_or_text
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shorten import is_shortened

_MAX_JSON_CHARS = 20_000
"""Maximum length of a result that is read as JSON, unless only an error is wanted."""
_GAP_START = "[… "
"""Beginning of the mark that replaces text that was left out."""
_FIRST_MEMBER = compiled_later(r'\s*\{[ \t]*\r?\n([ \t]+)"')
_OUTCOME_MEMBER = compiled_later(
    r'^([ \t]+)"(ok|success|error|is_error|isError)"[ \t]*:[ \t]*(.+?),?[ \t]*$', re.MULTILINE
)
_OUTCOME_MEMBERS = ("error", "success", "ok", "is_error", "isError", "status")
"""Members that say how a call ended."""
_DESCRIPTION_MEMBERS = ("message", "error", "detail", "details", "description", "reason", "title", "code")
"""Members of an error that describe it, most informative first."""
_UNDONE_STATES = (
    *("error", "failed", "failure", "not_found"),
    *("confirmation_required", "requires_confirmation", "needs_confirmation", "confirmation_needed"),
)
"""Status values in results of acts that did nothing."""
_NOT_FOUND = compiled_later(
    r"no (?:such )?[\w -]{1,40}\b(?:with|for|by|has) (?:the |that )?(?:id|number|name)\b.{0,80}", re.I
)


def result_members(output: str) -> dict[str, Any]:
    """Return the members of a result that is a JSON object. If a part was left out, return those that can be read.
    Return {} for any other result and for very long ones."""
    return _object(output) if len(output) <= _MAX_JSON_CHARS and output.lstrip().startswith("{") else {}


def says_failed(output: str) -> bool:
    """Return whether a result that begins as a JSON object has a member that says that the call failed."""
    value = _object(output)
    return bool(value.get("error") or value.get("is_error") or value.get("isError")) or (
        value.get("success") is False or value.get("ok") is False
    )


def is_undone(output: str, given_values: Iterable[str]) -> bool:
    """Return whether the result of an act says that it did not take place. `given_values`: values of the call's
    arguments, one of which may be the new state of the thing."""
    if not output.lstrip().startswith("{"):
        return _NOT_FOUND.fullmatch(output.strip()) is not None
    value = result_members(output)
    status = str(value.get("status", "")).lower()
    has_failed_state = status in _UNDONE_STATES and status not in map(str.lower, given_values)
    has_errors = isinstance(value.get("errors"), list) and value["errors"] != []
    return has_failed_state or has_errors or str(value.get("success", value.get("ok"))).lower() == "false"


def states_end(output: str) -> bool:
    """Return whether a result can show how the call ended. It must be complete, or what remains must begin with
    words or have a member that states the outcome."""
    if not is_shortened(output):
        return True
    beginning = output.lstrip()
    return not beginning.startswith(_GAP_START) and (
        not beginning.startswith("{") or not result_members(output).keys().isdisjoint(_OUTCOME_MEMBERS)
    )


def stated_error(output: str) -> str:
    """Return the error in a member of a JSON result; "" if there is none. An error code is combined with its
    message."""
    value = result_members(output)
    error = value.get("error")
    if isinstance(error, str) and re.fullmatch(r"\S+", error) and isinstance(value.get("message"), str):
        return f"{error}: {value['message']}"
    return next(filter(None, (_error_description(value.get(key)) for key in ("error", "message", "detail"))), "")


def _error_description(value: Any) -> str:
    """Return the description of an error: the member's text, or that of the most informative of its own members."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        return next((text for key in _DESCRIPTION_MEMBERS if isinstance(text := value.get(key), str) and text), "")
    return value if isinstance(value, str) else ""


@cache_by_text
def _object(output: str) -> dict[str, Any]:
    value = json_or_text(output)
    if isinstance(value, dict):
        return value
    if not is_shortened(output):
        return {}
    members: dict[str, Any] = {}
    first = _FIRST_MEMBER.match(output)
    outermost = first.group(1) if first else ""
    for indent, name, text in _OUTCOME_MEMBER.findall(output):
        if indent == outermost:  # deeper members belong to something else
            members = {name: json_or_text(text), **members}
    return members
