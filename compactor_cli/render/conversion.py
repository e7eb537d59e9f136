"""Show a conversion as JSON, and as a table of what the target could not hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import asdict
from rich.console import Console
from rich.table import Table
from rich.text import Text

from compactor_cli.converting.convert import Converted
from compactor_cli.converting.losses import Action
from compactor_cli.model.content import sha256
from compactor_cli.model.transcript import Source
from compactor_cli.render.console import count_phrase, make_table

KINDS = {
    "arguments": "arguments that are not a JSON object",
    "call_ids": "ids of calls",
    "empty_texts": "texts without words",
    "failed_marks": "marks of failed results",
    "harness_marks": "marks of what a harness wrote",
    "members_of_the_document": "members next to the messages",
    "messages": "messages",
    "messages_without_content": "messages without content",
    "names_of_authors": "names of authors",
    "other_content": "content of other kinds",
    "parts": "parts of messages",
    "pictures": "pictures",
    "pictures_of_results": "pictures in results",
    "records_without_message": "records that are not messages",
    "results": "added results for calls without one",
    "results_without_call": "results without a call",
    "seals": "seals of thinking",
    "sealed_thinking": "thinking that only the provider can read",
    "system_messages": "system messages",
    "thinking": "thinking",
    "timestamps": "timestamps",
    "tool_names": "names of tools",
    "usage": "the provider's token counts",
}
ACTIONS: dict[Action, str] = {
    "left_out": "left out",
    "as_text": "kept as text",
    "as_user": "kept under the role user",
    "changed": "changed to fit",
    "joined": "joined with the previous one",
    "moved": "moved to another place",
    "added": "added",
}
"""Action -> description of what happened to it."""


def conversion_json(
    source: Source, converted_file: Converted, out_path: str, warnings: Sequence[str]
) -> dict[str, Any]:
    """Return the report for scripts; docs/cli.md describes its members."""
    return {
        "input": {
            "path": source.path,
            "format": source.format,
            "messages": converted_file.messages,
            "bytes": len(source.data),
            "sha256": sha256(source.data),
        },
        "output": {
            "path": out_path,
            "format": converted_file.target,
            "conversations": converted_file.conversations,
            "bytes": len(converted_file.data),
            "sha256": sha256(converted_file.data),
        },
        "session_id": converted_file.session_id,
        "cwd": converted_file.cwd if converted_file.home else "",
        "losses": [asdict(loss) for loss in converted_file.losses],
        "read_back": converted_file.read_back,
        "resume": {"place": converted_file.home.place, "command": converted_file.home.command}
        if converted_file.home
        else None,
        "warnings": list(warnings),
    }


def loss_table(console: Console, converted_file: Converted) -> Table:
    """Return a table of what the target does not hold unchanged, most frequent first."""
    title = f"What changed, as {converted_file.target} cannot hold it"
    table = make_table(console, title, ">count!", "what", "what happened!")
    for loss in sorted(converted_file.losses, key=lambda loss: (-loss.count, loss.kind)):
        detail = Text(f" ({loss.detail})", style="dim") if loss.detail else Text()
        table.add_row(f"{loss.count:,}", Text(KINDS[loss.kind]) + detail, ACTIONS[loss.action])
    return table


def conversion_line(source: Source, converted_file: Converted, out_path: str) -> Text:
    where = "standard output" if out_path == "-" else out_path
    line = (
        f"{count_phrase(converted_file.messages, 'message')} of {source.path or '-'} ({source.format}) written to "
        f"{where}"
    )
    conversation_note = (
        f", {count_phrase(converted_file.conversations, 'conversation')}" if converted_file.conversations > 1 else ""
    )
    return Text(f"{line} ({converted_file.target}{conversation_note})")


def resume_lines(converted_file: Converted, out_path: str) -> list[str]:
    """Return how to continue the session with the agent: the place for the file, and the command."""
    if converted_file.home is None:
        return []
    place = converted_file.home.place
    lines = [] if out_path.endswith(place.removeprefix("~")) else [f"copy it to {place}"]
    return [*lines, f"resume with: {converted_file.home.command}"]
