"""Copilot CLI sessions: events `{type, data, id, timestamp, parentId}` in a single chain.

The agent sends a version of the typed text that it prepared (`transformedContent`). Results are separate events. A
finished compaction replaces the messages before its start; these pass through, as do all kinds of events that are
not sent.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import Around, Builder, Counter, Format, Reading
from compactor_cli.formats.copies import shortened_copies
from compactor_cli.formats.copilot_events import calls_of, data_of, find_context, kind_of, owners_of, records_outside
from compactor_cli.formats.values import as_text, block_text, inner, listed, objects, sum_of, uuid_text, word
from compactor_cli.model.injected import origin_of, origin_of_parts
from compactor_cli.model.message import Message, Origin, Part, Path, Place, Role
from compactor_cli.model.transcript import Link
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.times import parse_time

_KINDS = compiled_later(r"(?:session|user|assistant|tool|system|hook|permission|subagent|skill)\.[a-z_]+|abort")
_SENT = ("user.message", "assistant.message", "tool.execution_complete", "system.message", "system.notification")
_NOBODY = ("skill-", "agent-", "system")
"""Prefixes of `source` for messages that nobody typed."""
_MAX_ADDED_CHARS = 2_000
"""Characters that the agent may add around the typed text. If it added more, the whole is treated as one text."""
_PICTURE = "block:blob"
"""Encoding of a picture's place. A shortened picture becomes an attachment without data, whose name is the text."""
_EXIT = compiled_later(r"<(?:shellId: \S+ completed|exited) with exit code [^0\D]\d*>\s*\Z|exit code: -?[1-9]\d*\s*\Z")
"""Matches the end of a failed command's output; the call itself succeeded."""


class CopilotCLI(Format):
    name = "copilot-cli"
    title = "Copilot CLI sessions"
    adjacent_results = False
    parent_path = ("parentId",)
    boundary_is_message = True

    def recognize(self, value: Any) -> float:
        kind = kind_of(value)
        if not kind or not {"id", "timestamp"} <= value.keys():
            return 0.0
        if _KINDS.fullmatch(kind):
            return 1.0
        return 0.7 if "parentId" in value else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        context = find_context(values)
        reading = _Reader(values, context.start, Builder(counter))
        for record in context.records:
            if record == context.boundary:
                reading.boundary(record)
            elif kind_of(values[record]) in _SENT:
                reading.event(record)
        messages = reading.build.messages
        owners, copies = owners_of(values, context, messages)
        session = next((word(data_of(v), "sessionId") for v in values if kind_of(v) == "session.start"), "")
        links = [_link(value) for value in values]
        return Reading(messages, owners, links, copies, records_outside(values, context), session)

    usage_words = (b'"session.shutdown"', b'"session.usage_info"', b'"assistant.usage"')

    def usage(self, value: Any) -> int | None:
        data = data_of(value)
        if kind_of(value) == "assistant.usage":
            return None if data.get("initiator") else sum_of(data, "inputTokens", "outputTokens")
        return sum_of(data, "currentTokens")

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        changes = super().edits(raw, edited)
        data = data_of(json.loads(raw))
        for part, text in edited:
            path = part.place.path if part.place else ()
            if part.place and part.place.encoding == _PICTURE:
                changes[path] = _omitted_attachment(data["attachments"][path[2]], text)
            elif path == ("data", "transformedContent"):
                changes[("data", "content")] = jsonedit.encode(text)
            elif path == ("data", "content") and isinstance(data.get("transformedContent"), str):
                before, after = _text_around(data["content"], data["transformedContent"]) or ("", "")
                changes[("data", "transformedContent")] = jsonedit.encode(before + text + after)
            elif part.kind == "tool_result" and isinstance(data.get("result"), dict):
                changes |= _result_copies(data["result"], text)
        return changes

    def new_record(self, message: Message, around: Around) -> Any:
        kind, data = _new_data(message, around.key)
        return {
            "type": kind,
            "data": data,
            "id": uuid_text(around.key),
            "timestamp": around.template.get("timestamp"),
            "parentId": around.parent or None,
        }


