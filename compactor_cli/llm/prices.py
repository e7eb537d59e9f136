"""What models cost and how much they take, from litellm's shipped table, without importing litellm."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from compactor_cli.asking.port import ModelRequest
from compactor_cli.tokens.models import entry_of, model_facts

UNKNOWN_LIMIT = 8_192
"""Context limit of models that the table does not know: mostly small ones on a server of one's own."""
REASONING = 4_000
"""Tokens that a model which reasons may spend on it, unseen, besides its answer; they count as output."""
ONLY_USAGE = 16
"""Tokens of an answer that is asked for to see what the request cost."""
_PER_MESSAGE = 4
"""Tokens around a message that providers count besides its text."""
_FOREIGN = 1.4
"""Tokens of other vocabularies, at most, for one of OpenAI's, which is what texts are counted with."""
_ABOVE = re.compile(r"_above_(\d+)k_tokens$")


class Price(Struct, frozen=True):
    """US dollars for a token."""

    input: float
    output: float

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """Return dollars for a request and its answer."""
        return self.input * prompt_tokens + self.output * completion_tokens


class CostEstimate(Struct, frozen=True):
    """What a request may take at most. `cost` is None for a model without a known price."""

    tokens: int
    """Tokens of the request, as they are counted here."""
    cost: float | None


def price_of(model: str, prompt_tokens: float = 0) -> Price | None:
    """Return the price of a model for requests of this size; None when it is not known, or not by the token."""
    entry = _facts(model)
    sides = [_dollars(entry, f"{side}_cost_per_token", prompt_tokens) for side in ("input", "output")]
    return None if sides[0] is None or sides[1] is None else Price(sides[0], sides[1])


def context_limit_of(model: str) -> int:
    """Return tokens of request and answer together; UNKNOWN_LIMIT for models that the table does not know."""
    facts = model_facts(model)
    return facts.context_limit if facts.known else UNKNOWN_LIMIT


def output_limit(model: str, max_tokens: int) -> int:
    """Return tokens of output to allow for an answer of `max_tokens`: room for reasoning, and no more than the model
    has."""
    entry = _facts(model)
    # of an answer as short as that nothing is read but what the request cost
    reasons = entry.get("supports_reasoning") is True and max_tokens > ONLY_USAGE
    wanted = max_tokens + (REASONING if reasons else 0)
    most = entry.get("max_output_tokens")
    return min(wanted, most) if isinstance(most, int) and most > 0 else wanted


def estimate(model: str, request: ModelRequest, count: Callable[[str], int]) -> CostEstimate:
    """Return what a request may take at most: all the output that it is allowed, and tokens of a strange vocabulary."""
    texts = [request.system, *(turn.text for turn in request.turns)]
    if request.schema is not None:
        texts.append(json.dumps(request.schema))
    tokens = sum(count(text) + _PER_MESSAGE for text in texts if text)
    most = tokens if _facts(model).get("litellm_provider") in ("openai", "azure") else tokens * _FOREIGN
    price = price_of(model, most)
    return CostEstimate(tokens, price.of(most, output_limit(model, request.max_tokens)) if price else None)


def _facts(model: str) -> Mapping[str, Any]:
    """Return the table's entry of a model: under its whole name, or under the name alone when the provider is the
    same."""
    entry = entry_of(model)
    provider, slash, name = model.partition("/")
    if entry is None and slash:
        alone = entry_of(name)
        same = alone is not None and str(alone.get("litellm_provider")).startswith(provider)
        entry = alone if same else None
    return entry or {}


def _dollars(entry: Mapping[str, Any], key: str, prompt_tokens: float) -> float | None:
    """Return a price of the table; long requests may have one of their own, `..._above_200k_tokens`."""
    best, price = -1, entry.get(key)
    for name, value in entry.items():
        above = _ABOVE.search(name) if name.startswith(f"{key}_above_") else None
        if above and best < int(above[1]) * 1_000 < prompt_tokens:
            best, price = int(above[1]) * 1_000, value
    return float(price) if isinstance(price, (int, float)) else None
