"""Messages of Amazon Bedrock's Converse API, one per line or in a request `{modelId, system, messages}`.

A content block has no `type`: it is an object with one member, whose name gives the kind. The API rejects two
messages in a row with the same role, and a call whose results are not all in the next message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.copies import value_at
from compactor_cli.formats.jsonedit import append_elements
from compactor_cli.formats.turns import add_turn
from compactor_cli.formats.values import as_text, block_text, edit_value, inner, listed, sum_of, without_data, word
from compactor_cli.model.message import ADDED_ENCODING, Message, Part, Path, Place, Role

_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}
_BLOCKS = frozenset(("text", "toolUse", "toolResult", "reasoningContent", "cachePoint", "guardContent"))
_BLOCKS |= {"image", "document", "video", "audio", "citationsContent", "searchResult"}
_COUNTS = ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens", "outputTokens")
"""The counts in an answer's `usage`; they do not overlap."""
_LOGGED = ("input", "inputBodyJson", "messages")
"""Path to the messages of a request in an invocation log."""
_LOGGED_COUNTS = ("inputTokenCount", "cacheReadInputTokenCount", "cacheWriteInputTokenCount")
_EMPTY, _SPARE = 0.5, 0.1
"""Recognition of a message without content, and of one whose content is a string. The API has no string contents,
but such a message does not mark another session either."""
_TEXTS = "blocks"
"""Encoding of a list of blocks that is replaced by a single text block."""


class Bedrock(Format):
    name = "bedrock"
    title = "Amazon Bedrock Converse messages, requests and invocation logs"
    lists = (ListPath(("messages",), ("system",)), ListPath(_LOGGED, ("system",)), ListPath(()))
    alternates = True
    usage_words = (b'"inputTokens"',)

    def recognize(self, value: Any) -> float:
        if word(value, "role") not in _ROLES or "type" in value:
            return 0.0
        content = value.get("content")
        if isinstance(content, str) or content == []:
            return _EMPTY if content == [] else _SPARE
        kinds = [_kind(block) for block in content] if isinstance(content, list) else []
        if not any(kinds) or any("type" in block for block in content if isinstance(block, dict)):
            return 0.0
        return 1.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        for record, value in enumerate(values):
            role = _ROLES.get(word(value, "role"))
            if role is not None:
                add_turn(build, role, list(_parts(build, value.get("content"), record)), record, None)
        return Reading(build.messages)

    def usage(self, value: Any) -> int | None:
        """Return the count saved next to an answer (`metadata` of Strands Agents)."""
        return next((tokens for holder in _holders(value) if (tokens := sum_of(holder, *_COUNTS))), None)

    def counted(self, document: Any, path: Path, messages: Sequence[Message]) -> tuple[int, int] | None:
        """Return the request's count in an invocation log. The request holds the whole conversation."""
        if path[-len(_LOGGED) :] != _LOGGED or not messages:
            return None
        tokens = sum_of(value_at(document, path[: -len(_LOGGED)])["input"], *_LOGGED_COUNTS)
        return (len(messages) - 1, tokens) if tokens else None

    def new_record(self, message: Message, around: Around) -> Any:
        role = "assistant" if message.role == "assistant" else "user"
        return {"role": role, "content": [_new_block(part) for part in message.parts]}

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        changes: dict[Path, str] = {}
        added = []
        for part, text in edited:
            assert part.place is not None
            path, encoding = part.place.path, part.place.encoding
            if encoding == ADDED_ENCODING:
                added.append(jsonedit.encode(_new_block(part)))
            elif encoding == _TEXTS:
                changes[path] = jsonedit.encode([{"text": text}])
            elif encoding.startswith("block:"):
                # for a result that was turned into text, replace the whole block
                changes[path[:2]] = jsonedit.encode({"text": text})
            else:
                changes[path] = edit_value(part, text)
        return append_elements(raw, changes, "content", added) if added else changes


def _kind(block: Any) -> str:
    """Return the name of a content block's only member; empty if it is not a block of the API."""
    if not isinstance(block, dict) or "type" in block:
        return ""
    names = [name for name in block if name in _BLOCKS]
    content = block[names[0]] if len(names) == 1 else None
    return names[0] if isinstance(content, str if names == ["text"] else dict) else ""


def _parts(build: Builder, content: Any, record: int) -> Iterator[Part]:
    if isinstance(content, str):
        yield build.part("text", content, Place(record, ("content",)))
    for index, block in enumerate(listed(content)):
        kind, path = _kind(block), ("content", index)
        inner: Any = block[kind] if kind else None
        if kind == "cachePoint":
            continue  # a marker without content
        if kind == "text":
            yield build.part("text", inner, Place(record, (*path, "text")))
        elif kind == "toolUse":
            name, call_id = word(inner, "name"), word(inner, "toolUseId")
            yield build.call(inner.get("input"), record, (*path, kind, "input"), name=name, call_id=call_id)
        elif kind == "toolResult":
            yield _result(build, inner, (*path, kind), record)
        elif kind == "reasoningContent":
            yield build.part("thinking", word(inner.get("reasoningText"), "text"))
        elif kind == "image":
            yield build.image(Place(record, path, "block:text"))
        elif kind == "guardContent" and isinstance(inner.get("text"), dict):
            yield build.part("text", word(inner["text"], "text"), Place(record, (*path, kind, "text", "text")))
        elif kind == "citationsContent" and isinstance(inner.get("content"), list):
            yield build.part("text", _texts(inner["content"]), Place(record, (*path, kind, "content"), _TEXTS))
        else:
            yield build.part("other", block_text(block))


def _result(build: Builder, result: dict[str, Any], path: Path, record: int) -> Part:
    content = result.get("content")
    blocks = listed(content)
    images = sum(_kind(block) == "image" for block in blocks)
    place = Place(record, (*path, "content"), _TEXTS) if isinstance(content, list) else None
    text = _texts(blocks) if isinstance(content, list) else as_text(content)
    status = word(result, "status")
    failed = status == "error" if status else None
    return build.part("tool_result", text, place, call_id=word(result, "toolUseId"), failed=failed, images=images)


def _texts(blocks: Sequence[Any]) -> str:
    """Return what a model reads of a result's blocks: texts, JSON, and the names of documents."""
    texts = []
    for block in blocks:
        if isinstance(block, dict) and "json" in block:
            texts.append(as_text(without_data(block["json"])))
        elif _kind(block) != "image":
            texts.append(block_text(block))
    return "\n".join(text for text in texts if text)


def _holders(value: Any) -> Iterator[Any]:
    if word(value, "role") == "assistant":
        yield from (inner(value, "metadata").get("usage"), value.get("usage"))


def _new_block(part: Part) -> dict[str, Any]:
    if part.kind != "tool_result":
        return {"text": part.text}
    return {"toolResult": {"toolUseId": part.call_id, "content": [{"text": part.text}], "status": "error"}}
