"""Summaries of small transcripts, and the spans in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compactor_cli.model.message import Message
from compactor_cli.model.plan import SummarySlot
from compactor_cli.model.planning import SummaryRequest
from compactor_cli.summaries.extractive import Extractive
from compactor_cli.summary_text.excerpts import harmless
from compactor_cli.text.clean import plain

HEADER = "## Session Summary (Compaction Round 1)"
_LINE = re.compile(r"^- (.*?)((?: \[(?:earlier )?#[^\]]*\])*)$")


def chars(text: str) -> int:
    return -(-len(text) // 4)


def summarize(
    messages: Sequence[Message],
    budget: int = 2000,
    keywords: frozenset[str] = frozenset(),
    *,
    tier: int = 3,
    form: str = "summary",
) -> str:
    slot = SummarySlot(tier, (0,), budget, outline=form)
    return Extractive().summarize(SummaryRequest(slot, HEADER, messages, keywords, budget), chars)


def sections(summary: str) -> dict[str, list[str]]:
    """Return heading -> its lines."""
    found: dict[str, list[str]] = {}
    for line in summary.splitlines():
        if line.startswith("### "):
            found[line[4:]] = []
        elif line.startswith("- "):
            next(reversed(found.values())).append(line[2:])
    return found


def spans(summary: str) -> Iterator[str]:
    """Return what a summary quotes: of lines that begin with a quotation mark, the part up to the last closing one."""
    for line in summary.splitlines():
        match = _LINE.match(line)
        if not match:
            continue
        body = match.group(1)
        mark = body[:1]
        if mark in ('"', "`") and body.rfind(mark) > 0:
            yield from body[1 : body.rfind(mark)].split('" answers: "')


def normal(text: str) -> str:
    """Return a text in the form for comparing quotes: without control characters, with white space folded."""
    return " ".join(plain(text).split())


def is_in(span: str, source: str) -> bool:
    """Return whether a quoted span is in the source. Of a clipped span, the part before the ellipsis must be there; of
    one with gaps, its pieces in order."""
    span = normal(span)
    source = harmless(source) if "‹" in span else source
    if span in source:
        return True
    at = 0
    for piece in (piece.strip() for piece in span.removesuffix("…").removeprefix("… ").split(" … ")):
        at = source.find(piece.removeprefix("…") if piece.startswith("…/") else piece, at)  # the end of a long path
        if at < 0:
            return False
    return "…" in span


def source_of(messages: Sequence[Message]) -> str:
    """Return everything that a summary may quote. Of arguments, which are JSON, it has the strings."""
    pieces = []
    for message in messages:
        for part in message.parts:
            pieces.append(part.text)
            if part.kind == "tool_call":
                pieces += _strings(part.text)
    return normal("\n".join(pieces))


def _strings(text: str) -> list[str]:
    import json

    try:
        value = json.loads(text)
    except ValueError:
        return []
    found, waiting = [], [value]
    while waiting:
        at = waiting.pop()
        if isinstance(at, str):
            found.append(at)
        elif isinstance(at, (dict, list)):
            if isinstance(at, list) and all(isinstance(word, str) for word in at):
                found.append(" ".join(at))
            waiting += at.values() if isinstance(at, dict) else at
    return found
