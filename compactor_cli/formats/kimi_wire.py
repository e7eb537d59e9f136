"""The log of Kimi Code, replayed as the agent does: messages are appended; a compaction, undo or clear removes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from compactor_cli.formats.base import Builder, Reading
from compactor_cli.formats.copies import equal_copies, shortened_copies, shortened_texts
from compactor_cli.formats.values import as_text, block_text, body, inner, is_image, listed, sum_of, word
from compactor_cli.model.injected import origin_of_blocks
from compactor_cli.model.message import Message, Origin, Part, Path, Place, Role
from compactor_cli.text.times import parse_time

_DOMAINS = frozenset(
    (
        *("context", "turn", "config", "llm", "usage", "tools", "permission", "full_compaction", "plan_mode", "goal"),
        *("profile", "plugin", "runtime", "token_counting", "mcp", "task", "skill", "micro_compaction", "forked"),
    )
)
_TELEMETRY = ("llm.request", "llm.tools_snapshot")
"""Records that play no part in rebuilding the context."""
_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}
_TYPED_ORIGINS = ("user", "skill_activation", "plugin_command")
"""Origins of text that the user typed. A subagent's task is typed by the agent that called it."""


def recognize(value: dict[str, Any]) -> float:
    kind = value["type"]
    if kind == "metadata":
        return 1.0 if "protocol_version" in value else 0.0
    domain, _, event_name = kind.partition(".")
    if not event_name or not isinstance(value.get("time"), (int, float)):
        return 0.0
    return 1.0 if domain in _DOMAINS else 0.7


class _Entry(Struct):
    """A message of the context, with the records that it is made of."""

    role: Role
    records: list[int]
    typed: bool = False
    """Whether the user wrote it, so that a compaction keeps it."""
    sealed: bool = False
    """Whether a compaction kept it, so that it stays unchanged."""
    summary: bool = False


class _Replay(Struct):
    """Rebuilds the context record by record."""

    entries: list[_Entry] = field(default_factory=list)
    removed: set[int] = field(default_factory=set)
    """Records whose message was removed, and undo records."""
    steps: dict[str, _Entry] = field(default_factory=dict)
    has_tail: bool = False
    """Whether a compaction states how many messages it replaced, so that all earlier records must stay in the file."""

    def add(self, record: int, value: dict[str, Any]) -> None:
        kind = value["type"]
        if kind == "context.append_message" and isinstance(value.get("message"), dict):
            message = value["message"]
            role = _ROLES.get(word(message, "role"), "user")
            origin = message.get("origin")
            typed = role == "user" and (origin is None or word(origin, "kind") in _TYPED_ORIGINS)
            if word(message, "role") == "tool":
                role = "tool"
            self.entries.append(_Entry(role, [record], typed))
        elif kind == "context.append_loop_event" and isinstance(value.get("event"), dict):
            self._event(record, value["event"])
        elif kind == "context.apply_compaction":
            self._compact(record, value)
        elif kind == "context.clear":
            self._keep_only([])
        elif kind == "context.undo":
            self._undo(record, value.get("count"))

    def _event(self, record: int, event: dict[str, Any]) -> None:
        kind = word(event, "type")
        if kind == "step.begin":
            entry = self.steps[word(event, "uuid")] = _Entry("assistant", [record])
            self.entries.append(entry)
        elif kind == "tool.result":
            self.entries.append(_Entry("tool", [record]))
        elif (step := word(event, "stepUuid") or word(event, "uuid")) in self.steps:
            self.steps[step].records.append(record)

    def _compact(self, record: int, value: dict[str, Any]) -> None:
        kept_requests, head = value.get("keptUserMessageCount"), value.get("keptHeadUserMessageCount")
        entry = _Entry("user", [record], summary=True)
        if not isinstance(kept_requests, int):  # the first versions kept the messages that followed the summarized ones
            count = value.get("compactedCount")
            tail = self.entries[count:] if isinstance(count, int) else []
            self.has_tail = self.has_tail or bool(tail)
            self._keep_only([entry, *tail])
            return
        typed = [turn for turn in self.entries if turn.typed]
        first = head if isinstance(head, int) else 0
        chosen = (
            [*typed[:first], *typed[len(typed) - (kept_requests - first) :]] if kept_requests < len(typed) else typed
        )
        for turn in chosen:
            turn.sealed = True
        self._keep_only([*chosen, entry])

    def _undo(self, record: int, count: Any) -> None:
        anchors = [index for index, entry in enumerate(self.entries) if entry.typed and not entry.sealed]
        if isinstance(count, int) and 0 < count <= len(anchors):
            self._keep_only(self.entries[: anchors[-count]])
            self.removed |= set() if self.has_tail else {record}

    def _keep_only(self, entries: list[_Entry]) -> None:
        """Reduce the context to these entries."""
        if not self.has_tail:
            kept_ids = {id(entry) for entry in entries}
            self.removed |= {record for entry in self.entries if id(entry) not in kept_ids for record in entry.records}
        self.entries = entries
        self.steps = {}


