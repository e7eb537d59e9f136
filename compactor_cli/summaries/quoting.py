"""Summaries that quote lines, without headings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compactor_cli.model.planning import SummaryRequest
from compactor_cli.summaries.answered import since_last_request
from compactor_cli.summaries.layout import repeated_turns
from compactor_cli.summary_text.excerpts import Excerpt, legend, quote, without
from compactor_cli.summary_text.verbatim import last_request, speaker_in


def quoting(request: SummaryRequest, excerpts: Sequence[Excerpt], count: Callable[[str], int]) -> str:
    """Return the chosen lines, and the state; lines of least value go when the heading needs their room. What followed
    the last request is said where that costs nothing that the user said. Empty when nothing fits."""
    if since := since_last_request(request, words=False):
        text, kept = _quoting(request, excerpts, count, since)
        if text and sum(map(_is_users, kept)) == sum(map(_is_users, excerpts)):
            return text
    return _quoting(request, excerpts, count, "")[0]


def _quoting(
    request: SummaryRequest, excerpts: Sequence[Excerpt], count: Callable[[str], int], since: str
) -> tuple[str, tuple[Excerpt, ...]]:
    """Return the text, and the lines that it quotes."""
    chosen = tuple(excerpts)
    turns = repeated_turns(request.slot.quotes)
    head = "\n".join(filter(None, (request.header, *(turns or [request.slot.note]))))
    end = "".join(last_request(q.text, since) for q in request.slot.quotes if q.kind == "last")
    while True:
        pieces = (head, f"{legend(excerpts)}{quote(chosen)}" if chosen else "", request.slot.state)
        text = "\n".join(filter(None, pieces)) + end
        excess = count(text) - request.budget
        if excess <= 0:
            return text if chosen or turns or request.slot.state or request.slot.note or end else "", chosen
        if not chosen:
            return "", ()
        chosen = without_least(chosen, excess, of_users_last=bool(since))


def without_least(lines: Sequence[Excerpt], excess: int, *, of_users_last: bool = False) -> tuple[Excerpt, ...]:
    """Return the lines without those of least value, as many as may take `excess` tokens or fewer. `of_users_last`:
    what the user said goes after all others."""

    def worth(index: int) -> tuple[bool, float, int]:
        return of_users_last and _is_users(lines[index]), lines[index].value, -index

    ranked = sorted(range(len(lines)), key=worth)
    return tuple(without(lines, ranked[: 1 + excess // 40]))


def _is_users(line: Excerpt) -> bool:
    return speaker_in(line.heading.rstrip(": ")) == "user"
