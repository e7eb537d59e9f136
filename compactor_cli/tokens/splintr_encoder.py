"""splintr's encoders. They are twice as fast as tiktoken's, start faster, and include their vocabularies.

docs/decisions/0055 has the comparison. Identical tokens are guaranteed only for o200k_base and cl100k_base.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable
from functools import cache
from pkgutil import get_data
from typing import TYPE_CHECKING

from compactor_cli.text.patterns import compiled_later
from compactor_cli.tokens.base import CountTokens
from compactor_cli.tokens.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from splintr import AnyTokenizer, Tokenizer

_LONG_S = "\u017f"
"""The pattern of o200k_base ignores case in `'s`. There tiktoken accepts this letter as an s, and splintr does not."""


_ID_BYTES = 4
"""Bytes per token in a flat buffer."""
_SLOW_TO_START = "o200k_base"
"""The vocabulary for which building the merge table takes longer than reading the vocabulary without one."""
_NO_TABLE = b2a_base64(b"\xff\xfe" * 3, newline=False) + b" %d\n" % (1 << 20)
"""A token that occurs in no text, with an id too large for the merge table. With it, splintr merges without a table,
with the same result."""
USUAL_FILE = "usual.o200k_base"
"""File next to this one: the tokens of _SLOW_TO_START that a text without _RARE_LETTER letters can contain. Loading it
takes two thirds of the time. No other token can be part of such a text, so the counts are the same."""
_RARE_LETTER = compiled_later("[^\u0000-\u017f\u2000-\u2fff\uf000-\uffff\U00010000-\U0003ffff]")
"""Letters that few sessions contain. In UTF-8 they start with other bytes than Latin letters, signs and emoji do."""


def splintr_count(
    vocabulary: str, reference: Callable[[], CountTokens | None] = lambda: None, *, public: bool = False
) -> CountTokens | None:
    """Return a function that counts by a vocabulary; None if splintr is not installed or does not know it. `reference`
    makes tiktoken's count function, for the few texts that the two libraries split differently. `public`: an OpenAI
    vocabulary. In these, a text without `<|` contains no control tokens, so a faster call can be used that would
    otherwise turn spelled-out control tokens into real ones."""
    try:
        from splintr import Tokenizer

        usual = _usual_tokenizer(Tokenizer) if vocabulary == _SLOW_TO_START else _full_tokenizer(Tokenizer, vocabulary)
    except (ImportError, ValueError):
        return None

    @cache
    def reference_count() -> CountTokens | None:
        try:
            return reference()
        except (ValueError, OSError):  # a damaged tiktoken vocabulary must not prevent counting
            return None

    def count(text: str) -> int:
        if _LONG_S in text and (exact_count := reference_count()):
            return exact_count(text)
        is_usual = text.isascii() or vocabulary != _SLOW_TO_START or not _RARE_LETTER.search(text)
        tokenizer = usual if is_usual else _full_tokenizer(Tokenizer, vocabulary)
        try:
            if public and ("<" not in text or "<|" not in text):  # one letter is found faster than two
                return len(tokenizer.encode_flat(text)) // _ID_BYTES
            return len(tokenizer.encode_ordinary(text))
        except UnicodeEncodeError:
            return count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))

    return count


@cache
def _full_tokenizer(tokenizer_class: type[Tokenizer], vocabulary: str) -> AnyTokenizer | Tokenizer:
    """Return the tokenizer of a vocabulary. It is shared by all counters, because creating it and encoding its first
    text are slow."""
    data = read_vocabulary(vocabulary) if vocabulary == _SLOW_TO_START else None
    return tokenizer_class.from_pretrained(vocabulary) if data is None else _without_table(tokenizer_class, data)


@cache
def _usual_tokenizer(tokenizer_class: type[Tokenizer]) -> Tokenizer:
    """Return the tokenizer of USUAL, one for all counters."""
    data = get_data(__package__, USUAL_FILE)
    assert data is not None
    return _without_table(tokenizer_class, data)


def _without_table(tokenizer_class: type[Tokenizer], data: bytes) -> Tokenizer:
    from splintr import O200K_BASE_PATTERN

    return tokenizer_class.from_bytes(data + _NO_TABLE, O200K_BASE_PATTERN)
