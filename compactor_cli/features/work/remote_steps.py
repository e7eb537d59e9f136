"""Steps of shell commands that act elsewhere with other programs: clusters, databases, hosts, issue trackers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, pairwise, takewhile

from compactor_cli.features.work.machine_steps import changes_machine, is_playbook_program, machine_step
from compactor_cli.features.work.programs import PLATFORM_PROGRAMS, TARGET_RUNNERS, without_prefixes
from compactor_cli.features.work.publish_steps import PUBLISHERS, describe_publication, publishing_verb
from compactor_cli.features.work.secret_words import mask_command, mask_words
from compactor_cli.text.clean import one_line
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, operands, parse_steps, word_set

_HOSTING_PROGRAMS = word_set("vercel netlify fly flyctl wrangler firebase cdk serverless sls")
_ACTS = {
    "docker": word_set("push rm rmi"),
    **dict.fromkeys(
        ("kubectl", "oc"),
        word_set(
            "apply delete create scale rollout patch replace set label annotate taint drain cordon uncordon edit "
            "autoscale expose"
        ),
    ),
    **dict.fromkeys(("terraform", "tofu"), word_set("apply destroy import force-unlock taint untaint state workspace")),
    "pulumi": word_set("up destroy import cancel state stack"),
    "helm": word_set("install upgrade uninstall rollback"),
    "twine": word_set("upload"),
    **dict.fromkeys(_HOSTING_PROGRAMS, word_set("deploy publish destroy")),
    "hg": word_set("commit push"),
    "svn": word_set("commit ci"),
    "dvc": word_set("push"),
    "systemctl": word_set("start stop restart enable disable"),
    "glab": word_set("mr issue"),
    "alembic": word_set("upgrade downgrade stamp"),
    "flyway": word_set("migrate clean undo repair"),
    "manage.py": word_set("migrate flush loaddata"),
    "artisan": word_set("migrate"),
    "prisma": word_set("migrate"),
}
"""Programs that act elsewhere, with the words that make them do so."""
_LOOKING_WORDS = word_set("status history list ls view show diff checkout --check --plan --sql --list")
"""Words with which these programs only look: `kubectl rollout status`."""
_GROUPS = {"state": word_set("rm mv push delete move replace-provider"), "workspace": ("delete",), "stack": ("rm",)}
"""Words that another verb has to follow: `terraform state rm`."""
_VALUE_OPTIONS = word_set("-n --namespace --context --kubeconfig --profile --region -c --config")
"""Options with a value that precede the verb of a program."""
_ANY_VERBS = word_set(
    "create close reopen comment publish deploy approve assign resolve update delete push commit note"
)
"""Words with which any program acts elsewhere, such as an issue tracker."""
_CHANGING_VERBS = word_set("update delete push add remove set edit")
"""Those that change existing things by means of options; words after others say what they create or state."""
_OUTPUT_OPTIONS = ("--json", "--quiet", "-q", "--yes", "-y", "--silent", "--verbose", "-v")
_PART_VERBS = word_set("add remove set edit put restart rollback trigger")
"""Words that act after the name of a part: `bd dep add`."""
_ENDING_VERBS = word_set("unset destroy rm")
"""Words that act after the name of a part of what is hosted: `fly apps destroy`."""
_FILE_PROGRAMS = (
    TARGET_RUNNERS
    | PLATFORM_PROGRAMS
    | PUBLISHERS
    | word_set(
        "git gh docker echo printf grep rg find ls cat cd man which sed awk mkdir rmdir rm cp mv ln touch chmod "
        "chown head tail less more wc diff sort uniq test [ [[ type alias kill pkill pgrep ps jq yq xargs tee "
        "source . export set for while until if case local declare read vim vi nano code open tar zip unzip du df "
        "stat file basename dirname cut tr nl cmp curl wget ssh scp rsync tree tmux time sleep true sqlite3 psql "
        "mysql"
    )
    | word_set(
        "apt apt-get brew pip pip3 pipx conda mamba rustup nvm asdf pyenv snap dnf yum apk pacman port choco "
        "winget scoop composer bundle opam luarocks nix sam pre-commit ip nmcli redis-cli jj tlmgr flatpak "
        "softwareupdate pod carthage vagrant bower volta fnm claude codex"
    )
)
"""Programs that use these words for other things: files, installed packages, a working copy."""
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
_AWS_ACTING = word_set(
    "create delete put update deploy start stop terminate run invoke publish send tag untag attach detach register "
    "deregister modify reboot restore enable disable add remove copy upload import execute associate disassociate"
)
"""First words of actions that change something in a cloud service."""
_S3_ACTING = ("rm", "mb", "rb")
_S3_COPYING = ("cp", "sync", "mv")
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
_NAMED_FOLDER = compiled_later(r"[A-Za-z][\w-]+:(?!//|[\\:])[^:/]*/[^:]*")
"""The same with a program's own name for the place: `remote:folder/a`. Without a folder it may mean something else."""
_NAMED_PLACE = compiled_later(r"[A-Za-z][\w-]+:(?!\d+$|//|[\\:])[^:]*")
_NAMED_PLACE_PROGRAM = "rclone"
"""The program whose names of places may come without a folder."""
_NO_OVERWRITE_OPTIONS = word_set("-n --no-clobber --ignore-existing")
"""Options with which nothing may have been copied."""
_AMBIGUOUS_VERBS = word_set("put mv move")
"""Verbs after which such a name may be a key, or a name in code."""
_SSH_VALUE_OPTION = compiled_later(r"-[BbcDEeFIiJLlmOopQRSWw]")
_REDIRECTION = compiled_later(r"(?<![0-9&-])>{1,2}(?!&|\s*/dev/null)")
_REMOTE_LOOKING_PROGRAMS = word_set(
    "ls cat head tail less grep egrep rg find ps df du free uptime whoami hostname uname date which stat "
    "journalctl id pwd env printenv echo test wc top netstat ss ifconfig ping dig true exit cd file sort uniq awk "
    "readlink lsof dmesg nproc md5sum sha1sum sha256sum cut tr diff cmp zcat zgrep strings lsblk lscpu who w "
    "last for done fi"
)
"""Programs with which one only looks around on another host."""
_REMOTE_LOOKING_WORD = compiled_later(
    r"(?:status|logs?|ps|show|list|ls|get|inspect|info|images|describe|is-active|diff|version|--version|top|"
    r"stats|states?-[\w-]+)$"
)
_SHELL_KEYWORDS = word_set("do then else if while until ! time")
"""Shell keywords that may precede a command."""
_SED_WRITE_OPTION = compiled_later(r"^-[nErsuz]*i|^--in-place|(?:^[\d,$]*|/[gpI\d]*)w /?\S*[^/\s]$")
"""Options with which `sed` changes files, and commands with which it writes to one."""
_MAX_TEXT = 180
_MAX_TITLE = 80


