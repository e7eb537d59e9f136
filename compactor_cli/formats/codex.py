"""Codex rollouts: `{timestamp, type, payload}`; response items are what the model sees.

`event_msg` records repeat them for display and go where the message goes that they repeat. A
`compacted` record replaces all history before it, by a list of items or by a message; what stands before the last one
passes through, as do turns that were taken back.
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
from compactor_cli.formats.codex_context import (
    KNOWN,
    context_of,
    first_request,
    is_agents_summary,
    payload_of,
    typed_texts,
    user_origin,
)
from compactor_cli.formats.codex_history import history_of, unfold
from compactor_cli.formats.jsonl import RawRecord
from compactor_cli.model.message import Message, Origin, Part, Path, Place, Role
from compactor_cli.text.injected import origin_of

_ROLES: dict[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_CALLS = {"function_call": "arguments", "custom_tool_call": "input", "tool_search_call": "arguments"}
_COMPACTIONS = frozenset(("compaction", "compaction_summary", "context_compaction"))
"""Kinds of items that hold a history that the provider compacted, encrypted."""
_OUTPUTS = frozenset(("function_call_output", "custom_tool_call_output", "tool_search_output"))


class Codex(PlainEdits):
    name = "codex"
    title = "Codex rollouts"
    adjacent_results = False
    boundary_is_message = True

    def recognize(self, value: Any) -> float:
        if not isinstance(value, dict) or "payload" not in value or not isinstance(value.get("type"), str):
            return 0.0
        return 1.0 if value["type"] in KNOWN else 0.7

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        typed = typed_texts(values)
        context = context_of(values, typed)
        turn, answering = 0, False
        for record in sorted(context.sent):
            value, payload = values[record], payload_of(values[record])
            if value.get("type") == "compacted" and history_of(value) is None:
                _read_compacted(build, value, payload, record)
            if value.get("type") != "response_item" or not payload:
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
                pinned=_stands_for_more(kind, role, parts),
            )
        session = next(
            (payload_of(v).get("id") for v in values if isinstance(v, dict) and v.get("type") == "session_meta"), ""
        )
        owners = _owners(values, context.start, build.messages)
        copies = {record for record in owners if payload_of(values[record]).get("type") != "token_count"}
        outside = context.outside
        return Reading(build.messages, owners, copies=copies, outside=outside, session_id=as_text(session))

    usage_words: tuple[bytes, ...] = (b'"token_count"',)

    def usage(self, value: Any) -> int | None:
        info = payload_of(value).get("info")
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


def _origin(role: Role, parts: Sequence[Part], typed: frozenset[str]) -> Origin:
    text = "\n".join(p.text for p in parts if p.kind == "text")
    if role != "user":
        return "summary" if origin_of(text) == "summary" else "other"
    origin = user_origin(text, typed)
    return "request" if origin == "other" and parts else origin


def _stands_for_more(kind: str, role: Role, parts: Sequence[Part]) -> bool:
    """Whether an item stands for history that is in no record of the context."""
    return kind in _COMPACTIONS or (role == "user" and any(is_agents_summary(part.text) for part in parts[:1]))


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
    """Display events -> the message that they repeat; of equal texts each event has its own, in order. The first
    request stays whatever becomes of its message: the agent lists no thread without one."""
    by_text: dict[str, deque[int]] = defaultdict(deque)
    for message in messages:
        for record in message.records:
            for text in _display_texts(payload_of(values[record])):
                by_text[text].append(message.index)
    said = {text: indices[-1] for text, indices in by_text.items()}
    # what an event repeats of an exchange is its result, where there is one
    by_call = {part.call_id: m.index for m in messages for part in m.calls}
    by_call |= {part.call_id: m.index for m in messages for part in m.results}
    by_record = {record: m.index for m in messages for record in m.records}
    owners: dict[int, int] = {}
    latest: int | None = None
    shown = first_request(values)
    for record in range(start, len(values)):
        latest = by_record.get(record, latest)
        payload = payload_of(values[record])
        if record in by_record or record == shown or word(values[record], "type") != "event_msg":
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
