"""Show memories as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from compactor_cli.memory.exchange import memory_json
from compactor_cli.memory.merging import Faded, Merge
from compactor_cli.model.memory import Memory, MemorySource
from compactor_cli.render.console import make_table, snippet
from compactor_cli.text.clean import one_line, plain

if TYPE_CHECKING:  # most commands search for nothing
    from compactor_cli.memory.queries import MemoryHit

_ID_WIDTH = 12


def memory_table(console: Console, memories: Sequence[Memory], title: str, *, clock: bool = False) -> Table:
    """Return a table with one line per memory. `clock`: show the time of day instead of the date."""
    table = make_table(console, title, "id!", "time!" if clock else "day!", "category!", ">imp.!", "memory!")
    when = 5 if clock else 10
    text_width = console.width - _ID_WIDTH - when - 11 - 5 - 10
    for memory in memories:
        time, text = format_time(memory.created, "%H:%M" if clock else "%Y-%m-%d"), snippet(memory.text, text_width)
        table.add_row(short_id(memory), time, Text(memory.category), _points(memory), text)
    return table


def hit_table(console: Console, hits: Sequence[MemoryHit], title: str) -> Table:
    """Return a table of search results, best first, with the search terms highlighted."""
    table = make_table(console, title, "id!", "day!", "category!", ">imp.!", "memory!")
    text_width = max(20, console.width - _ID_WIDTH - 10 - 11 - 5 - 10)
    for hit in hits:
        memory = hit.memory
        pieces = ((text, "bold green" if is_word else "") for text, is_word in hit.snippet.pieces)
        text = Text.assemble(*pieces, no_wrap=True, overflow="ellipsis")
        text.truncate(text_width, overflow="ellipsis")
        day = format_time(memory.created, "%Y-%m-%d")
        table.add_row(short_id(memory), day, Text(memory.category), _points(memory), text)
    return table


def memory_page(memory: Memory) -> Iterable[Text]:
    pinned = "  pinned" if memory.pinned else ""
    yield Text(memory.id, style="bold") + Text(
        f"  {memory.category}  importance {memory.importance:.1f}  confidence {memory.confidence:.2f}{pinned}"
    )
    yield Text(plain(memory.text))
    if memory.tags:
        yield Text("tags: " + ", ".join(one_line(tag, 100) for tag in memory.tags))
    used = f"used {memory.uses:,} times, last {format_time(memory.used)}" if memory.used else "never used"
    faded = f", importance as of {format_time(memory.decayed)}" if memory.decayed else ""
    yield Text(f"remembered {format_time(memory.created)}, {used}{faded}")
    for source in memory.sources:
        yield Text(f"from {_source(source)}")


def fade_table(console: Console, changes: Sequence[Faded], title: str) -> Table:
    table = make_table(console, title, "id!", ">before!", ">after!", "memory!")
    for change in changes:
        after = change.after
        row = (f"{change.before.importance:.1f}", f"{after.importance:.1f}", snippet(after.text, console.width - 36))
        table.add_row(short_id(after), *row)
    return table


def merge_table(console: Console, merges: Sequence[Merge], title: str) -> Table:
    """Return a table of merges: the memory that stays, followed by those merged into it."""
    table = make_table(console, title, "id!", "!", "memory!")
    for merge in merges:
        for memory in (merge.kept, *merge.others):
            style, state = ("green", "stays") if memory is merge.kept else ("dim", "goes into it")
            table.add_row(short_id(memory), Text(state, style=style), snippet(memory.text, console.width - 36))
    return table


def hit_json(hit: MemoryHit) -> dict[str, Any]:
    """Return a search result as JSON. `found`: start and end of each search term in the snippet."""
    position, spans = 0, []
    for text, is_word in hit.snippet.pieces:
        if is_word:
            spans.append([position, position + len(text)])
        position += len(text)
    return {"score": hit.score, "snippet": str(hit.snippet), "found": spans, **memory_json(hit.memory)}


def fade_json(change: Faded) -> dict[str, Any]:
    before, after = change.before, change.after
    return {"id": after.id, "text": after.text, "before": before.importance, "after": after.importance}


def merge_json(merge: Merge) -> dict[str, Any]:
    return {"kept": memory_json(merge.kept), "others": [memory_json(memory) for memory in merge.others]}


def short_id(memory: Memory) -> str:
    return memory.id[:_ID_WIDTH]


def format_time(seconds: float | None, time_format: str = "%Y-%m-%d %H:%M") -> str:
    if seconds is None:
        return "-"
    return datetime.fromtimestamp(seconds).astimezone().strftime(time_format)


def _points(memory: Memory) -> Text:
    return Text(f"{memory.importance:.0f}{'★' if memory.pinned else ' '}", style="green" if memory.pinned else "")


def _source(source: MemorySource) -> str:
    session = f", session {one_line(source.session, 60)}" if source.session else ""
    numbers = ", ".join(map(str, source.messages[:20])) + (", ..." if len(source.messages) > 20 else "")
    noun = "message" if len(source.messages) == 1 else "messages"
    location = f", {noun} {numbers}" if source.messages else ""
    return f"{one_line(source.transcript, 400) or 'by hand'}{session}{location}"
