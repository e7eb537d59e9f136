"""Claude Code: what `attachment` records put into the context, by kind. Newer versions store it (`rendered`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.formats.anthropic_blocks import read_content
from compactor_cli.formats.base import Builder
from compactor_cli.formats.copies import equal_copies, find_at
from compactor_cli.formats.values import objects, word
from compactor_cli.model.injected import origin_of
from compactor_cli.model.message import Origin, Part, Path, Place, text_in

QUEUED_COMMAND = "queued_command"
"""Kind of attachment for what the user typed while the agent was working."""
_TEXTS: dict[str, tuple[Path, ...]] = {
    QUEUED_COMMAND: (("prompt",),),
    "hook_additional_context": (("content",),),
    "hook_blocking_error": (("blockingError", "blockingError"),),
    "hook_success": (("content",),),
    "nested_memory": (("content", "content"),),
    "edited_text_file": (("snippet",),),
    "file": (("content", "file", "content"),),
    "skill_listing": (("content",),),
    "read_truncation_notice": (("banner",),),
    "total_tokens_reminder": (("text",),),
    "batching_reminder_sent": (("text",),),
    "silent_turn_reminder": (("text",),),
    "critical_system_reminder": (("content",),),
}
_UNATTENDED_ORIGINS = frozenset(("auto-continuation", "coordinator", "peer", "task-notification"))
"""Kinds of origin for text under the role user that comes from the agent itself or from other sessions."""
_SPEAKING_HOOKS = frozenset(("SessionStart", "UserPromptSubmit"))
"""Hook events whose output is sent when the hook succeeds."""
_NEVER_SENT = frozenset(
    (
        "already_read_file",
        "command_permissions",
        "dynamic_skill",
        "hook_cancelled",
        "hook_error_during_execution",
        "hook_non_blocking_error",
        "hook_system_message",
        "structured_output",
    )
)
_RENDERED = ("rendered", "renderedInHumanTurn")
"""Members of a record that hold an attachment as it was sent; the second one directly after the user's words."""


def is_nobodys(value: dict[str, Any]) -> bool:
    """Return whether a record or an attachment says that no person wrote its words."""
    return word(value.get("origin"), "kind") in _UNATTENDED_ORIGINS


def is_sent(value: dict[str, Any]) -> bool:
    """Return whether the agent sends something for a record's attachment. Unknown kinds are assumed to be sent."""
    attachment: Any = value.get("attachment")
    if any(_rendered_texts(value)):
        return True
    kind = word(attachment, "type")
    if kind == "hook_success":
        return word(attachment, "hookEvent") in _SPEAKING_HOOKS and bool(attachment.get("content"))
    return kind not in _NEVER_SENT


def read_attachment(build: Builder, value: dict[str, Any], record: int) -> tuple[list[Part], Origin]:
    """Return an attachment's texts stored in its record, and their origin. For some kinds, older versions send fixed
    wording that no record contains."""
    if not is_sent(value):
        return [], "injected"
    attachment: Any = value.get("attachment")
    typed = word(attachment, "type") == QUEUED_COMMAND and word(attachment, "commandMode") in ("", "prompt")
    if not typed or attachment.get("isMeta") or is_nobodys(attachment):
        sent = [build.part("text", text, Place(record, path)) for path, text in _rendered_texts(value)]
        return sent or list(_parts(build, attachment, record)), "injected"
    parts = list(_parts(build, attachment, record))
    origin = origin_of(text_in(parts))
    return parts, "request" if origin == "other" else origin


def attachment_copies(value: dict[str, Any], path: Path, text: str) -> dict[Path, str]:
    """Return what else changes in a record when its attachment's text at `path` is shortened to `text`: the sent
    form repeats the attachment's own texts."""
    old = find_at(value, path)
    if not isinstance(old, str) or len(old) <= len(text):
        return {}
    changes: dict[Path, str] = {}
    if path[0] in _RENDERED:
        copied_lines = {
            line_path: line for line_path, line in _texts_in(value.get("attachment"), ("attachment",)) if line in old
        }
        return {line_path: jsonedit.encode(text) for line_path, line in copied_lines.items() if len(line) > len(text)}
    for name in _RENDERED:
        changes |= equal_copies(value.get(name), (name,), {old: text})
    return changes


def _rendered_texts(value: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield each text that was sent for an attachment, with its path."""
    for index, item in objects(value.get(_RENDERED[0])):
        if text := word(item, "content"):
            yield (_RENDERED[0], index, "content"), text


def _texts_in(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield all texts inside a value, with their paths."""
    if isinstance(value, str):
        yield path, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, member in members:
        yield from _texts_in(member, (*path, step))


def _parts(build: Builder, attachment: dict[str, Any], record: int) -> Iterator[Part]:
    for path in _TEXTS.get(word(attachment, "type"), ()):
        value = find_at(attachment, path)
        full_path = ("attachment", *path)
        yield from read_content(build, value, full_path, record)
