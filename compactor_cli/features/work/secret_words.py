"""Hide secrets in commands: keys, passwords, and values put into an environment or a store of secrets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from compactor_cli.text.cached import cache_by_text
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.secret_values import CUT, is_random, is_safe, is_secret, mask_secrets, may_hold_secrets
from compactor_cli.text.shell import RawStep, parse_raw_steps, unquote, word_set

_PRINTING_PROGRAMS = ("echo", "printf")
_STORE = compiled_later(
    r"(?:.*[:_-])?(?:secrets?|kv|env|environment|vars?|variables?|config|configure|configmap|parameters?)(?:[:_-].*)?",
    re.I,
)
_OWN_SETTINGS = ("config", "configure")
"""Stores with the program's own settings, most of which are not secret."""
_PUT_WORD = compiled_later(r"(?:.*[:_-])?(?:set|put|add|edit|patch)(?:[:_-].*)?", re.I)
"""Words that put something into a store of values."""
_STORES = word_set("vault op bw etcdctl chamber")
"""Programs that are such stores."""
_STORE_VERBS = word_set("write put patch set edit create")
_VERB_WORDS = 5
_NAMING = compiled_later(
    r"-[aneRgr]|--[\w-]*(?:name|scope|context|project|app|region|namespace|type|stack|profile|org|group|id|env"
    r"|environment|config|binding|site|team|repo|address|host|vers|version)"
)
"""Options whose value identifies an entry of a store, or the store itself."""
_LITERAL = "--from-literal"
_BODIES = ("--value", "--body", "--data", "-b", "-p", "--patch")
_OPTION = compiled_later(r"--?[A-Za-z][\w-]*")
_SHORT_OPTION = compiled_later(r"-\w")
_NAME_PARTS = compiled_later(r"[A-Za-z]+")
_NAME = compiled_later(r"[\w./-]+")
_BODY = compiled_later(r"-b.+")
_HEADER = compiled_later(r"([\w-]+):\s*(.+)", re.DOTALL)
_HEADER_OPTIONS = ("-H", "--header")
_COOKIE = "cookie"
_USER = ("-u", "-U", "--user", "--username", "--proxy-user", "--auth", "-auth", "--basic-auth", "--creds")
_USER_IN_WORD = compiled_later(
    r"(?:-[uU](?=[A-Za-z])(?!se)|--(?:user|username|proxy-user|auth|basic-auth|creds)=)[^\s:/=]*:(?!//).+",
    re.DOTALL,
    ("-u", "--"),
)
"""An option with a user and a password, as one word."""
_USER_WITH_PASSWORD = compiled_later(r"(?!\d+:\d+$)([^\s:/=]*):(?!//)(.+)", re.DOTALL)
_PORT = compiled_later(r"(?:\d{1,5}|[\d.:/-]*:[\d.:/-]*(?:/(?:tcp|udp))?)")
"""Values of `-p` that are ports."""
_PASSWORD_OPTIONS = {
    **dict.fromkeys(("mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump", "mycli"), "-p"),
    **dict.fromkeys(("sshpass", "mongo", "mongosh", "mongodump", "mongorestore", "7z", "7za"), "-p"),
    **dict.fromkeys(("redis-cli", "valkey-cli"), "-a"),
    **dict.fromkeys(("ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami"), "-w"),
    **dict.fromkeys(("sqlcmd", "bcp", "zip", "unzip", "isql", "clickhouse-client"), "-P"),
}
"""Program -> the one-letter option for its password."""
_ONE_WORD_PROGRAMS = word_set("mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump mycli 7z 7za")
"""Programs that take the password only in the same word; the word after the option is something else."""
_LOGIN_VERB = "login"
_LOGIN_OPTIONS = ("-p", "-w")
_OPENING_VERBS = word_set("login unlock unseal passwd authtoken obscure")
"""Words followed by a secret, if the value looks random."""
_SETTERS = word_set("set setx setenv")
"""Programs that set a variable and take its name and value as separate words."""
_PASSWORD_READERS = word_set("passwd chpasswd cryptsetup htpasswd")
"""Programs that read a password from their input."""
_SETTING_HINTS = (
    *("op ", "bw ", "set -"),
    *word_set(
        "env var config kv param vault etcdctl chamber -u --user --proxy-user mysql mariadb mycli mongo 7z redis "
        "valkey ldap sqlcmd bcp zip isql clickhouse login sudo crypt unlock unseal obscure setx setenv"
    ),
)
"""Every command with a value that is secret only because of its position contains one of these, in lower case."""
_SHELLS = word_set("bash sh zsh dash ssh su eval")
_SEPARATORS = compiled_later(r"[\s:\"'{},/=?&@]+")
"""Separators of parts, such as a user and a password, or the words of a header."""
_JOINT = compiled_later(r"[\s:@=]")
"""A separator that shows that a value has several parts."""
_MIN_MIXED_CHARS, _MIN_DIGITS = 6, 6
"""Minimum length of a value that is also searched for elsewhere, with letters and with digits only."""
_CODE = compiled_later(r"(?:python|node|ruby|perl|php)[\d.]*")
_OF_CODE = ("-c", "-e", "-r", "--eval")
_SEVERAL = 2
_MIN_START, _MAX_SHOWN = 3, 240
"""Minimum length of the beginning of a value that reveals something, and maximum length of what is shown."""


