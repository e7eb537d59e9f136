"""Steps of shell commands that act elsewhere or change a machine: clusters, databases, hosts, packages, trackers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, pairwise, takewhile

from compactor_cli.features.work.programs import TARGET_RUNNERS, without_prefixes
from compactor_cli.features.work.secret_words import mask_command, mask_words
from compactor_cli.features.work.step_tables import (
    ACTS,
    ANY_VERBS,
    CLOUD_VERBS,
    ENDING_VERBS,
    FILE_PROGRAMS,
    GROUPS,
    HOSTING_PROGRAMS,
    LOOKING_OPTIONS,
    LOOKING_WORDS,
    OWN_VALUE_OPTIONS,
    PACKAGE_OPTIONS,
    PART_VERBS,
    PUBLISH_VALUE_OPTIONS,
    PUBLISHERS,
    PUBLISHING_VERBS,
    REMOTE_LOOKING_PROGRAMS,
    VALUE_OPTIONS,
)
from compactor_cli.text.clean import one_line
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, operands, parse_steps, word_set

_SCRIPT_PROGRAM = compiled_later(r"^(?:python|node|deno|ruby|perl|php|bash|sh|zsh)[\d.]*$|\.\w+$")
_ACTING_TARGET = compiled_later(
    r"(?!.*(?:status|list|check|plan|dry|create|generate|test))(?:.*[:_-])?(?:deploy|publish|migrate)(?:$|[:_-])"
)
_MULTI_TARGET_RUNNERS = ("make", "gmake", "just")
"""Runners that take several targets at once."""
_RUNNERS = TARGET_RUNNERS | word_set("rails knex sequelize")
_METHOD_OPTION = compiled_later(r"^(?:-X|--request)=?(POST|PUT|PATCH|DELETE)?$")
_SQL_CLIENTS = ("psql", "mysql", "mariadb")
_DATABASE_OPTIONS = ("-d", "-D", "--dbname", "--database")
_DATABASE_NAME = compiled_later(r"[A-Za-z][\w.@-]{0,39}")
_SQL_VALUE_OPTIONS = word_set(
    "-c -d -D -e -f -h -H -o -p -P -u -U -v -F -R --command --dbname --database --execute --file --host --port --user "
    "--username --set --variable --output"
)
"""Options of database clients that take a value."""
_STATEMENT_OPTION = compiled_later(r"-\w*[ce]|--command|--execute")
_CLIENT_GROUPS = word_set("config auth account configure components extension cloud feedback interactive find")
"""Command groups of cloud clients that configure the client itself."""
_CLOUD_LOOKING_VERB = compiled_later(r"(?:describe|list|show|get|check)(?:-|$)|(?:read|tail|wait|export|ssh|exists)$")
_MAX_GROUPS = 5
_LOCAL_ADDRESS = compiled_later(r"//(?:localhost|127\.|0\.0\.0\.0|\[::1\])")
_REMOTE_PATH = compiled_later(r"^(?:[\w.-]+@)?[\w.-]{2,}:(?!\\)|^rsync://")
_VERB_WORDS = 4
_COPY_VERBS = word_set("cp copy copyto mv move moveto sync rsync put upload")
_REMOVE_VERBS = word_set("rm del delete deletefile purge rmdir mb rb move mv moveto")
"""Words that remove something stored elsewhere, or create a place for it."""
_STORAGE_ADDRESS = compiled_later(r"(?!https?:|file:)[a-z][a-z\d+]{1,11}://[\w.@%-]\S*")
"""An address in remote storage: `gs://bucket/a`."""
_NO_OVERWRITE_OPTIONS = word_set("-n --no-clobber --ignore-existing")
"""Options with which nothing may have been copied."""
_SSH_VALUE_OPTION = compiled_later(r"-[BbcDEeFIiJLlmOopQRSWw]")
_REDIRECTION = compiled_later(r"(?<![0-9&-])>{1,2}(?!&|\s*/dev/null)")
_REMOTE_LOOKING_WORD = compiled_later(
    r"(?:status|logs?|ps|show|list|ls|get|inspect|info|images|describe|is-active|diff|version|--version|top|"
    r"stats|states?-[\w-]+)$"
)
_SHELL_KEYWORDS = word_set("do then else if while until ! time")
"""Shell keywords that may precede a command."""
_SED_WRITE_OPTION = compiled_later(r"^-[nErsuz]*i|^--in-place")
_MAX_TEXT, _MAX_STEP_CHARS, _MAX_TITLE = 180, 120, 80
_CLOUD_CLIENTS = ("aws", "gcloud", "az")
REMOTE_PROGRAMS = (
    ACTS.keys() | PUBLISHERS | {*_CLOUD_CLIENTS, *("git", "gh", "rsync", "scp", "psql", "mysql", "mariadb")}
)
"""Programs that act elsewhere, each with its own words."""
_HANDLED_PROGRAMS = REMOTE_PROGRAMS | LOOKING_OPTIONS.keys() | _RUNNERS | {"curl", "ssh"}
"""Programs that `remote_step` handles beyond the general words for acting."""


def without_leading_options(words: Sequence[str]) -> Sequence[str]:
    """Return the words of a command without the program's options that precede the verb."""
    return [words[0], *operands(words[1:], VALUE_OPTIONS)] if words[0] in ACTS else words


