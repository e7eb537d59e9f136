"""Keys that two commands share if they do the same to the same thing, whichever of them succeeds. A key contains
what the program is asked to do, and what it acts on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from compactor_cli.features.work.github_steps import github_key
from compactor_cli.features.work.step_tables import PUBLISHERS
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import operands, word_set

_MAX_KEY_CHARS = 160
_PUSH = "git push"
_PUSH_VALUE_OPTIONS = word_set("-o --push-option --receive-pack --exec")
_PUSHED_BRANCH = compiled_later(r"^ [ +*].*? -> (\S+)$", re.MULTILINE)
_OPTIONAL_OBJECT = (
    *(_PUSH, "gh pr create", "gh issue create", "gh release create"),
    *(f"{program} publish" for program in sorted(PUBLISHERS)),
)
"""Beginnings of keys of commands that may not name what they act on."""


def command_key(words: Sequence[str]) -> str:
    """Return the key of a command from its shortened words."""
    if words[:1] == ["gh"]:
        return github_key(words)
    if words[:2] == _PUSH.split():
        return f"{_PUSH} {_branches(words[2:])}".strip()
    if words[:1] == ["git"]:
        return " ".join(words[:2])
    return one_line(" ".join(words), _MAX_KEY_CHARS)


def completed_key(key: str, output: str) -> str:
    """Return the key of a command that took place. If only its output names what it acted on, that is added."""
    branches = dict.fromkeys(found[1] for found in _PUSHED_BRANCH.finditer(output)) if key == _PUSH else ()
    return " ".join([key, *branches])


def is_same_command(done: str, failed: str) -> bool:
    """Return whether one command did what another failed to do, judged by their keys: it has all words of the other
    one, or it is one that may not name its object, and does not."""
    words, failed_words = done.split(), failed.split()
    has_all_words = words[:1] == failed_words[:1] and Counter(failed_words) <= Counter(words)
    return has_all_words or (done in _OPTIONAL_OBJECT and failed.startswith(f"{done} "))


def _branches(words: Sequence[str]) -> str:
    """Return the remote names of what `git push` sends; "" for the branch that is checked out."""
    targets = [word.lstrip("+").rpartition(":")[2] for word in operands(words, _PUSH_VALUE_OPTIONS)[1:]]
    return " ".join(name.removeprefix("refs/heads/") for name in targets if name not in ("HEAD", "@"))
