"""Every setting with its default, and where its value comes from: files, the environment and options."""

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