_OBJECT_PROGRAMS = word_set("kubectl oc helm systemctl")
"""Programs for which the words after the verb name the object."""
REMOTE_PROGRAMS = frozenset(_ACTS) | PUBLISHERS | word_set("git gh aws gcloud az rsync scp psql mysql mariadb")
"""Programs that act elsewhere, each with its own words."""
_HANDLED_PROGRAMS = REMOTE_PROGRAMS | _RUNNERS | word_set("curl ssh")
"""Programs that `remote_step` handles beyond the general words for acting."""


def is_acting_command(program: str, words: Sequence[str]) -> bool:
    """Return whether a program acts elsewhere with these arguments, where the verb is specific to it."""
    return program != "docker" and _verb(words) in _ACTS.get(program, ())


def is_rollout_wait(words: Sequence[str]) -> bool:
    """Return whether a command waits for what an earlier one started, and reports whether it happened."""
    return "".join(words[:1]) in ("kubectl", "oc") and operands(words[1:], _VALUE_OPTIONS)[:2] == ["rollout", "status"]


def without_leading_options(words: Sequence[str]) -> Sequence[str]:
    """Return the words of a command without the program's options that precede the verb."""
    return [words[0], *operands(words[1:], _VALUE_OPTIONS)] if words[0] in _ACTS else words


