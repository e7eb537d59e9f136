"""Claude Code: a compact boundary, followed by copies of the records that are kept."""

from __future__ import annotations

from typing import Any

from compactor_cli.formats.anthropic_blocks import COUNTS
from compactor_cli.formats.values import word
from compactor_cli.resuming.base import Agentic, Compacted, last_value

_ENVELOPE = ("userType", "cwd", "sessionId", "version", "gitBranch", "slug")
_CALLS = frozenset(("tool_use", "tool_result"))
_BY_CALL = ("wireToolInputs", "wireIngestContext")
"""Members of a record with data about its calls, each under the call's id."""
_FLAGS = ("isCompactSummary", "isVisibleInTranscriptOnly")


class ResumedClaudeCode(Agentic):
    format = "claude-code"
    appends = "a compact boundary, followed by what is kept"

    def append(self, compacted: Compacted) -> list[Any]:
        stamps = compacted.stamps()
        template = last_value(compacted.before)
        parent = compacted.id("boundary")
        values: list[Any] = [
            {
                "parentUuid": None,
                "logicalParentUuid": compacted.leaf or None,
                "isSidechain": False,
                **{name: template[name] for name in _ENVELOPE if name in template},
                "type": "system",
                "subtype": "compact_boundary",
                "content": "Conversation compacted",
                "isMeta": False,
                "level": "info",
                "compactMetadata": {"trigger": "manual", "preTokens": compacted.before.tokens},
                "uuid": parent,
                "timestamp": next(stamps),
            }
        ]
        ids = _Ids(compacted)
        records = compacted.records
        last_counted = max((index for index, (_, value) in enumerate(records) if _counts(value)), default=-1)
        for index, (message, value) in enumerate(records):
            flags = dict.fromkeys(_FLAGS, True) if index == 0 and message.origin == "summary" else {}
            record_id = (
                ids.new_id(value["uuid"]) if isinstance(value.get("uuid"), str) else compacted.id("record", index)
            )
            copied = {name: ids.map_known(field) for name, field in value.items()}
            if isinstance(value.get("message"), dict):
                copied["message"] = _copy_message(value["message"], ids, keeps_usage=index == last_counted)
            for name in _BY_CALL:
                if isinstance(value.get(name), dict):
                    copied[name] = {ids.new_id(call, "toolu_"): field for call, field in value[name].items()}
            values.append({**copied, **flags, "parentUuid": parent, "uuid": record_id, "timestamp": next(stamps)})
            parent = record_id
        return values


class _Ids:
    """New ids for copied records. The agent searches the whole file for the pieces and call results of an answer, so
    with the old ids it would find those before the boundary."""

    def __init__(self, compacted: Compacted) -> None:
        self._compacted = compacted
        self._new: dict[str, str] = {}

    def new_id(self, name: str, prefix: str = "") -> str:
        """Return the new id for an old one; repeated calls return the same id."""
        if name not in self._new:
            new_uuid = self._compacted.id(prefix, name)
            self._new[name] = prefix + new_uuid.replace("-", "")[:24] if prefix else new_uuid
        return self._new[name]

    def map_known(self, field: Any) -> Any:
        """Return a record's member, with an id replaced by its new id if there is one."""
        return self._new.get(field, field) if isinstance(field, str) else field


def _counts(value: Any) -> bool:
    return isinstance(value.get("message"), dict) and isinstance(value["message"].get("usage"), dict)


def _copy_message(message: dict[str, Any], ids: _Ids, *, keeps_usage: bool) -> dict[str, Any]:
    """Return a message under new ids. Only the newest usage stays: tools add up usage."""
    content = message.get("content")
    changes: dict[str, Any] = {}
    if isinstance(content, list):
        changes["content"] = [_block(block, ids) for block in content]
    if isinstance(message.get("id"), str):
        changes["id"] = ids.new_id(message["id"], "msg_")
    if isinstance(message.get("usage"), dict) and not keeps_usage:
        changes["usage"] = dict.fromkeys(COUNTS, 0)
    return {**message, **changes}


def _block(block: Any, ids: _Ids) -> Any:
    for name in ("id", "tool_use_id"):
        if word(block, "type") in _CALLS and word(block, name):
            block = {**block, name: ids.new_id(block[name], "toolu_")}
    return block
