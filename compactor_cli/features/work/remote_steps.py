"""Steps of shell commands that act elsewhere with other programs: clusters, databases, hosts, issue trackers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, pairwise, takewhile

from compactor_cli.features.work.machine_steps import changes_machine, is_play, machine_step
from compactor_cli.features.work.programs import PLATFORMS, RUNNERS, without_prefixes
from compactor_cli.features.work.publish_steps import PUBLISHERS, publication, published
from compactor_cli.features.work.secret_words import command_without_values, without_values
from compactor_cli.text.clean import one_line
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, operands, steps, word_set

_HOSTING = word_set("vercel netlify fly flyctl wrangler firebase cdk serverless sls")
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
    **dict.fromkeys(_HOSTING, word_set("deploy publish destroy")),
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
_LOOKS = word_set("status history list ls view show diff checkout --check --plan --sql --list")
"""Words with which these programs only look: `kubectl rollout status`."""
_GROUPS = {"state": word_set("rm mv push delete move replace-provider"), "workspace": ("delete",), "stack": ("rm",)}
"""Words that another verb has to follow: `terraform state rm`."""
_WITH_VALUE = word_set("-n --namespace --context --kubeconfig --profile --region -c --config")
"""Options with a value that precede the verb of a program."""
_ACTING = word_set("create close reopen comment publish deploy approve assign resolve update delete push commit note")
"""Words with which any program acts elsewhere, such as an issue tracker."""
_CHANGES = word_set("update delete push add remove set edit")
"""Those that change existing things by means of options; words after others say what they create or state."""
_OF_OUTPUT = ("--json", "--quiet", "-q", "--yes", "-y", "--silent", "--verbose", "-v")
_PARTS_OF = word_set("add remove set edit put restart rollback trigger")
"""Words that act after the name of a part: `bd dep add`."""
_ENDING = word_set("unset destroy rm")
"""Words that act after the name of a part of what is hosted: `fly apps destroy`."""
_OF_FILES = (
    RUNNERS
    | PLATFORMS
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
_SCRIPT = compiled_later(r"^(?:python|node|deno|ruby|perl|php|bash|sh|zsh)[\d.]*$|\.\w+$")
_TARGET = compiled_later(
    r"(?!.*(?:status|list|check|plan|dry|create|generate|test))(?:.*[:_-])?(?:deploy|publish|migrate)(?:$|[:_-])"
)
_BUILDERS = ("make", "gmake", "just")
"""Runners that take several targets at once."""
_RUNNERS = RUNNERS | word_set("rails knex sequelize")
_SENDS = compiled_later(r"^(?:-X|--request)=?(POST|PUT|PATCH|DELETE)?$")
_SQL = ("psql", "mysql", "mariadb")
_DATABASE = ("-d", "-D", "--dbname", "--database")
_DATABASE_NAME = compiled_later(r"[A-Za-z][\w.@-]{0,39}")
_SQL_VALUED = word_set(
    "-c -d -D -e -f -h -H -o -p -P -u -U -v -F -R --command --dbname --database --execute --file --host --port --user "
    "--username --set --variable --output"
)
"""Options of database clients that take a value."""
_SQL_GIVEN = compiled_later(r"-\w*[ce]|--command|--execute")
_AWS_ACTING = word_set(
    "create delete put update deploy start stop terminate run invoke publish send tag untag attach detach register "
    "deregister modify reboot restore enable disable add remove copy upload import execute associate disassociate"
)
"""First words of actions that change something in a cloud service."""
_S3_ACTING = ("rm", "mb", "rb")
_S3_COPYING = ("cp", "sync", "mv")
_CLOUD_HERE = word_set("config auth account configure components extension cloud feedback interactive find")
"""Command groups of cloud clients that configure the client itself."""
_CLOUD_LOOKS = compiled_later(r"(?:describe|list|show|get|check)(?:-|$)|(?:read|tail|wait|export|ssh|exists)$")
_MOST_GROUPS = 5
_HERE = compiled_later(r"//(?:localhost|127\.|0\.0\.0\.0|\[::1\])")
_REMOTE = compiled_later(r"^(?:[\w.-]+@)?[\w.-]{2,}:(?!\\)|^rsync://")
_FIRST_WORDS = 4
_COPIES = word_set("cp copy copyto mv move moveto sync rsync put upload")
_REMOVES = word_set("rm del delete deletefile purge rmdir mb rb move mv moveto")
"""Words that remove something stored elsewhere, or create a place for it."""
_STORED = compiled_later(r"(?!https?:|file:)[a-z][a-z\d+]{1,11}://[\w.@%-]\S*")
"""An address in remote storage: `gs://bucket/a`."""
_PLACED_AT = compiled_later(r"[A-Za-z][\w-]+:(?!//|[\\:])[^:/]*/[^:]*")
"""The same with a program's own name for the place: `remote:folder/a`. Without a folder it may mean something else."""
_PLACE = compiled_later(r"[A-Za-z][\w-]+:(?!\d+$|//|[\\:])[^:]*")
_BY_NAME = "rclone"
"""The program whose names of places may come without a folder."""
_KEEPS_OLD = word_set("-n --no-clobber --ignore-existing")
"""Options with which nothing may have been copied."""
_NO_NAME = word_set("put mv move")
"""Verbs after which such a name may be a key, or a name in code."""
_SSH_VALUED = compiled_later(r"-[BbcDEeFIiJLlmOopQRSWw]")
_WRITES = compiled_later(r"(?<![0-9&-])>{1,2}(?!&|\s*/dev/null)")
_REMOTE_LOOKS = word_set(
    "ls cat head tail less grep egrep rg find ps df du free uptime whoami hostname uname date which stat "
    "journalctl id pwd env printenv echo test wc top netstat ss ifconfig ping dig true exit cd file sort uniq awk "
    "readlink lsof dmesg nproc md5sum sha1sum sha256sum cut tr diff cmp zcat zgrep strings lsblk lscpu who w "
    "last for done fi"
)
"""Programs with which one only looks around on another host."""
_REMOTE_LOOKING = compiled_later(
    r"(?:status|logs?|ps|show|list|ls|get|inspect|info|images|describe|is-active|diff|version|--version|top|stats|states?-[\w-]+)$"
)
_LOOPS = word_set("do then else if while until ! time")
"""Shell keywords that may precede a command."""
_SED_WRITES = compiled_later(r"^-[nErsuz]*i|^--in-place|(?:^[\d,$]*|/[gpI\d]*)w /?\S*[^/\s]$")
"""Options with which `sed` changes files, and commands with which it writes to one."""
_TEXT_WIDTH = 180
_TITLE_WIDTH = 80