def remote_step(words: Sequence[str], step: Step) -> str:
    """Return a short description of what a command does elsewhere; "" if it does nothing there."""
    program, rest = _split_program(words)
    if changes_machine(program) and (verb_or_step := machine_step(program, _split_program(mask_words(words))[1])):
        return verb_or_step
    if program not in _HANDLED_PROGRAMS and not (
        _has_acting_verb(rest) or _changes_storage(rest, bare_names=program == _NAMED_PLACE_PROGRAM)
    ):
        return ""  # most commands end here, before the cost of removing secret values
    program, rest = _split_program(mask_words(words))
    if program in PUBLISHERS and (verb_or_step := publishing_verb(program, rest)):
        return describe_publication(program, rest) if verb_or_step == "publish" else _join(program, rest, _MAX_TITLE)
    if program in _RUNNERS:
        return _target_step(program, rest)
    if program in _ACTS and (program not in _HOSTING_PROGRAMS or _verb(rest) in _ACTS[program]):
        verb = _verb(rest)
        if verb in _GROUPS and not set(_GROUPS[verb]).intersection(operands(rest, _VALUE_OPTIONS)[1:2]):
            return ""
        only_looks = verb not in _ACTS[program] or not (is_rollout_wait(words) or _LOOKING_WORDS.isdisjoint(rest))
        return "" if only_looks else _join(program, rest, _MAX_TEXT)
    if program == "curl":
        return _curl_step(words)
    if program in ("rsync", "scp"):
        return _copy_step(program, rest)
    if program == "ssh":
        return _ssh_step(rest, step.heredoc)
    if program == "aws":
        return _aws_step(rest)
    if program in ("gcloud", "az"):
        return _join(program, rest, _MAX_TEXT) if _changes_storage(rest) else _cloud_step(program, rest)
    return "" if program in _FILE_PROGRAMS or _SCRIPT_PROGRAM.search(program) else _general_step(program, rest)


def _general_step(program: str, rest: Sequence[str]) -> str:
    """Return what any other program does elsewhere, judging by the general words for acting."""
    if _changes_storage(rest, bare_names=program == _NAMED_PLACE_PROGRAM):
        return _join(program, rest, _MAX_TEXT)
    is_acting = _has_acting_verb(rest)
    if program in _HOSTING_PROGRAMS:  # the first word may only start a project locally
        is_acting = not (_PART_VERBS | _ANY_VERBS | _ENDING_VERBS).isdisjoint(_verb_after_part(rest))
    return _join(program, _shorten_words(rest, _MAX_TITLE - len(program) - 1), _MAX_TITLE) if is_acting else ""


def _has_acting_verb(rest: Sequence[str]) -> bool:
    """Return whether the first words after any program ask it to act elsewhere."""
    return not _ANY_VERBS.isdisjoint(rest[:2]) or not _PART_VERBS.isdisjoint(_verb_after_part(rest))


def _verb_after_part(rest: Sequence[str]) -> Sequence[str]:
    """Return the verb after the name of a part."""
    return rest[1:2] if rest and not rest[0].startswith("-") else ()


def selects_places(program: str) -> bool:
    """Return whether options of a program may select a part or a place of what it acts on elsewhere."""
    return program in _ACTS or is_playbook_program(program)


def remote_key(words: Sequence[str]) -> str:
    """Return a key from a command's shortened words that a later command doing the same also has. Return "" for
    programs that are identified by everything before their options."""
    program = words[0] if words else ""
    if program in _ACTS:
        asked = operands(words[1:], _VALUE_OPTIONS)
        if program == "docker" and asked[:1] and asked[0] in _ACTS[program]:
            # the registry in the name is what a second attempt corrects
            return " ".join([program, asked[0], *(basename(image) for image in asked[1:])])
        is_grouped = asked[:1] and asked[0] in _GROUPS
        return " ".join([program, *asked[: 3 if program in _OBJECT_PROGRAMS or is_grouped else 1]])
    if program == "ssh" or (program in PUBLISHERS and words[1:2] == ["publish"]):
        return " ".join(words[: 2 if program == "ssh" else None])
    return ""