def _new_data(message: Message, key: str) -> tuple[str, dict[str, Any]]:
    part = message.parts[0]
    if part.kind == "tool_result":
        error = {"message": part.text}
        return "tool.execution_complete", {"toolCallId": part.call_id, "success": False, "error": error}
    if message.role == "assistant":
        return "assistant.message", {"messageId": uuid_text(key[::-1]), "content": part.text, "toolRequests": []}
    if message.role == "system":
        # of several prompts under the role system only the last is sent
        return "system.message", {"role": "developer", "content": part.text}
    return "user.message", {"content": part.text, "transformedContent": part.text, "attachments": []}


def _link(value: Any) -> Link | None:
    if not kind_of(value) or not word(value, "id"):
        return None
    return Link(value["id"], word(value, "parentId"))


def _omitted_attachment(attachment: dict[str, Any], text: str) -> str:
    """Return the attachment that the agent stores for a picture that is not sent."""
    omitted = {"type": "blob", "mimeType": attachment["mimeType"], "displayName": text, "omittedReason": "too_large"}
    return jsonedit.dump(omitted)


def _result_copies(result: dict[str, Any], text: str) -> dict[Path, str]:
    """Return the changes to display copies that repeat a result or show more of it than was sent."""
    path: Path = ("data", "result")
    changes: dict[Path, str] = {}
    if isinstance(result.get("detailedContent"), str):
        changes |= shortened_copies(result["detailedContent"], (*path, "detailedContent"), text)
    for key in ("contents", "binaryResultsForLlm"):
        if result.get(key):
            changes |= {(*path, key): "[]"}
    return changes


class _Reader:
    """Turns events into messages."""

    def __init__(self, values: Sequence[Any], start: int, build: Builder) -> None:
        self.build = build
        self._values = values
        self._names = {word(call, "toolCallId"): word(call, "name") for value in values for call in calls_of(value)}
        self._replaced = {word(call, "toolCallId") for value in values[:start] for call in calls_of(value)}
        self._response = ""

    def boundary(self, record: int) -> None:
        """Add the summary that replaced compacted messages, or the message given when the context was cleared."""
        value = self._values[record]
        summary = kind_of(value) == "session.compaction_complete"
        key = "summaryContent" if summary else "initialMessage"
        parts = self.build.text(data_of(value).get(key), record, ("data", key))
        self._add("user", parts, record, "summary" if summary else "injected", pinned=True)

    def event(self, record: int) -> None:
        """Add the message of an event, if it is one."""
        value = self._values[record]
        kind, data = kind_of(value), data_of(value)
        if kind == "user.message":
            parts = _typed_parts(self.build, data, record)
            self._add("user", parts, record, _origin(data, parts))
        elif kind == "assistant.message":
            self._answer(data, record)
        elif kind == "tool.execution_complete":
            self._result(data, record)
        else:
            parts = self.build.text(data.get("content"), record, ("data", "content"))
            notified = kind == "system.notification"
            self._add("user" if notified else "system", parts, record, "injected" if notified else "other")

    def _add(
        self, role: Role, parts: Sequence[Part], record: int, origin: Origin = "other", *, pinned: bool = False
    ) -> None:
        value = self._values[record]
        if parts:
            time = parse_time(value.get("timestamp"))
            name = word(value, "id")
            self.build.add(role, parts, (record,), id=name, timestamp=time, origin=origin, pinned=pinned)

    def _answer(self, data: dict[str, Any], record: int) -> None:
        parts = _answer_parts(self.build, data, record)
        self._replaced -= {part.call_id for part in parts if part.kind == "tool_call"}
        response = word(data, "apiCallId") if data.get("chunkIndex") is not None else ""
        newest = self.build.messages[-1] if self.build.messages else None
        if response and response == self._response and newest is not None and newest.role == "assistant":
            self.build.extend(newest.index, parts, record)  # an answer is split at its thoughts
            return
        self._response = response
        self._add("assistant", parts, record, origin_of_parts(parts, by_user=False))

    def _result(self, data: dict[str, Any], record: int) -> None:
        call_id = word(data, "toolCallId")
        if call_id in self._replaced:
            return  # it goes with its call, which was replaced
        name = self._names.get(call_id, "")
        text, path = _result_text(data)
        place = Place(record, path) if path else None
        if data.get("isUserRequested") and call_id not in self._names:
            self._add("user", [self.build.part("text", text, place)] if text else [], record, "injected")
            return
        failed = _is_failed(data, text)
        images = sum(word(item, "type") == "image" for item in listed(inner(data, "result").get("binaryResultsForLlm")))
        part = self.build.part("tool_result", text, place, name=name, call_id=call_id, failed=failed, images=images)
        self._add("tool", [part], record)


