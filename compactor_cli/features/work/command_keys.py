"""Keys that two commands share if they do the same to the same thing, whichever of them succeeds. A key contains
what the program is asked to do, what it acts on, and the options that select a part or a place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from compactor_cli.features.work.github_steps import github_key
from compactor_cli.features.work.remote_steps import remote_key, selects_places
from compactor_cli.features.work.step_tables import PUBLISHERS
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import operands, word_set

_PUSH = "git push"
_PUSH_VALUE_OPTIONS = word_set("-o --push-option --receive-pack --exec")
_PUSHED_BRANCH = compiled_later(r"^ [ +*].*? -> (\S+)$", re.MULTILINE)
_OPTION_MARK = " --"
"""Precedes each option in a key; the option's value follows after `=`."""
_AMOUNT = compiled_later(r"[\d.,:]+[a-zA-Z%]{0,3}|true|false|yes|no|none|always|never|auto")
"""A value that states an amount, a duration or a switch; it may differ in the next attempt."""
_PROSE_OPTIONS = word_set(
    "message m description title body notes comment reason set set-string var e extra-vars from-literal"
)
"""Options, without dashes, whose values are prose or are assigned to names."""
_OPTIONAL_OBJECT = (
    *(_PUSH, "gh pr create", "gh issue create", "gh release create"),
    *(f"{program} publish" for program in sorted(PUBLISHERS)),
)
"""Beginnings of keys of commands that may not name what they act on."""


def command_key(words: Sequence[str], default_key: str) -> str:
    """Return the key of a command from its shortened words. `default_key`: the key for an unknown program."""
    if words[:1] == ["gh"]:
        return github_key(words)
    if words[:2] == _PUSH.split():
        return f"{_PUSH} {_branches(words[2:])}".strip()
    if words[:1] == ["git"]:
        return " ".join(words[:2])
    key = remote_key(words) or default_key
    selecting_options = sorted(set(_options(words[1:]))) if words and selects_places(words[0]) else []
    return key + "".join(
        f"{_OPTION_MARK}{name}={value}" for name, value in selecting_options if value not in key.split()
    )


def completed_key(key: str, output: str) -> str:
    """Return the key of a command that took place. If only its output names what it acted on, that is added."""
    branches = dict.fromkeys(found[1] for found in _PUSHED_BRANCH.finditer(output)) if key == _PUSH else ()
    return " ".join([key, *branches])


def is_same_command(done: str, failed: str) -> bool:
    """Return whether one command did what another failed to do, judged by their keys. The keys must agree except for
    options that only the failed command has, or one of the commands must not name its object."""
    if done == failed:
        return True
    base = next((base for base in _OPTIONAL_OBJECT if f"{done} ".startswith(f"{base} ")), "")
    if base and f"{failed} ".startswith(f"{base} "):
        return base in (done, failed) or (base == _PUSH and set(failed.split()) <= set(done.split()))
    (done_words, *options), (failed_words, *failed_options) = done.split(_OPTION_MARK), failed.split(_OPTION_MARK)
    failed_values = dict(option.partition("=")[::2] for option in failed_options)
    done_values = (option.partition("=")[::2] for option in options)
    return done_words == failed_words and all(failed_values.get(name, value) == value for name, value in done_values)


def _branches(words: Sequence[str]) -> str:
    """Return the remote names of what `git push` sends; "" for the branch that is checked out."""
    targets = [word.lstrip("+").rpartition(":")[2] for word in operands(words, _PUSH_VALUE_OPTIONS)[1:]]
    return " ".join(name.removeprefix("refs/heads/") for name in targets if name not in ("HEAD", "@"))


def _options(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the options whose values select a part or a place."""
    for word, next_word in pairwise([*words, "-"]):
        option, has_value, value = word.partition("=")
        name, value = option.lstrip("-"), value if has_value else next_word
        if not word.startswith("-") or value.startswith("-") or name in _PROSE_OPTIONS or "=" in value:
            continue
        if not _AMOUNT.fullmatch(value):
            yield name, value
