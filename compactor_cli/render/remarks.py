"""Show what a model was asked, what the provider counted, and what was stored, in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import asdict

from compactor_cli.model.report import ModelUse, Probed, StoredResult
from compactor_cli.text.quantities import dollars


def use_line(use: ModelUse) -> str:
    """Return a line such as `openai/gpt-4o-mini: 3 requests, 1 answer from the cache, 12,345 + 800 tokens, $0.0123`."""
    used = use.usage
    requests = f"{used.requests} request{'' if used.requests == 1 else 's'}"
    if use.dry:
        cost_phrase = "" if used.cost is None else f", at most {dollars(used.cost)}"
        return f"would ask {used.model}: {requests}, {used.prompt_tokens:,} tokens{cost_phrase}"
    cost = "" if used.cost is None else f", {dollars(used.cost)}"
    hits = used.cache_hits
    cache_phrase = f", {hits} answer{'' if hits == 1 else 's'} from the cache" if hits else ""
    return f"{used.model}: {requests}{cache_phrase}, {used.prompt_tokens:,} + {used.completion_tokens:,} tokens{cost}"


def model_json(use: ModelUse) -> dict[str, Any]:
    """Return the use of a model as JSON; `cost_usd` is null if the price is unknown."""
    used = use.usage
    return {
        "model": {
            "name": used.model,
            "asked": not use.dry,
            "requests": used.requests,
            "failures": used.failures,
            "prompt_tokens": used.prompt_tokens,
            "completion_tokens": used.completion_tokens,
            "cost_usd": None if used.cost is None else round(used.cost, 8),
            "fallbacks": [asdict(fallback) for fallback in use.fallbacks],
        },
        "cache": {"hits": used.cache_hits, "misses": used.cache_misses},
    }


def probe_line(probed: Probed) -> str:
    """Return a line with the provider's counts, if it gave any."""
    if probed.before is None or probed.after is None:
        return "the provider did not report a token count"
    return f"counted by the provider: {probed.before:,} tokens before, {probed.after:,} after"


def probe_json(probed: Probed) -> dict[str, int | None]:
    return {"input_tokens": probed.before, "output_tokens": probed.after}


def keeping_lines(stored_result: StoredResult, recalled: int) -> Iterator[str]:
    """Yield lines about what was stored, and how many memories were inserted into the output."""
    if recalled:
        yield f"recalled: {recalled} {'memory' if recalled == 1 else 'memories'}"
    if stored_result.compaction is not None:
        yield "archived: compactor restore can restore the original"
    if stored_result.flushed:
        yield f"remembered: {len(stored_result.new)} new, {len(stored_result.known)} already known"
    if stored_result.manifest:
        yield f"removed content is listed in {stored_result.manifest}"


def keeping_json(stored_result: StoredResult) -> dict[str, Any]:
    """Return the report's keys about what was stored; empty if nothing was."""
    value: dict[str, Any] = {}
    if stored_result.compaction is not None:
        value["archive"] = {"compaction": stored_result.compaction}
    if stored_result.flushed:
        value["memories"] = {
            "new": [memory.id for memory in stored_result.new],
            "known": [memory.id for memory in stored_result.known],
        }
    if stored_result.manifest:
        value["manifest"] = stored_result.manifest
    return value
