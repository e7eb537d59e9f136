"""The JSON that an agent passes to a hook on standard input."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from compactor_cli.errors import UsageError

BEFORE, START = "PreCompact", "SessionStart"
BEFORE_ELSEWHERE = "PreCompress"
"""Gemini CLI's event that corresponds to BEFORE."""


class Payload(Struct, frozen=True):
    """The fields used from a payload; empty if the agent does not provide them."""

    event: str
    session: str
    transcript: str
    source: str
    """For `SessionStart`: startup, resume, clear or compact."""

    @property
    def is_before(self) -> bool:
        """Return whether the agent is about to compact its session."""
        return self.event in (BEFORE, BEFORE_ELSEWHERE)

    @property
    def is_after(self) -> bool:
        """Return whether the agent has just compacted its session."""
        return self.event == START and self.source == "compact"


def parse_payload(data: bytes) -> Payload:
    """Return the payload in these bytes. Raises UsageError if they are not a payload."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise UsageError(
            "standard input is not the JSON payload of a hook; agents call this command, see docs/hooks.md"
        ) from None
    if not isinstance(value, dict) or not _text_member(value, "hook_event_name"):
        raise UsageError("the payload has no hook_event_name; see docs/hooks.md")
    names = ("hook_event_name", "session_id", "transcript_path", "source")
    return Payload(*(_text_member(value, name) for name in names))


def start_output(context: str) -> str:
    """Return what a `SessionStart` hook prints to add a text to the agent's context."""
    # ASCII only, so that the agent reads the same whatever the encoding of standard output
    return json.dumps({"hookSpecificOutput": {"hookEventName": START, "additionalContext": context}})


def _text_member(value: dict[str, Any], key: str) -> str:
    word = value.get(key)
    return word if isinstance(word, str) else ""
