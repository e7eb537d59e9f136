"""Show a prompt and its segments as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from compactor_cli.model.content import sha256
from compactor_cli.model.transcript import Source
from compactor_cli.prompt.definition import AFTER, Prompt, SegmentChoice, Sized
from compactor_cli.render.console import bar, count_phrase, make_table, percent
from compactor_cli.render.jsons import compact_json, source_json
from compactor_cli.views.survival.result import Survival

if TYPE_CHECKING:  # all stages of a compaction
    from compactor_cli.prompt.assembly import Prompted

_NAMES = {"system_llm": "system insight"}
_GIVEN = {"text": "", "file": "", "segments": "segments", "tokens": "reserved", "default": "reserved"}
_GIVEN["transcript"] = "of the transcript"
_STYLES = {"full": "green", "condensed": "cyan", "out": "red"}
_FILE_KEYS = ("input", "output", "target_tokens", "fits", "warnings", "notes")
"""Keys of the `compact` report that apply to the prompt as a whole."""


def parts_table(console: Console, result: Prompted) -> Table:
    """Return a table of the parts in order, including the history."""
    table = make_table(console, f"Prompt of {result.total:,} tokens", "part", ">tokens", ">share", "!", "")
    for name, tokens, note in _rows(result):
        table.add_row(name, f"{tokens:,}", percent(tokens, result.total), bar(console, tokens / result.total), note)
    table.add_section()
    free = result.total - result.tokens
    table.add_row("total", f"{result.tokens:,}", percent(result.tokens, result.total), "", "")
    table.add_row("free", f"{free:,}", percent(free, result.total), "", f"margin {result.safety_margin:,}")
    return table


def _rows(result: Prompted) -> Iterator[tuple[str, int, str]]:
    for part in result.parts:
        if part.name not in AFTER:
            tokens = result.system_tokens if part.given == "transcript" else part.tokens
            yield _NAMES.get(part.name, part.name.replace("_", " ")), tokens, _note(part)
    history = result.history
    yield "history", history.tokens - result.system_tokens, count_phrase(len(history.messages), "message")
    for part in result.parts:
        if part.name in AFTER:
            yield part.name.replace("_", " "), part.tokens, _note(part)


def _note(part: Sized) -> str:
    if part.written and part.reserved:
        return f"of these {part.reserved:,} reserved"
    return _GIVEN[part.given]


def segments_table(console: Console, prompt: Prompt, choices: Sequence[SegmentChoice]) -> Table:
    """Return a table of the segments: whether and in which variant each is included, and why."""
    used = sum(choice.tokens for choice in choices)
    limit = f" of {prompt.segment_tokens:,}" if prompt.segment_tokens is not None else ""
    table = make_table(console, f"Segments ({used:,}{limit} tokens)", "segment~", "!", ">tokens!", "why")
    for choice in choices:
        variant = Text(choice.variant, style=_STYLES[choice.variant])
        tokens = f"{choice.tokens:,}" if choice.variant != "out" else ""
        table.add_row(Text(choice.id), variant, tokens, Text(choice.reason))
    return table


def history_line(result: Prompted) -> Text:
    before, after = result.before, result.history
    if not after.changed:
        return Text(f"history of {count_phrase(len(before.messages), 'message')} unchanged")
    return Text(
        f"history {before.tokens:,} → {after.tokens:,} tokens, "
        f"{len(before.messages):,} → {count_phrase(len(after.messages), 'message')}"
    )


def segments_json(prompt: Prompt, choices: Sequence[SegmentChoice]) -> dict[str, Any]:
    """Return the keys about segments for the reports of `assemble` and `budget`."""
    return {
        "segments": [
            {"id": c.id, "in": c.variant != "out", "variant": c.variant, "tokens": c.tokens, "reason": c.reason}
            for c in choices
        ],
        "segment_tokens": {"limit": prompt.segment_tokens, "used": sum(choice.tokens for choice in choices)},
    }


def assemble_json(
    source: Source,
    counter: str,
    output: str,
    data: bytes,
    result: Prompted,
    segments: dict[str, Any],
    survivals: Sequence[Survival],
    warnings: Sequence[str],
) -> dict[str, Any]:
    history = result.history
    report = compact_json(source, counter, output, history.data, [history], survivals, warnings)
    before = {"messages": len(result.before.messages), "tokens": result.before.tokens}
    after = {"messages": len(history.messages), "tokens": history.tokens}
    return {
        "input": {**source_json(source, counter), "sha256": sha256(source.stored)},
        "output": {
            "path": output,
            "format": source.format,
            "messages": len(result.messages),
            "tokens": sum(message.tokens for message in result.messages),
            "counter": counter,
            "sha256": sha256(data),
        },
        "total": result.total,
        "safety_margin": result.safety_margin,
        "reserved": result.reserved,
        "tokens": result.tokens,
        "remaining": result.total - result.tokens,
        "fits": result.tokens <= result.total,
        "parts": [_part_json(part, result) for part in result.parts],
        **segments,
        "history": {
            "input": before,
            "output": after,
            "target_tokens": history.target,
            "fits": history.target is None or history.tokens <= history.target,
            **{key: value for key, value in report.items() if key not in _FILE_KEYS},
            "ratio": round(history.tokens / result.before.tokens, 4) if result.before.tokens else 1.0,
        },
        "warnings": report["warnings"],
        "notes": report["notes"],
    }


def _part_json(part: Sized, result: Prompted) -> dict[str, Any]:
    """Return one part as JSON. The transcript's own system messages count as history."""
    is_transcript = part.given == "transcript"
    return {
        "name": part.name,
        "given": part.given,
        "tokens": result.system_tokens if is_transcript else part.tokens,
        "reserved": part.reserved,
        "written": part.written or is_transcript,
    }
