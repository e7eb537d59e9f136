"""Hide secrets in commands: keys, passwords, and values put into an environment or a store of secrets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from compactor_cli.text.cached import remembered
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.secret_values import CUT, is_open, is_random, is_secret, may_hold_secrets, without_secrets
from compactor_cli.text.shell import RawStep, raw_steps, unquoted, word_set

_SAYING = ("echo", "printf")
_STORE = compiled_later(
    r"(?:.*[:_-])?(?:secrets?|kv|env|environment|vars?|variables?|config|configure|configmap|parameters?)(?:[:_-].*)?",
    re.I,
)
_OF_PROGRAM = ("config", "configure")
"""Stores with the program's own settings, most of which are not secret."""
_PUTS = compiled_later(r"(?:.*[:_-])?(?:set|put|add|edit|patch)(?:[:_-].*)?", re.I)
"""Words that put something into a store of values."""
_STORES = word_set("vault op bw etcdctl chamber")
"""Programs that are such stores."""
_STORING = word_set("write put patch set edit create")
_FIRST_WORDS = 5
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
_OF_HEADER = ("-H", "--header")
_COOKIE = "cookie"
_USER = ("-u", "-U", "--user", "--username", "--proxy-user", "--auth", "-auth", "--basic-auth", "--creds")
_USER_IN_WORD = compiled_later(
    r"(?:-[uU](?=[A-Za-z])(?!se)|--(?:user|username|proxy-user|auth|basic-auth|creds)=)[^\s:/=]*:(?!//).+",
    re.DOTALL,
    ("-u", "--"),
)
"""An option with a user and a password, as one word."""
_USER_WITH_PASSWORD = compiled_later(r"(?!\d+:\d+$)([^\s:/=]*):(?!//)(.+)", re.DOTALL)
_NO_PASSWORD = compiled_later(r"(?:\d{1,5}|[\d.:/-]*:[\d.:/-]*(?:/(?:tcp|udp))?)")
"""Values of `-p` that are ports."""
_SHORT = {
    **dict.fromkeys(("mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump", "mycli"), "-p"),
    **dict.fromkeys(("sshpass", "mongo", "mongosh", "mongodump", "mongorestore", "7z", "7za"), "-p"),
    **dict.fromkeys(("redis-cli", "valkey-cli"), "-a"),
    **dict.fromkeys(("ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami"), "-w"),
    **dict.fromkeys(("sqlcmd", "bcp", "zip", "unzip", "isql", "clickhouse-client"), "-P"),
}
"""Program -> the one-letter option for its password."""
_GLUED_ONLY = word_set("mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump mycli 7z 7za")
"""Programs that take the password only in the same word; the word after the option is something else."""
_LOGS_IN = "login"
_LOGIN_OPTIONS = ("-p", "-w")
_OPENING = word_set("login unlock unseal passwd authtoken obscure")
"""Words followed by a secret, if the value looks random."""
_SETTING = word_set("set setx setenv")
"""Programs that set a variable and take its name and value as separate words."""
_TAKERS = word_set("passwd chpasswd cryptsetup htpasswd")
"""Programs that read a password from their input."""
_MAY_SET = (
    *(
        "env",
        "var",
        "config",
        "kv",
        "param",
        "vault",
        "op ",
        "bw ",
        "etcdctl",
        "chamber",
        "-u",
        "--user",
        "--proxy-user",
    ),
    *(
        "mysql",
        "mariadb",
        "mycli",
        "mongo",
        "7z",
        "redis",
        "valkey",
        "ldap",
        "sqlcmd",
        "bcp",
        "zip",
        "isql",
        "clickhouse",
    ),
    *("login", "sudo", "crypt", "unlock", "unseal", "obscure", "setx", "setenv", "set -"),
)
"""Every command with a value that is secret only because of its position contains one of these, in lower case."""
_SHELLS = word_set("bash sh zsh dash ssh su eval")
_PARTS = compiled_later(r"[\s:\"'{},/=?&@]+")
"""Separators of parts, such as a user and a password, or the words of a header."""
_JOINED = compiled_later(r"[\s:@=]")
"""A separator that shows that a value has several parts."""
_LEAST_MIXED_VALUE, _LEAST_DIGITS = 6, 6
"""Minimum length of a value that is also searched for elsewhere, with letters and with digits only."""
_CODE = compiled_later(r"(?:python|node|ruby|perl|php)[\d.]*")
_OF_CODE = ("-c", "-e", "-r", "--eval")
_SEVERAL = 2
_LEAST_BEGUN, _LONGEST_TOLD = 3, 240
"""Minimum length of the beginning of a value that reveals something, and maximum length of what is shown."""


