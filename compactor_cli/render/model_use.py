"""What was asked of a language model, in words and as JSON."""

from __future__ import annotations

from typing import Any

from compactor_cli.model.report import ModelUse, Probed
from compactor_cli.text.figures import dollars


def use_line(use: ModelUse) -> str:
    """`openai/gpt-4o-mini: 3 requests, 1 answer from the cache, 12,345 + 800 tokens, $0.0123`."""
    requests = f"{use.requests} request{'' if use.requests == 1 else 's'}"
    cost = "" if use.cost is None else f", {dollars(use.cost)}"
    if use.dry:
        most = "" if use.cost is None else f", at most {dollars(use.cost)}"
        return f"would ask {use.name}: {requests}, {use.prompt_tokens:,} tokens{most}"
    kept = f", {use.cache_hits} answer{'' if use.cache_hits == 1 else 's'} from the cache" if use.cache_hits else ""
    return f"{use.name}: {requests}{kept}, {use.prompt_tokens:,} + {use.completion_tokens:,} tokens{cost}"


def model_json(use: ModelUse) -> dict[str, Any]:
    """What was asked of a model; `cost_usd` is null when the price is not known."""
    return {
        "model": {
            "name": use.name,
            "asked": not use.dry,
            "requests": use.requests,
            "failures": use.failures,
            "prompt_tokens": use.prompt_tokens,
            "completion_tokens": use.completion_tokens,
            "cost_usd": None if use.cost is None else round(use.cost, 8),
            "fallbacks": [{"what": what, "why": why, "failed": failed} for what, why, failed in use.fallbacks],
        },
        "cache": {"hits": use.cache_hits, "misses": use.cache_misses},
    }


def probe_line(probed: Probed) -> str:
    """What the provider counts, where it says so."""
    if probed.before is None or probed.after is None:
        return "the provider did not say what it counts"
    return f"by the provider's count: {probed.before:,} tokens before, {probed.after:,} after"


def probe_json(probed: Probed) -> dict[str, int | None]:
    return {"input_tokens": probed.before, "output_tokens": probed.after}