def read(build: Builder, values: Sequence[Any]) -> Reading:
    """Return the messages of the context after replaying the records."""
    replay = _Replay()
    for record, value in enumerate(values):
        if word(value, "type"):
            replay.add(record, value)
    prompt = _prompt(values)
    entries = [*([_Entry("system", [prompt])] if prompt is not None else []), *replay.entries]
    for entry in sorted(entries, key=lambda item: item.records[0]):
        _read(build, entry, values)
    owners, copies = _owners(values, build.messages)
    outside = {record for record, value in enumerate(values) if word(value, "type") in _TELEMETRY} | replay.removed
    return Reading(build.messages, owners, copies=copies, outside=outside - owners.keys())


def _prompt(values: Sequence[Any]) -> int | None:
    """Return the first record with the system prompt that is in force at the end."""
    prompts = {record: value["systemPrompt"] for record, value in enumerate(values) if word(value, "systemPrompt")}
    last = next(reversed(prompts.values()), None)
    return next((record for record, prompt in prompts.items() if prompt == last), None)


def _read(build: Builder, entry: _Entry, values: Sequence[Any]) -> None:
    first = entry.records[0]
    value = values[first]
    origin: Origin = "other"
    if entry.role == "system" and "systemPrompt" in value:
        parts = [build.part("text", value["systemPrompt"], Place(first, ("systemPrompt",)))]
    elif entry.summary:
        key = "contextSummary" if isinstance(value.get("contextSummary"), str) else "summary"
        parts, origin = [build.part("text", as_text(value.get(key)), Place(first, (key,)))], "summary"
    elif word(value, "type") == "context.append_message":
        parts, origin = _message(build, entry, value["message"], first)
    elif entry.role == "tool":
        parts = _result(build, value["event"], first)
    else:
        parts = [part for record in entry.records for part in _event_parts(build, values[record]["event"], record)]
    if parts:
        name, time = word(value.get("event"), "uuid"), parse_time(value.get("time"))
        pinned = entry.summary or entry.sealed
        build.add(entry.role, parts, tuple(entry.records), id=name, timestamp=time, origin=origin, pinned=pinned)


def _message(build: Builder, entry: _Entry, message: dict[str, Any], record: int) -> tuple[list[Part], Origin]:
    path: Path = ("message", "content")
    if entry.role == "tool":
        text, images, place = body(message.get("content"), path, record)
        call = word(message, "toolCallId")
        failed = message.get("isError") is True
        return [build.part("tool_result", text, place, call_id=call, failed=failed, images=images)], "other"
    parts = content_parts(build, message.get("content"), path, record, sealed=entry.sealed)
    for index, call in enumerate(listed(message.get("toolCalls"))):
        place = Place(record, ("message", "toolCalls", index, "arguments"))
        arguments, name, call_id = word(call, "arguments"), word(call, "name"), word(call, "id")
        has_arguments = isinstance(call, dict) and isinstance(call.get("arguments"), str)
        parts.append(build.part("tool_call", arguments, place if has_arguments else None, name=name, call_id=call_id))
    origin = origin_of_blocks(parts)
    if origin == "summary" or entry.role != "user":
        return parts, origin if origin == "summary" else "other"
    kind = message.get("origin")
    task = word(kind, "kind") == "system_trigger" and word(kind, "name") == "subagent"
    if not entry.typed and not task:
        return parts, "injected"
    return parts, "request" if origin == "other" or task else origin


def _event_parts(build: Builder, event: dict[str, Any], record: int) -> list[Part]:
    """Return the parts of an answer in one loop event."""
    kind = word(event, "type")
    if kind == "content.part":
        return [content_part(build, event.get("part"), ("event", "part"), record)]
    if kind == "tool.call":
        name, call = word(event, "name"), word(event, "toolCallId")
        return [build.call(event.get("args"), record, ("event", "args"), name=name, call_id=call)]
    return []


