"""What looks like a key, a password or a card number."""

from __future__ import annotations

import re

KEY_SHAPES = (
    re.compile(r"(?i)\b(?:bearer|basic)\s+[\w.~+/=*-]{6,}"),
    re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho)[-_][\w*.…-]*[\w*]"),
    re.compile(r"\bkey-(?=[\w*-]*\d)[\w*.…-]{8,}"),
    re.compile(r"\bAIza[\w*-]{8,}"),
    re.compile(r"[\w-]*\*{3,}[\w*-]*"),
    re.compile(r"(?i)(?<![\w-])(?:x-)?(?:api[-_])?(?:key|token)(?:=|: ?)[^&\s\"',;]{6,}"),
    re.compile(r"(?<=://)[^/\s@]+(?=@)"),
)
"""Keys as they look: behind the word before them, with the prefix of a provider, masked, or in an address."""
_OTHERS = (
    re.compile(
        r"\b(?:AKIA|ASIA)[0-9A-Z]{12,}|\bxox[abeoprs]-|\bgithub_pat_\w|\bglpat-|\bnpm_\w{20}|\bsk_(?:live|test)_"
    ),
    re.compile(r"\beyJ[\w-]{8,}\.[\w-]{4,}|-----BEGIN "),
    re.compile(
        r"(?i)(?:pass(?:word|wd|phrase|code)|secret|credentials?|\bpin|(?:api|access|private|signing)[ _-]?key"
        r"|token)s?\b"
        r"[\"'`]?\s*(?:for [\w .@-]{1,40})?(?:is|are|was|=|:|->)\s*\S"
    ),
    re.compile(
        r"(?i)\b[\w-]*(?:key|token|secret|password|passwd|passphrase|pwd|pass|pw|credentials?)[\w-]*\s*=\s*\S{3,}"
    ),
    re.compile(
        r"(?i)\b(?:pass(?:word|wd|phrase|code)|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord|пароль|pwd|pw"
        r"|log-?in|credentials?)\b[^.\n]{0,40}?(?<!\w)(?=[^\s,;]*[^\W\d_])(?=[^\s,;]*[\d!@#$%^&*])[^\s,;]{6,}"
    ),
    re.compile(r"(?:^|\s)-p\s?(?=\S*[A-Za-z])(?=\S*\d)\S{6,}"),
    re.compile(r"(?<![\w/+.-])(?=[\w/+]*\d)(?=[\w/+]*[A-Z])(?=[\w/+]*[a-z])[A-Za-z0-9/+]{40}(?![\w/+.-])"),
    re.compile(r"\b\d(?:[ -]?\d){12,18}\b"),
    re.compile(r"(?i)\b(?:ssn|social security|card|account|passport|cvv|iban)\b[^.]{0,40}\d{3,}"),
    re.compile(
        r"(?<![\w/.-])(?=[A-Za-z0-9+/_-]*\d)(?=[A-Za-z0-9+/_-]*[A-Z])(?=[A-Za-z0-9+/_-]*[a-z])[A-Za-z0-9+_-]{32,}"
    ),
)
"""Further ones, of which a false alarm costs little where nothing has to be kept."""


def looks_secret(text: str) -> bool:
    """Whether a text seems to hold a key, a password or a card number; rather once too often than missed."""
    return any(shape.search(text) for shape in (*KEY_SHAPES, *_OTHERS))
