"""Figures as people read them."""

from __future__ import annotations


def dollars(cost: float) -> str:
    """Return `$0.0123`; four digits behind the point, more where there would be none."""
    return f"${cost:.4f}" if cost >= 0.0001 or not cost else f"${cost:.2g}"
