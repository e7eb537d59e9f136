"""Text that a harness inserts under the role user, as opposed to requests that the user wrote."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compactor_cli.model.message import Message, Origin, Part, text_in
from compactor_cli.summary_text.excerpts import SYSTEM_TAG
from compactor_cli.summary_text.headers import is_recalled, is_summary
from compactor_cli.text.patterns import compiled_later

DETACHED_RESULT = "[Tool result without its call]"
"""Begins a tool result that a repair could keep only as text."""
PLACEHOLDER_TEXT = "[…]"
"""The whole text of a placeholder turn between two turns of one role, for APIs that require alternating roles."""

_AGENT_SUMMARY = (
    r"(?:This session is being continued from a previous conversation"
    r"|Another language model started to solve this problem and produced a summary"
    r"|The conversation history before this point was compacted"
    r"|<system>Previous context has been compacted|<(?:state_snapshot|conversation[-_]summary)>)"
)
"""How agents begin the summary that a model writes when a session has grown too long."""
_AGENT_TAGS = (
    r"user_shell_command|hook_prompt|recommended_plugins|goal_context|codex_internal_context"
    r"|agent_message_board_notification|(?:agent|subagent|cross-session)-message"
    r'|teammate-message(?![^<>\n]*\bteammate_id="team-lead")'
)
"""Tags that agents put around text under the role user, including messages from agent to agent. A team lead's
messages are excluded: they are requests."""
_INJECTED = compiled_later(
    r"\s*(?:<(?:system[-_]reminder|local-command-(?:caveat|stdout|stderr)|bash-(?:input|stdout|stderr)"
    r"|task-notification|environment_context|environment_details|user_instructions|turn_aborted|user_info"
    r"|permissions instructions|collaboration_mode|skill|skills_instructions|INSTRUCTIONS|subagent_notification"
    r"|user_action|returncode|function_results|tool_results?|tool_use_error)\b"
    rf"|(?:<(?P<own>{_AGENT_TAGS})(?=[\s>])[^<>\n]*>(?:(?!</?(?P=own)\b)(?s:.))*</(?P=own)>\s*)+$"
    rf"|<(?P<cut>{_AGENT_TAGS})(?=[\s>])[^<>\n]*>\s*\n(?!(?s:.)*</(?P=cut)>)"
    rf"|(?:<(?P<tag>{SYSTEM_TAG}|system[-_]reminder)\b[^<>\n]*>(?:(?!</?(?P=tag)\b)(?s:.))*</(?P=tag)>\s*)+$"
    r"|EXECUTION RESULT of \[|(?:Current terminal state:\s*)?New Terminal Output:"
    r"|\[Tool result without its call\]|\[…\]\s*$|\[Image: source|Stop hook feedback|Base directory for this skill:"
    r"|# AGENTS\.md instructions|Caveat: The messages below were generated|\[Request interrupted by user"
    rf"|{_AGENT_SUMMARY}|/(?:[a-z][\w:-]*)?\s*$)"
)
_INJECTED_PREFIXES = (
    *("<", "[", "/", "#", "EXECUTION RESULT", "Current terminal", "New Terminal", "Stop hook", "Base directory"),
    *("Caveat: ", "This session is being", "Another language model", "The conversation history"),
)
"""How every injected text begins. Checking this first is much faster."""
_REMINDER = compiled_later(
    r"\s*<(system[-_]reminder|environment_context|environment_details)\b[^>]*>.*?</\1>\s*", re.DOTALL
)
"""What a harness puts in front of the user's own words in the same message."""
_INSTRUCTIONS = compiled_later(
    r"\s*(?:# AGENTS\.md instructions|<user_instructions|<INSTRUCTIONS)|.{0,400}(?:#\s*claudeMd|CLAUDE\.md|AGENTS\.md)",
    re.DOTALL,
)
_WRAPPER = compiled_later(
    r"\s*(?:(?:As you answer the user's questions, you can use the following context:|# claudeMd(?=\s|$)"
    r"|Codebase and user instructions are shown below\.|Be sure to adhere to these instructions\."
    r"|IMPORTANT: These instructions OVERRIDE any default behavior and you MUST follow them exactly as written\."
    r"|IMPORTANT: this context may or may not be relevant to your tasks\."
    r"|You should not respond to this context unless it is highly relevant to your task\."
    r"|Contents of [^\n()]*[/\\.][^\n()]* \([^()\n]+\):|# AGENTS\.md instructions(?: for [^\n]+)?"
    r"|</?(?:INSTRUCTIONS|user_instructions|system[-_]reminder)>)\s*)+$"
)
"""The standard sentences that a harness puts around instructions in every session."""
WRAPPER_HINTS = ("codebase and user instructions are shown", "# agents.md instructions", "<user_instructions>")
"""Lower-case strings, at least one of which occurs in every text with such sentences. Checking this first is fast."""
_COMMAND = compiled_later(r"\s*<command-(?:name|message|args)>")
_IS_COMMAND = compiled_later(r"\s*(?:<command-(?:name|message|args)>|/[a-z][\w:-]*\s*$)")
_LOCAL = compiled_later(r"\s*(?:<local-command-(?:caveat|stdout|stderr)\b|Caveat: The messages below were generated)")
_LOCAL_OUTPUT = "<local-command-std"
"""How the output begins of a command that a harness ran for the user without the model."""
_COMMAND_ARGS = compiled_later(r"<command-args>\s*[^\s<]")


