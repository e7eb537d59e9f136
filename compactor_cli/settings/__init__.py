"""Every setting with its default. Where its value comes from is read in `configuration/`."""

from __future__ import annotations

from compactor_cli.settings.declaration import (
    ArchiveSettings,
    BudgetSettings,
    ContextSettings,
    LlmSettings,
    MemorySettings,
    Option,
    ReadingSettings,
    ScoringSettings,
    Settings,
    SummarizationSettings,
    TierSettings,
)

__all__ = [
    "ArchiveSettings",
    "BudgetSettings",
    "ContextSettings",
    "LlmSettings",
    "MemorySettings",
    "Option",
    "ReadingSettings",
    "ScoringSettings",
    "Settings",
    "SummarizationSettings",
    "TierSettings",
]
