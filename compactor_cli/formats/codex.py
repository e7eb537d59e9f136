"""Codex rollouts: `{timestamp, type, payload}`; response items are what the model sees.

`event_msg` records repeat them for display and go where the message goes that they repeat. A
`compacted` record replaces all history before it, by a list of items or by a message; what stands before the last one
passes through.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

from compactor_cli.formats.base import (
    Around,
    Builder,
    Counter,
    PlainEdits,
    Reading,
    as_text,
    block_text,
    body,
    is_image,
    parse_time,
    sum_of,
    word,
)
from compactor_cli.formats.codex_history import history_of, unfold
from compactor_cli.formats.jsonl import RawRecord
from compactor_cli.model.message import Message, Origin, Part, Path, Place, Role
from compactor_cli.text.injected import origin_of

_TYPES = frozenset(("session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"))
_ROLES: dict[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_CALLS = {"function_call": "arguments", "custom_tool_call": "input", "tool_search_call": "arguments"}
_OUTPUTS = frozenset(("function_call_output", "custom_tool_call_output", "tool_search_output"))


class Codex(PlainEdits):
    name = "codex"
    title = "Codex rollouts"
    adjacent_results = False
    boundary_is_message = True

    def recognize(self, value: Any) -> float:
        if not isinstance(value, dict) or "payload" not in value or not isinstance(value.get("type"), str):
            return 0.0
        return 1.0 if value["type"] in _TYPES else 0.7

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        start = _context_start(values)
        typed = _typed_texts(values)
        turn, answering = 0, False
        for record in range(start, len(values)):
            value = values[record]
            payload = value.get("payload") if isinstance(value, dict) else None
            if not isinstance(payload, dict):
                continue
            if value.get("type") == "compacted" and history_of(value) is None:
                _read_compacted(build, value, payload, record)
            if value.get("type") != "response_item":
                continue
            kind = word(payload, "type")
            role: Role = _ROLES.get(word(payload, "role"), "assistant") if kind == "message" else "assistant"
            role = "tool" if kind in _OUTPUTS else role
            if role == "assistant" and not answering:
                turn += 1
            answering = role == "assistant"
            parts = _parts(build, payload, record)
            build.add(
                role,
                parts,
                (record,),
                id=as_text(payload.get("id") or payload.get("call_id") or ""),
                timestamp=parse_time(value.get("timestamp")),
                origin=_origin(role, parts, typed),
                turn=turn if answering else None,
            )
        session = next(
            (_payload(v).get("id") for v in values if isinstance(v, dict) and v.get("type") == "session_meta"), ""
        )
        owners = _owners(values, start, build.messages)
        copies = {record for record in owners if _payload(values[record]).get("type") != "token_count"}
        return Reading(build.messages, owners, copies=copies, session_id=as_text(session))

    usage_words: tuple[bytes, ...] = (b'"token_count"',)

    def usage(self, value: Any) -> int | None:
        info = _payload(value).get("info")
        last = info.get("last_token_usage") if isinstance(info, dict) else None
        return sum_of(last, "input_tokens", "output_tokens")

    def unfold(
        self, data: bytes, records: Sequence[RawRecord], separator: bytes
    ) -> tuple[bytes, list[RawRecord]] | None:
        return unfold(data, records, separator)

    def new_record(self, message: Message, around: Around) -> Any:
        part = message.parts[0]
        template = around.template if isinstance(around.template, dict) else {}
        payload: dict[str, Any]
        if part.kind == "tool_result":
            payload = {"type": "function_call_output", "call_id": part.call_id, "output": part.text}
        else:
            kind = "output_text" if message.role == "assistant" else "input_text"
            role = "developer" if message.role == "system" else message.role
            payload = {"type": "message", "role": role, "content": [{"type": kind, "text": part.text}]}
        return {"timestamp": template.get("timestamp"), "type": "response_item", "payload": payload}


def _payload(value: Any) -> dict[str, Any]:
    payload = value.get("payload") if isinstance(value, dict) else None
    return payload if isinstance(payload, dict) else {}


def _context_start(values: Sequence[Any]) -> int:
    for record in range(len(values) - 1, -1, -1):
        if isinstance(values[record], dict) and values[record].get("type") == "compacted":
            return record
    return 0


def _typed_texts(values: Sequence[Any]) -> frozenset[str]:
    """What the human typed, as the display events say."""
    return frozenset(
        as_text(_payload(v).get("message")).strip()
        for v in values
        if isinstance(v, dict) and v.get("type") == "event_msg" and _payload(v).get("type") == "user_message"
    )


def _origin(role: Role, parts: Sequence[Part], typed: frozenset[str]) -> Origin:
    text = "\n".join(p.text for p in parts if p.kind == "text")
    origin = origin_of(text)
    if role != "user":
        return origin if origin == "summary" else "other"
    if origin == "request" and typed and text.strip() not in typed:
        return "request" if any(t and t in text for t in typed) else "injected"
    return "request" if origin == "other" and parts else origin


def _parts(build: Builder, payload: dict[str, Any], record: int) -> list[Part]:
    kind, base = word(payload, "type"), ("payload",)
    if kind == "message":
        return _content(build, payload.get("content"), (*base, "content"), record)
    if kind == "reasoning":
        return [build.part("thinking", "\n".join(_thoughts(payload)))]
    if kind in _CALLS:
        key = _CALLS[kind]
        arguments = payload.get(key)
        place = (
            Place(record, (*base, key), "string" if isinstance(arguments, str) else "json") if key in payload else None
        )
        name, call = as_text(payload.get("name") or kind), as_text(payload.get("call_id"))
        return [build.part("tool_call", as_text(arguments), place, name=name, call_id=call)]
    if kind == "local_shell_call":
        place = Place(record, (*base, "action"), "json") if "action" in payload else None
        call = as_text(payload.get("call_id") or payload.get("id"))  # a call without its own is answered by the item's
        return [build.part("tool_call", as_text(payload.get("action")), place, name="local_shell", call_id=call)]
    if kind in _OUTPUTS:
        return [_output(build, payload, base, record)]
    return [build.part("other", block_text({k: v for k, v in payload.items() if k not in ("id", "encrypted_content")}))]


def _thoughts(payload: dict[str, Any]) -> list[str]:
    """Texts of a reasoning item; mostly there is only its encrypted form."""
    lists = [payload.get(key) for key in ("summary", "content")]
    return [block_text(block) for blocks in lists if isinstance(blocks, list) for block in blocks]


def _output(build: Builder, payload: dict[str, Any], base: Path, record: int) -> Part:
    output, path, failed = payload.get("output"), (*base, "output"), None
    if isinstance(output, dict):
        success = output.get("success")
        failed = not success if isinstance(success, bool) else None
        output, path = output.get("content"), (*path, "content")
    text, images, place = body(output, path, record)
    return build.part(
        "tool_result",
        text,
        place if output is not None else None,
        call_id=as_text(payload.get("call_id")),
        failed=failed,
        images=images,
    )


def _content(build: Builder, content: Any, path: Path, record: int) -> list[Part]:
    if isinstance(content, str):
        return [build.part("text", content, Place(record, path))]
    parts = []
    for at, block in enumerate(content if isinstance(content, list) else ()):
        if is_image(block):
            parts.append(build.image(Place(record, (*path, at), "block:input_text")))
        elif isinstance(block, dict) and isinstance(block.get("text"), str):
            parts.append(build.part("text", block["text"], Place(record, (*path, at, "text"))))
        else:
            parts.append(build.part("other", block_text(block)))
    return parts


def _read_compacted(build: Builder, value: dict[str, Any], payload: dict[str, Any], record: int) -> None:
    """A record that stands for all earlier history by its message alone."""
    text = as_text(payload.get("message"))
    parts = [build.part("text", text, Place(record, ("payload", "message")))] if text else []
    build.add("user", parts, (record,), timestamp=parse_time(value.get("timestamp")), origin="summary", pinned=True)


def _owners(values: Sequence[Any], start: int, messages: list[Message]) -> dict[int, int]:
    """Display events -> the message that they repeat; of equal texts each event has its own, in order."""
    by_text: dict[str, deque[int]] = defaultdict(deque)
    for message in messages:
        for record in message.records:
            for text in _display_texts(_payload(values[record])):
                by_text[text].append(message.index)
    said = {text: indices[-1] for text, indices in by_text.items()}
    # what an event repeats of an exchange is its result, where there is one
    by_call = {part.call_id: m.index for m in messages for part in m.calls}
    by_call |= {part.call_id: m.index for m in messages for part in m.results}
    by_record = {record: m.index for m in messages for record in m.records}
    owners: dict[int, int] = {}
    latest: int | None = None
    for record in range(start, len(values)):
        latest = by_record.get(record, latest)
        payload = _payload(values[record])
        if record in by_record or word(values[record], "type") != "event_msg":
            continue
        kind = word(payload, "type")
        owner: int | None = None
        if kind in ("agent_message", "user_message", "agent_reasoning"):
            waiting = by_text.get(as_text(payload.get("message") or payload.get("text")).strip())
            if waiting:
                owner = waiting.popleft() if len(waiting) > 1 else waiting[0]
        elif call := as_text(payload.get("call_id")):
            owner = by_call.get(call)
        elif kind == "task_complete":
            owner = said.get(word(payload, "last_agent_message").strip())
        elif kind in ("token_count", "web_search_end"):
            owner = latest
        if owner is not None:
            owners[record] = owner
    return owners


def _display_texts(payload: dict[str, Any]) -> list[str]:
    """The texts that events repeat of a response item."""
    if word(payload, "type") == "reasoning":
        return [text.strip() for text in _thoughts(payload)]
    content = payload.get("content")
    texts = [word(block, "text") for block in content] if isinstance(content, list) else [as_text(content)]
    return ["\n".join(text for text in texts if text).strip()]
