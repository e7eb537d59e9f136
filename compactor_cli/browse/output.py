"""Show as text what the output contains of a message."""

from __future__ import annotations

from typing import NamedTuple

from compactor_cli.browse.rows import BrowserRow, BrowserView, display_name, safe_line
from compactor_cli.model.message import Message
from compactor_cli.model.report import Compaction
from compactor_cli.summary_text.excerpts import speaker_of


class OutputLine(NamedTuple):
    """A line of text, and whether it is a heading added by the browser."""

    text: str
    heading: bool = False


def before_lines(row: BrowserRow) -> list[OutputLine]:
    if row.entry.before is None:
        return [OutputLine("Not in the input.", heading=True)]
    return _lines(row.entry.before)


def after_lines(view: BrowserView, row: BrowserRow) -> list[OutputLine]:
    entry = row.entry
    if not row.fate:
        return [OutputLine("Nothing was computed; see the line at the top.", heading=True)]
    if entry.after is not None:
        same = row.fate == "kept"
        return [
            *([OutputLine("Unchanged in the output.", heading=True), OutputLine("")] if same else []),
            *_lines(entry.after),
        ]
    if row.fate != "summarized":
        return [OutputLine(f"Not in the output: {entry.reason}.", heading=True)]
    summary = summary_of(view, row)
    if summary is None:
        return [OutputLine("Replaced by a summary.", heading=True)]
    return _quoting_lines(summary, entry.message.number)


def summary_of(view: BrowserView, row: BrowserRow) -> Message | None:
    """Return the summary in the output that stands for a message; None if there is none."""
    part = view.parts[row.entry.conversation]
    if part.plan is None:
        return None
    group = _group_of(part, row.entry.message.number)
    slot = next((slot for slot in part.plan.slots if group in slot.groups), None)
    if slot is None:
        return None
    return next((m for m in part.messages if m.index < 0 and m.id == f"summary-{slot.groups[0]}"), None)


def signals_of(view: BrowserView, row: BrowserRow) -> tuple[str, ...]:
    """Return the names for which parts of a message are kept."""
    part = view.parts[row.entry.conversation] if view.parts else None
    if part is None or part.plan is None or row.spot is None:
        return ()
    group = _group_of(part, row.entry.message.number)
    decision = next((d for d in part.plan.decisions if d.group == group), None)
    return tuple(display_name(signal.rpartition(" (")[0]) for signal in decision.signals) if decision else ()


def _group_of(part: Compaction, number: int) -> int:
    messages = part.repaired.messages
    return next((g.index for g in part.groups if any(messages[i].number == number for i in g.messages)), -1)


def _quoting_lines(summary: Message, number: int) -> list[OutputLine]:
    text = summary.text("text").split("\n")
    quoted: list[OutputLine] = []
    inside = False
    for line in text:
        speaker = speaker_of(line)
        if speaker is not None:
            inside = speaker.message == number
        elif not line.startswith((" ", "…")):
            inside = False
        if inside:
            quoted.append(OutputLine(safe_line(line)))
    head = f"The summary that replaces it quotes {'these lines:' if quoted else 'none of its lines.'}"
    title, blank = OutputLine(f"The whole summary ({summary.tokens:,} tokens):", heading=True), OutputLine("")
    whole = [blank, title, blank]
    return [OutputLine(head, heading=True), *quoted, *whole, *(OutputLine(safe_line(line)) for line in text)]


def _lines(message: Message) -> list[OutputLine]:
    """Return the parts of a message under their names; a single text part has no name."""
    out: list[OutputLine] = []
    for part in message.parts:
        if len(message.parts) > 1 or part.kind != "text":
            title = " ".join(word for word in (part.kind.replace("_", " "), part.name) if word)
            out += [OutputLine("")] if out else []
            out.append(OutputLine(f"{display_name(title)} · {part.tokens:,} tokens", heading=True))
        out += [OutputLine(safe_line(line)) for line in part.text.replace("\r\n", "\n").split("\n")]
    return out or [OutputLine("(empty)", heading=True)]
