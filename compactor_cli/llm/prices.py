"""Prices and limits of models, from litellm's shipped table, without importing litellm."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from compactor_cli.asking.port import ModelRequest
from compactor_cli.tokens.models import model_facts, table_entry

UNKNOWN_LIMIT = 8_192
"""Context limit of models that are not in the table, which are mostly small ones on a user's own server."""
REASONING_TOKENS = 4_000
"""Tokens that a reasoning model may spend on hidden reasoning besides its answer; they are billed as output."""
MIN_ANSWER_TOKENS = 16
"""Maximum answer tokens of a request that is only sent to see its cost."""
_TOKENS_PER_MESSAGE = 4
"""Tokens that providers count for each message besides its text."""
_FOREIGN_TOKENIZER_FACTOR = 1.4
"""Maximum tokens in other vocabularies per token in OpenAI's, with which texts are counted."""
_ABOVE_SUFFIX = re.compile(r"_above_(\d+)k_tokens$")


class Price(Struct, frozen=True):
    """US dollars per token."""

    input: float
    output: float

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """Return the cost of a request and its answer in dollars."""
        return self.input * prompt_tokens + self.output * completion_tokens


class CostEstimate(Struct, frozen=True):
    """The maximum usage of a request. `cost` is None if the model's price is unknown."""

    tokens: int
    """Tokens of the request, counted locally."""
    cost: float | None


def price_of(model: str, prompt_tokens: float = 0) -> Price | None:
    """Return the price of a model for requests of this size; None if it is unknown or not charged by token."""
    entry = _table_entry(model)
    sides = [_table_price(entry, f"{side}_cost_per_token", prompt_tokens) for side in ("input", "output")]
    return None if sides[0] is None or sides[1] is None else Price(sides[0], sides[1])


def context_limit_of(model: str) -> int:
    """Return the token limit for request and answer together; UNKNOWN_LIMIT for models that are not in the table."""
    facts = model_facts(model)
    return facts.context_limit if facts.known else UNKNOWN_LIMIT


def output_limit(model: str, max_tokens: int) -> int:
    """Return the output tokens to allow: more for reasoning, but at most the model's limit."""
    entry = _table_entry(model)
    # an answer this short is only requested to see the cost
    reasons = entry.get("supports_reasoning") is True and max_tokens > MIN_ANSWER_TOKENS
    wanted_tokens = max_tokens + (REASONING_TOKENS if reasons else 0)
    max_output = entry.get("max_output_tokens")
    return min(wanted_tokens, max_output) if isinstance(max_output, int) and max_output > 0 else wanted_tokens


def estimate_cost(model: str, request: ModelRequest, count: Callable[[str], int]) -> CostEstimate:
    """Return the maximum usage of a request: all output allowed, and the tokens of an unfamiliar vocabulary."""
    texts = [request.system, *(turn.text for turn in request.turns)]
    if request.schema is not None:
        texts.append(json.dumps(request.schema))
    tokens = sum(count(text) + _TOKENS_PER_MESSAGE for text in texts if text)
    is_own = _table_entry(model).get("litellm_provider") in ("openai", "azure")
    max_prompt_tokens = tokens if is_own else tokens * _FOREIGN_TOKENIZER_FACTOR
    price = price_of(model, max_prompt_tokens)
    return CostEstimate(tokens, price.of(max_prompt_tokens, output_limit(model, request.max_tokens)) if price else None)


def _table_entry(model: str) -> Mapping[str, Any]:
    """Return a model's entry, under its full name or, for the same provider, under the bare one."""
    entry = table_entry(model)
    provider, slash, name = model.partition("/")
    if entry is None and slash:
        alone = table_entry(name)
        same = alone is not None and str(alone.get("litellm_provider")).startswith(provider)
        entry = alone if same else None
    return entry or {}


def _table_price(entry: Mapping[str, Any], key: str, prompt_tokens: float) -> float | None:
    """Return a price from the table. Long requests may have a separate one, `..._above_200k_tokens`."""
    best, price = -1, entry.get(key)
    for name, value in entry.items():
        long_prompt = _ABOVE_SUFFIX.search(name) if name.startswith(f"{key}_above_") else None
        if long_prompt and best < int(long_prompt[1]) * 1_000 < prompt_tokens:
            best, price = int(long_prompt[1]) * 1_000, value
    return float(price) if isinstance(price, (int, float)) else None
