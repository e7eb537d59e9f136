"""Split a token budget (seed 000): fixed parts, residuals, tiers, surplus."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from compactor_cli.model.budget import Budget, FixedParts

TIER_SHARES = (Decimal("0.70"), Decimal("0.20"), Decimal("0.07"), Decimal("0.03"))
NEWEST_FIRST_SHARES = (Decimal(1), Decimal(0), Decimal(0), Decimal(0))


def allocate(
    total: int,
    fixed: FixedParts,
    residual_tokens: int,
    *,
    needs: Sequence[int] | None = None,
    safety_margin: int = 100,
    residual_share: float = 0.20,
    shares: Sequence[Decimal] = TIER_SHARES,
) -> Budget:
    """Return a budget of `total` tokens, split into its parts. Residuals come first, up to their share of the total.
    The tiers get their shares of what the fixed parts, the margin and the residuals leave. With `needs`, what a tier
    cannot use goes to tier 0 as far as that can use it, then to tiers 1, 2 and 3."""
    conversation = max(0, total - fixed.total - safety_margin)
    residuals = min(residual_tokens, int(Decimal(str(residual_share)) * total), conversation)
    tier_tokens = conversation - residuals
    tiers = [int(tier_tokens * share) for share in shares]
    if needs is not None:
        tiers = _redistribute(tiers, needs)
    return Budget(total, safety_margin, fixed, residuals, (tiers[0], tiers[1], tiers[2], tiers[3]))


def _redistribute(shares: list[int], needs: Sequence[int]) -> list[int]:
    """Return the shares with surplus moved to tiers that can use it. Surplus that no tier can use stays where it is."""
    shares = list(shares)
    for taker in range(len(shares)):
        for giver in range(len(shares) - 1, -1, -1):
            missing = needs[taker] - shares[taker]
            surplus = shares[giver] - needs[giver]
            if giver != taker and missing > 0 and surplus > 0:
                moved = min(missing, surplus)
                shares[giver] -= moved
                shares[taker] += moved
    return shares
