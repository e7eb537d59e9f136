"""Roles that are none of the API's, and what their messages are read as."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from compactor_cli.formats.base import word
from compactor_cli.formats.chat import ROLES
from compactor_cli.model.message import Role

PEOPLE = frozenset(("human",))
AGENTS = frozenset(("agent", "ai", "bard", "bing", "bot", "chatbot", "chatgpt", "gpt", "model"))
OUTPUTS = frozenset(
    (
        *("environment", "ipython", "observation", "tool_response", "tool_result", "tool-result", "toolresult"),
        *("function_response", "function-response", "function_result"),
    )
)


class Meaning(NamedTuple):
    """What a message of another role is read as."""

    role: Role
    words: str
    """The same for people."""
    is_request: bool = True
    """Under the role user: the user's own words."""
    is_output: bool = False
    """It is what came of the turn before it."""


_ASSISTANT = Meaning("assistant", "the assistant")
_RESULT = Meaning("tool", "the result of a call")
_OUTPUT = Meaning("user", "what a tool said", is_request=False, is_output=True)
_TEXT = Meaning("user", "text that is no request", is_request=False)
_KNOWN: dict[str, Meaning] = {
    **dict.fromkeys(("system", "developer"), Meaning("system", "a system prompt")),
    **dict.fromkeys(("user", *PEOPLE), Meaning("user", "the user")),
    **dict.fromkeys(("assistant", *AGENTS), _ASSISTANT),
    **dict.fromkeys(("tool", "function", *OUTPUTS), _OUTPUT),
}


def meaning(value: Any) -> Meaning | None:
    """Return what a record is read as whose role is none of the API's; None for one of the API's, and for a record that
    has not the shape of a message."""
    role = word(value, "role")
    if not role or role in ROLES:
        return None
    calls, content = value.get("tool_calls"), value.get("content")
    if isinstance(calls, list) and calls and all(isinstance(call, dict) for call in calls):
        return _ASSISTANT
    if not isinstance(content, str) and not _are_blocks(content):
        return None
    known = _KNOWN.get(role.lower())
    answers = bool(word(value, "tool_call_id")) and (known or _OUTPUT) is _OUTPUT
    return _RESULT if answers else known or _TEXT


def _are_blocks(content: Any) -> bool:
    return isinstance(content, list) and all(isinstance(block, (str, dict)) for block in content)


def told(read: Iterable[tuple[str, str]]) -> str:
    """Return which roles were read as what, in words. `read`: role and meaning of each message."""
    counts: dict[tuple[str, str], int] = {}
    for each in read:
        counts[each] = counts.get(each, 0) + 1
    rows = [f'"{role}" ({count:,}) as {words}' for (role, words), count in counts.items()]
    return f"messages under roles that the API does not have are read as what these mean: {', '.join(rows)}"
