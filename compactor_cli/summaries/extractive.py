"""The summarizer that asks no model. It loads the code for summaries with sections only when one is needed, because
most plans come with the lines of their summaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compactor_cli.model.planning import SummaryRequest
from compactor_cli.summaries.quoting import write_quotes


class Extractive:
    name = "extractive"

    def prepare(self, requests: Sequence[SummaryRequest], count: Callable[[str], int]) -> tuple[SummaryRequest, ...]:
        return tuple(requests)

    def summarize(self, request: SummaryRequest, count: Callable[[str], int]) -> str:
        if request.slot.excerpts is not None:
            return write_quotes(request, request.slot.excerpts, count)
        from compactor_cli.summaries.offline import write_page

        return write_page(request, count)
