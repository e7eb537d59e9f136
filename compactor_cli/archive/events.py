"""A round as the events of seeds 000 and 001."""

from __future__ import annotations

from typing import Any

from compactor_cli.model.archived import Round


def event(round: Round) -> dict[str, Any]:
    """Return the compression event of seed 000 and the compaction event of seed 001, in one."""
    return {
        "originalTokens": round.tokens_before,
        "optimizedTokens": round.tokens_after,
        "compressionRatio": round.ratio,
        "round": round.round,
        "tokensBefore": round.tokens_before,
        "tokensAfter": round.tokens_after,
        "summaryContent": round.summary,
        "compactedMessageIds": list(round.compacted),
    }
