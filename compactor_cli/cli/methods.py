"""The rows of `compactor evaluate`: our strategies, other tools, and plain methods for comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from compactor_cli.cli.against import Command, run_command
from compactor_cli.cli.session import Session
from compactor_cli.errors import BudgetError
from compactor_cli.evaluation.retention.baselines import BASELINES
from compactor_cli.evaluation.retention.measure import Method, NoOutputError
from compactor_cli.model.message import Message
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.run import compact
from compactor_cli.settings import Settings
from compactor_cli.tokens.base import TokenCounter


def methods_for(
    session: Session, strategies: Sequence[str], commands: Sequence[Command], timeout: float
) -> list[Method]:
    """The methods in the order of the rows: strategies, commands (each with `timeout` seconds), plain ones."""
    counter = session.counter
    return [
        *(strategy_method(session, name, session.settings) for name in strategies),
        *(Method(c.name, "against", partial(run_command, c, counter=counter, timeout=timeout)) for c in commands),
        *(plain_method(name, counter) for name in BASELINES),
    ]


def strategy_method(session: Session, strategy: str, settings: Settings | None = None) -> Method:
    """A strategy with settings, of which the targets are set for each case."""
    chosen = replace(settings or Settings(), strategy=strategy, target_ratio=None)
    return Method(strategy, "strategy", partial(_compacted, session, chosen))


def plain_method(name: str, counter: TokenCounter) -> Method:
    return Method(name, "baseline", partial(_plain, BASELINES[name], counter))


def _compacted(session: Session, settings: Settings, front: Transcript, target: int) -> Sequence[Message]:
    settings = replace(settings, target_tokens=target)
    try:
        return compact(front, session.tools(front, settings), settings).messages
    except BudgetError as error:
        raise NoOutputError(
            f"cannot be met: the smallest valid output is {error.floor / target:.2f} x the target"
        ) from None


def _plain(
    make: Callable[[Sequence[Message], int, TokenCounter], Sequence[Message]],
    counter: TokenCounter,
    front: Transcript,
    target: int,
) -> Sequence[Message]:
    return make(front.messages, target, counter)
