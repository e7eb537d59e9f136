"""Remove secret values from a text, recognized by their names and by what they look like."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from compactor_cli.text.patterns import any_of, compiled_later
from compactor_cli.text.shell import word_set

CUT = "…"
"""Replaces a value."""
_KEY_SHAPE = compiled_later(
    r"(?<![\w-])(?:sk|rk|gsk|xai)[-_](?=[\w-]*\d)[\w-]*[A-Za-z\d]{16}[\w-]*|(?<!\w)(?:gh[opsur]|hf|npm)_[A-Za-z\d]{16,}"
    r"|\b(?:github_pat_|glpat-|xox[a-z]-)[\w-]{8,}|\b(?:AKIA|ASIA|AIza)[\w-]{12,}|\beyJ[\w-]{8,}\.[\w-]{4,}|-----BEGIN "
    r"|(?i:(?<=authorization: )(?:bearer|basic|token) (?![$<])[^\s'\"]+|\bbearer (?=[^\s'\"]*\d)[^\s'\"]{12,})"
    r"|(?<=://)[^/\s@:\"'<>]{0,80}:(?!\d{1,5}(?:[/?#]|$))[^\s\"'<>]{1,200}(?=@)"
    r"|(?<=https://)(?!…|[a-z]{1,20}@)[^/\s@:\"'<>]{1,200}(?=@)"
    r"|(?<=AccountKey=)[\w+/=]{12,}|(?<=/bot)\d{5,12}:[\w-]{20,}|(?<=hooks\.slack\.com/services/)[\w/-]{20,}"
)
"""What keys look like: with the prefix of a provider, or in an address."""
_KEY_HINTS = (
    *("sk-", "sk_", "rk-", "rk_", "xai", "gho_", "ghp_", "ghs_", "ghu_", "ghr_", "github_", "hf_", "npm_", "glpat"),
    *(
        "xox",
        "akia",
        "asia",
        "aiza",
        "eyj",
        "-----begin",
        "bearer",
        "authorization: ",
        "://",
        "accountkey=",
        "/bot",
        "hooks.slack",
    ),
)
"""Every text in which `_KEY_SHAPE` matches contains one of these in lower case."""
_SECRET_HINT = compiled_later(
    any_of(
        (
            *("pass", "pwd", "secret", "token", "key", "cred", "auth", "otp", "cvv", "cvc", "identified"),
            *(f"{word}{sign}" for word in ("pw", "pat", "pin") for sign in "=\"':_- "),
            *(f"ssn{sign}" for sign in "=\"':\\ "),
            *("cookie", "jwt", "psk", "puk", "salt", "sig=", "signature=", "hook", "securestring"),
            *_KEY_HINTS,
        )
    )
)
"""Every text with such a value contains one of these in lower case."""
_NAME_WORD = compiled_later(r"[A-Z]?[a-z\d]+|[A-Z]+(?![a-z])")
_SECRET_WORDS = word_set(
    "password passwd passphrase passwort secret token credential cred otp cvv cvc puk ssn passcode apikey pwd "
    "authorization jwt psk"
)
_SECRET_ENDINGS = ("password", "passwd", "passphrase", "secret", "token", "apikey")
"""Endings of words that are joined with the name of what the secret is for: `PGPASSWORD`, `-Dpassword`."""
_JOINED_SECRET = compiled_later(
    r"(?:db|sql|pg|mysql|redis|store|keystore|trust|truststore|key|user|usr|admin|root|my|app|ssl|cert|mail|smtp|"
    r"ftp|ssh"
    r"|ldap|login|wifi|proxy|http|auth|service|svc|server|client|vault)(?:pass|pwd|psk|salt|cred)"
    r"|(?:auth|access|secret|private|signing|encryption|master|license|deploy|ssh)key"
)
"""Short words joined with the name of what the secret is for: `dbpass`, `authkey`. After other words they end
ordinary words."""
_QUALIFIED_SECRETS = frozenset(("pass", "pw", "pat", "auth", "pin", "salt", "bearer"))
"""Words that mean a secret only after another word: `DB_PASS`."""
_SECRET_KEY_WORDS = word_set("api secret access private signing encryption auth deploy license ssh gpg master")
"""Words before `key` that make it a secret."""
_HARMLESS_KEY_WORDS = word_set(
    "primary foreign sort cache partition public group order hot map row unique storage shard lookup idempotency index "
    "object registry config dict hash host known issue project"
)
"""Words before the `KEY` of a variable that show that it is not a secret."""
_SECRET_VARIABLE = compiled_later(r"(?!BYPASS|COMPASS|SURPASS|TRESPASS|OLDPWD$|PWD$)[A-Z]+(?:PASS|PWD)")
_COUNTING_WORDS = word_set(
    "max min num n total page next stop pad per eos bos unk mask sep cls first second no should low high by"
)
"""Words before `token` that refer to tokens of text or pages of a list; before `pass`, to passes of a run."""
_TRAILING_WORDS = word_set(
    "string binary value hash prod production dev staging stage test live local ci old new default base b64 base64 raw "
    "plain"
)
"""Words after the name that say which secret it is, or in which form."""
_PERSONAL_WORDS = word_set("pin puk tan passcode ssn")
"""Words in names of a record's members for what only one person knows; elsewhere they have other meanings."""
_NOT_VALUES = word_set(
    "none null nil true false undefined yes no on off required optional basic bearer digest oauth oauth2 jwt ntlm "
    "stdin prompt str string bool int number expired invalid missing"
)
"""Words in the place of a value that are not values."""
_VARIABLE = compiled_later(
    r"(?:\w+ )?\$(?:\w+|\{\w+(?::?[-?+=])?\}|\(.*)|`.*|<[\w -]*>?|\{\{.*|[*.]+|%\w*%?", re.DOTALL
)
_SECRET_PATH = compiled_later(r"(?:~|\.{1,2})/[\w./-]+|/(?:[a-z._-]+/)+[\w.-]+")
"""The path of a secret. Text with capitals or digits between slashes may be a secret itself."""
_ASSIGNMENT = compiled_later(
    r"(?<![\w$.-])(?P<name>-{0,2}[A-Za-z_][\w.\[\]-]{0,79})(?P<close>\\{0,3}[\"'`]?)"
    r"(?P<sign>[ \t]?(?:=>|:=|[=:])[ \t]{0,2}(?!=))(?P<open>\\{0,3}[\"'`])?"
)
_UNQUOTED_VALUE = compiled_later(
    r"(?:\$\{[^{}\s]*\}|[^\s\"'`;&|<>,(){}\[\]\\]|\\(?=[^\"'`\\\s])|[,}\])](?=\w)(?![\w.-]{0,40}[=:]))+"
)
_OPTION = compiled_later(r"(?<![\w-])--?([A-Za-z][\w-]{1,40})[ \t]+(?![-\s])([^\s\"'`]+)")
_SQL_PASSWORD = compiled_later(
    r"(?i)\b((?:password|passphrase|identified(?: with \S{1,40})? by)[ \t]+)(['\"])([^'\"\n]+)"
)
"""How an SQL statement gives a password."""
_NAME_VALUE_MEMBERS = compiled_later(
    r"(?i)\b\w{0,20}(?:name|key)(?P<q>\\{0,3}[\"']?)[ \t]?[:=][ \t]?(?P=q)(?P<name>[\w./-]{1,80})(?P=q),[ \t]?(?P=q)"
    r"\w{0,20}value(?P=q)[ \t]?[:=][ \t]?(?P=q)(?P<value>[^\s\"'\\,;{}\[\]]{1,500})"
)
"""A setting whose name and value are separate members."""
_SETTER_CALL = compiled_later(
    r"\b\w{0,40}(?:[sS]et|[pP]ut|[aA]dd)\w{0,40}\([ \t]?(?P<q>[\"'])(?P<name>[\w./-]{1,80})(?P=q),[ \t]?(?P<p>[\"'])"
    r"(?P<value>[^\"'\n]{1,500})(?P=p)"
)
_SECRET_CALL = compiled_later(
    r"(?:\b(?:set|change|update|reset)_?(?i:password|passwd|passphrase|secret)\([ \t]?|\bPASSWORD\("
    r"|\b(?i:ConvertTo-SecureString)[ \t]+(?:-String[ \t]+)?"
    r"|\b(?i:password|passwd|pwd|secret)[ \t]?=[ \t]?(?i:\w{0,20}crypt|\w{0,20}hash|md5|sha\d{0,3}|password)\("
    r"|(?i:\bset password for \S{1,80} ?= ?))(?P<q>[\"'])(?P<value>[^\"'\n]{1,500})(?P=q)"
)
"""Literals as arguments of something that makes them a secret."""
_QUERY_PARAMETER = compiled_later(r"(?i)[?&](?P<name>sig|signature|key)=(?P<value>[^\s\"'&#<>]{8,500})")
_WEBHOOK = compiled_later(r"(?i)hooks?[./](?P<path>[\w./-]{20,400})")
_MIN_WEBHOOK_CHARS = 20
"""Minimum length of the last part of a webhook's address, which is its secret."""
_PROSE_SECRET = compiled_later(
    r"(?i)\b(?:password|passphrase|passwd|secret|token|api[ _-]?key)[ \t]+(?:is |was |of )?[\"'`(]?([\w!#$%^&*+-]{12,})"
)
_MAX_QUOTE_CHARS = 2_000
_MIN_STRONG_CHARS = 6
_MAX_COUNT_DIGITS = 7
"""Maximum digits in a number of tokens."""
_SPECIAL_SIGNS = "!@#$%^&*"
_MIN_RANDOM_CHARS, _MIN_ALTERNATIONS = 8, 3
"""Minimum length of a random word, and minimum number of changes between letters and digits."""
_MIN_MIXED_DIGITS = 2
"""Minimum digits of a value in prose; a word with one digit may be the name of anything."""


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Return whether a name is that of a secret: a password, a token, a key."""
    words = [_singular(word.lower()) for word in _NAME_WORD.findall(name)]
    while len(words) > 1 and (words[-1] in _TRAILING_WORDS or words[-1].isdigit()):
        words.pop()
    *leading, last = words or [""]
    if not _COUNTING_WORDS.isdisjoint(leading) or name.strip("-_") in ("PWD", "pwd", "OLDPWD"):
        return False
    if last in _SECRET_WORDS or last.endswith(_SECRET_ENDINGS) or (leading and last in _QUALIFIED_SECRETS):
        return True
    if last == "key" and leading:
        return not _SECRET_KEY_WORDS.isdisjoint(leading) or (name.isupper() and _HARMLESS_KEY_WORDS.isdisjoint(leading))
    if _JOINED_SECRET.fullmatch(last):
        return True
    return name.isupper() and _SECRET_VARIABLE.fullmatch(last.upper()) is not None


def is_private(name: str) -> bool:
    """Return whether a member of a service's record holds a secret, or something that only one person knows, judging
    by its name: a PIN or a TAN, but not the id of one."""
    words = [_singular(word.lower()) for word in _NAME_WORD.findall(name)]
    return is_secret(name) or (words[-1:] != ["id"] and not _PERSONAL_WORDS.isdisjoint(words))


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def is_safe(name: str, value: str) -> bool:
    """Return whether a value under the name of a secret is harmless: empty, a placeholder or variable, a path, or a
    number of tokens."""
    unquoted_value = value.strip("\"'`\\ \t")
    if (
        not unquoted_value
        or unquoted_value == CUT
        or unquoted_value.lower() in _NOT_VALUES
        or _VARIABLE.fullmatch(unquoted_value)
    ):
        return True
    if _SECRET_PATH.fullmatch(unquoted_value):
        return True
    is_plural = name.lower().endswith("s") and not name.lower().endswith("ss")
    if unquoted_value.isdigit() and len(unquoted_value) <= (_MAX_COUNT_DIGITS if is_plural else _MIN_MIXED_DIGITS):
        return True
    return unquoted_value == name or (unquoted_value.rpartition(".")[2] == name and unquoted_value.isascii())


def is_strong(value: str) -> bool:
    """Return whether a word is unlikely to be an ordinary word or the name of a file."""
    if len(value) < _MIN_STRONG_CHARS or "/" in value or "(" in value:
        return False
    letters = any(map(str.isalpha, value))
    return letters and any(character.isdigit() or character in _SPECIAL_SIGNS for character in value)


def is_random(value: str) -> bool:
    """Return whether a word looks random: letters and digits alternate in it."""
    if len(value) < _MIN_RANDOM_CHARS or any(character in "./:@=(" for character in value):
        return False
    signs = [character.isdigit() for character in value if character.isalnum()]
    return sum(first != second for first, second in pairwise(signs)) >= _MIN_ALTERNATIONS


def is_key(value: str) -> bool:
    """Return whether a value looks like a key."""
    return _KEY_SHAPE.search(value) is not None


def mask_keys(text: str, found: list[str] | None = None) -> str:
    """Return a text with `…` in place of what looks like a key. What was removed is appended to `found`."""
    if not any(map(text.lower().__contains__, _KEY_HINTS)):
        return text
    if found is not None:
        found += (match.group() for match in _KEY_SHAPE.finditer(text))
    return _KEY_SHAPE.sub(CUT, text)


def may_hold_secrets(text: str) -> bool:
    """Return whether a text contains any of the words that secrets are recognized by."""
    return _SECRET_HINT.search(text.lower()) is not None


def mask_secrets(text: str, found: list[str] | None = None) -> str:
    """Return a text with secret values replaced by `…`. The values are appended to `found`."""
    if not may_hold_secrets(text):
        return text
    found = [] if found is None else found
    text = _mask_settings(_mask_assigned(mask_keys(text, found), found), found)

    def cut_option(match: re.Match[str]) -> str:
        name, value = match[1], match[2]
        keep = not is_secret(name) or not is_strong(value) or is_safe(name, value)
        return match[0] if keep else _mask_group(match, 2, found)

    text = _OPTION.sub(cut_option, text)
    text = _SQL_PASSWORD.sub(
        lambda match: match[0] if is_safe("password", match[3]) else _mask_group(match, 3, found), text
    )
    return _PROSE_SECRET.sub(lambda match: _mask_group(match, 1, found) if _is_mixed(match[1]) else match[0], text)


def _mask_group(match: re.Match[str], group: int | str, found: list[str]) -> str:
    """Return a match with one group replaced by `…`."""
    found.append(match[group])
    start, full_match = match.start(), match[0]
    return full_match[: match.start(group) - start] + CUT + full_match[match.end(group) - start :]


def _mask_settings(text: str, found: list[str]) -> str:
    """Return a text without the values of secret settings that are written in special forms."""

    def cut(match: re.Match[str], *, is_secret_value: bool) -> str:
        return match[0] if not is_secret_value or is_safe("", match["value"]) else _mask_group(match, "value", found)

    lowered = text.lower()
    if "value" in lowered:
        text = _NAME_VALUE_MEMBERS.sub(lambda match: cut(match, is_secret_value=is_secret(match["name"])), text)
    if "(" in text:
        text = _SETTER_CALL.sub(lambda match: cut(match, is_secret_value=is_secret(match["name"])), text)
    if "pass" in lowered or "secret" in lowered or "securestring" in lowered or "pwd" in lowered:
        text = _SECRET_CALL.sub(lambda match: cut(match, is_secret_value=True), text)
    if "=" in text:
        text = _QUERY_PARAMETER.sub(
            lambda match: cut(match, is_secret_value=match["name"] != "key" or is_random(match["value"])), text
        )
    return _WEBHOOK.sub(lambda match: _mask_webhook(match[0], found), text) if "hook" in lowered else text


def _mask_webhook(address: str, found: list[str]) -> str:
    """Return the address of a webhook without its last part, if that looks random."""
    beginning, slash, last = address.rpartition("/")
    if not slash or len(last) < _MIN_WEBHOOK_CHARS or not is_random(last):
        return address
    found.append(last)
    return f"{beginning}/{CUT}"


def _is_mixed(value: str) -> bool:
    """Return whether a word mixes letters and digits in a way that names made of words do not."""
    digits = sum(map(str.isdigit, value))
    return (
        digits >= _MIN_MIXED_DIGITS
        and len(value) - digits >= _MIN_MIXED_DIGITS
        and "_" not in value
        and "-" not in value
    )


def _mask_assigned(text: str, found: list[str]) -> str:
    """Return a text with `…` in place of values that are assigned to names of secrets: `password=x`, `"token": "x"`."""
    kept_parts: list[str] = []
    search_start = end_of_last = 0
    while match := _ASSIGNMENT.search(text, search_start):
        name, start = match["name"].strip("-[]"), match.end()
        search_start = match.end("sign")
        if not is_secret(name) or _is_quote_closed(text, match):
            continue
        end = _end_of_value(text, match)
        value = text[start:end]
        if text[end : end + 1] in ("(", "[") and not match["open"]:
            continue  # code that requests the value
        if match["open"] or "=" in match["sign"]:
            is_masked = not is_safe(name, value)
            is_certain = bool(match["close"]) or "=" in match["sign"] or name.lower() != "token"  # parsers have tokens
            is_masked = (
                is_masked and (is_certain or is_strong(value)) and ("=" not in match["sign"] or _is_value(match, value))
            )
        else:
            is_masked = is_strong(value) and not is_safe(name, value)
        if not is_masked:
            continue
        if text[match.start() - 1 : match.start()] == "/" and not match["open"]:
            end = start + len(value.partition("/")[0])  # a field between the slashes of `sed`
            value = text[start:end]
        found.append(value)
        kept_parts += (text[end_of_last:start], CUT)
        search_start = end_of_last = end
    return "".join([*kept_parts, text[end_of_last:]])


def _is_quote_closed(text: str, match: re.Match[str]) -> bool:
    """Return whether the quote after a sign closes the string that contains the sign: `grep 'password=' a.py`."""
    if not match["open"] or match["close"]:
        return False
    next_sign = text[match.end() : match.end() + 1]
    line = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _MAX_QUOTE_CHARS)
    is_open_quote = text.count(match["open"], line, match.start()) % 2 == 1
    return next_sign == "" or next_sign.isspace() or (is_open_quote and next_sign in ";,)|&")


def _is_value(match: re.Match[str], value: str) -> bool:
    """Return whether the text after a sign with spaces around it is a value, rather than code or a word."""
    return match["open"] is not None or match["sign"].strip() == match["sign"] or is_strong(value)


def _end_of_value(text: str, match: re.Match[str]) -> int:
    """Return where the value after a match ends: at the closing quote, or after its last character."""
    if match["open"]:
        end, line = text.find(match["open"], match.end()), text.find("\n", match.end())
        line = line if line >= 0 else len(text)
        return end if 0 <= end <= line else line
    unquoted_match = _UNQUOTED_VALUE.match(text, match.end())
    return unquoted_match.end() if unquoted_match else match.end()
