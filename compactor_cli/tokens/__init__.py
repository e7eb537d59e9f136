"""Token counters, and how one is chosen."""

from __future__ import annotations

from functools import partial

from msgspec import Struct

from compactor_cli.errors import UsageError, meant
from compactor_cli.tokens.base import CharacterCounter, CountTokens, ExactCounter, TokenCounter
from compactor_cli.tokens.models import OPEN_VOCABULARIES, encoding_name, open_vocabulary_of
from compactor_cli.tokens.splintr_encoder import splintr_count
from compactor_cli.tokens.vocabulary import ENCODINGS, cache_folder, tiktoken_count

PROBE = "probe"
"""Name for counting by a provider. This needs a model, so the command line wraps it around a local counter."""
DEFAULT_ENCODING = "o200k_base"
TOKENIZERS = (*ENCODINGS, *OPEN_VOCABULARIES, "chars", PROBE)


class CounterChoice(Struct, frozen=True):
    """A counter, and a warning about what was done instead of what was asked; empty if nothing."""

    counter: TokenCounter
    warning: str = ""


def make_counter(tokenizer: str = "", model: str = "") -> CounterChoice:
    """Return the counter named by --tokenizer, else the one for --model, else o200k_base. A missing vocabulary is
    replaced with a warning. An unknown name raises UsageError."""
    if tokenizer == "chars":
        return CounterChoice(CharacterCounter())
    if tokenizer and tokenizer not in TOKENIZERS:
        raise UsageError(
            f"unknown tokenizer {tokenizer!r}{meant(tokenizer, TOKENIZERS)}; known: {', '.join(TOKENIZERS)}"
        )
    if tokenizer in OPEN_VOCABULARIES:
        return _open_counter(tokenizer)
    if tokenizer:
        return _public_counter(tokenizer)
    return _counter_for_model(model) if model else _public_counter(DEFAULT_ENCODING)


def _counter_for_model(model: str) -> CounterChoice:
    encoding = encoding_name(model) or ""
    if encoding in ENCODINGS:
        return _public_counter(encoding)
    vocabulary = open_vocabulary_of(model)
    count = splintr_count(vocabulary) if vocabulary else None
    if count is not None:
        return CounterChoice(ExactCounter(vocabulary, count))
    return _public_counter(DEFAULT_ENCODING, approximate_for=model)


def _open_counter(vocabulary: str) -> CounterChoice:
    """Return the counter of an open model's vocabulary, which needs splintr."""
    count = splintr_count(vocabulary)
    if count is not None:
        return CounterChoice(ExactCounter(vocabulary, count))
    choice = _public_counter(DEFAULT_ENCODING, approximate_for=vocabulary)
    warning = f"the vocabulary of {vocabulary} needs splintr-rs, which is not installed; counted by {DEFAULT_ENCODING}"
    return CounterChoice(choice.counter, choice.warning or warning)


def _public_counter(encoding: str, *, approximate_for: str = "") -> CounterChoice:
    """Return the counter of one of OpenAI's encodings, using splintr or else tiktoken."""
    try:
        count = splintr_count(encoding, partial(_reference_count, encoding), public=True) or _reference_count(encoding)
    except (ValueError, OSError) as error:
        return _character_counter(encoding, f"cannot be used ({error})")
    if count is None:
        return _character_counter(encoding, "is not on this machine")
    return CounterChoice(ExactCounter(encoding, count, approximate_for=approximate_for))


def _reference_count(encoding: str) -> CountTokens | None:
    """Return tiktoken's count function; None if its vocabulary is not on this machine."""
    folder = cache_folder(encoding)
    return tiktoken_count(encoding, folder) if folder else None


def _character_counter(encoding: str, why: str) -> CounterChoice:
    warning = f"the vocabulary of {encoding} {why}; tokens are counted as characters / 4"
    return CounterChoice(CharacterCounter(f"chars (no vocabulary for {encoding})"), warning)
