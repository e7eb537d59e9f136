"""Render a transcript as plain text, part by part, so that two of them can be compared line by line.

It contains no numbers, counts or times, so unchanged content reads the same wherever it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from compactor_cli.model.message import Message, Part
from compactor_cli.model.transcript import Source
from compactor_cli.text.clean import shown
from compactor_cli.text.json_values import parse_json
from compactor_cli.views.overview import role_of


def plain_text(source: Source) -> str:
    """Return the conversations of a file, each message under its role."""
    has_several = len(source.transcripts) > 1
    blocks: list[str] = []
    for number, transcript in enumerate(source.transcripts, start=1):
        if has_several:
            blocks.append(f"===== conversation {number} =====")
        blocks += [block for message in transcript.messages for block in _blocks(message)]
    return shown("\n\n".join(blocks) + "\n") if blocks else ""


def _blocks(message: Message) -> Iterator[str]:
    for part in message.parts:
        text = _text(part)
        if text.strip() or part.images:
            yield f"{_heading(message, part)}\n{text.rstrip()}".rstrip()


def _heading(message: Message, part: Part) -> str:
    kinds = {"text": "", "thinking": " thinks", "tool_call": f" calls {part.name}", "tool_result": " result"}
    failed = " (failed)" if part.failed else ""
    return f"--- {role_of(message)}{kinds.get(part.kind, f' {part.kind}')}{failed}"


def _text(part: Part) -> str:
    """Return what the model reads of a part; JSON objects, such as arguments, with one line per value."""
    if part.kind != "tool_call":
        return part.text
    try:
        value = parse_json(part.text)
    except ValueError:
        return part.text
    if not isinstance(value, dict):
        return part.text
    return "\n".join(f"{key}: {_value(item)}" for key, item in value.items())


def _value(item: object) -> str:
    text = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False, indent=2)
    return "\n" + text if "\n" in text else text
