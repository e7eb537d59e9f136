"""Items of OpenAI's Responses API: the `input` of a request or of a batch file's line, a list, or one item per line.

Thoughts and calls are separate items; those of one answer follow each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.response_items import new_item, read_item, role_of
from compactor_cli.formats.values import as_text, word
from compactor_cli.model.injected import origin_of_parts
from compactor_cli.model.message import Message

_KINDS = {
    "function_call": "call_id",
    "function_call_output": "call_id",
    "custom_tool_call": "call_id",
    "custom_tool_call_output": "call_id",
    "reasoning": "summary",
    "local_shell_call": "action",
    "local_shell_call_output": "output",
    "web_search_call": "status",
    "file_search_call": "status",
    "computer_call": "call_id",
    "computer_call_output": "call_id",
    "code_interpreter_call": "code",
    "image_generation_call": "status",
    "mcp_call": "arguments",
    "mcp_list_tools": "tools",
    "compaction": "encrypted_content",
}
"""Type of item -> a member that distinguishes it from records of other formats."""
_BLOCKS = frozenset(("input_text", "output_text", "input_image", "input_file", "refusal"))


class OpenAIResponses(Format):
    name = "openai-responses"
    title = "OpenAI Responses API: items, requests, batch files"
    summary_roles = ("user", "assistant", "system")
    lists = (ListPath(("input",), ("instructions",)), ListPath(("body", "input"), ("instructions",)), ListPath(()))
    adjacent_results = False

    def recognize(self, value: Any) -> float:
        kind = word(value, "type")
        if kind in _KINDS:
            return 0.9 if _KINDS[kind] in value and "payload" not in value else 0.0
        if word(value, "role") not in ("system", "developer", "user", "assistant") or kind not in ("", "message"):
            return 0.0
        content = value.get("content")
        kinds = {word(block, "type") for block in content} if isinstance(content, list) else set()
        if kinds & _BLOCKS:
            return 1.0
        return 0.6 if isinstance(content, str) and kind == "message" else 0.3 if isinstance(content, str) else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        turn, answering = 0, False
        for record, value in enumerate(values):
            if not isinstance(value, dict):
                continue
            item = value if word(value, "type") else {**value, "type": "message"}
            role = role_of(item)
            turn += role == "assistant" and not answering
            answering = role == "assistant"
            parts = read_item(build, item, (), record)
            name = as_text(value.get("id") or value.get("call_id") or "")
            own_turn = turn if answering else None
            origin = origin_of_parts(parts, by_user=role == "user")
            build.add(role, parts, (record,), id=name, origin=origin, turn=own_turn)
        return Reading(build.messages)

    def new_record(self, message: Message, around: Around) -> Any:
        return new_item(message)
