"""Token counters, and how one is chosen."""

from __future__ import annotations

from dataclasses import dataclass

from compactor_cli.errors import UsageError
from compactor_cli.tokens.base import TokenCounter
from compactor_cli.tokens.characters import CharacterCounter
from compactor_cli.tokens.models import encoding_of
from compactor_cli.tokens.tiktoken_counter import TiktokenCounter
from compactor_cli.tokens.vocabulary import ENCODINGS, cache_folder

PROBE = "probe"
"""Names counting by a provider, which needs a model: the command line does that around a local counter."""
DEFAULT_ENCODING = "o200k_base"


@dataclass(frozen=True, slots=True)
class Choice:
    """A counter, and what was done instead of what was asked for (empty when nothing)."""

    counter: TokenCounter
    warning: str = ""


def make_counter(tokenizer: str = "", model: str = "") -> Choice:
    """The counter named by --tokenizer, or the one of --model, or o200k_base.

    A missing vocabulary is reported and replaced by the character counter; an unknown name raises
    UsageError.
    """
    if tokenizer == "chars":
        return Choice(CharacterCounter())
    if tokenizer and tokenizer not in ENCODINGS:
        raise UsageError(f"unknown tokenizer {tokenizer!r}; known: {', '.join((*ENCODINGS, 'chars', PROBE))}")
    approximate_for = ""
    encoding = tokenizer
    if not encoding and model:
        encoding = encoding_of(model) or ""
        if encoding not in ENCODINGS:
            encoding, approximate_for = "", model
    encoding = encoding or DEFAULT_ENCODING
    folder = cache_folder(encoding)
    if folder is None:
        warning = f"the vocabulary of {encoding} is not on this machine; tokens are counted as characters / 4"
        return Choice(CharacterCounter(f"chars (no vocabulary for {encoding})"), warning)
    try:
        return Choice(TiktokenCounter(encoding, folder, approximate_for=approximate_for))
    except (ValueError, OSError) as error:
        warning = f"the vocabulary of {encoding} cannot be used ({error}); tokens are counted as characters / 4"
        return Choice(CharacterCounter(f"chars (no vocabulary for {encoding})"), warning)
