"""The summarizers. A new one is one file here and one line in SUMMARIZERS."""

from __future__ import annotations

from compactor_cli.errors import UsageError
from compactor_cli.model.planning import Summarizer
from compactor_cli.summarizers.extractive import Extractive

SUMMARIZERS: dict[str, Summarizer] = {summarizer.name: summarizer for summarizer in (Extractive(),)}


def summarizer(name: str) -> Summarizer:
    """The summarizer of this name. Raises UsageError for an unknown one."""
    if name not in SUMMARIZERS:
        raise UsageError(f"unknown summarizer {name!r}; known: {', '.join(SUMMARIZERS)}")
    return SUMMARIZERS[name]
