"""Steps of shell commands that change a machine, or what runs on several: packages, containers, playbooks, timers."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import operands, word_set

_INSTALL_VERBS = {
    **dict.fromkeys(("pip", "pip3", "pipx"), word_set("install uninstall inject")),
    **dict.fromkeys(("npm", "pnpm"), word_set("install i add uninstall remove rm")),
    **dict.fromkeys(("yarn", "bun", "poetry", "uv", "composer", "pdm"), word_set("add remove require")),
    "cargo": word_set("add install remove uninstall"),
    "gem": word_set("install uninstall"),
    **dict.fromkeys(("conda", "mamba"), word_set("install remove uninstall")),
    **dict.fromkeys(("apt", "apt-get", "dnf", "yum", "zypper"), word_set("install remove purge")),
    **dict.fromkeys(("brew", "snap", "choco", "scoop", "winget", "flatpak"), word_set("install uninstall remove")),
    "apk": word_set("add del"),
}
"""Package managers, with the subcommands that take names of packages."""
_LEADING_WORDS = {"uv": "pip", "yarn": "global"}
"""Words that may precede those subcommands."""
_INSTALL_VALUE_OPTIONS = word_set(
    "-r --requirement -c --constraint -e --editable -t --target -i --index-url --extra-index-url -f --find-links "
    "--python -w --workspace --prefix -C --cwd --dir --filter -F --features --version --vers --git --branch --tag "
    "--path -n --name --group -G --registry --root --from --package -p"
)
_PACKAGE = compiled_later(r"(?![./~])@?[A-Za-z][\w.@/+:~^<>=!,\[\]-]*(?<!\.whl)(?<!\.tgz)(?<!\.gz)")
_CONTAINER_VERBS = word_set("up down restart stop start rm kill")
_COMPOSE_VALUE_OPTIONS = word_set("-f --file -p --project-name --env-file --profile --project-directory")
_TAGS = ("-t", "--tag")
_PLAYBOOK_PROGRAMS = ("ansible-playbook", "ansible-pull")
_PLAYBOOK_CHECK_OPTIONS = (
    "--check",
    "-C",
    "--syntax-check",
    "--list-hosts",
    "--list-tasks",
    "--list-tags",
    "--version",
)
_CRON_PROGRAM = "crontab"
_CRON_LOOKING_OPTIONS = ("-l", "-e")
_STORES = ("redis-cli", "valkey-cli")
_STORE_VERBS = word_set(
    "set setex setnx mset getset append del unlink expire expireat persist rename incr incrby decr decrby hset hmset "
    "hdel hincrby lpush rpush lpop rpop lset lrem ltrim sadd srem spop zadd zrem zincrby xadd xdel publish flushdb "
    "flushall copy move restore"
)
_STORE_VALUE_OPTIONS = word_set("-h -p -n -a -u --user --pass -s -i -r")
_MAX_STEP_CHARS = 120
_KNOWN_PROGRAMS = _INSTALL_VERBS.keys() | {
    "docker",
    "docker-compose",
    "podman",
    *_PLAYBOOK_PROGRAMS,
    _CRON_PROGRAM,
    *_STORES,
}


def changes_machine(program: str) -> bool:
    """Return whether `machine_step` knows a program."""
    return program in _KNOWN_PROGRAMS


def is_playbook_program(program: str) -> bool:
    """Return whether a program acts on several machines that its options select."""
    return program in _PLAYBOOK_PROGRAMS


def machine_step(program: str, rest: Sequence[str]) -> str:
    """Return a short description of what a command changes on the machine; "" if it changes nothing worth reporting."""
    description = one_line(" ".join([program, *rest]), _MAX_STEP_CHARS)
    if program in _PLAYBOOK_PROGRAMS:
        return description if set(_PLAYBOOK_CHECK_OPTIONS).isdisjoint(rest) and rest else ""
    if program == _CRON_PROGRAM:
        return description if rest and set(_CRON_LOOKING_OPTIONS).isdisjoint(rest) else ""
    if program in _STORES:
        words = operands(rest, _STORE_VALUE_OPTIONS)
        return description if words and words[0].lower() in _STORE_VERBS else ""
    if program in ("docker", "podman", "docker-compose"):
        return description if _changes_containers(program, rest) else ""
    return description if _names_package(program, rest) else ""


def _changes_containers(program: str, rest: Sequence[str]) -> bool:
    words = operands(rest, _COMPOSE_VALUE_OPTIONS)
    if program == "docker-compose" or words[:1] == ["compose"]:
        return not _CONTAINER_VERBS.isdisjoint(words[program != "docker-compose" :][:1])
    tagged = any(word in _TAGS or word.startswith("--tag=") for word in rest)
    return (words[:1] == ["build"] or words[:2] == ["buildx", "build"]) and tagged


def _names_package(program: str, rest: Sequence[str]) -> bool:
    """Return whether a package manager is given the name of a package; without one it installs what the project
    requires."""
    words = operands(rest, _INSTALL_VALUE_OPTIONS)
    words = words[1:] if words[:1] == [_LEADING_WORDS.get(program)] else words
    verbs = _INSTALL_VERBS.get(program, frozenset()) | (_INSTALL_VERBS["pip"] if rest[:1] == ["pip"] else frozenset())
    return words[:1] != [] and words[0] in verbs and any(map(_PACKAGE.fullmatch, words[1:]))