def without_values(words: Sequence[str], found: list[str] | None = None) -> list[str]:
    """Return the words of a command with secret values replaced by `…`. The values are appended to `found`."""
    sets, bare, own = _sets(words)
    named_some = may_hold_secrets(" ".join(words))
    if not (sets or named_some or _gives_in_short(words)):
        return list(words)
    found = [] if found is None else found
    short = _short_options(words)
    told: list[str] = []
    named = ""
    for at, word in enumerate(words):
        option = words[at - 1] if at and _OPTION.fullmatch(words[at - 1]) else ""
        said = _by_option(word, option, short, words) if at else word
        if said != word:
            told.append(said)
        elif sets and _BODY.fullmatch(word):
            told.append(f"-b{CUT}")
        elif at == 0 or _OPTION.fullmatch(word) or word == "--":
            told.append(word)
        elif len(option) > _SEVERAL and is_secret(option) and not (sets and not named) and not is_open(option, word):
            told.append(CUT)
        elif option in _OF_CODE and any(_CODE.fullmatch(basename(one)) for one in words[: min(at, _FIRST_WORDS)]):
            told.append(without_secrets(word, found))
        elif _follows_name(words, at) or _is_opening(words, at):
            told.append(CUT)
        elif (cut := _assigned(word, literal=option == _LITERAL, all_of=sets > 0 and at > sets)) != word:
            told.append(cut)
        elif (bare and at > sets and named and not (option and _NAMING.fullmatch(option))) or (
            sets and option in _BODIES
        ):
            opens = not own and not is_open(named, word)
            opens = opens or is_secret(named) or any(is_secret(other) for other in words if other.startswith("--"))
            told.append(CUT if opens else without_secrets(word, found) if named_some else word)
        else:
            named = named or (word if sets and at > sets and not word.startswith("-") else "")
            told.append(without_secrets(word, found) if named_some else word)
        _keep(word, told[-1], found)
    return told


def _follows_name(words: Sequence[str], at: int) -> bool:
    """Return whether a word follows the name of a secret setting: `git config user.password x`."""
    name = words[at - 1]
    named = at > 1 and not name.startswith("-") and is_secret(name) and len(_NAME_PARTS.findall(name)) > 1
    in_store = named and "=" not in name and any(map(_STORE.fullmatch, words[1 : min(at - 1, _FIRST_WORDS)]))
    return in_store and not is_open(name, words[at])


def _is_opening(words: Sequence[str], at: int) -> bool:
    """Return whether a word is a secret by position: `vault login x`, or the value after the name of a variable:
    `setx API_TOKEN x`."""
    name = words[at - 1]
    if words[0] in _SETTING:
        return at > 1 and _NAME.fullmatch(name) is not None and is_secret(name) and not is_open(name, words[at])
    if not is_random(words[at]):
        return False
    before = next((word for word in reversed(words[:at]) if not _SHORT_OPTION.fullmatch(word)), "")
    return basename(before) in _OPENING


def _keep(word: str, told: str, found: list[str]) -> None:
    """Append the part of a word that was cut out to `found`."""
    if told.count(CUT) == 1 and told != word:
        begin, _, end = told.partition(CUT)
        if word.startswith(begin) and word.endswith(end):
            found.append(word[len(begin) : len(word) - len(end)])


def _by_option(word: str, option: str, short: frozenset[str], words: Sequence[str]) -> str:
    """Return a word without the part that an option marks as secret: a header, a user's password, or a password."""
    if option in _OF_HEADER or word.startswith("--header="):
        start = len("--header=") if word.startswith("--header=") else 0
        header = _HEADER.fullmatch(word, start)
        opens = header and (header[1].lower() == _COOKIE or is_secret(header[1].replace("-", "_").upper()))
        return f"{word[: header.start(2)]}{CUT}" if header and opens and not is_open(header[1], header[2]) else word
    if option in _USER and (user := _USER_WITH_PASSWORD.fullmatch(word)):
        return word if is_open("password", user[2]) or user[1] == user[2] else f"{user[1]}:{CUT}"
    if _USER_IN_WORD.fullmatch(word):
        user_named, _, password = word.partition(":")
        return word if is_open("password", password) else f"{user_named}:{CUT}"
    if option in short and basename(words[0]) not in _GLUED_ONLY and not word.startswith("-"):
        return (
            word if is_open("password", word) or (option not in _sure(words) and _NO_PASSWORD.fullmatch(word)) else CUT
        )
    if word[:2] in short and len(word) > _SEVERAL and word[1] != "-" and (glued := _glued(word, words)):
        return f"{glued}{CUT}"
    if word.startswith("pass:") and option.startswith("-pass"):
        return f"pass:{CUT}"
    return word