def mask_words(words: Sequence[str], found: list[str] | None = None) -> list[str]:
    """Return the words of a command with secret values replaced by `…`. The values are appended to `found`."""
    verb_index, bare, own = _find_store_words(words)
    named_some = may_hold_secrets(" ".join(words))
    if not (verb_index or named_some or _may_hold_short_secret(words)):
        return list(words)
    found = [] if found is None else found
    short = _short_options(words)
    shown: list[str] = []
    entry_name = ""
    for i, word in enumerate(words):
        option = words[i - 1] if i and _OPTION.fullmatch(words[i - 1]) else ""
        masked = _mask_by_option(word, option, short, words) if i else word
        if masked != word:
            shown.append(masked)
        elif verb_index and _BODY.fullmatch(word):
            shown.append(f"-b{CUT}")
        elif i == 0 or _OPTION.fullmatch(word) or word == "--":
            shown.append(word)
        elif (
            len(option) > _SEVERAL
            and is_secret(option)
            and not (verb_index and not entry_name)
            and not is_safe(option, word)
        ):
            shown.append(CUT)
        elif option in _OF_CODE and any(_CODE.fullmatch(basename(one)) for one in words[: min(i, _VERB_WORDS)]):
            shown.append(mask_secrets(word, found))
        elif _follows_name(words, i) or _is_positional(words, i):
            shown.append(CUT)
        elif (cut := _masked(word, literal=option == _LITERAL, all_of=verb_index > 0 and i > verb_index)) != word:
            shown.append(cut)
        elif (bare and i > verb_index and entry_name and not (option and _NAMING.fullmatch(option))) or (
            verb_index and option in _BODIES
        ):
            secret = not own and not is_safe(entry_name, word)
            secret = (
                secret or is_secret(entry_name) or any(is_secret(other) for other in words if other.startswith("--"))
            )
            shown.append(CUT if secret else mask_secrets(word, found) if named_some else word)
        else:
            entry_name = entry_name or (word if verb_index and i > verb_index and not word.startswith("-") else "")
            shown.append(mask_secrets(word, found) if named_some else word)
        _collect_cut(word, shown[-1], found)
    return shown


def _follows_name(words: Sequence[str], i: int) -> bool:
    """Return whether a word follows the name of a secret setting: `git config user.password x`."""
    name = words[i - 1]
    has_secret_name = i > 1 and not name.startswith("-") and is_secret(name) and len(_NAME_PARTS.findall(name)) > 1
    is_in_store = has_secret_name and "=" not in name and any(map(_STORE.fullmatch, words[1 : min(i - 1, _VERB_WORDS)]))
    return is_in_store and not is_safe(name, words[i])


def _is_positional(words: Sequence[str], i: int) -> bool:
    """Return whether a word is a secret by position: `vault login x`, or the value after the name of a variable:
    `setx API_TOKEN x`."""
    name = words[i - 1]
    if words[0] in _SETTERS:
        return i > 1 and _NAME.fullmatch(name) is not None and is_secret(name) and not is_safe(name, words[i])
    if not is_random(words[i]):
        return False
    previous = next((word for word in reversed(words[:i]) if not _SHORT_OPTION.fullmatch(word)), "")
    return basename(previous) in _OPENING_VERBS


def _collect_cut(word: str, shown: str, found: list[str]) -> None:
    """Append the part of a word that was cut out to `found`."""
    if shown.count(CUT) == 1 and shown != word:
        beginning, _, end = shown.partition(CUT)
        if word.startswith(beginning) and word.endswith(end):
            found.append(word[len(beginning) : len(word) - len(end)])


