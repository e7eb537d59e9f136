"""The JSON that an agent gives a hook on standard input."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from compactor_cli.errors import UsageError

BEFORE, START = "PreCompact", "SessionStart"
BEFORE_ELSEWHERE = "PreCompress"
"""The event of Gemini CLI that is the same as BEFORE."""


class Payload(Struct, frozen=True):
    """What is used of a payload; empty where the agent says nothing."""

    event: str
    session: str
    """The session's id."""
    transcript: str
    """Path of the session's file."""
    cwd: str
    source: str
    """Of `SessionStart`: startup, resume, clear or compact."""

    @property
    def is_before(self) -> bool:
        """Return whether the agent is about to compact its session."""
        return self.event in (BEFORE, BEFORE_ELSEWHERE)

    @property
    def is_after(self) -> bool:
        """Return whether it has compacted it."""
        return self.event == START and self.source == "compact"


def payload_of(data: bytes) -> Payload:
    """Return a payload. Raises UsageError for what is none."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise UsageError(
            "standard input is no JSON payload of a hook; agents call this command, see docs/hooks.md"
        ) from None
    if not isinstance(value, dict) or not _word(value, "hook_event_name"):
        raise UsageError("the payload names no hook_event_name; see docs/hooks.md")
    return Payload(
        event=_word(value, "hook_event_name"),
        session=_word(value, "session_id"),
        transcript=_word(value, "transcript_path"),
        cwd=_word(value, "cwd"),
        source=_word(value, "source"),
    )


def start_output(context: str) -> str:
    """Return what a hook of `SessionStart` prints to put a text into the agent's context."""
    # plain ASCII: whatever the encoding of standard output is, the agent reads the same
    return json.dumps({"hookSpecificOutput": {"hookEventName": START, "additionalContext": context}})


def _word(value: dict[str, Any], key: str) -> str:
    word = value.get(key)
    return word if isinstance(word, str) else ""
