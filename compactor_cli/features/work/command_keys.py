"""Keys that two commands share if they do the same to the same thing, whichever of them succeeds. A key contains
what the program is asked to do, what it acts on, and the options that select a part or a place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from compactor_cli.features.work.github_steps import github_key
from compactor_cli.features.work.publish_steps import PUBLISHERS
from compactor_cli.features.work.remote_steps import names_places, remote_key
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import operands, word_set

_PUSH = "git push"
_PUSH_VALUED = word_set("-o --push-option --receive-pack --exec")
_PUSHED = compiled_later(r"^ [ +*].*? -> (\S+)$", re.MULTILINE)
_OPTION = " --"
"""Precedes each option in a key; the option's value follows after `=`."""
_AMOUNT = compiled_later(r"[\d.,:]+[a-zA-Z%]{0,3}|true|false|yes|no|none|always|never|auto")
"""A value that states an amount, a duration or a switch; it may differ in the next attempt."""
_TEXTS = word_set("message m description title body notes comment reason set set-string var e extra-vars from-literal")
"""Options, without dashes, whose values are prose or are assigned to names."""
_MAY_NAME_NOTHING = (
    *(_PUSH, "gh pr create", "gh issue create", "gh release create"),
    *(f"{program} publish" for program in sorted(PUBLISHERS)),
)
"""Beginnings of keys of commands that may not name what they act on."""


def command_key(words: Sequence[str], otherwise: str) -> str:
    """Return the key of a command from its shortened words. `otherwise`: the key for an unknown program."""
    if words[:1] == ["gh"]:
        return github_key(words)
    if words[:2] == _PUSH.split():
        return f"{_PUSH} {_branches(words[2:])}".strip()
    if words[:1] == ["git"]:
        return " ".join(words[:2])
    key = remote_key(words) or otherwise
    told = sorted(set(_options(words[1:]))) if words and names_places(words[0]) else []
    return key + "".join(f"{_OPTION}{name}={value}" for name, value in told if value not in key.split())


def key_behind(key: str, said: str) -> str:
    """Return the key of a command that took place. If only its output names what it acted on, that is added."""
    named = dict.fromkeys(found[1] for found in _PUSHED.finditer(said)) if key == _PUSH else ()
    return " ".join([key, *named])


def does_same(done: str, failed: str) -> bool:
    """Return whether one command did what another failed to do, judged by their keys. The keys must agree except for
    options that only the failed command has, or one of the commands must not name its object."""
    if done == failed:
        return True
    base = next((base for base in _MAY_NAME_NOTHING if f"{done} ".startswith(f"{base} ")), "")
    if base and f"{failed} ".startswith(f"{base} "):
        return base in (done, failed) or (base == _PUSH and set(failed.split()) <= set(done.split()))
    (asked, *options), (wanted, *others) = done.split(_OPTION), failed.split(_OPTION)
    before = dict(option.partition("=")[::2] for option in others)
    now = (option.partition("=")[::2] for option in options)
    return asked == wanted and all(before.get(name, value) == value for name, value in now)


def _branches(words: Sequence[str]) -> str:
    """Return the remote names of what `git push` sends; "" for the branch that is checked out."""
    named = [word.lstrip("+").rpartition(":")[2] for word in operands(words, _PUSH_VALUED)[1:]]
    return " ".join(name.removeprefix("refs/heads/") for name in named if name not in ("HEAD", "@"))


def _options(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the options whose values select a part or a place."""
    for word, behind in pairwise([*words, "-"]):
        option, is_, value = word.partition("=")
        name, value = option.lstrip("-"), value if is_ else behind
        if not word.startswith("-") or value.startswith("-") or name in _TEXTS or "=" in value:
            continue
        if not _AMOUNT.fullmatch(value):
            yield name, value