def remote_step(words: Sequence[str], step: Step) -> str:
    """Return a short description of what a command does elsewhere; "" if it does nothing there."""
    program, rest = _split_program(words)
    if program not in _HANDLED_PROGRAMS and not (_has_acting_verb(rest) or _changes_storage(rest)):
        return ""  # most commands end here, before the cost of removing secret values
    program, rest = _split_program(mask_words(words))
    if program in PUBLISHERS and (text := _publishing_step(program, rest)):
        return text
    if program in _RUNNERS:
        return _target_step(program, rest)
    if program in LOOKING_OPTIONS:
        return _join(program, rest, _MAX_STEP_CHARS) if rest and LOOKING_OPTIONS[program].isdisjoint(rest) else ""
    if program in ACTS and (program not in HOSTING_PROGRAMS or _verb(rest) in ACTS[program]):
        return _join(program, rest, _MAX_TEXT) if _acts(program, rest) else ""
    if program == "curl":
        return _curl_step(words)
    if program in ("rsync", "scp"):
        return _copy_step(program, rest)
    if program == "ssh":
        return _ssh_step(rest, step.heredoc)
    if program in _CLOUD_CLIENTS:
        if _changes_storage(rest):
            return _join(program, operands(rest, VALUE_OPTIONS), _MAX_TEXT)
        return _join(program, rest, _MAX_TEXT) if _changes_cloud(rest) else ""
    if _changes_storage(rest):
        return _join(program, rest, _MAX_TEXT)
    is_acting = _has_acting_verb(rest)
    if program in HOSTING_PROGRAMS:  # the first word may only start a project locally
        is_acting = not (PART_VERBS | ANY_VERBS | ENDING_VERBS).isdisjoint(_verb_after_part(rest))
    is_local = program in FILE_PROGRAMS or _SCRIPT_PROGRAM.search(program) is not None
    return _join(program, rest, _MAX_TITLE) if is_acting and not is_local else ""


def _publishing_step(program: str, rest: Sequence[str]) -> str:
    """Return what a package manager publishes; "" for anything else."""
    words = [word for word in operands(rest, PUBLISH_VALUE_OPTIONS) if not word.startswith("+")]
    words = words[1:] if program == "yarn" and words[:1] == ["npm"] else words
    if words[:1] == ["publish"]:
        named_packages = [value for option, value in pairwise(rest) if option in PACKAGE_OPTIONS]
        return _join(program, [*words, *named_packages], _MAX_TITLE)
    is_tag = words[:2] in (["dist-tag", "add"], ["dist-tag", "rm"])
    is_publishing = is_tag or (program, words[:1]) == ("gem", ["push"]) or not PUBLISHING_VERBS.isdisjoint(words[:1])
    return _join(program, rest, _MAX_TITLE) if is_publishing else ""


def _acts(program: str, rest: Sequence[str]) -> bool:
    """Return whether the words of a program that acts elsewhere make it do so."""
    asked = operands(rest, OWN_VALUE_OPTIONS.get(program, VALUE_OPTIONS))
    if asked[:1] == ["compose"]:
        return _acts("docker-compose", rest[rest.index("compose") + 1 :])
    verb = asked[0].lower() if asked else ""
    if verb in GROUPS and GROUPS[verb].isdisjoint(asked[1:2]):
        return False
    return verb in ACTS[program] and LOOKING_WORDS.isdisjoint(rest)


def _has_acting_verb(rest: Sequence[str]) -> bool:
    """Return whether the first words after any program ask it to act elsewhere."""
    return not ANY_VERBS.isdisjoint(rest[:2]) or not PART_VERBS.isdisjoint(_verb_after_part(rest))


def _verb_after_part(rest: Sequence[str]) -> Sequence[str]:
    """Return the verb after the name of a part."""
    return rest[1:2] if rest and not rest[0].startswith("-") else ()