def origin_of(text: str) -> Origin:
    """Return the origin of a text under the role user."""
    if is_summary(text):
        return "summary"
    if not text.lstrip().startswith(_INJECTED_PREFIXES):
        return "request" if text.strip() else "other"
    reminder = _REMINDER.match(text)
    while reminder and reminder.end() < len(text):
        text = text[reminder.end() :]
        reminder = _REMINDER.match(text)
    if is_recalled(text) or _INJECTED.match(text):
        return "injected"
    if _COMMAND.match(text):
        # a slash command counts as the user's words only when it has arguments
        return "request" if _COMMAND_ARGS.search(text) else "injected"
    return "request" if text.strip() else "other"


def origin_of_blocks(parts: Sequence[Part]) -> Origin:
    """Return the origin of the texts of a message under the role user. What the user typed makes it a request, wherever
    it stands among what a harness inserted."""
    origin = origin_of(text_in(parts))
    return "request" if origin == "injected" and inserted_among(parts) else origin


def inserted_among(parts: Sequence[Part]) -> list[int]:
    """Return the positions of the texts that a harness inserted among those that the user typed; an empty list if the
    user typed none. The text right after a slash command is what the command says."""
    texts = [(index, part.text) for index, part in enumerate(parts) if part.kind == "text" and part.text.strip()]
    inserted: list[int] = []
    if len(texts) > 1:
        is_command = False
        for index, text in texts:
            origin = origin_of(text)
            if origin == "injected" or is_command:
                inserted.append(index)
            is_command = origin == "injected" and _IS_COMMAND.match(text) is not None
    return inserted if len(inserted) < len(texts) else []


def origin_of_parts(parts: Sequence[Part], *, by_user: bool, text: str | None = None) -> Origin:
    """Return the origin of a message with these parts. `by_user`: the message has the role user, so one without
    text, such as a picture, is a request. For other roles the result is only `summary` or `other`. `text`: used
    instead of the texts of the parts."""
    if not by_user:
        origin = origin_of(text_in(parts) if text is None else text)
        return origin if origin == "summary" else "other"
    origin = origin_of_blocks(parts) if text is None else origin_of(text)
    return "request" if origin == "other" and parts else origin


def is_instructions(text: str) -> bool:
    """Return whether an injected text contains standing instructions for the agent, such as CLAUDE.md or AGENTS.md."""
    return _INSTRUCTIONS.match(text) is not None


def is_wrapper(text: str) -> bool:
    """Return whether a line or sentence is only a harness's standard wording around standing instructions. Such text
    contains no instruction of its own."""
    return _WRAPPER.match(text) is not None


def is_agent_summary(text: str) -> bool:
    """Return whether an injected text is an agent's own summary of what came before it."""
    return re.match(rf"\s*{_AGENT_SUMMARY}", text) is not None


def has_instructions(message: Message) -> bool:
    """Return whether a message is injected and contains standing instructions for the agent."""
    return message.origin == "injected" and is_instructions(message.text("text"))


def of_local_commands(texts: Sequence[str]) -> frozenset[int]:
    """Return the positions of the texts, in a session's order, that belong to commands which a harness ran for the user
    without the model: the command, its output, and the note that neither is meant for the model."""
    found = {index for index, text in enumerate(texts) if text[:1] in "< \nC" and _LOCAL.match(text)}
    for index, text in enumerate(texts):
        output = texts[index + 1] if index + 1 in found else text
        if text.lstrip().startswith("<command-") and _LOCAL_OUTPUT in output and _COMMAND.match(text):
            found.add(index)
    return frozenset(found)


def local_commands(messages: Sequence[Message]) -> frozenset[int]:
    """Return the indices of the messages of such commands."""
    return of_local_commands([m.text("text") if m.role == "user" and m.origin == "injected" else "" for m in messages])


def is_injected_output(message: Message) -> bool:
    """Return whether a message is injected output, such as a file attached to a request or the output of a command:
    nobody wrote it, and it gives no instructions."""
    if message.origin != "injected":
        return False
    text = message.text("text")
    return not is_instructions(text) and not is_agent_summary(text)
