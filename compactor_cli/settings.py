"""Every setting, frozen. Defaults are those of the seeds; the command line fills in the rest."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdSettings:
    """When to compact (seed 001). Tokens, and shares between 0 and 1."""

    system_reserve: int = 2_000
    output_reserve: int = 4_000
    safety_buffer: int = 5_000
    threshold_percent: float = 0.80
    warning_percent: float = 0.80


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringSettings:
    """Residuals (seed 000)."""

    scorer: str = "factors"
    threshold: float = 60
    max_residuals: float = 0.20
    now: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of one run."""

    scoring: ScoringSettings = field(default_factory=ScoringSettings)
    threshold: ThresholdSettings = field(default_factory=ThresholdSettings)
    tier_borders: tuple[int, int, int] = (10, 25, 50)
    tier_keep: tuple[float, float, float, float] = (1.0, 0.70, 0.40, 0.15)
    """Share of each tier that is kept when there is no token target."""
    strategy: str = ""
    """Empty: `adaptive` with a target, `tiered` without one."""
    summarizer: str = "extractive"
    summary_role: str = ""
    """Role of summary messages; empty for what the format's API accepts."""
    target_tokens: int | None = None
    target_ratio: float | None = None
    keep: tuple[str, ...] = ()
    keep_last: int = 0
    query: str = ""
    recent_messages: int = 10
    """Messages below which a session is too short to need compacting (seed 001)."""

    @property
    def strategy_name(self) -> str:
        """The strategy that is used: the one that is set, or the best one for the kind of run."""
        aims = self.target_tokens is not None or self.target_ratio is not None
        return self.strategy or ("adaptive" if aims else "tiered")
