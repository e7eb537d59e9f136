"""Context limits and vocabularies of models, from litellm's table (read without importing it) and from names."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from compactor_cli.tokens.vocabulary import litellm_folder

DEFAULT_LIMIT = 128_000
"""Context limit of seed 001, for models in no table."""
_SEED_LIMITS = {
    "gpt-4o": 128_000,
    "gpt-4-turbo": 128_000,
    "gpt-4": 8_192,
    "claude-3-5-sonnet-20240620": 200_000,
    "claude-3-haiku-20240307": 200_000,
}
"""Limits from seed 001, for models that are no longer in the table."""
_TABLE_FILE = "model_prices_and_context_window_backup.json"
OPEN_VOCABULARIES = ("llama3", "qwen3", "deepseek_v3", "mistral_v3", "gemma3", "glm4", "kimi_k2", "phi4", "olmo2")
_OPEN_MODELS = (
    ("llama3", r"llama-?3"),
    ("qwen3", r"qwen-?(?:2(?:\.5)?|3)(?![\d.])"),
    ("deepseek_v3", r"deepseek-(?:v3|r1(?!-distill)|chat|reasoner|coder-v3)"),
    ("mistral_v3", r"(?:mistral-7b-(?:instruct-)?v0\.3|mixtral-8x22b)"),
    ("gemma3", r"gemma-?3(?!n)"),
    ("glm4", r"glm-?4"),
    ("kimi_k2", r"kimi-k2"),
    ("phi4", r"phi-?4(?!-mini|-multimodal)"),
    ("olmo2", r"olmo-?2"),
)
"""Vocabulary -> pattern for how the names of its models begin. Generations with other vocabularies do not match."""


class ModelFacts(Struct, frozen=True):
    """What is known about a model. `known` is False when the limit is only the default."""

    name: str
    context_limit: int
    known: bool


def model_facts(model: str) -> ModelFacts:
    """Return the context limit of a model, named with or without its provider's prefix."""
    for name in (model, model.rpartition("/")[2]) if model else ():
        entry = table_entry(name) or {}
        limit = entry.get("max_input_tokens") or entry.get("max_tokens")
        if isinstance(limit, int):
            return ModelFacts(model, limit, True)
    seed_limit = _SEED_LIMITS.get(model.rpartition("/")[2])
    return ModelFacts(model, seed_limit or DEFAULT_LIMIT, seed_limit is not None)


def table_entry(name: str) -> Mapping[str, Any] | None:
    """Return the table's entry for exactly this model name: limits, prices, provider."""
    entry = _model_table().get(name)
    return entry if isinstance(entry, dict) else None


def chat_models() -> list[tuple[str, int]]:
    """Return the names of the table's chat models, sorted, with their context limits."""
    models = []
    for name, entry in _model_table().items():
        limit = isinstance(entry, dict) and entry.get("mode") in ("chat", "responses") and entry.get("max_input_tokens")
        if isinstance(limit, int) and limit:
            models.append((name, limit))
    return sorted(models)


@cache
def _model_table() -> dict[str, Any]:
    """Return the table, which takes 50 ms to read and is cached. Empty when litellm is not installed."""
    folder = litellm_folder()
    file = folder / _TABLE_FILE if folder else None
    table: dict[str, Any] = json.loads(file.read_bytes()) if file and file.is_file() else {}
    return table


def encoding_name(model: str) -> str | None:
    """Return the name of a model's public encoding, or None when it has none."""
    from tiktoken.model import encoding_name_for_model

    for name in (model, model.rpartition("/")[2]):
        try:
            return encoding_name_for_model(name)
        except KeyError:
            continue
    return None


def open_vocabulary_of(model: str) -> str:
    """Return an open model's vocabulary, for names with or without the provider's prefix; empty for other models."""
    name = model.rpartition("/")[2].lower().replace("_", "-").removeprefix("meta-")
    return next((vocabulary for vocabulary, pattern in _OPEN_MODELS if re.match(pattern, name)), "")