def _glued(word: str, words: Sequence[str]) -> str:
    """Return the option of a word that consists of an option and a password, or ""."""
    takes = any(_SHORT.get(basename(other)) == word[:2] for other in words[:_FIRST_WORDS])
    takes = takes or (_LOGS_IN in words[:_FIRST_WORDS] and is_random(word[2:]))
    return word[:2] if takes and not is_open("password", word[2:].removeprefix("=")) else ""


def _gives_in_short(words: Sequence[str]) -> bool:
    first = {basename(word) for word in words[:_FIRST_WORDS]}
    if not (_SHORT.keys().isdisjoint(first) and _OPENING.isdisjoint(first) and _SETTING.isdisjoint(words[:1])):
        return True
    return not {*_USER}.isdisjoint(words) or any(map(_USER_IN_WORD.fullmatch, words))


def _short_options(words: Sequence[str]) -> frozenset[str]:
    """Return the one-letter options that a password follows: those of `_sure`, and `-p` if the command names a user.
    It is then still possible that `-p` gives a port."""
    named = "-p" in words and any(one in _USER and not other.startswith("-") for one, other in pairwise(words))
    return _sure(words) | {"-p"} if named else _sure(words)


def _sure(words: Sequence[str]) -> frozenset[str]:
    """Return the options of programs that have one, and those of a login."""
    programs = [basename(word) for word in words[:_FIRST_WORDS]]
    found = {_SHORT[program] for program in programs if program in _SHORT}
    if _LOGS_IN in words[:_FIRST_WORDS]:
        found |= set(_LOGIN_OPTIONS)
    return frozenset(found)


def _assigned(word: str, *, literal: bool, all_of: bool) -> str:
    """Return an assignment without its value, if that is secret. `literal`, `all_of`: every value is."""
    name, mark, value = word.partition("=")
    if not mark:
        return word
    if word.startswith("-"):
        inner, more, given = value.partition("=")
        if more and _NAME.fullmatch(inner) and "," not in value and (name == _LITERAL or is_secret(inner)):
            return word if is_open(inner, given) else f"{name}={inner}={CUT}"
        opens = is_secret(name) or (all_of and not _NAMING.fullmatch(name))
    else:
        opens = _NAME.fullmatch(name) is not None and (is_secret(name) or all_of or literal)
    return f"{name}={CUT}" if opens and not is_open(name, value) else word


def _sets(words: Sequence[str]) -> tuple[int, bool, bool]:
    """Return the position of the words with which a command sets a value in a store, or 0; whether the name and the
    value follow them; and whether the store holds the program's own settings."""
    plain = [at for at, word in enumerate(words) if at and not word.startswith("-")][:_FIRST_WORDS]
    if words and basename(words[0]) in _STORES:
        at = next((at for at in plain if words[at] in _STORING), 0)
        return at, at > 0, False
    store = next((at for at in plain if _STORE.fullmatch(words[at])), 0)
    puts = next((at for at in plain if store and at <= plain[-1] and _PUTS.fullmatch(words[at])), 0)
    own = store > 0 and words[store] in _OF_PROGRAM
    return (max(store, puts), store < puts or ":" in words[store], own) if store and puts else (0, False, False)


def command_without_values(command: str, found: list[str] | None = None) -> str:
    """Return a command line with secret values replaced by `…`. The values are appended to `found`."""
    told, values = _without_values(command)
    if found is not None:
        found += values
    return told