def _split_program(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the program without its folder, and its arguments. A known script run by Python or PHP counts as the
    program."""
    program = basename(words[0])
    script = basename(words[1]) if len(words) > 1 and _SCRIPT_PROGRAM.search(program) else ""
    return (script, words[2:]) if script in ("manage.py", "artisan") else (program, words[1:])


def _join(program: str, rest: Sequence[str], max_chars: int) -> str:
    return one_line(" ".join([program, *rest]), max_chars)


def _shorten_words(rest: Sequence[str], max_chars: int) -> Sequence[str]:
    """Return the words of a command that names what it changes, with as many complete options as fit."""
    first_option = next((start for start, word in enumerate(rest) if word.startswith("-")), len(rest))
    if _CHANGING_VERBS.isdisjoint(rest[:2]) or first_option < 2:
        return rest
    text = " ".join(rest[:first_option])
    option_starts = [start for start in range(first_option, len(rest)) if rest[start].startswith("-")]
    option_groups = [
        rest[start:end] for start, end in pairwise([*option_starts, len(rest)]) if rest[start] not in _OUTPUT_OPTIONS
    ]
    is_shortened = False
    for option in map(" ".join, option_groups):
        fits = len(text) + len(option) + len("  …") <= max_chars
        text, is_shortened = (f"{text} {option}", is_shortened) if fits else (text, True)
    return [text, *(["…"] if is_shortened else [])]


def _verb(rest: Sequence[str]) -> str:
    return next(iter(operands(rest, _VALUE_OPTIONS)), "")


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
    return (
        ""
        if is_dry_run or len(plain) < 2 or not _REMOTE_PATH.search(plain[-1])
        else _join(program, plain[-2:], _MAX_TEXT)
    )


def _changes_storage(rest: Sequence[str], *, bare_names: bool = False) -> bool:
    """Return whether a command of any program puts something into remote storage, or removes something from it. Its
    verb comes first, followed by an address of such storage. `bare_names`: also accept a place by its name alone."""
    index = next((index for index, word in enumerate(rest[:_VERB_WORDS]) if word in _COPY_VERBS | _REMOVE_VERBS), -1)
    if index < 0 or not all(word.startswith("-") for word in rest[: max(0, index - 1)]):
        return False
    if not _NO_OVERWRITE_OPTIONS.isdisjoint(rest):
        return False
    following = dropwhile(_is_option, rest[index + 1 :])
    given = list(takewhile(lambda word: not _is_option(word), following))
    if rest[index] in _REMOVE_VERBS and any(map(_STORAGE_ADDRESS.fullmatch, given[:1])):
        return True
    is_named_place = rest[index] not in _AMBIGUOUS_VERBS and any(
        map((_NAMED_PLACE if bare_names else _NAMED_FOLDER).fullmatch, given[-1:])
    )
    return (
        rest[index] in _COPY_VERBS
        and len(given) > 1
        and (is_named_place or any(map(_STORAGE_ADDRESS.fullmatch, given[-1:])))
    )


def _is_option(word: str) -> bool:
    return word.startswith("-")


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
    if words[1:2] == ["state"]:
        return words[2:3] in ([], ["list"], ["show"], ["pull"])
    return not words or words[0] in _REMOTE_LOOKING_PROGRAMS or any(map(_REMOTE_LOOKING_WORD.match, words[1:3]))


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


def _aws_step(rest: Sequence[str]) -> str:
    plain = operands(rest, _VALUE_OPTIONS)
    service, verb = "".join(plain[:1]), "".join(plain[1:2])
    if service != "s3":
        return _join("aws", rest, _MAX_TEXT) if verb.split("-", 1)[0] in _AWS_ACTING else ""
    uploads = any(word.startswith("s3://") for word in plain[3:4])
    return _join("aws", plain[:4], _MAX_TEXT) if verb in _S3_ACTING or (verb in _S3_COPYING and uploads) else ""


def _cloud_step(program: str, rest: Sequence[str]) -> str:
    """Return what a program whose verb follows its command groups changes in a cloud."""
    groups = list(takewhile(lambda word: not word.startswith("-"), rest))[:_MAX_GROUPS]
    groups = list(takewhile(lambda word: not _CLOUD_LOOKING_VERB.match(word), groups))  # what follows is a name
    verb = next((index for index, word in enumerate(groups) if index and word.split("-", 1)[0] in _AWS_ACTING), 0)
    return _join(program, rest, _MAX_TEXT) if verb and groups[0] not in _CLIENT_GROUPS else ""


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
