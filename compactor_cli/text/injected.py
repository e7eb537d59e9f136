"""Text that a harness puts under the role user; it is no request of the user."""

from __future__ import annotations

import re

from compactor_cli.model.message import Origin
from compactor_cli.text.headers import is_recalled, is_summary

DETACHED_RESULT = "[Tool result without its call]"
"""Begins a tool result that a repair could only keep as text."""

_INJECTED = re.compile(
    r"\s*(?:<(?:system-reminder|local-command-(?:caveat|stdout|stderr)|bash-(?:input|stdout|stderr)"
    r"|task-notification|environment_context|user_instructions|turn_aborted|user_info|permissions instructions"
    r"|collaboration_mode|skill|skills_instructions|INSTRUCTIONS|subagent_notification|user_action)\b"
    r"|\[Tool result without its call\]"
    r"|# AGENTS\.md instructions|Caveat: The messages below were generated|\[Request interrupted by user"
    r"|This session is being continued from a previous conversation)"
)
_COMMAND = re.compile(r"\s*<command-(?:name|message|args)>")
_COMMAND_ARGS = re.compile(r"<command-args>\s*[^\s<]")


def origin_of(text: str) -> Origin:
    """Who speaks in a text that stands under the role user."""
    if is_summary(text):
        return "summary"
    if is_recalled(text) or _INJECTED.match(text):
        return "injected"
    if _COMMAND.match(text):
        # a slash command counts as the user's words only when it carries some
        return "request" if _COMMAND_ARGS.search(text) else "injected"
    return "request" if text.strip() else "other"
