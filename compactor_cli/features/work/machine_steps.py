"""Steps of shell commands that change a machine, or what runs on several: packages, containers, playbooks, timers."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import operands, word_set

_INSTALLS = {
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
_BEHIND = {"uv": "pip", "yarn": "global"}
"""Words that may precede those subcommands."""
_INSTALL_VALUED = word_set(
    "-r --requirement -c --constraint -e --editable -t --target -i --index-url --extra-index-url -f --find-links "
    "--python -w --workspace --prefix -C --cwd --dir --filter -F --features --version --vers --git --branch --tag "
    "--path -n --name --group -G --registry --root --from --package -p"
)
_PACKAGE = compiled_later(r"(?![./~])@?[A-Za-z][\w.@/+:~^<>=!,\[\]-]*(?<!\.whl)(?<!\.tgz)(?<!\.gz)")
_CONTAINERS = word_set("up down restart stop start rm kill")
_COMPOSE_VALUED = word_set("-f --file -p --project-name --env-file --profile --project-directory")
_TAGS = ("-t", "--tag")
_PLAYS = ("ansible-playbook", "ansible-pull")
_ONLY_CHECKS = ("--check", "-C", "--syntax-check", "--list-hosts", "--list-tasks", "--list-tags", "--version")
_TIMERS = "crontab"
_TIMER_LOOKS = ("-l", "-e")
_STORES = ("redis-cli", "valkey-cli")
_STORING = word_set(
    "set setex setnx mset getset append del unlink expire expireat persist rename incr incrby decr decrby hset hmset "
    "hdel hincrby lpush rpush lpop rpop lset lrem ltrim sadd srem spop zadd zrem zincrby xadd xdel publish flushdb "
    "flushall copy move restore"
)
_STORE_VALUED = word_set("-h -p -n -a -u --user --pass -s -i -r")
_WIDTH = 120
_RUNS = _INSTALLS.keys() | {"docker", "docker-compose", "podman", *_PLAYS, _TIMERS, *_STORES}


def changes_machine(program: str) -> bool:
    """Return whether `machine_step` knows a program."""
    return program in _RUNS


def is_play(program: str) -> bool:
    """Return whether a program acts on several machines that its options select."""
    return program in _PLAYS


def machine_step(program: str, rest: Sequence[str]) -> str:
    """Return a short description of what a command changes on the machine; "" if it changes nothing worth reporting."""
    said = one_line(" ".join([program, *rest]), _WIDTH)
    if program in _PLAYS:
        return said if set(_ONLY_CHECKS).isdisjoint(rest) and rest else ""
    if program == _TIMERS:
        return said if rest and set(_TIMER_LOOKS).isdisjoint(rest) else ""
    if program in _STORES:
        asked = operands(rest, _STORE_VALUED)
        return said if asked and asked[0].lower() in _STORING else ""
    if program in ("docker", "podman", "docker-compose"):
        return said if _changes_containers(program, rest) else ""
    return said if _names_package(program, rest) else ""


def _changes_containers(program: str, rest: Sequence[str]) -> bool:
    asked = operands(rest, _COMPOSE_VALUED)
    if program == "docker-compose" or asked[:1] == ["compose"]:
        return not _CONTAINERS.isdisjoint(asked[program != "docker-compose" :][:1])
    tagged = any(word in _TAGS or word.startswith("--tag=") for word in rest)
    return (asked[:1] == ["build"] or asked[:2] == ["buildx", "build"]) and tagged


def _names_package(program: str, rest: Sequence[str]) -> bool:
    """Return whether a package manager is given the name of a package; without one it installs what the project
    requires."""
    asked = operands(rest, _INSTALL_VALUED)
    asked = asked[1:] if asked[:1] == [_BEHIND.get(program)] else asked
    verbs = _INSTALLS.get(program, frozenset()) | (_INSTALLS["pip"] if rest[:1] == ["pip"] else frozenset())
    return asked[:1] != [] and asked[0] in verbs and any(map(_PACKAGE.fullmatch, asked[1:]))
