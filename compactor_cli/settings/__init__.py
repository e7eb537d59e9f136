"""All settings with their defaults. `configuration/` determines where each value comes from."""

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

__all__ = ["ArchiveSettings", "BudgetSettings", "ContextSettings", "LlmSettings", "MemorySettings", "Option"]
__all__ += ["ReadingSettings", "ScoringSettings", "Settings", "SummarizationSettings", "TierSettings"]
