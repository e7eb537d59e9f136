"""Codex: which records of a rollout are in the model's context, and which the agent no longer sends.

The context begins at the newest `compacted` record. One that has only a message keeps the user's newest earlier
messages in the context. `thread_rolled_back` removes the user's newest turns before it.

`replacement_history` is the list of items that replaces everything before it. It is read as if the record held an
empty list and each item followed on its own line, which means the same to the agent.
"""

from __future__ import annotations

import json
from collections.abc import Sequence, Set
from typing import Any

from msgspec import Struct, field

from compactor_cli.formats import jsonedit
from compactor_cli.formats.jsonl import FileRecords, ReadRecord
from compactor_cli.formats.unfolding import Unfolded, extract_list, replace_records, with_empty_list
from compactor_cli.formats.values import as_text, inner, listed, word
from compactor_cli.model.content import Content
from compactor_cli.model.injected import origin_of
from compactor_cli.model.message import Origin
from compactor_cli.model.transcript import Transcript

HISTORY = ("payload", "replacement_history")
_ENVELOPE = ("timestamp", "ordinal")
DELIVERY = "inter_agent_communication"
"""Record type in which some versions store messages from other agents."""
KNOWN = frozenset(("session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state", DELIVERY))
"""Known record types."""
_USER_PREFIX = "user."
"""Prefix of the content kinds that are the user's own."""
_SUMMARY = "Another language model started to solve this problem"
"""How the message begins with which the agent replaces a history that it compacts."""
_NEVER_SENT = frozenset(("ghost_snapshot",))
"""Kinds of items that the agent does not send."""
_KEPT_BYTES = 80_000
"""Of the user's messages before a compaction, the agent keeps the newest, up to 20,000 tokens of four bytes each."""


def is_compacted(value: Any) -> bool:
    """Return whether a record replaces all earlier history."""
    return isinstance(value, dict) and value.get("type") == "compacted"


def history_of(value: Any) -> list[Any] | None:
    """Return the items of a `compacted` record; None for other records, and for one that has only a message."""
    history = payload_of(value).get("replacement_history") if is_compacted(value) else None
    return history if isinstance(history, list) else None


def unfold(data: Content, records: Sequence[ReadRecord], separator: bytes) -> FileRecords | None:
    """Return a session with the items of its last compaction on their own lines; None if there are none."""
    last = next((index for index in range(len(records) - 1, -1, -1) if is_compacted(records[index].value)), None)
    if last is None or not history_of(records[last].value):
        return None
    compacted = records[last]
    head, items = extract_list(data[compacted.record.start : compacted.record.end], HISTORY)
    envelope = {name: compacted.value[name] for name in _ENVELOPE if name in compacted.value}
    pieces = [Unfolded(head, with_empty_list(compacted.value, HISTORY))]
    for text, item in items:
        item_envelope = {"timestamp": None, **envelope, "type": "response_item"}
        line = f'{jsonedit.dump(item_envelope)[:-1]},"payload":{text}}}'
        pieces.append(Unfolded(line.encode("utf-8"), {**item_envelope, "payload": item}))
    return replace_records(data, records, {last: pieces}, separator)


def next_ordinal(transcript: Transcript) -> int | None:
    """Return the number after the last record's `ordinal`; None if it has none. The agent continues counting from
    there, and rejects a numbered rollout whose last record has no number."""
    if not transcript.records:
        return None
    last = json.loads(transcript.raw(len(transcript.records) - 1))
    ordinal = last.get("ordinal") if isinstance(last, dict) else None
    return ordinal + 1 if isinstance(ordinal, int) else None


class CodexContext(Struct):
    """Which records of a rollout are in the context."""

    start: int = 0
    """The newest `compacted` record, or the first record."""
    sent: set[int] = field(default_factory=set)
    """Records that hold what the model is sent."""
    outside: set[int] = field(default_factory=set)
    """Records that the agent no longer sends and does not need to load the session."""


def payload_of(value: Any) -> dict[str, Any]:
    """Return the payload of a record; empty if it has none."""
    return inner(value, "payload")


def typed_texts(values: Sequence[Any]) -> frozenset[str]:
    """Return the texts that the user typed, according to the display events. Empty if events confirm less than half
    of the user's messages, as in files by another program that writes only the event needed to list the session."""
    typed = frozenset(typed_text(value).strip() for value in values if _tells_of_user(value))
    texts = [text_of(payload_of(value)) for value in values if _is_said_by_user(value)]
    confirmed = [any(t and t in text for t in typed) for text in texts if user_origin(text, frozenset()) == "request"]
    return typed if 2 * sum(confirmed) >= len(confirmed) else frozenset()


def first_request(values: Sequence[Any]) -> int:
    """Return the first event with typed user text, or -1. Lists of sessions show this text."""
    return next((record for record, value in enumerate(values) if _tells_of_user(value)), -1)


def is_agents_summary(text: str) -> bool:
    """Return whether a text replaces a history that the agent compacted."""
    return text.lstrip().startswith(_SUMMARY)


def user_origin(text: str, typed: frozenset[str]) -> Origin:
    """Return the origin of a text under the role user."""
    if is_agents_summary(text):
        return "summary"
    origin = origin_of(text)
    if origin == "request" and typed and text.strip() not in typed:
        return "request" if any(t and t in text for t in typed) else "injected"
    return origin


