"""The token budget of a prompt (seed 000)."""

from __future__ import annotations

from msgspec import Struct

TIERS = 4


class FixedParts(Struct, frozen=True):
    """Sizes in tokens of the parts of a prompt other than the conversation."""

    system_prompt: int = 0
    agent_identity: int = 0
    task_prompt: int = 0
    actions: int = 0
    system_llm: int = 0
    current_message: int = 50

    @property
    def total(self) -> int:
        own = self.system_prompt + self.agent_identity + self.task_prompt
        return own + self.actions + self.system_llm + self.current_message


class Budget(Struct, frozen=True):
    """How `total` tokens are divided. `tiers[k]` is the allowance of tier k."""

    total: int
    safety_margin: int
    fixed: FixedParts
    residuals: int
    tiers: tuple[int, int, int, int]

    @property
    def used(self) -> int:
        return self.fixed.total + self.residuals + sum(self.tiers)

    @property
    def remaining(self) -> int:
        return self.total - self.used

    @property
    def utilization_percent(self) -> float:
        return round(100 * self.used / self.total, 1) if self.total else 0.0
