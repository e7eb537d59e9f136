"""Values that are told nowhere: keys, passwords, and what is set of an environment or a store of secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from compactor_cli.features.work.acting_tools import tool_words
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import steps, word_set

CUT = "…"
"""Stands for a value."""
_KEY = compiled_later(
    r"(?<![\w-])(?:sk|rk|gsk|xai)[-_](?=[\w-]*\d)[\w-]*[A-Za-z\d]{16}[\w-]*|(?<!\w)(?:gh[opsur]|hf|npm)_[A-Za-z\d]{16,}"
    r"|\b(?:github_pat_|glpat-|xox[a-z]-)[\w-]{8,}|\b(?:AKIA|ASIA|AIza)[\w-]{12,}|\beyJ[\w-]{8,}\.[\w-]{4,}|-----BEGIN "
    r"|(?i:(?<=authorization: )(?:bearer|basic) [^\s'\"]+|\bbearer (?=[^\s'\"]*\d)[^\s'\"]{12,})"
    r"|(?<=://)[^/\s@:]*:[^/\s@]+(?=@)"
)
"""Keys as they look: with the prefix of a provider, or in an address."""
_SECRET = word_set("password passwd passphrase passwort secret token credential otp cvv cvc apikey")
_OF_KEYS = word_set("api secret access private signing encryption auth deploy license ssh gpg")
"""Words before `key` that say that it opens something."""
_COUNTING = word_set("max min num n total page next stop pad per")
"""Words before `token` that are about words of a text, or pages of a list."""
_SAYING = ("echo", "printf")
_STORE = compiled_later(
    r"(?:.*[:_-])?(?:secrets?|kv|env|environment|vars?|variables?|config|configmap|parameters?)(?:[:_-].*)?", re.I
)
_PUTS = compiled_later(r"(?:.*[:_-])?(?:set|put|add|edit|patch)(?:[:_-].*)?", re.I)
"""Words with which something is set of a store of values."""
_STORES = word_set("vault op bw etcdctl chamber")
"""Programs that are such stores."""
_STORING = word_set("write put patch set edit create")
_FIRST_WORDS = 5
_NAMING = compiled_later(
    r"-[aneRgr]|--[\w-]*(?:name|scope|context|project|app|region|namespace|type|stack|profile|org|group|id|env"
    r"|environment|config|binding|site|team|repo|address|host|vers|version)"
)
"""Options whose value says which thing of a store is meant, and where."""
_LITERAL = ("--from-literal", "--set", "--set-string")
_OPTION = compiled_later(r"--?[A-Za-z][\w-]*")
_QUOTE = "[\"']?"
_NAME = compiled_later(r"[\w./-]+")
_BODY = compiled_later(r"-b.+")
_ASSIGNED = compiled_later(r"(?<![\w$.-])([\w.-]{1,80})=(\"[^\"\n]*\"|'[^'\n]*'|[^\s'\";&|)]+)")


def is_secret(name: str) -> bool:
    """Return whether a value of this name opens something: a password, a token, a key."""
    words = [word.rstrip("s") for word in tool_words(name)]
    return (words[-1:] != [] and words[0] not in _COUNTING) and (
        words[-1] in _SECRET
        or (words[-1] == "key" and not _OF_KEYS.isdisjoint(words[:-1]))
        or (words[-1] in ("string", "binary", "value", "hash") and not _SECRET.isdisjoint(words[:-1]))
    )


def is_key(value: str) -> bool:
    """Return whether a value looks like a key."""
    return _KEY.search(value) is not None


def without_keys(text: str) -> str:
    """Return a text with `…` in place of what looks like a key."""
    return _KEY.sub(CUT, text)


def without_values(words: Sequence[str]) -> list[str]:
    """Return the words of a command with `…` in place of values that are told nowhere."""
    sets, bare = _sets(words)
    told: list[str] = []
    named = False
    for at, word in enumerate(words):
        option = words[at - 1] if at and _OPTION.fullmatch(words[at - 1]) else ""
        name, mark, _ = word.partition("=")
        if sets and _BODY.fullmatch(word):
            told.append(f"-b{CUT}")
        elif at == 0 or _OPTION.fullmatch(word) or word == "--":
            told.append(word)
        elif option.startswith("--") and option not in _LITERAL and is_secret(option) and not (sets and not named):
            told.append(CUT)
        elif option in _LITERAL and mark:
            told.append(f"{name}={CUT}" if option == "--from-literal" or is_secret(name) else word)
        elif word.startswith("-"):
            told.append(_option(word, sets=sets))
        elif mark and _NAME.fullmatch(name) and (is_secret(name) or (sets and at > sets)):
            told.append(f"{name}={CUT}")
        elif (bare and at > sets and named and not (option and _NAMING.fullmatch(option))) or (
            sets and option in ("--value", "--body", "--data", "-b")
        ):
            told.append(CUT)
        else:
            named = named or (sets > 0 and at > sets)
            told.append(without_keys(word))
    return told


def _option(word: str, *, sets: int) -> str:
    """Return an option with its value behind a sign, or at once behind its letter."""
    name, mark, value = word.partition("=")
    if not mark:
        return without_keys(word)
    if name in _LITERAL:
        inner, more, _ = value.partition("=")
        return f"{name}={inner}={CUT}" if more and (name == "--from-literal" or is_secret(inner)) else word
    hidden = is_secret(name) or (sets and not _NAMING.fullmatch(name))
    return f"{name}={CUT}" if hidden else without_keys(word)


def _sets(words: Sequence[str]) -> tuple[int, bool]:
    """Return where the words stand with which a command sets a value of a store, 0 for another command, and whether
    what follows are the name and the value."""
    plain = [at for at, word in enumerate(words) if at and not word.startswith("-")][:_FIRST_WORDS]
    if words and basename(words[0]) in _STORES:
        at = next((at for at in plain if words[at] in _STORING), 0)
        return at, at > 0
    store = next((at for at in plain if _STORE.fullmatch(words[at])), 0)
    puts = next((at for at in plain if store and at <= plain[-1] and _PUTS.fullmatch(words[at])), 0)
    return (max(store, puts), store < puts or ":" in words[store]) if store and puts else (0, False)


def command_without_values(command: str) -> str:
    """Return a command line with `…` in place of values that are told nowhere."""
    told = _ASSIGNED.sub(lambda found: f"{found[1]}={CUT}" if is_secret(found[1]) else found[0], command)
    told = without_keys(told)
    if cuts := dict(_cut_words(command)):
        words = "|".join(_QUOTE.join(map(re.escape, word)) for word in cuts)
        found = re.compile(rf"(?<![^\s\"'=(])(?:{words})(?![^\s\"';&|)])")
        bare = {_unquoted(word): cut for word, cut in cuts.items()}
        told = found.sub(lambda word: bare[_unquoted(word[0])], told)
    return told


def _unquoted(word: str) -> str:
    return word.replace('"', "").replace("'", "")


def _cut_words(command: str) -> Iterator[tuple[str, str]]:
    line = steps(command)
    for step, behind in zip_longest(line, line[1:]):
        if behind and step.after == "|" and step.words[0] in _SAYING and _sets(behind.words)[0]:
            yield from ((word, CUT) for word in step.words[1:] if not word.startswith("-"))
        if step.words[0] == "ssh":
            yield from _cut_words(" ".join(step.words[1:]))
        for word, cut in zip(step.words, without_values(step.words), strict=True):
            if word != cut:
                yield word, cut
