"""Vocabularies of open models, by the names that the models go by."""

from __future__ import annotations

import re

OPEN_VOCABULARIES = ("llama3", "qwen3", "deepseek_v3", "mistral_v3", "gemma3", "glm4", "kimi_k2", "phi4", "olmo2")
"""Names of splintr's vocabularies."""
_MODELS = (
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
"""Vocabulary -> how the names of its models begin; generations with other vocabularies are not among them."""


def open_vocabulary_of(model: str) -> str:
    """Return the vocabulary of an open model's name, with or without its provider's prefix; empty for other models."""
    name = model.rpartition("/")[2].lower().replace("_", "-").removeprefix("meta-")
    return next((vocabulary for vocabulary, pattern in _MODELS if re.match(pattern, name)), "")