def origin_of_item(payload: dict[str, Any], text: str, typed: frozenset[str]) -> Origin:
    """Return the origin of a message under the role user. Newer versions state it for each block of the content. For
    messages between agents, only those from the agent that started the recipient are requests."""
    if "author" in payload and word(payload, "type") != "message":
        author, recipient = word(payload, "author"), word(payload, "recipient")
        return "request" if author and recipient.startswith(f"{author}/") else "injected"
    kinds = listed(inner(payload, "internal_chat_message_metadata_passthrough").get("content_item_kinds"))
    origin = user_origin(text, typed)
    if not kinds or origin == "summary":
        return origin
    of_user = any(str(kind).startswith(_USER_PREFIX) for kind in kinds) or any(t and t in text for t in typed)
    return "request" if of_user else "injected"


def find_context(values: Sequence[Any], typed: frozenset[str]) -> CodexContext:
    """Return which records of a rollout the model is sent."""
    start = next((record for record in range(len(values) - 1, -1, -1) if is_compacted(values[record])), 0)
    context = CodexContext(start)
    kept = [] if history_of(values[start]) is not None else _kept_requests(values, start, typed)
    ids = {word(payload_of(value), "id") for value in values if word(value, "type") == "response_item"} - {""}
    items = [record for record in range(start, len(values)) if _is_item(values[record], ids)]
    context.sent = {record for record in items if word(payload_of(values[record]), "type") not in _NEVER_SENT}
    context.outside = set(items) - context.sent
    _roll_back(values, context, typed)
    context.sent |= {*kept, start} if is_compacted(values[start]) else set(kept)
    context.outside = (context.outside | _unneeded_before(values, context)) - {first_request(values)}
    return context


def typed_text(value: Any) -> str:
    """Return the text that an event says the user typed; empty for other events."""
    if _is_event(value, "user_message"):
        return as_text(payload_of(value).get("message"))
    return item_text(item_of(value)) if _tells_of_user(value) else ""


def item_of(value: Any) -> dict[str, Any]:
    """Return the completed item that newer versions display; empty for other records."""
    return inner(value, "payload", "item") if _is_event(value, "item_completed") else {}


def item_text(item: dict[str, Any]) -> str:
    """Return the text of such an item, spoken or thought."""
    content = item.get("content")
    texts = [word(block, "text") for block in content] if isinstance(content, list) else item.get("summary_text")
    return "\n".join(text for text in texts if isinstance(text, str) and text) if isinstance(texts, list) else ""


def _tells_of_user(value: Any) -> bool:
    return _is_event(value, "user_message") or word(item_of(value), "type") == "UserMessage"


def _is_item(value: Any, ids: Set[str]) -> bool:
    """Return whether a record holds an item. `ids`: ids of items. A delivery with one of these ids was also written
    as an item, so it does not count."""
    kind = word(value, "type")
    return kind == "response_item" or (kind == DELIVERY and word(payload_of(value), "id") not in ids)


def _is_event(value: Any, kind: str) -> bool:
    return word(value, "type") == "event_msg" and word(payload_of(value), "type") == kind


def text_of(payload: dict[str, Any]) -> str:
    """Return the texts of a response item, joined by line breaks."""
    content = payload.get("content")
    texts = [word(block, "text") for block in content] if isinstance(content, list) else [as_text(content)]
    return "\n".join(text for text in texts if text)


def _is_request(value: Any, typed: frozenset[str]) -> bool:
    payload = payload_of(value)
    return _is_said_by_user(value) and origin_of_item(payload, text_of(payload), typed) == "request"


def _is_said_by_user(value: Any) -> bool:
    payload = payload_of(value)
    is_message = word(value, "type") == "response_item" and word(payload, "type") == "message"
    return is_message and word(payload, "role") == "user"


def _kept_requests(values: Sequence[Any], start: int, typed: frozenset[str]) -> list[int]:
    """Return the user's messages before a compaction that the agent sends along with its message, newest first."""
    kept: list[int] = []
    bytes_left = _KEPT_BYTES
    for record in range(start - 1, -1, -1):
        if _is_request(values[record], typed):
            bytes_left -= len(text_of(payload_of(values[record])).encode("utf-8", "surrogatepass"))
            if bytes_left < 0:
                break
            kept.append(record)
    return kept


def _roll_back(values: Sequence[Any], context: CodexContext, typed: frozenset[str]) -> None:
    """Exclude the turns that the user rolled back."""
    for record in range(context.start, len(values)):
        count = payload_of(values[record]).get("num_turns")
        if not _is_event(values[record], "thread_rolled_back") or not isinstance(count, int) or count < 1:
            continue
        turns = [n for n in sorted(context.sent) if n < record and _is_request(values[n], typed)]
        if not turns:
            continue
        first = turns[max(0, len(turns) - count)]
        # the event goes with the turns it removes; otherwise it would remove earlier ones
        undone = {n for n in range(first, record + 1) if word(values[n], "type") in ("response_item", "event_msg")}
        context.sent -= undone
        context.outside |= undone


def _unneeded_before(values: Sequence[Any], context: CodexContext) -> set[int]:
    """Return the records before the newest compaction, except those needed to load the session or to list it."""
    old = range(context.start)
    needed = {next((record for record in old if word(values[record], "type") == "session_meta"), -1)}
    if not any(word(value, "type") == "turn_context" for value in values[context.start :]):
        needed.add(next((record for record in reversed(old) if word(values[record], "type") == "turn_context"), -1))
    known_types = KNOWN - {"world_state"}
    unneeded = {record for record in old if word(values[record], "type") in known_types} - needed - context.sent
    payloads = (payload_of(values[record]) for record in context.sent)
    requests = [text_of(payload) for payload in payloads if payload.get("role") == "user"]
    return {record for record in unneeded if not _repeats_text(values[record], requests)}


def _repeats_text(value: Any, texts: Sequence[str]) -> bool:
    """Return whether an event reports typed user text that is still in the context."""
    typed = typed_text(value).strip()
    return bool(typed) and any(typed in text for text in texts)