_ON_OBJECTS = word_set("kubectl oc helm systemctl")
"""Programs for which the words after the verb name the object."""
ELSEWHERE = frozenset(_ACTS) | PUBLISHERS | word_set("git gh aws gcloud az rsync scp psql mysql mariadb")
"""Programs that act elsewhere, each with its own words."""
_KNOWN = ELSEWHERE | _RUNNERS | word_set("curl ssh")
"""Programs that `remote_step` handles beyond the general words for acting."""


def acts_with(program: str, words: Sequence[str]) -> bool:
    """Return whether a program acts elsewhere with these arguments, where the verb is specific to it."""
    return program != "docker" and _verb(words) in _ACTS.get(program, ())


def awaits(words: Sequence[str]) -> bool:
    """Return whether a command waits for what an earlier one started, and reports whether it happened."""
    return "".join(words[:1]) in ("kubectl", "oc") and operands(words[1:], _WITH_VALUE)[:2] == ["rollout", "status"]


def asked_of(words: Sequence[str]) -> Sequence[str]:
    """Return the words of a command without the program's options that precede the verb."""
    return [words[0], *operands(words[1:], _WITH_VALUE)] if words[0] in _ACTS else words


def remote_step(words: Sequence[str], step: Step) -> str:
    """Return a short description of what a command does elsewhere; "" if it does nothing there."""
    program, rest = _program(words)
    if changes_machine(program) and (done := machine_step(program, _program(without_values(words))[1])):
        return done
    if program not in _KNOWN and not (_asks_to_act(rest) or _in_store(rest, named=program == _BY_NAME)):
        return ""  # most commands end here, before the cost of removing secret values
    program, rest = _program(without_values(words))
    if program in PUBLISHERS and (done := published(program, rest)):
        return publication(program, rest) if done == "publish" else _said(program, rest, _TITLE_WIDTH)
    if program in _RUNNERS:
        return _target(program, rest)
    if program in _ACTS and (program not in _HOSTING or _verb(rest) in _ACTS[program]):
        verb = _verb(rest)
        if verb in _GROUPS and not set(_GROUPS[verb]).intersection(operands(rest, _WITH_VALUE)[1:2]):
            return ""
        looks = verb not in _ACTS[program] or not (awaits(words) or _LOOKS.isdisjoint(rest))
        return "" if looks else _said(program, rest, _TEXT_WIDTH)
    if program == "curl":
        return _curl(words)
    if program in ("rsync", "scp"):
        return _copy(program, rest)
    if program == "ssh":
        return _ssh(rest, step.document)
    if program == "aws":
        return _aws(rest)
    if program in ("gcloud", "az"):
        return _said(program, rest, _TEXT_WIDTH) if _in_store(rest) else _cloud(program, rest)
    return "" if program in _OF_FILES or _SCRIPT.search(program) else _by_its_words(program, rest)