def _mask_by_option(word: str, option: str, short: frozenset[str], words: Sequence[str]) -> str:
    """Return a word without the part that an option marks as secret: a header, a user's password, or a password."""
    if option in _HEADER_OPTIONS or word.startswith("--header="):
        start = len("--header=") if word.startswith("--header=") else 0
        header = _HEADER.fullmatch(word, start)
        secret = header and (header[1].lower() == _COOKIE or is_secret(header[1].replace("-", "_").upper()))
        return f"{word[: header.start(2)]}{CUT}" if header and secret and not is_safe(header[1], header[2]) else word
    if option in _USER and (user := _USER_WITH_PASSWORD.fullmatch(word)):
        return word if is_safe("password", user[2]) or user[1] == user[2] else f"{user[1]}:{CUT}"
    if _USER_IN_WORD.fullmatch(word):
        user_named, _, password = word.partition(":")
        return word if is_safe("password", password) else f"{user_named}:{CUT}"
    if option in short and basename(words[0]) not in _ONE_WORD_PROGRAMS and not word.startswith("-"):
        return word if is_safe("password", word) or (option not in _sure(words) and _PORT.fullmatch(word)) else CUT
    if word[:2] in short and len(word) > _SEVERAL and word[1] != "-" and (glued := _glued(word, words)):
        return f"{glued}{CUT}"
    if word.startswith("pass:") and option.startswith("-pass"):
        return f"pass:{CUT}"
    return word


def _glued(word: str, words: Sequence[str]) -> str:
    """Return the option of a word that consists of an option and a password, or ""."""
    takes_password = any(_PASSWORD_OPTIONS.get(basename(other)) == word[:2] for other in words[:_VERB_WORDS])
    takes_password = takes_password or (_LOGIN_VERB in words[:_VERB_WORDS] and is_random(word[2:]))
    return word[:2] if takes_password and not is_safe("password", word[2:].removeprefix("=")) else ""


def _may_hold_short_secret(words: Sequence[str]) -> bool:
    first = {basename(word) for word in words[:_VERB_WORDS]}
    if not (
        _PASSWORD_OPTIONS.keys().isdisjoint(first)
        and _OPENING_VERBS.isdisjoint(first)
        and _SETTERS.isdisjoint(words[:1])
    ):
        return True
    return not {*_USER}.isdisjoint(words) or any(map(_USER_IN_WORD.fullmatch, words))


def _short_options(words: Sequence[str]) -> frozenset[str]:
    """Return the one-letter options that a password follows: those of `_sure`, and `-p` if the command names a user.
    It is then still possible that `-p` gives a port."""
    has_user = "-p" in words and any(option in _USER and not value.startswith("-") for option, value in pairwise(words))
    return _sure(words) | {"-p"} if has_user else _sure(words)


def _sure(words: Sequence[str]) -> frozenset[str]:
    """Return the options of programs that have one, and those of a login."""
    programs = [basename(word) for word in words[:_VERB_WORDS]]
    found = {_PASSWORD_OPTIONS[program] for program in programs if program in _PASSWORD_OPTIONS}
    if _LOGIN_VERB in words[:_VERB_WORDS]:
        found |= set(_LOGIN_OPTIONS)
    return frozenset(found)


def _masked(word: str, *, literal: bool, all_of: bool) -> str:
    """Return an assignment without its value, if that is secret. `literal`, `all_of`: every value is."""
    name, has_value, value = word.partition("=")
    if not has_value:
        return word
    if word.startswith("-"):
        inner, more, given = value.partition("=")
        if more and _NAME.fullmatch(inner) and "," not in value and (name == _LITERAL or is_secret(inner)):
            return word if is_safe(inner, given) else f"{name}={inner}={CUT}"
        secret = is_secret(name) or (all_of and not _NAMING.fullmatch(name))
    else:
        secret = _NAME.fullmatch(name) is not None and (is_secret(name) or all_of or literal)
    return f"{name}={CUT}" if secret and not is_safe(name, value) else word


def _find_store_words(words: Sequence[str]) -> tuple[int, bool, bool]:
    """Return the position of the words with which a command sets a value in a store, or 0; whether the name and the
    value follow them; and whether the store holds the program's own settings."""
    plain = [i for i, word in enumerate(words) if i and not word.startswith("-")][:_VERB_WORDS]
    if words and basename(words[0]) in _STORES:
        i = next((i for i in plain if words[i] in _STORE_VERBS), 0)
        return i, i > 0, False
    store = next((i for i in plain if _STORE.fullmatch(words[i])), 0)
    put = next((i for i in plain if store and i <= plain[-1] and _PUT_WORD.fullmatch(words[i])), 0)
    own = store > 0 and words[store] in _OWN_SETTINGS
    return (max(store, put), store < put or ":" in words[store], own) if store and put else (0, False, False)


def mask_command(command: str, found: list[str] | None = None) -> str:
    """Return a command line with secret values replaced by `…`. The values are appended to `found`."""
    shown, values = _mask_command(command)
    if found is not None:
        found += values
    return shown


