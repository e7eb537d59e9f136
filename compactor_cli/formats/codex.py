"""Codex rollouts: `{timestamp, type, payload}`; response items are what the model sees.

`event_msg` records repeat messages for display; each goes with the message that it repeats. A `compacted` record
replaces all earlier history with a list of items or a message. Records before the last one pass through, and so do
turns that were rolled back.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Any

from compactor_cli.formats.base import Around, Builder, Counter, Format, Reading
from compactor_cli.formats.codex_context import (
    DELIVERY,
    KNOWN,
    find_context,
    first_request,
    history_of,
    is_agents_summary,
    item_of,
    item_text,
    next_ordinal,
    origin_of_item,
    payload_of,
    text_of,
    typed_texts,
    unfold,
)
from compactor_cli.formats.response_items import new_item, read_item, role_of, thoughts
from compactor_cli.formats.values import as_text, block_text, inner, numbers_in, sum_of, without_data, word
from compactor_cli.model.injected import origin_of_parts
from compactor_cli.model.message import CLOSING_ID, Message, Origin, Part, Path, Role, text_in
from compactor_cli.text.times import parse_time

_LAST_USAGE = ("payload", "info", "last_token_usage")
_COMPACTIONS = frozenset(("compaction", "compaction_summary", "context_compaction"))
"""Kinds of items that hold a history compacted and encrypted by the provider."""
_DISPLAYED_ITEMS = frozenset(("UserMessage", "AgentMessage", "Reasoning"))
"""Kinds of items that an event repeats for display as plain text."""
_BY_PROVIDER = frozenset(("WebSearch", "Extension"))
"""Kinds of items that have their own ids and belong to the answer before them."""


class Codex(Format):
    name = "codex"
    title = "Codex rollouts"
    summary_roles = ("user", "assistant", "system")
    adjacent_results = False
    boundary_is_message = True

    def recognize(self, value: Any) -> float:
        if not isinstance(value, dict) or "payload" not in value or not isinstance(value.get("type"), str):
            return 0.0
        return 1.0 if value["type"] in KNOWN else 0.7

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        typed = typed_texts(values)
        context = find_context(values, typed)
        turn, answering = 0, False
        for record in sorted(context.sent):
            value, payload = values[record], payload_of(values[record])
            if value.get("type") == "compacted" and history_of(value) is None:
                _read_compacted(build, value, payload, record)
            if value.get("type") == DELIVERY:
                _read_delivery(build, value, payload, record)
                answering = False
            if value.get("type") != "response_item" or not payload:
                continue
            kind, role = word(payload, "type"), role_of(payload)
            if role == "assistant" and not answering:
                turn += 1
            answering = role == "assistant"
            parts = read_item(build, payload, ("payload",), record)
            name, time = as_text(payload.get("id") or payload.get("call_id")), parse_time(value.get("timestamp"))
            own, origin = turn if answering else None, _origin(role, payload, parts, typed)
            pin = _stands_for_more(kind, role, parts)
            build.add(role, parts, (record,), id=name, timestamp=time, origin=origin, turn=own, pinned=pin)
        session = next(
            (payload_of(v).get("id") for v in values if isinstance(v, dict) and v.get("type") == "session_meta"), ""
        )
        owners = _owners(values, context.start, build.messages)
        copies = {record for record in owners if payload_of(values[record]).get("type") != "token_count"}
        outside = context.outside
        return Reading(build.messages, owners, copies=copies, outside=outside, session_id=as_text(session))

    usage_words = (b'"token_count"',)

    def usage(self, value: Any) -> int | None:
        return sum_of(inner(value, *_LAST_USAGE), "input_tokens", "output_tokens")

    def counts(self, value: Any) -> list[Path]:
        return numbers_in(inner(value, *_LAST_USAGE), _LAST_USAGE)

    unfold = staticmethod(unfold)

    def new_record(self, message: Message, around: Around) -> Any:
        template = around.template
        ordinal = template.get("ordinal")
        if message.id == CLOSING_ID:
            ordinal = next_ordinal(around.transcript)
        numbered = {"ordinal": ordinal} if isinstance(ordinal, int) else {}
        return {
            "timestamp": template.get("timestamp"),
            **numbered,
            "type": "response_item",
            "payload": new_item(message),
        }


def _origin(role: Role, payload: dict[str, Any], parts: Sequence[Part], typed: frozenset[str]) -> Origin:
    if role != "user":
        return origin_of_parts(parts, by_user=False)
    origin = origin_of_item(payload, text_in(parts), typed)
    return "request" if origin == "other" and parts else origin


def _stands_for_more(kind: str, role: Role, parts: Sequence[Part]) -> bool:
    """Return whether an item stands for history that no record of the context holds."""
    return kind in _COMPACTIONS or (role == "user" and any(is_agents_summary(part.text) for part in parts[:1]))


def _read_compacted(build: Builder, value: dict[str, Any], payload: dict[str, Any], record: int) -> None:
    """Read a record that replaces all earlier history by its message alone."""
    parts = build.text(as_text(payload.get("message")), record, ("payload", "message"))
    build.add("user", parts, (record,), timestamp=parse_time(value.get("timestamp")), origin="summary", pinned=True)


def _read_delivery(build: Builder, value: dict[str, Any], payload: dict[str, Any], record: int) -> None:
    """Read a message from another agent that is stored in its own record."""
    text = as_text(payload.get("content"))
    parts = build.text(text, record, ("payload", "content"))
    if payload.get("encrypted_content"):
        parts.append(build.part("other", block_text(without_data(payload["encrypted_content"]))))
    if parts:
        name, time = as_text(payload.get("id")), parse_time(value.get("timestamp"))
        build.add("user", parts, (record,), id=name, timestamp=time, origin=origin_of_item(payload, text, frozenset()))


def _owners(values: Sequence[Any], start: int, messages: list[Message]) -> dict[int, int]:
    """Return display event -> index of the message that it repeats, but for the first request's, needed in lists."""
    by_text: dict[str, deque[int]] = defaultdict(deque)
    for message in messages:
        for record in message.records:
            for text in _display_texts(payload_of(values[record])):
                by_text[text].append(message.index)
    last_by_text = {text: indices[-1] for text, indices in by_text.items()}
    # an event about an exchange repeats its result, if there is one
    by_call = {part.call_id: m.index for m in messages for part in m.calls}
    by_call |= {part.call_id: m.index for m in messages for part in m.results}
    by_record = {record: m.index for m in messages for record in m.records}
    by_name = {name: n for record, n in by_record.items() if (name := word(payload_of(values[record]), "id"))} | by_call
    owners: dict[int, int] = {}
    latest: int | None = None
    first_shown = first_request(values)
    for record in range(start, len(values)):
        latest = by_record.get(record, latest)
        payload = payload_of(values[record])
        if record in by_record or record == first_shown or word(values[record], "type") != "event_msg":
            continue
        kind, item = word(payload, "type"), item_of(values[record])
        owner: int | None = None
        if kind in ("agent_message", "user_message", "agent_reasoning"):
            owner = _next_with(by_text, as_text(payload.get("message") or payload.get("text")))
        elif (name := word(item, "id") or as_text(payload.get("call_id"))) in by_name:
            owner = by_name[name]
        elif word(item, "type") in _DISPLAYED_ITEMS:
            owner = _next_with(by_text, item_text(item))
        elif kind == "task_complete":
            owner = last_by_text.get(word(payload, "last_agent_message").strip())
        elif kind in ("token_count", "web_search_end") or word(item, "type") in _BY_PROVIDER:
            owner = latest
        if owner is not None:
            owners[record] = owner
    return owners


def _next_with(by_text: Mapping[str, deque[int]], text: str) -> int | None:
    """Return the next message with this text. Once all are used, further events go with the last one."""
    waiting = by_text.get(text.strip())
    if not waiting:
        return None
    return waiting.popleft() if len(waiting) > 1 else waiting[0]


def _display_texts(payload: dict[str, Any]) -> list[str]:
    """Return the texts of a response item that events repeat."""
    if word(payload, "type") == "reasoning":
        return [text.strip() for text in thoughts(payload)]
    return [text_of(payload).strip()]
