"""What a command asked of a language model, file by file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compactor_cli.model.report import ModelUse

if TYPE_CHECKING:
    from compactor_cli.cli.session import Session
    from compactor_cli.llm.asker import Usage


def model_use(session: Session, before: ModelUse | None = None) -> ModelUse | None:
    """What the session has asked so far, or since `before`; None when it has asked no model."""
    asker = session.asker
    if asker is None:
        return None
    from compactor_cli.llm.asker import DryAsker

    if isinstance(asker, DryAsker):
        total = ModelUse(
            asker.name, requests=len(asker.requests), prompt_tokens=asker.tokens, cost=asker.cost, dry=True
        )
    else:
        total = _total(asker.usage, tuple((each.what, each.why) for each in asker.fallbacks))
    return total if before is None else _since(total, before)


def _total(usage: Usage, fallbacks: tuple[tuple[str, str], ...]) -> ModelUse:
    return ModelUse(
        usage.model,
        usage.requests,
        usage.failures,
        usage.cache_hits,
        usage.cache_misses,
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.cost,
        fallbacks,
    )


def _since(total: ModelUse, before: ModelUse) -> ModelUse:
    counted = ("requests", "failures", "cache_hits", "cache_misses", "prompt_tokens", "completion_tokens")
    cost = None if total.cost is None or before.cost is None else total.cost - before.cost
    return replace(
        total,
        **{name: getattr(total, name) - getattr(before, name) for name in counted},
        cost=cost,
        fallbacks=total.fallbacks[len(before.fallbacks) :],
    )