@cache_by_text
def _mask_command(command: str) -> tuple[str, tuple[str, ...]]:
    """Return a command line for display, and the secret values left out. It is cached because several stages need
    both."""
    if not may_hold_secrets(command) and not any(map(command.lower().__contains__, _SETTING_HINTS)):
        return command, ()
    found: list[str] = []
    shown: list[str] = []
    done = 0
    line = list(parse_raw_steps(command))
    for i, step in enumerate(line):
        words = [unquote(command[start:end]) for start, end in step.words]
        next_step = line[i + 1] if step.operator == "|" and i + 1 < len(line) else None
        piped = (
            next_step is not None
            and words[:1]
            and words[0] in _PRINTING_PROGRAMS
            and _takes_secret_input(_unquoted_words(command, next_step))
        )
        spans = zip(step.words, words, _mask_command_words(words, found, is_input=bool(piped)), strict=True)
        cuts = [(span, _requote(command[slice(*span)], cut)) for span, word, cut in spans if word != cut]
        cuts += [
            (span, CUT) for span in step.input_spans if _takes_secret_input(words) and command[slice(*span)].strip()
        ]
        for (start, end), cut in sorted(cuts):
            if (start, end) in step.input_spans:
                found += command[start:end].strip().split("\n")
            shown += (command[done:start], cut)
            done = end
    shown.append(command[done:])
    return mask_secrets("".join(shown), found), tuple(found)


def _unquoted_words(command: str, step: RawStep) -> list[str]:
    return [unquote(command[start:end]) for start, end in step.words]


def _mask_command_words(words: Sequence[str], found: list[str], *, is_input: bool) -> list[str]:
    """Return the words of one simple command, including assignments before the program, without secrets. `is_input`:
    the words are the input of a command that takes a secret."""
    start = next((i for i, word in enumerate(words) if not _is_assignment(word)), len(words))
    assignments = [_masked(word, literal=False, all_of=False) for word in words[:start]]
    for word, cut in zip(words, assignments, strict=False):
        _collect_cut(word, cut, found)
    rest = words[start:]
    if is_input:
        cuts = [word if not i or word.startswith("-") or is_safe("", word) else CUT for i, word in enumerate(rest)]
        found += (word for word, cut in zip(rest, cuts, strict=True) if word != cut)
        return [*assignments, *cuts]
    cuts = mask_words(rest, found)
    if not _SHELLS.isdisjoint(map(basename, rest[:_VERB_WORDS])):
        cuts = [mask_command(word, found) if " " in word else word for word in cuts]
    return [*assignments, *cuts]


def _is_assignment(word: str) -> bool:
    name, mark, _ = word.partition("=")
    return mark != "" and name.isidentifier()


def _takes_secret_input(words: Sequence[str]) -> bool:
    """Return whether a command takes a secret as its input."""
    if _find_store_words(words)[0]:
        return True
    program = basename(words[0]) if words else ""
    asks_password = program == "sudo" and "-S" in words
    return program in _PASSWORD_READERS or asks_password or any(map(_names_secret, words[1:]))


def _names_secret(word: str) -> bool:
    named = word.removesuffix("-stdin").removesuffix("-fd")
    return word.startswith("-") and is_secret(named)


def _requote(raw: str, cut: str) -> str:
    """Return a word with a part cut out, in its original quotes."""
    start = min((i for i in (raw.find('"'), raw.find("'")) if i >= 0), default=-1)
    if (
        start < 0
        or raw[:start] != cut[:start]
        or not raw.endswith(raw[start])
        or (" " not in cut and cut.endswith(f"={CUT}"))
    ):
        return cut
    if cut == CUT:
        return cut
    return f"{cut[:start]}{raw[start]}{cut[start:]}{raw[start]}"


def mask_values(text: str, values: Sequence[str]) -> str:
    """Return a text without these values, both in full and cut off at the end of the shown text."""
    parts = {*values, *(part for value in values if _JOINT.search(value) for part in _SEPARATORS.split(value))}
    for value in sorted(filter(None, parts), key=lambda part: (-len(part), part)):
        if value in text:
            word_start = r"(?<!\w)|" if _is_distinctive(value) else ""
            text = re.sub(rf"(?:{word_start}(?<=-[A-Za-z])){re.escape(value)}(?!\w)", CUT, text)
        text = _mask_beginnings(text, value) if CUT in text else text
    return text


def _is_distinctive(value: str) -> bool:
    """Return whether a value is distinctive enough not to occur by coincidence. Words, names and paths, such as that
    of a database, may mean something else; so may short numbers."""
    min_chars = _MIN_MIXED_CHARS if any(map(str.isalpha, value)) else _MIN_DIGITS
    is_plain = value.replace("_", "").replace("-", "").isalpha() or ("/" in value and not _JOINT.search(value))
    return len(value) >= min_chars and not is_plain and not is_safe("", value)


def _mask_beginnings(text: str, value: str) -> str:
    for size in range(min(len(value), _MAX_SHOWN), _MIN_START - 1, -1) if value[:_MIN_START] in text else ():
        text = text.replace(f"{value[:size]}{CUT}", CUT)
    return text
