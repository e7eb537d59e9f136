"""Sessions of Cline and its forks: Anthropic messages with a time (`ts`), either in a list (Cline 3, Roo Code, Kilo
Code) or in `{sessionId, system_prompt, messages}` (Cline 4).

The forks keep messages hidden by a summary or a truncation. Each hidden message names what hides it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.formats.anthropic_blocks import BLOCK_TYPES, new_content, read_content
from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.turns import turn_role
from compactor_cli.formats.values import as_text, block_kinds, objects, sum_of, word
from compactor_cli.model.injected import origin_of
from compactor_cli.model.message import Message, Origin, Part, Place
from compactor_cli.text.json_values import parse_json
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.times import parse_time

_SYSTEM = ("system_prompt",)
_KINDS = BLOCK_TYPES | {"text", "image", "file"}
_RESULT = compiled_later(r"\[[\w-]+(?: for [^\n]*)?\] Result:|\[ERROR\]|\[TASK RESUMPTION\]|# Reminder: ")
"""How texts of the agent itself under the role user begin, when tools are called in text."""
_ENVIRONMENT_DETAILS = compiled_later(r"\s*<environment_details>")
_USER_WORDS = compiled_later(r"(?:\[[^\n]*\] Result:)?\s*<(?:task|feedback|user_message|answer)>")
"""How the user's words begin in such a message."""
_SUMMARY = "Context summary:"
"""How the message begins that replaces what Cline 4 compacted."""


class Cline(Format):
    name = "cline"
    title = "sessions of Cline and its forks"
    lists = (
        ListPath(("messages",), _SYSTEM, ("sessionId", "agent", "updated_at")),
        ListPath(("messages",), _SYSTEM, ("source_message_count", "source_prefix_hash")),
        ListPath(()),
    )
    boundary_is_message = True
    usage_words = (b'"metrics"',)

    def recognize(self, value: Any) -> float:
        if word(value, "role") not in ("user", "assistant") or not isinstance(value.get("ts"), (int, float)):
            return 0.0
        if value.keys() & {"timestamp", "uuid", "tool_calls", "toolCalls", "parts"}:
            return 0.0
        if value.get("type") == "reasoning":
            return 1.0
        content = value.get("content")
        if isinstance(content, list):
            return 1.0 if block_kinds(content) <= _KINDS else 0.0
        return 0.6 if isinstance(content, str) else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        hidden = _hidden(values)
        sealed: list[int] = []
        for record, value in enumerate(values):
            if record in hidden or not word(value, "role"):
                continue
            if value["role"] == "system":
                parts = read_content(build, value.get("content"), ("content",), record)
                build.add("system", parts, (record,))
            elif value.get("type") == "reasoning":
                sealed.append(record)
            else:
                # reasoning goes with the answer after it
                _read(build, value, record, sealed if value["role"] == "assistant" else [])
                sealed = []
        session = document.get("sessionId") if isinstance(document, dict) else None
        return Reading(build.messages, outside=hidden, session_id=as_text(session))

    def new_record(self, message: Message, around: Around) -> Any:
        template = around.template
        content = new_content(message)
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        ids = {"id": f"msg_{around.key[:12]}"} if word(template, "id") else {}
        times = {"ts": template["ts"]} if "ts" in template else {}
        return {**ids, "role": "assistant" if message.role == "assistant" else "user", "content": content, **times}

    def usage(self, value: Any) -> int | None:
        metrics = value.get("metrics")
        if isinstance(metrics, dict) and isinstance(metrics.get("tokens"), dict):
            return sum_of(metrics["tokens"], "prompt", "completion")
        sent, cached = sum_of(metrics, "inputTokens") or 0, sum_of(metrics, "cacheReadTokens", "cacheWriteTokens") or 0
        # most providers include cached tokens in the tokens sent
        context = sent if sent >= cached else sent + cached
        return context + (sum_of(metrics, "outputTokens") or 0) if context else None


def _hidden(values: Sequence[Any]) -> set[int]:
    """Return the records that are not sent: those hidden by an existing summary or truncation, and those before a
    summary of the first versions, which carry no ids."""
    objects = [value if isinstance(value, dict) else {} for value in values]
    hiding = {word(v, "condenseId") for v in objects if v.get("isSummary")}
    hiding |= {word(v, "truncationId") for v in objects if v.get("isTruncationMarker")}
    hiding.discard("")
    with_parents = {
        r for r, v in enumerate(objects) for key in ("condenseParent", "truncationParent") if word(v, key) in hiding
    }
    plain = [r for r, v in enumerate(objects) if v.get("isSummary") and not word(v, "condenseId")]
    before_plain = {r for r in range(plain[-1]) if objects[r].get("role") != "system"} if plain else set()
    return with_parents | before_plain


def _read(build: Builder, value: dict[str, Any], record: int, sealed: Sequence[int]) -> None:
    content = value.get("content")
    parts = _user_words_parts(read_content(build, content, ("content",), record), content)
    attached = {
        n: block["content"]
        for n, block in objects(content)
        if word(block, "type") == "file" and isinstance(block.get("content"), str)
    }
    parts = [part for index, part in enumerate(parts) if index not in attached]
    files = [build.part("text", text, Place(record, ("content", n, "content"))) for n, text in attached.items()]
    role, origin = turn_role("assistant" if value["role"] == "assistant" else "user", parts)
    if role == "user":
        origin = _origin(parts, origin)
    is_pinned = bool(value.get("isSummary") or value.get("isTruncationMarker"))
    if value.get("isSummary") or (role == "user" and parts and parts[0].text.startswith(_SUMMARY)):
        origin, is_pinned = "summary", True
    thoughts = [build.part("thinking", "") for _ in sealed]
    name, time = word(value, "id"), parse_time(value.get("ts"))
    turn = record if files and parts else None  # attached files stay or go with the user's words
    if parts or thoughts:
        records = (*sealed, record)
        said = [*thoughts, *parts]
        build.add(role, said, records, id=name, timestamp=time, origin=origin, turn=turn, pinned=is_pinned)
    if files:
        file_id = f"{name or record}/files"
        build.add("user", files, (record,), id=file_id, timestamp=time, origin="injected", turn=turn)


def _user_words_parts(parts: Sequence[Part], content: Any) -> list[Part]:
    """Return the parts, with `failed` set on results that say so themselves as one or several `{query, result,
    success}`."""
    failed = {word(block, "tool_use_id"): _is_failed(block.get("content")) for _, block in objects(content)}
    return [
        replace(part, failed=failed.get(part.call_id)) if part.kind == "tool_result" and part.failed is None else part
        for part in parts
    ]


def _is_failed(content: Any) -> bool | None:
    if isinstance(content, str) and content[:1] in ("{", "["):
        try:
            content = parse_json(content)
        except ValueError:
            return None
    ones = objects([content] if isinstance(content, dict) else content)
    successes = [result["success"] for _, result in ones if isinstance(result.get("success"), bool)]
    return not all(successes) if successes else None


def _origin(parts: Sequence[Part], origin: Origin) -> Origin:
    """Return the origin of a message when tools are called in text, since their results also have the role user."""
    texts = [part.text for part in parts if part.kind == "text" and not _ENVIRONMENT_DETAILS.match(part.text)]
    if any(_USER_WORDS.match(text) for text in texts):
        return "request"
    if texts and _RESULT.match(texts[0]):
        return "injected"
    if not texts:
        return origin if any(part.kind != "text" for part in parts) else "injected"
    return origin_of("\n".join(texts)) if origin == "injected" else origin
