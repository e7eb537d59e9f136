"""What a command asked of a language model, file by file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from compactor_cli.model.report import ModelUse

_ABOUT_MODELS = ("summary_prompt", "llm_model", "max_cost", "concurrency")

if TYPE_CHECKING:
    from compactor_cli.cli.configured import Configured
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
    used = total if before is None else _since(total, before)
    return used if used.requests or used.cache_hits or used.warnings else None


def use_json(session: Session) -> dict[str, Any]:
    """What the session has asked so far, as reports have it; empty when it has asked nothing."""
    from compactor_cli.render.model_use import model_json

    use = model_use(session)
    return model_json(use) if use else {}


def say_use(session: Session) -> None:
    """The same in words, on standard error, with its warnings."""
    from compactor_cli.render.model_use import use_line

    use = model_use(session)
    if use is not None:
        session.say(use_line(use))
        for warning in use.warnings:
            session.warn(warning)


def warn_unused(session: Session, configured: Configured, given: Mapping[str, Any]) -> None:
    """Say which options about a model were given though none is asked."""
    if configured.settings.asks or configured.probes:
        return
    names = [name for name in _ABOUT_MODELS if given.get(name) not in (None, "")]
    if names:
        options = ", ".join("--" + name.replace("_", "-") for name in names)
        session.warn(f"{options} not used: no model is asked without --summarizer llm or --scorer classifier")


def _total(asker: Asker) -> ModelUse:
    used = asdict(asker.usage)
    fallbacks = tuple((each.what, each.why, each.failed) for each in asker.fallbacks)
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