def _by_its_words(program: str, rest: Sequence[str]) -> str:
    """Return what any other program does elsewhere, judging by the general words for acting."""
    if _in_store(rest, named=program == _BY_NAME):
        return _said(program, rest, _TEXT_WIDTH)
    acting = _asks_to_act(rest)
    if program in _HOSTING:  # the first word may only start a project locally
        acting = not (_PARTS_OF | _ACTING | _ENDING).isdisjoint(_part(rest))
    return _said(program, _telling(rest, _TITLE_WIDTH - len(program) - 1), _TITLE_WIDTH) if acting else ""


def _asks_to_act(rest: Sequence[str]) -> bool:
    """Return whether the first words after any program ask it to act elsewhere."""
    return not _ACTING.isdisjoint(rest[:2]) or not _PARTS_OF.isdisjoint(_part(rest))


def _part(rest: Sequence[str]) -> Sequence[str]:
    """Return the verb after the name of a part."""
    return rest[1:2] if rest and not rest[0].startswith("-") else ()


def names_places(program: str) -> bool:
    """Return whether options of a program may select a part or a place of what it acts on elsewhere."""
    return program in _ACTS or is_play(program)


def remote_key(words: Sequence[str]) -> str:
    """Return a key from a command's shortened words that a later command doing the same also has. Return "" for
    programs that are identified by everything before their options."""
    program = words[0] if words else ""
    if program in _ACTS:
        asked = operands(words[1:], _WITH_VALUE)
        if program == "docker" and asked[:1] and asked[0] in _ACTS[program]:
            # the registry in the name is what a second attempt corrects
            return " ".join([program, asked[0], *(basename(image) for image in asked[1:])])
        grouped = asked[:1] and asked[0] in _GROUPS
        return " ".join([program, *asked[: 3 if program in _ON_OBJECTS or grouped else 1]])
    if program == "ssh" or (program in PUBLISHERS and words[1:2] == ["publish"]):
        return " ".join(words[: 2 if program == "ssh" else None])
    return ""


