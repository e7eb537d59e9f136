"""The summarizers. A new one needs one file here and one entry in SUMMARIZERS."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from compactor_cli.errors import NEEDS_MODEL, UsageError, meant
from compactor_cli.model.planning import Summarizer
from compactor_cli.settings import Settings
from compactor_cli.summaries.extractive import Extractive

if TYPE_CHECKING:
    from compactor_cli.asking.port import LanguageModel


def _llm(settings: Settings, model: LanguageModel | None) -> Summarizer:
    from compactor_cli.summaries.by_model import Llm  # most runs ask no model

    if model is None:
        raise UsageError(f"summarizer {Llm.name} {NEEDS_MODEL}")
    return Llm(model, settings)


SUMMARIZERS: dict[str, Callable[[Settings, LanguageModel | None], Summarizer]] = {
    Extractive.name: lambda settings, model: Extractive(),
    "llm": _llm,
}


def summarizer(name: str, settings: Settings | None = None, model: LanguageModel | None = None) -> Summarizer:
    """Return the summarizer of this name. Raises UsageError for an unknown name, and if a required model is missing."""
    if name not in SUMMARIZERS:
        raise UsageError(f"unknown summarizer {name!r}{meant(name, SUMMARIZERS)}; known: {', '.join(SUMMARIZERS)}")
    return SUMMARIZERS[name](settings or Settings(), model)
