"""What a command asked of a language model, file by file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict, replace

from compactor_cli.asking.port import Usage
from compactor_cli.model.report import ModelUse

_ABOUT_MODELS = ("summarization.prompt", "llm.model", "llm.max_cost", "llm.concurrency")

if TYPE_CHECKING:
    from compactor_cli.cli.session import Session
    from compactor_cli.settings.layers import Layer


def model_use(session: Session, before: ModelUse | None = None) -> ModelUse | None:
    """Return what the session has asked so far, or since `before`; None when it has asked no model."""
    asker = session.asker
    if asker is None:
        return None
    total = ModelUse(asker.usage, tuple(asker.fallbacks), asker.warnings, asker.dry)
    used = total if before is None else _since(total, before)
    return used if used.usage.requests or used.usage.cache_hits or used.warnings else None


def use_json(session: Session) -> dict[str, Any]:
    """Return what the session has asked so far, as reports have it; empty when it has asked nothing."""
    from compactor_cli.render.model_use import model_json

    use = model_use(session)
    return model_json(use) if use else {}


def say_use(session: Session, use: ModelUse | None, file: str = "") -> None:
    """The same in words, on standard error, with its warnings; `file` stands before them."""
    from compactor_cli.render.model_use import use_line

    if use is None:
        return
    session.say(f"{file}{use_line(use)}")
    for warning in use.warnings:
        session.say(f"warning: {file}{warning}")


def warn_unused(session: Session, given: Layer) -> None:
    """Say which options about a model were given though none is asked."""
    if session.settings.asks or session.configured.probes:
        return
    options = ", ".join(given[key].origin.place for key in _ABOUT_MODELS if key in given)
    if options:
        session.warn(f"{options} not used: no model is asked without --summarizer llm or --scorer classifier")


def _since(total: ModelUse, before: ModelUse) -> ModelUse:
    now, then = asdict(total.usage), asdict(before.usage)
    model = now.pop("model")
    spent: dict[str, Any] = {name: None if value is None else value - then[name] for name, value in now.items()}
    return replace(
        total,
        usage=Usage(model, **spent),
        fallbacks=total.fallbacks[len(before.fallbacks) :],
        notes=total.notes[len(before.notes) :],
    )