def _program(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the program without its folder, and its arguments. A known script run by Python or PHP counts as the
    program."""
    program = basename(words[0])
    script = basename(words[1]) if len(words) > 1 and _SCRIPT.search(program) else ""
    return (script, words[2:]) if script in ("manage.py", "artisan") else (program, words[1:])


def _said(program: str, rest: Sequence[str], width: int) -> str:
    return one_line(" ".join([program, *rest]), width)


def _telling(rest: Sequence[str], room: int) -> Sequence[str]:
    """Return the words of a command that names what it changes, with as many complete options as fit."""
    options = next((at for at, word in enumerate(rest) if word.startswith("-")), len(rest))
    if _CHANGES.isdisjoint(rest[:2]) or options < 2:
        return rest
    told = " ".join(rest[:options])
    starts = [at for at in range(options, len(rest)) if rest[at].startswith("-")]
    given = [rest[at:end] for at, end in pairwise([*starts, len(rest)]) if rest[at] not in _OF_OUTPUT]
    left = False
    for option in map(" ".join, given):
        fits = len(told) + len(option) + len("  …") <= room
        told, left = (f"{told} {option}", left) if fits else (told, True)
    return [told, *(["…"] if left else [])]


def _verb(rest: Sequence[str]) -> str:
    return next(iter(operands(rest, _WITH_VALUE)), "")


def _target(program: str, rest: Sequence[str]) -> str:
    """Return the project's target that deploys."""
    plain = [word for word in rest if not word.startswith("-") and "=" not in word]
    run = plain[:1] in (["run"], ["run-script"])
    asked = plain[1:2] if run else plain if program in _BUILDERS else plain[:1]
    target = next(filter(_TARGET.match, asked), "")
    return " ".join(filter(None, [program, "run" if run else "", target])) if target else ""


def _copy(program: str, rest: Sequence[str]) -> str:
    """Return the description of a copy of files to another host."""
    plain = [word for word in rest if not word.startswith("-")]
    tries = program == "rsync" and any(word[:1] == "-" and word[:2] != "--" and "n" in word for word in rest)
    return "" if tries or len(plain) < 2 or not _REMOTE.search(plain[-1]) else _said(program, plain[-2:], _TEXT_WIDTH)


def _in_store(rest: Sequence[str], *, named: bool = False) -> bool:
    """Return whether a command of any program puts something into remote storage, or removes something from it. Its
    verb comes first, followed by an address of such storage. `named`: also accept a place by its name alone."""
    at = next((at for at, word in enumerate(rest[:_FIRST_WORDS]) if word in _COPIES | _REMOVES), -1)
    if at < 0 or not all(word.startswith("-") for word in rest[: max(0, at - 1)]):
        return False
    if not _KEEPS_OLD.isdisjoint(rest):
        return False
    behind = dropwhile(_is_option, rest[at + 1 :])
    given = list(takewhile(lambda word: not _is_option(word), behind))
    if rest[at] in _REMOVES and any(map(_STORED.fullmatch, given[:1])):
        return True
    by_name = rest[at] not in _NO_NAME and any(map((_PLACE if named else _PLACED_AT).fullmatch, given[-1:]))
    return rest[at] in _COPIES and len(given) > 1 and (by_name or any(map(_STORED.fullmatch, given[-1:])))


def _is_option(word: str) -> bool:
    return word.startswith("-")


def _ssh(rest: Sequence[str], document: str) -> str:
    """Return what is done on another host, unless it only looks."""
    at = 0
    while at < len(rest) and rest[at].startswith("-"):
        at += 2 if _SSH_VALUED.fullmatch(rest[at]) else 1
    command = command_without_values(" ".join(rest[at + 1 :]) or document)
    writes = _WRITES.search(command)
    done = next((step for step in steps(command) if not _looks_there(step)), None)
    if not done and not writes:
        return ""
    said = " ".join(done.words) if document and done else command
    return _said("ssh", [*rest[at : at + 1], said], _TEXT_WIDTH)


def _looks_there(step: Step) -> bool:
    words = list(dropwhile(_LOOPS.__contains__, step.words))
    words = without_prefixes(words)
    if words[:1] == ["sed"]:
        return not any(map(_SED_WRITES.search, words[1:]))
    if words[1:2] == ["state"]:
        return words[2:3] in ([], ["list"], ["show"], ["pull"])
    return not words or words[0] in _REMOTE_LOOKS or any(map(_REMOTE_LOOKING.match, words[1:3]))


def database_script(words: Sequence[str], document: str) -> tuple[str, str]:
    """Return what a database client is called with: its name with that of the database, and the statements. The
    statements are "" for other programs."""
    program = words[0].rsplit("/", 1)[-1] if words else ""
    if program not in _SQL:
        return program, ""
    rest = words[1:]
    given = [value for before, value in pairwise(rest) if _SQL_GIVEN.fullmatch(before)]
    given += [word.partition("=")[2] for word in rest if word.startswith(("--command=", "--execute="))]
    named = [value for before, value in pairwise(rest) if before in _DATABASE]
    named += [word.partition("=")[2] for word in rest if word.startswith(("--dbname=", "--database="))]
    # a URL may contain a password
    databases = (word.rpartition("/")[2].partition("?")[0] for word in [*named, *operands(rest, _SQL_VALUED)])
    database = next(filter(_DATABASE_NAME.fullmatch, databases), "")
    return " ".join(filter(None, [program, database])), ";\n".join([*given, document])


def _aws(rest: Sequence[str]) -> str:
    plain = operands(rest, _WITH_VALUE)
    service, verb = "".join(plain[:1]), "".join(plain[1:2])
    if service != "s3":
        return _said("aws", rest, _TEXT_WIDTH) if verb.split("-", 1)[0] in _AWS_ACTING else ""
    uploads = any(word.startswith("s3://") for word in plain[3:4])
    return _said("aws", plain[:4], _TEXT_WIDTH) if verb in _S3_ACTING or (verb in _S3_COPYING and uploads) else ""


def _cloud(program: str, rest: Sequence[str]) -> str:
    """Return what a program whose verb follows its command groups changes in a cloud."""
    groups = list(takewhile(lambda word: not word.startswith("-"), rest))[:_MOST_GROUPS]
    groups = list(takewhile(lambda word: not _CLOUD_LOOKS.match(word), groups))  # what follows is a name
    verb = next((at for at, word in enumerate(groups) if at and word.split("-", 1)[0] in _AWS_ACTING), 0)
    return _said(program, rest, _TEXT_WIDTH) if verb and groups[0] not in _CLOUD_HERE else ""


def _curl(words: Sequence[str]) -> str:
    method = ""
    for at, word in enumerate(words):
        match = _SENDS.match(word)
        if match:
            method = match.group(1) or (words[at + 1] if at + 1 < len(words) else "")
        elif word in ("-d", "--data", "--data-raw", "--data-binary", "--json", "-F", "--form") and not method:
            method = "POST"
    address = next((word for word in words if word.startswith("http")), "")
    if method not in ("POST", "PUT", "PATCH", "DELETE") or not address or _HERE.search(address):
        return ""
    # the query may differ each time; the address without it identifies the target
    return one_line(f"curl {method} {address.partition('?')[0]}", 140)