def _split_program(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the program without its folder, and its arguments. A known script run by Python or PHP counts as the
    program."""
    program = basename(words[0])
    script = basename(words[1]) if len(words) > 1 and _SCRIPT_PROGRAM.search(program) else ""
    return (script, words[2:]) if script in ("manage.py", "artisan") else (program, words[1:])


def _join(program: str, rest: Sequence[str], max_chars: int) -> str:
    return one_line(" ".join([program, *rest]), max_chars)


def _verb(rest: Sequence[str]) -> str:
    return next(iter(operands(rest, VALUE_OPTIONS)), "")


def _target_step(program: str, rest: Sequence[str]) -> str:
    """Return the project's target that deploys."""
    plain = [word for word in rest if not word.startswith("-") and "=" not in word]
    has_run = plain[:1] in (["run"], ["run-script"])
    targets = plain[1:2] if has_run else plain if program in _MULTI_TARGET_RUNNERS else plain[:1]
    target = next(filter(_ACTING_TARGET.match, targets), "")
    return " ".join(filter(None, [program, "run" if has_run else "", target])) if target else ""


def _copy_step(program: str, rest: Sequence[str]) -> str:
    """Return the description of a copy of files to another host."""
    plain = [word for word in rest if not word.startswith("-")]
    is_dry_run = program == "rsync" and any(word[:1] == "-" and word[:2] != "--" and "n" in word for word in rest)
    is_upload = len(plain) > 1 and _REMOTE_PATH.search(plain[-1]) and not is_dry_run
    return _join(program, plain[-2:], _MAX_TEXT) if is_upload else ""


def _changes_storage(rest: Sequence[str]) -> bool:
    """Return whether a command of any program puts something into remote storage, or removes something from it."""
    index = next((index for index, word in enumerate(rest[:_VERB_WORDS]) if word in _COPY_VERBS | _REMOVE_VERBS), -1)
    if index < 0 or not _NO_OVERWRITE_OPTIONS.isdisjoint(rest):
        return False
    given = [word for word in rest[index + 1 :] if not word.startswith("-")]
    places = given[:1] if rest[index] in _REMOVE_VERBS else []
    places += given[1:][-1:] if rest[index] in _COPY_VERBS else []
    return any(map(_STORAGE_ADDRESS.fullmatch, places))


def _changes_cloud(rest: Sequence[str]) -> bool:
    """Return whether a client whose verb follows its command groups changes something in a cloud."""
    groups = operands(rest, VALUE_OPTIONS)[:_MAX_GROUPS]
    groups = list(takewhile(lambda word: not _CLOUD_LOOKING_VERB.match(word), groups))  # what follows is a name
    is_acting = any(word.split("-", 1)[0] in CLOUD_VERBS for word in groups[1:])
    return is_acting and groups[0] not in _CLIENT_GROUPS


def _ssh_step(rest: Sequence[str], document: str) -> str:
    """Return what is done on another host, unless it only looks."""
    index = 0
    while index < len(rest) and rest[index].startswith("-"):
        index += 2 if _SSH_VALUE_OPTION.fullmatch(rest[index]) else 1
    command = mask_command(" ".join(rest[index + 1 :]) or document)
    writes = _REDIRECTION.search(command)
    acting_step = next((step for step in parse_steps(command) if not _only_looks_remotely(step)), None)
    if not acting_step and not writes:
        return ""
    shown_command = " ".join(acting_step.words) if document and acting_step else command
    return _join("ssh", [*rest[index : index + 1], shown_command], _MAX_TEXT)


def _only_looks_remotely(step: Step) -> bool:
    words = list(dropwhile(_SHELL_KEYWORDS.__contains__, step.words))
    words = without_prefixes(words)
    if words[:1] == ["sed"]:
        return not any(map(_SED_WRITE_OPTION.search, words[1:]))
    return not words or words[0] in REMOTE_LOOKING_PROGRAMS or any(map(_REMOTE_LOOKING_WORD.match, words[1:3]))


def database_script(words: Sequence[str], document: str) -> tuple[str, str]:
    """Return what a database client is called with: its name with that of the database, and the statements. The
    statements are "" for other programs."""
    program = words[0].rsplit("/", 1)[-1] if words else ""
    if program not in _SQL_CLIENTS:
        return program, ""
    rest = words[1:]
    statements = [value for option, value in pairwise(rest) if _STATEMENT_OPTION.fullmatch(option)]
    statements += [word.partition("=")[2] for word in rest if word.startswith(("--command=", "--execute="))]
    named_databases = [value for option, value in pairwise(rest) if option in _DATABASE_OPTIONS]
    named_databases += [word.partition("=")[2] for word in rest if word.startswith(("--dbname=", "--database="))]
    # a URL may contain a password
    databases = (
        word.rpartition("/")[2].partition("?")[0] for word in [*named_databases, *operands(rest, _SQL_VALUE_OPTIONS)]
    )
    database = next(filter(_DATABASE_NAME.fullmatch, databases), "")
    return " ".join(filter(None, [program, database])), ";\n".join([*statements, document])


def _curl_step(words: Sequence[str]) -> str:
    method = ""
    for index, word in enumerate(words):
        match = _METHOD_OPTION.match(word)
        if match:
            method = match.group(1) or (words[index + 1] if index + 1 < len(words) else "")
        elif word in ("-d", "--data", "--data-raw", "--data-binary", "--json", "-F", "--form") and not method:
            method = "POST"
    address = next((word for word in words if word.startswith("http")), "")
    if method not in ("POST", "PUT", "PATCH", "DELETE") or not address or _LOCAL_ADDRESS.search(address):
        return ""
    # the query may differ each time; the address without it identifies the target
    return one_line(f"curl {method} {address.partition('?')[0]}", 140)
