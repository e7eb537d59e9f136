"""Detect what looks like a key, a password or a card number."""

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
"""What keys look like: after a certain word, with the prefix of a provider, masked, or in an address."""


def _name_pattern(pattern: str) -> re.Pattern[str]:
    """Return a pattern for the name of a single secret. Plurals (`passwords are hashed`) usually occur in rules and
    in text about programs."""
    return re.compile(rf"(?<![\w.])(?:{pattern})(?![\w(])", re.IGNORECASE)


_FURTHER_SHAPES = (
    re.compile(
        r"\b(?:AKIA|ASIA)[0-9A-Z]{12,}|\bxox[abeoprs]-|\bgithub_pat_\w|\bglpat-|\bnpm_\w{20}|\bsk_(?:live|test)_"
    ),
    re.compile(r"\beyJ[\w-]{8,}\.[\w-]{4,}|-----BEGIN "),
    re.compile(
        r"(?i)(?:secret|(?:api|access|private|signing)[ _-]?key|token)s?\b"
        r"[\"'`]?\s*(?:for [\w .@-]{1,40})?(?:is|are|was|=|:|->)\s*\S"
    ),
    re.compile(
        r"(?i)\b[\w-]*(?:key|token|secret|password|passwd|passphrase|pwd|pass|pw|credentials?|sig|signature|auth)"
        r"[\w-]*\s*=\s*\S{3,}"
    ),
    _name_pattern(
        r"pass[ -]?(?:word|phrase|code)|passwd|sshpass|pwd|pw|(?-i:PIN)|pin (?:code|number|is|of|for)|otp|totp|cvv|cvc"
        r"|(?:recovery|backup|security|access|door|entry|unlock|verification)[ -](?:code|key|phrase|word)s?"
        r"|(?:seed|recovery|mnemonic)[ -](?:phrase|word)s?|(?:secret|private|hmac|encryption|master|licen[sc]e)[ -]key"
        r"|credentials?|log-?in[ -]data"
        r"|\w*[pP]asswort|\w*[kK]ennwort|geheimzahl|zugangsdaten|mot de passe|code secret|contraseña|clave(?: secreta)?"
        r"|senha|palavra-passe|parola d['’]ordine|\w*wachtwoord|lösenord|passord|adgangskode|salasana|hasło|heslo"
        r"|jelszó|şifre|parola|пароль|пароля|паролем"
    ),
    re.compile(r"密码|密碼|口令|パスワード|暗証番号|비밀번호|(?i:\bpass(?:word|phrase|code)s\s*[:=])"),
    re.compile(
        r"(?i)(?<![^\W_])(?:token|key|seed|header|log-?in|creds)\b[^.\n]{0,40}?(?<![^\s'\"`=(])"
        r"(?!\S*/[\w.-]+\.\w{2,4}\b|[\"'`]?[a-z]+(?:_[a-z0-9]+)+\b)"
        r"(?=[^\s,;]*[^\W\d_])(?=[^\s,;]*[\d!@#$%^&*])[^\s,;()`]{6,}"
    ),
    re.compile(r"(?i)[?&](?:sig|signature|token|auth|key|x-amz-[\w-]+|code|secret|access_token)=[^&\s]"),
    re.compile(r"(?i)\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{16,}\b"),
    re.compile(r"\bhooks\.slack\.com/services/|\bdiscord(?:app)?\.com/api/webhooks/"),
    re.compile(
        r"(?i)\b(?:log-?in|user(?:name)?|as|creds)\b[^.\n]{0,30}?\b\w+ ?/ \S{4,}"
        r"|(?<![\w/.-])(?:root|admin|sa)/\w+(?![\w/]|\.\w)"
    ),
    re.compile(r"(?:^|\s)(?:-u|--user)[ =]\S+:\S"),
    re.compile(r"(?:^|\s)-p\s?(?=\S*[A-Za-z])(?=\S*\d)\S{6,}"),
    re.compile(r"(?<![\w/+.-])(?=[\w/+]*\d)(?=[\w/+]*[A-Z])(?=[\w/+]*[a-z])[A-Za-z0-9/+]{40}(?![\w/+.-])"),
    re.compile(r"\b\d(?:[ -]?\d){12,18}\b"),
    re.compile(r"(?i)\b(?:ssn|social security|card|account|passport|cvv|iban)\b[^.]{0,40}\d{3,}"),
    re.compile(
        r"(?<![\w/.-])(?=[A-Za-z0-9+/_-]*\d)(?=[A-Za-z0-9+/_-]*[A-Z])(?=[A-Za-z0-9+/_-]*[a-z])[A-Za-z0-9+_-]{32,}"
    ),
)
"""Further patterns, for use where nothing has to be kept and a false alarm costs little."""


def may_be_secret(text: str) -> bool:
    """Return whether a text seems to contain a key, a password or a card number; false alarms are preferred to
    misses."""
    return any(shape.search(text) for shape in (*KEY_SHAPES, *_FURTHER_SHAPES))
