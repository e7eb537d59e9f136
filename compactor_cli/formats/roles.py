"""Roles that the API does not know, and how their messages are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from compactor_cli.formats.anthropic_blocks import BLOCK_TYPES
from compactor_cli.formats.chat import ROLES
from compactor_cli.formats.values import block_kinds, word
from compactor_cli.model.message import LEGACY_ID, Role
from compactor_cli.text.clean import one_line

_MAX_ROLES = 5
"""Maximum number of roles to list, most frequent first."""
_NAME = 40
"""Maximum characters of a role's name to show."""
PEOPLE = frozenset(("human",))
AGENT_ROLES = frozenset(("agent", "ai", "bard", "bing", "bot", "chatbot", "chatgpt", "gpt", "model"))
OUTPUT_ROLES = frozenset(
    (
        *("environment", "ipython", "observation", "tool_response", "tool_result", "tool-result", "toolresult"),
        *("function_response", "function-response", "function_result"),
    )
)


class Meaning(NamedTuple):
    """How a message under an unknown role is read."""

    role: Role
    words: str
    """Description of the role for people."""
    is_request: bool = True
    """Under the role user: whether these are the user's own words."""
    is_output: bool = False
    """Whether this is the outcome of the turn before it."""
    is_known: bool = True
    """Whether the role's name or its calls show the meaning; False for text under an unknown name."""

    @property
    def asks(self) -> bool:
        """Return whether somebody asks something in the message."""
        return self.role == "user" and self.is_request


_ASSISTANT = Meaning("assistant", "the assistant")
RESULT = Meaning("tool", "the result of a call")
_OUTPUT = Meaning("user", "what a tool said", is_request=False, is_output=True)
_TEXT = Meaning("user", "text that is no request", is_request=False, is_known=False)
_KNOWN: dict[str, Meaning] = {
    **dict.fromkeys(("system", "developer"), Meaning("system", "a system prompt")),
    **dict.fromkeys(("user", *PEOPLE), Meaning("user", "the user")),
    **dict.fromkeys(("assistant", *AGENT_ROLES), _ASSISTANT),
    **dict.fromkeys(("tool", "function", *OUTPUT_ROLES), _OUTPUT),
}


def meaning(value: Any) -> Meaning | None:
    """Return how a record whose role the API does not know is read, provided that `make_talk` accepts such records
    as messages. None for a role of the API, and for a record that is not shaped like a message."""
    role = word(value, "role")
    if not role or role in ROLES or "toolCalls" in value:
        return None
    calls, content = value.get("tool_calls"), value.get("content")
    if block_kinds(content) & BLOCK_TYPES:
        return None
    if isinstance(calls, list) and calls and all(isinstance(call, dict) for call in calls):
        return _ASSISTANT
    if word(value.get("function_call"), "name"):
        return _ASSISTANT
    if not isinstance(content, str) and not _are_blocks(content):
        return None
    known = _KNOWN.get(role.lower())
    answers = bool(word(value, "tool_call_id")) and (known or _OUTPUT) is _OUTPUT
    return RESULT if answers else known or _TEXT


def make_talk(values: Iterable[Any]) -> bool:
    """Return whether records under unknown roles are messages of a conversation. Logs and tables also have a `role`
    and a `content`, and must not be mistaken for one. Most records with a role must have a known one. Also, an API
    user or assistant must speak, or somebody must ask and somebody answer."""
    known = unknown = 0
    speakers: set[Role] = set()
    in_api = False
    for value in values:
        role = word(value, "role")
        if role in ROLES:
            known += 1
            in_api = in_api or role in ("user", "assistant")
        elif role:
            meant_role = meaning(value)
            is_known = meant_role is not None and meant_role.is_known
            known, unknown = known + is_known, unknown + (not is_known)
            if meant_role is not None and (meant_role.asks or meant_role.role == "assistant"):
                speakers.add(meant_role.role)
    return known > unknown and (in_api or len(speakers) > 1)


def answers_named(values: Iterable[Any]) -> frozenset[str]:
    """Return the call ids that results name. A result in the old form, without an id, contributes the old calls'
    prefix plus the function's name."""
    ids: set[str] = set()
    for value in values:
        if word(value, "role") == "function":
            ids.add(f"{LEGACY_ID}{word(value, 'name')}")
        elif call_id := word(value, "tool_call_id"):
            ids.add(call_id)
        elif isinstance(value, dict) and isinstance(value.get("tool_call_ids"), list):
            ids.update(map(str, value["tool_call_ids"]))
    return frozenset(ids)


def _are_blocks(content: Any) -> bool:
    return isinstance(content, list) and all(isinstance(block, (str, dict)) for block in content)


def list_roles(read: Iterable[tuple[str, str]]) -> str:
    """Return a sentence on how roles were read, most frequent first. `read`: role and meaning of each message."""
    counts = Counter(read).most_common()
    rows = [f'"{one_line(role, _NAME)}" ({count:,}) as {words}' for (role, words), count in counts[:_MAX_ROLES]]
    omitted = f" and {len(counts) - _MAX_ROLES:,} more" if len(counts) > _MAX_ROLES else ""
    return f"messages with roles that the API does not have were mapped: {', '.join(rows)}{omitted}"
