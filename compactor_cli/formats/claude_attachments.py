"""Claude Code: what `attachment` records put into the context. Each kind keeps its text elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compactor_cli.formats.anthropic_blocks import read_content
from compactor_cli.formats.base import Builder, word
from compactor_cli.formats.copies import found_at
from compactor_cli.model.injected import origin_of
from compactor_cli.model.message import Origin, Part, Path, Place, text_in

QUEUED = "queued_command"
"""What the user typed while the agent worked."""
_TEXTS: dict[str, tuple[Path, ...]] = {
    QUEUED: (("prompt",),),
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
_SPEAKING_HOOKS = frozenset(("SessionStart", "UserPromptSubmit"))
"""Events of hooks whose output is sent when they succeed."""
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


def is_sent(attachment: Any) -> bool:
    """Return whether the agent sends something for an attachment; of kinds that are not known it is taken to."""
    kind = word(attachment, "type")
    if kind == "hook_success":
        return word(attachment, "hookEvent") in _SPEAKING_HOOKS and bool(attachment.get("content"))
    return kind not in _NEVER_SENT


def read_attachment(build: Builder, attachment: Any, record: int) -> tuple[list[Part], Origin]:
    """Return the texts of an attachment that stand in its record, and whose words they are. What the agent says of
    others in fixed words is in no record."""
    if not is_sent(attachment):
        return [], "injected"
    parts = list(_parts(build, attachment, record))
    text = text_in(parts)
    typed = word(attachment, "type") == QUEUED and word(attachment, "commandMode") in ("", "prompt")
    if not typed or attachment.get("isMeta"):
        return parts, "injected"
    origin = origin_of(text)
    return parts, "request" if origin == "other" else origin


def _parts(build: Builder, attachment: dict[str, Any], record: int) -> Iterator[Part]:
    for path in _TEXTS.get(word(attachment, "type"), ()):
        value = found_at(attachment, path)
        where = ("attachment", *path)
        if isinstance(value, str) and value:
            yield build.part("text", value, Place(record, where))
        elif isinstance(value, list):
            yield from read_content(build, value, where, record)