def _typed_parts(build: Builder, data: dict[str, Any], record: int) -> list[Part]:
    """Return the parts that are sent for a user message: its text as the agent prepared it, and the attachments."""
    typed, sent = word(data, "content"), data.get("transformedContent")
    surrounding = _text_around(typed, sent)
    text, key = (typed, "content") if surrounding else (as_text(sent), "transformedContent")
    parts = build.text(text, record, ("data", key))
    if added := "\n".join(piece.strip() for piece in surrounding or () if piece.strip()):
        parts.append(build.part("other", added))
    for index, item in objects(data.get("attachments")):
        path = ("data", "attachments", index)
        if word(item, "mimeType").startswith("image/"):
            if not word(item, "omittedReason"):
                parts.append(build.image(Place(record, path, _PICTURE)))
            else:
                parts += build.text(item.get("displayName"), record, (*path, "displayName"))
            continue
        attachment = next((word(item, k) for k in ("text", "taggedFilesEntry", "title", "url") if word(item, k)), "")
        if attachment and attachment not in as_text(sent):
            parts.append(build.part("other", attachment))
    return parts


def _text_around(typed: str, sent: Any) -> tuple[str, str] | None:
    """Return what the agent added before and after the user's words. None if the sent text does not contain the
    words exactly once. Also None if so much was added that it must be possible to shorten the whole."""
    if not isinstance(sent, str):
        return "", ""
    if not typed or sent.count(typed) != 1 or len(sent) - len(typed) > _MAX_ADDED_CHARS:
        return None
    before, _, after = sent.partition(typed)
    return before, after


def _origin(data: dict[str, Any], parts: Sequence[Part]) -> Origin:
    origin = origin_of(as_text(data.get("content") or data.get("transformedContent")))
    if word(data, "source").startswith(_NOBODY) or data.get("isAutopilotContinuation") or data.get("crossSession"):
        return origin if origin == "summary" else "injected"
    return "request" if origin == "other" and parts else origin


def _answer_parts(build: Builder, data: dict[str, Any], record: int) -> list[Part]:
    parts: list[Part] = []
    if any(data.get(key) for key in ("reasoningText", "reasoningOpaque", "encryptedContent", "reasoningBlocks")):
        parts.append(build.part("thinking", as_text(data.get("reasoningText"))))
    if text := as_text(data.get("content")):
        # citations refer to character positions in the text
        parts.append(build.part("text", text, None if data.get("citations") else Place(record, ("data", "content"))))
    if data.get("serverTools"):
        parts.append(build.part("other", block_text(data["serverTools"])))
    for index, call in objects(data.get("toolRequests")):
        path, name, call_id = ("data", "toolRequests", index, "arguments"), word(call, "name"), word(call, "toolCallId")
        parts.append(build.call(call.get("arguments"), record, path, name=name, call_id=call_id))
    return parts


def _result_text(data: dict[str, Any]) -> tuple[str, Path]:
    """Return the text of a result that the model gets, and its path; an empty path if it cannot be edited."""
    for holder, key in (("result", "content"), ("error", "message")):
        if isinstance(text := inner(data, holder).get(key), str):
            return text, ("data", holder, key)
    return as_text(data.get("error")), ()


def _is_failed(data: dict[str, Any], text: str) -> bool | None:
    success = data.get("success")
    codes = [block.get("exitCode") for _, block in objects(inner(data, "result").get("contents"))]
    if any(codes) or _EXIT.search(text[-200:]):
        return True
    return not success if isinstance(success, bool) else None
