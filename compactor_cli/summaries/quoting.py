"""Summaries that quote lines, without headings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compactor_cli.model.planning import SummaryRequest
from compactor_cli.summaries.layout import repeated_turns
from compactor_cli.summary_text.excerpts import Excerpt, legend, quote, without
from compactor_cli.summary_text.verbatim import last_request


def quoting(request: SummaryRequest, excerpts: Sequence[Excerpt], count: Callable[[str], int]) -> str:
    """Return the chosen lines, and the state; lines of least value go when the heading needs their room. Empty when
    nothing fits."""
    chosen = tuple(excerpts)
    turns = repeated_turns(request.slot.quotes)
    head = "\n".join(filter(None, (request.header, *(turns or [request.slot.note]))))
    end = "".join(last_request(q.text, q.since) for q in request.slot.quotes if q.kind == "last")
    while True:
        pieces = (head, f"{legend(excerpts)}{quote(chosen)}" if chosen else "", request.slot.state)
        text = "\n".join(filter(None, pieces)) + end
        excess = count(text) - request.budget
        if excess <= 0:
            return text if chosen or turns or request.slot.state or request.slot.note or end else ""
        if not chosen:
            return ""
        chosen = without_least(chosen, excess)


def without_least(lines: Sequence[Excerpt], excess: int) -> tuple[Excerpt, ...]:
    """Return the lines without those of least value, as many as may take `excess` tokens or fewer."""
    ranked = sorted(range(len(lines)), key=lambda index: (lines[index].value, -index))
    return tuple(without(lines, ranked[: 1 + excess // 40]))