@remembered
def _without_values(command: str) -> tuple[str, tuple[str, ...]]:
    """Return a command line for display, and the secret values left out. It is cached because several stages need
    both."""
    if not may_hold_secrets(command) and not any(map(command.lower().__contains__, _MAY_SET)):
        return command, ()
    found: list[str] = []
    told: list[str] = []
    done = 0
    line = list(raw_steps(command))
    for at, step in enumerate(line):
        words = [unquoted(command[start:end]) for start, end in step.words]
        behind = line[at + 1] if step.after == "|" and at + 1 < len(line) else None
        given = behind is not None and words[:1] and words[0] in _SAYING and _takes(_plain(command, behind))
        spans = zip(step.words, words, _told_words(words, found, given=bool(given)), strict=True)
        cuts = [(span, _quoted(command[slice(*span)], cut)) for span, word, cut in spans if word != cut]
        cuts += [(span, CUT) for span in step.reads if _takes(words) and command[slice(*span)].strip()]
        for (start, end), cut in sorted(cuts):
            if (start, end) in step.reads:
                found += command[start:end].strip().split("\n")
            told += (command[done:start], cut)
            done = end
    told.append(command[done:])
    return without_secrets("".join(told), found), tuple(found)


def _plain(command: str, step: RawStep) -> list[str]:
    return [unquoted(command[start:end]) for start, end in step.words]


def _told_words(words: Sequence[str], found: list[str], *, given: bool) -> list[str]:
    """Return the words of one simple command, including assignments before the program, without secrets. `given`:
    the words are the input of a command that takes a secret."""
    start = next((at for at, word in enumerate(words) if not _is_assignment(word)), len(words))
    told = [_assigned(word, literal=False, all_of=False) for word in words[:start]]
    for word, cut in zip(words, told, strict=False):
        _keep(word, cut, found)
    rest = words[start:]
    if given:
        cuts = [word if not at or word.startswith("-") or is_open("", word) else CUT for at, word in enumerate(rest)]
        found += (word for word, cut in zip(rest, cuts, strict=True) if word != cut)
        return [*told, *cuts]
    cuts = without_values(rest, found)
    if not _SHELLS.isdisjoint(map(basename, rest[:_FIRST_WORDS])):
        cuts = [command_without_values(word, found) if " " in word else word for word in cuts]
    return [*told, *cuts]


def _is_assignment(word: str) -> bool:
    name, mark, _ = word.partition("=")
    return mark != "" and name.isidentifier()


def _takes(words: Sequence[str]) -> bool:
    """Return whether a command takes a secret as its input."""
    if _sets(words)[0]:
        return True
    program = basename(words[0]) if words else ""
    asks = program == "sudo" and "-S" in words
    return program in _TAKERS or asks or any(map(_names_secret, words[1:]))


def _names_secret(word: str) -> bool:
    named = word.removesuffix("-stdin").removesuffix("-fd")
    return word.startswith("-") and is_secret(named)


def _quoted(raw: str, cut: str) -> str:
    """Return a word with a part cut out, in its original quotes."""
    at = min((place for place in (raw.find('"'), raw.find("'")) if place >= 0), default=-1)
    if at < 0 or raw[:at] != cut[:at] or not raw.endswith(raw[at]) or (" " not in cut and cut.endswith(f"={CUT}")):
        return cut
    if cut == CUT:
        return cut
    return f"{cut[:at]}{raw[at]}{cut[at:]}{raw[at]}"


def hidden(text: str, values: Sequence[str]) -> str:
    """Return a text without these values, both in full and cut off at the end of the shown text."""
    parts = {*values, *(part for value in values if _JOINED.search(value) for part in _PARTS.split(value))}
    for value in sorted(filter(None, parts), key=lambda part: (-len(part), part)):
        if value in text:
            elsewhere = r"(?<!\w)|" if _is_telling(value) else ""
            text = re.sub(rf"(?:{elsewhere}(?<=-[A-Za-z])){re.escape(value)}(?!\w)", CUT, text)
        text = _without_begun(text, value) if CUT in text else text
    return text


def _is_telling(value: str) -> bool:
    """Return whether a value is distinctive enough not to occur by coincidence. Words, names and paths, such as that
    of a database, may mean something else; so may short numbers."""
    least = _LEAST_MIXED_VALUE if any(map(str.isalpha, value)) else _LEAST_DIGITS
    plain = value.replace("_", "").replace("-", "").isalpha() or ("/" in value and not _JOINED.search(value))
    return len(value) >= least and not plain and not is_open("", value)


def _without_begun(text: str, value: str) -> str:
    for size in range(min(len(value), _LONGEST_TOLD), _LEAST_BEGUN - 1, -1) if value[:_LEAST_BEGUN] in text else ():
        text = text.replace(f"{value[:size]}{CUT}", CUT)
    return text
