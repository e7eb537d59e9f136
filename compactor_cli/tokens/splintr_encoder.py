"""splintr's encoders, which encode twice as fast as tiktoken's, start faster, and carry their vocabularies.

docs/decisions/0055 has the comparison. The same tokens are promised for o200k_base and cl100k_base only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from compactor_cli.tokens.exact import Encode

if TYPE_CHECKING:
    from splintr import AnyTokenizer, Tokenizer

_LONG_S = "\u017f"
"""The pattern of o200k_base ignores case in `'s`: there tiktoken takes this letter for an s, and splintr does not."""


def splintr_encoder(vocabulary: str, reference: Callable[[], Encode | None] = lambda: None) -> Encode | None:
    """The encoder of a vocabulary; None where splintr is not installed or does not know it.

    `reference` makes tiktoken's encoder of the same vocabulary, for the few texts that the two would take apart
    differently.
    """
    try:
        from splintr import Tokenizer

        fast = _loaded(Tokenizer, vocabulary).encode_ordinary
    except (ImportError, ValueError):
        return None

    @cache
    def exact() -> Encode | None:
        try:
            return reference()
        except (ValueError, OSError):  # a damaged vocabulary of tiktoken's is no reason not to count
            return None

    def encode(text: str) -> list[int]:
        if _LONG_S in text and (slow := exact()):
            return slow(text)
        try:
            return fast(text)
        except UnicodeEncodeError:
            return fast(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))

    return encode


@cache
def _loaded(made_by: type[Tokenizer], vocabulary: str) -> AnyTokenizer:
    """The tokenizer of a vocabulary, one for all counters: it is made, and at its first text made ready, for long."""
    return made_by.from_pretrained(vocabulary)
