"""Anthropic messages, one per line (whole requests are read by `documents`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compactor_cli.formats.anthropic_blocks import BLOCK_TYPES, COUNTS, new_content, read_content
from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.foreign_calls import are_foreign
from compactor_cli.formats.runs import RUN_LISTS, counted_in_run
from compactor_cli.formats.turns import add_turn
from compactor_cli.formats.values import block_kinds, sum_of, word
from compactor_cli.model.message import Message, Role
from compactor_cli.text.times import parse_time

_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}


class AnthropicMessages(Format):
    name = "anthropic"
    title = "Anthropic messages and requests"
    generic = True
    lists = (
        ListPath(("messages",), ("system", "system_prompt")),
        ListPath(("body", "messages"), ("system",)),
        ListPath(()),
        *RUN_LISTS,
    )
    usage_words = (b'"usage"',)

    def recognize(self, value: Any) -> float:
        if word(value, "role") not in ("user", "assistant") or "content" not in value:
            return 0.0
        if any(key in value for key in ("tool_calls", "function_call", "toolCalls")):
            return 0.0
        content = value["content"]
        if isinstance(content, list):
            kinds = block_kinds(content)
            if are_foreign(kinds):
                return 0.0
            if kinds & BLOCK_TYPES:
                return 1.0
            if kinds & {"image_url", "tool-call", "tool-result", "input_audio"}:
                return 0.0
            return 0.75 if kinds else 0.3
        return 0.6 if isinstance(content, str) else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        for record, value in enumerate(values):
            role = _ROLES.get(word(value, "role"))
            if role is None:
                continue  # not a message: passed through
            parts = read_content(build, value.get("content"), ("content",), record)
            add_turn(build, role, parts, record, parse_time(value.get("timestamp")))
        return Reading(build.messages)

    def usage(self, value: Any) -> int | None:
        """Return the token count of an answer that was saved as the API returned it."""
        return sum_of(value.get("usage"), *COUNTS) if word(value, "role") == "assistant" else None

    counted = staticmethod(counted_in_run)

    def new_record(self, message: Message, around: Around) -> Any:
        role = "user" if message.role == "tool" else message.role
        return {"role": role, "content": new_content(message)}
