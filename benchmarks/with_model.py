"""Measure what survives if a model writes the summaries but says nothing in them, compared with each strategy offline.

    python -m benchmarks.with_model claude=DIR[,DIR...] codex=DIR ...

The model is a stand-in that writes the requested headings with one empty sentence under each. So everything found in an
output was kept by the computed parts: repeated requests, files, errors, commands, quoted lines.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from benchmarks.retention import COUNTER, CUTS, RATIOS, print_result, sessions_of
from compactor_cli.asking.port import ModelAnswer, ModelRequest
from compactor_cli.errors import BudgetError
from compactor_cli.evaluation.retention.cases import prepare
from compactor_cli.evaluation.retention.measure import Method, NoOutputError, evaluate
from compactor_cli.model.message import Message
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.run import compact
from compactor_cli.settings import Settings
from compactor_cli.wiring import tools_for

STRATEGIES = ("rolling", "handoff", "summarize", "hybrid", "ranked", "tiered")
_HEADING = re.compile(r"^### (.+)$", re.MULTILINE)
_NOTHING = "- The work went on as it was asked for."


class EmptyModel:
    """A language model whose summaries contain no facts."""

    name = "says/nothing"
    context_limit = 200_000

    def ask(self, requests: Sequence[ModelRequest]) -> tuple[ModelAnswer, ...]:
        return tuple(ModelAnswer(_answer(request)) for request in requests)

    def give_up(self, what: str, why: str, *, failed: bool = True) -> None:
        """Ignore failures. Topics then come from the offline method, as only the summaries are measured."""


def _answer(request: ModelRequest) -> str:
    titles = _HEADING.findall(request.turns[-1].text)
    return "\n".join(f"### {title}\n{_NOTHING}" for title in titles) if titles else _NOTHING


def main(arguments: Sequence[str]) -> int:
    for argument in arguments:
        name, _, folders = argument.partition("=")
        prepared = prepare(sessions_of(folders.split(",")), CUTS)
        methods = [_method(strategy, summarizer) for strategy in STRATEGIES for summarizer in ("extractive", "llm")]
        print_result(name, prepared, evaluate(prepared, methods, RATIOS))
    return 0


def _method(strategy: str, summarizer: str) -> Method:
    def run(front: Transcript, target: int) -> Sequence[Message]:
        settings = Settings(strategy=strategy, summarizer=summarizer, target_tokens=target)
        try:
            return compact(front, tools_for(front, COUNTER, settings, model=EmptyModel()), settings).messages
        except BudgetError as error:
            raise NoOutputError(str(error)) from None

    return Method(f"`{strategy}`{', silent model' if summarizer == 'llm' else ''}", "strategy", run)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
