"""Inspect logs: `{version, eval, samples: [{id, epoch, messages}]}`, and the sample documents of an `.eval` file.

There is one conversation per sample. A text may be `attachment://HASH`, which refers to the sample's `attachments`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import EACH, Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.copies import value_at
from compactor_cli.formats.values import as_text, block_text, inner, is_image, listed, objects, sum_of, word
from compactor_cli.model.injected import origin_of_parts
from compactor_cli.model.message import Message, Part, Path, Place, Role
from compactor_cli.text.patterns import compiled_later

_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
_ATTACHMENT_ADDRESS = compiled_later(r"(?:attachment|tc)://([0-9a-f]{32})")


class Inspect(Format):
    name = "inspect"
    title = "Inspect logs: .json, and the samples of .eval"
    summary_roles = ("user", "assistant", "system")
    lists = (
        ListPath(("samples", EACH, "messages"), beside=("epoch",)),
        ListPath(("messages",), beside=("epoch", "target")),
    )

    def recognize(self, value: Any) -> float:
        return 0.0  # a message alone looks like OpenAI chat; the members next to the list identify the format

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        reader = _Reader(Builder(counter), _attachments(document))
        for record, value in enumerate(values):
            role = _ROLES.get(word(value, "role"))
            if role is None:
                continue  # not a message: passed through
            parts = reader.result(value, record) if role == "tool" else reader.parts(value, record)
            origin = origin_of_parts(parts, by_user=role == "user")
            reader.build.add(role, parts, (record,), id=word(value, "id"), origin=origin)
        return Reading(reader.build.messages)

    def counted(self, document: Any, path: Path, messages: Sequence[Message]) -> tuple[int, int] | None:
        """Return the count of the model's last output in a sample, which is the last answer among its messages."""
        usage = inner(value_at(document, path[:-1]), "output", "usage")
        # some versions count cached tokens as part of the others
        tokens = sum_of(usage, "total_tokens") or sum_of(usage, "input_tokens", "output_tokens")
        answer = max((message.index for message in messages if message.role == "assistant"), default=None)
        return (answer, tokens) if tokens and answer is not None else None

    def new_record(self, message: Message, around: Around) -> Any:
        part = message.parts[0]
        record_id = {"id": around.key[:22]} if word(around.template, "id") else {}
        if part.kind != "tool_result":
            return {**record_id, "content": part.text, "role": message.role}
        return {**record_id, "content": part.text, "role": "tool", "tool_call_id": part.call_id, "function": part.name}

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        changes = super().edits(raw, edited)
        value = json.loads(raw)
        for part, text in edited:
            if part.kind == "tool_call" and part.place:  # the displayed form of a call repeats its arguments
                view = value["tool_calls"][part.place.path[1]].get("view")
                if isinstance(view, dict) and len(word(view, "content")) > len(text):
                    view_path: Path = (*part.place.path[:2], "view", "content")
                    changes[view_path] = jsonedit.encode(text)
        return changes


class _Reader:
    """Reads messages and resolves attachments."""

    def __init__(self, build: Builder, attachments: Mapping[str, str]) -> None:
        self.build, self.attachments = build, attachments

    def parts(self, value: dict[str, Any], record: int) -> list[Part]:
        content = self.resolve(value.get("content"))
        parts = self.build.text(content, record, ("content",))
        parts += [self.block(block, ("content", index), record) for index, block in enumerate(listed(content))]
        return parts + [self.call(call, ("tool_calls", n), record) for n, call in objects(value.get("tool_calls"))]

    def block(self, block: Any, path: Path, record: int) -> Part:
        if is_image(block):
            return self.build.image(Place(record, path, "block:text"))
        kind = word(block, "type")
        if kind == "reasoning":
            return self.build.part("thinking", as_text(block.get("reasoning") or block.get("summary")))
        if kind == "text" and isinstance(block.get("text"), str):
            return self.build.part("text", block["text"], Place(record, (*path, "text")))
        return self.build.part("other", block_text(block))

    def call(self, call: dict[str, Any], path: Path, record: int) -> Part:
        arguments, name = self.resolve(call.get("arguments")), as_text(call.get("function"))
        return self.build.call(arguments, record, (*path, "arguments"), name=name, call_id=as_text(call.get("id")))

    def result(self, value: dict[str, Any], record: int) -> list[Part]:
        """Return a result. For one that failed, the model is sent the error message."""
        name, call_id, error = as_text(value.get("function")), as_text(value.get("tool_call_id")), value.get("error")
        if isinstance(error, dict):
            text = as_text(self.resolve(error.get("message")))
            place = Place(record, ("error", "message")) if "message" in error else None
            return [self.build.part("tool_result", text, place, name=name, call_id=call_id, failed=True)]
        holder = {"content": self.resolve(value["content"])} if "content" in value else {}
        return [self.build.result(holder, record, ("content",), name=name, call_id=call_id)]

    def resolve(self, value: Any) -> Any:
        """Return a value with attachment references in its strings replaced by the attached texts."""
        if not self.attachments:
            return value
        if isinstance(value, str):
            return _ATTACHMENT_ADDRESS.sub(lambda match: self.attachments.get(match[1], match[0]), value)
        if isinstance(value, list):
            return [self.resolve(item) for item in value]
        if isinstance(value, dict):
            return {key: self.resolve(item) for key, item in value.items()}
        return value


def _attachments(document: Any) -> dict[str, str]:
    """Return hash -> text over all samples; a hash always refers to the same text."""
    samples = document.get("samples") if isinstance(document, dict) else document
    samples = samples if isinstance(samples, list) else [document]
    return {hash_: text for sample in samples for hash_, text in _sample_attachments(sample)}


def _sample_attachments(sample: Any) -> Iterator[tuple[str, str]]:
    for attachments in (inner(sample, "attachments"), inner(sample, "transcript", "content")):
        yield from ((hash_, text) for hash_, text in attachments.items() if isinstance(text, str))
