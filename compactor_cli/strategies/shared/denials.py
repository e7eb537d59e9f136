"""Sentences of the user that only say that something is wrong. The next sentence says what is right."""

from __future__ import annotations

import re

from compactor_cli.text.clauses import LEAD_ENDS
from compactor_cli.text.patterns import compiled_later

_LEADS = r"(?:(?:no|nope|wait|sorry|oh|nein|halt|doch|non|nee|não|nie|нет|hayır|いや|いいえ|아니요?)\b[^\w]+)"
_DENIES = compiled_later(
    rf"\W*(?:{_LEADS}+(?:not|nicht|pas|niet|não|nie|не|non)\b|not [^\s]+[.!]?$|"
    rf"{_LEADS}*(?:that(?:'s|’s| is| was) (?:wrong|not (?:it|right|so|what)\b)|(?:das|es) (?:ist|war) falsch|"
    r"c'est faux|"
    r"es[ot]o? (?:no es|está mal)|isso (?:não|está errado)|to (?:nie|źle)|это (?:не|неверно)|yanlış|no (?:es|era)\b|"
    r"不[是对對]|違い?ます|ではなく|아니))",
    re.IGNORECASE,
)
"""Matches a sentence that says that something is wrong; the next one says what is right."""
_MAX_DENIAL_CHARS = 60
"""Maximum length of such a sentence in characters. A longer one says itself what is right."""


def needs_next_sentence(sentence: str) -> bool:
    """Return whether a sentence only introduces the next one, or denies something without saying what is right."""
    return sentence.endswith(LEAD_ENDS) or only_denies(sentence)


def only_denies(sentence: str) -> bool:
    """Return whether a sentence says that something is not so, and nothing else."""
    return len(sentence) <= _MAX_DENIAL_CHARS and _DENIES.match(sentence) is not None