def _result(build: Builder, event: dict[str, Any], record: int) -> list[Part]:
    """Return a call's result, and the note that only the model sees."""
    result, failed = inner(event, "result"), inner(event, "result").get("isError") is True
    path: Path = ("event", "result", "output")
    part = build.result(result, record, path, call_id=word(event, "toolCallId"), failed=failed)
    return [part, *build.text(result.get("note"), record, ("event", "result", "note"))]


def _owners(values: Sequence[Any], messages: Sequence[Message]) -> tuple[dict[int, int], set[int]]:
    """Return record -> message for records that go with one: a prompt, a call's approval. Also return the prompts."""
    by_record = {message.records[0]: message for message in messages}
    by_call = {part.call_id: message.index for message in messages for part in message.calls if part.call_id}
    owners: dict[int, int] = {}
    copies: set[int] = set()
    waiting: list[int] = []
    for record, value in enumerate(values):
        kind = word(value, "type")
        if kind in ("turn.prompt", "turn.steer"):
            waiting.append(record)
        elif kind == "context.append_message":
            content = inner(value, "message").get("content")
            same = next((index for index in waiting if values[index].get("input") == content), None)
            if same is not None:
                waiting.remove(same)
                if record in by_record:
                    owners[same] = by_record[record].index
                    copies.add(same)
        elif word(value, "toolCallId") in by_call:
            owners[record] = by_call[word(value, "toolCallId")]
    return owners, copies


def usage(value: dict[str, Any]) -> int | None:
    """Return the provider's token count for an answer: tokens sent plus tokens returned."""
    event = value.get("event")
    if word(event, "type") != "step.end":
        return None
    sent = ("inputOther", "inputCacheRead", "inputCacheCreation")
    return sum_of(inner(event, "usage"), *sent, "output")


def copies(value: dict[str, Any], edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
    """Return the changes to display copies in a record: a call's arguments, a compaction's summary."""
    changes: dict[Path, str] = {}
    for part, text in edited:
        if part.kind == "tool_call" and part.place is not None and part.place.path == ("event", "args"):
            pairs = shortened_texts(value["event"]["args"], text)
            for key in ("display", "description"):
                changes |= equal_copies(value["event"].get(key), ("event", key), pairs)
        elif part.place is not None and part.place.path == ("contextSummary",) and word(value, "summary"):
            changes |= shortened_copies(value["summary"], ("summary",), text)
    return changes


def new_record(message: Message, template: dict[str, Any]) -> dict[str, Any]:
    """Return a record that the agent replays as a message."""
    part = message.parts[0]
    envelope: dict[str, Any] = {key: template[key] for key in ("time", "agentId") if key in template}
    if part.kind == "tool_result":
        result = {"output": part.text, "isError": True}
        event = {"type": "tool.result", "parentUuid": part.call_id, "toolCallId": part.call_id, "result": result}
        return {"type": "context.append_loop_event", "event": event, **envelope}
    role = "assistant" if message.role == "assistant" else "user"
    content: dict[str, Any] = {"role": role, "content": [{"type": "text", "text": part.text}], "toolCalls": []}
    if message.origin == "summary":
        content["origin"] = {"kind": "compaction_summary"}
    elif role == "user":
        content["origin"] = {"kind": "injection", "variant": "note"}
    return {"type": "context.append_message", "message": content, **envelope}


def content_parts(build: Builder, content: Any, path: Path, record: int, *, sealed: bool = False) -> list[Part]:
    """Return the parts of a message's content at `path` in its record. `sealed`: no text may be changed."""
    if isinstance(content, str):
        return [build.part("text", content, None if sealed else Place(record, path))] if content else []
    blocks = enumerate(listed(content))
    return [content_part(build, block, (*path, index), record, sealed=sealed) for index, block in blocks]


def content_part(build: Builder, block: Any, path: Path, record: int, *, sealed: bool = False) -> Part:
    """Return the part for a block. Thinking is never changed, since it may be encrypted."""
    kind = word(block, "type")
    if kind == "text":
        place = None if sealed else Place(record, (*path, "text"))
        return build.part("text", as_text(block.get("text")), place)
    if kind == "think":
        return build.part("thinking", as_text(block.get("think")))
    if is_image(block):
        return build.image(None if sealed else Place(record, path, "block:text"))
    return build.part("other", block_text(block))
