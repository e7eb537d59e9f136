"""The summarizer that asks no model, and summaries of lines that a strategy chose: these lines, the state, and repeated
words of the user. The code for summaries with sections is loaded only when one is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from compactor_cli.model.plan import Quote
from compactor_cli.model.planning import SummaryRequest
from compactor_cli.summary_text.excerpts import Excerpt, legend, quote, without
from compactor_cli.summary_text.verbatim import last_request
from compactor_cli.summary_text.verbatim import turns as turns_text


class Extractive:
    name = "extractive"

    def prepare(self, requests: Sequence[SummaryRequest], count: Callable[[str], int]) -> tuple[SummaryRequest, ...]:
        return tuple(requests)

    def summarize(self, request: SummaryRequest, count: Callable[[str], int]) -> str:
        if request.slot.excerpts is not None:
            return write_quotes(request, request.slot.excerpts, count)
        from compactor_cli.summaries.offline import write_page

        return write_page(request, count)


def write_quotes(request: SummaryRequest, excerpts: Sequence[Excerpt], count: Callable[[str], int]) -> str:
    """Return the chosen lines, the repeated messages and the state, as many as fit; empty if nothing fits."""
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
        chosen = drop_least(chosen, excess)


def drop_least(lines: Sequence[Excerpt], excess: int) -> tuple[Excerpt, ...]:
    """Return the lines without those of least value: one, and one more for every 40 tokens of `excess`."""
    ranked = sorted(range(len(lines)), key=lambda index: (lines[index].value, -index))
    return tuple(without(lines, ranked[: 1 + excess // 40]))


def repeated_turns(quotes: Sequence[Quote], extra_turns: Iterable[tuple[int, str, str]] = ()) -> list[str]:
    """Return the repeated messages in time order under their heading, with `extra_turns` among them."""
    numbered_turns = [
        *((quote.number or 0, quote.label, quote.text) for quote in quotes if quote.kind == "turn"),
        *extra_turns,
    ]
    text = turns_text((label, words) for _, label, words in sorted(numbered_turns, key=lambda turn: turn[0]))
    return [text] if text else []
