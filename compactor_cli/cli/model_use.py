"""What a command asked of a language model, file by file."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from compactor_cli.model.report import ModelUse

if TYPE_CHECKING:
    from compactor_cli.cli.session import Session
    from compactor_cli.llm.asker import Asker


def model_use(session: Session, before: ModelUse | None = None) -> ModelUse | None:
    """What the session has asked so far, or since `before`; None when it has asked no model."""
    asker = session.asker
    if asker is None:
        return None
    from compactor_cli.llm.asker import DryAsker

    if isinstance(asker, DryAsker):
        requests, tokens = len(asker.requests), asker.tokens
        total = ModelUse(asker.name, requests=requests, prompt_tokens=tokens, cost=asker.cost, dry=True)
    else:
        total = _total(asker)
    return total if before is None else _since(total, before)


def _total(asker: Asker) -> ModelUse:
    used = asdict(asker.usage)
    fallbacks = tuple((each.what, each.why) for each in asker.fallbacks)
    return ModelUse(used.pop("model"), **used, fallbacks=fallbacks, notes=asker.warnings)


def _since(total: ModelUse, before: ModelUse) -> ModelUse:
    counted = ("requests", "failures", "cache_hits", "cache_misses", "prompt_tokens", "completion_tokens")
    cost = None if total.cost is None or before.cost is None else total.cost - before.cost
    return replace(
        total,
        **{name: getattr(total, name) - getattr(before, name) for name in counted},
        cost=cost,
        fallbacks=total.fallbacks[len(before.fallbacks) :],
        notes=total.notes[len(before.notes) :],
    )
