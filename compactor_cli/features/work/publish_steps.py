"""Steps of shell commands with which package managers change what is publicly available."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, pairwise

from compactor_cli.text.clean import one_line
from compactor_cli.text.shell import operands, word_set

PUBLISHERS = word_set("npm pnpm yarn cargo poetry bun gem uv")
_PUBLISHING = word_set("publish unpublish yank deprecate")
_PLACED = word_set("-C --prefix --cwd --dir --filter -F -w --workspace --registry --tag")
"""Their options that take a value."""
_PACKAGES = word_set("--tag -p --package")
_PUBLISH_VALUED = (
    _PLACED | _PACKAGES | word_set("--access --otp --registry --token --index --repository -r -u --username")
)
"""Options that name what is published; and all options that take a value."""
_WIDTH = 80


def published(program: str, rest: Sequence[str]) -> str:
    """Return the subcommand with which a package manager changes what is published; "" for other commands."""
    asked = [word for word in operands(rest, _PLACED) if not word.startswith("+")]
    asked = asked[1:] if program == "yarn" and asked[:1] == ["npm"] else asked
    verb, what = "".join(asked[:1]), "".join(asked[1:2])
    changes = (
        verb in _PUBLISHING or (verb == "dist-tag" and what in ("add", "rm")) or (program, verb) == ("gem", "push")
    )
    return verb if changes else ""


def publication(program: str, rest: Sequence[str]) -> str:
    """Return what a package manager publishes, as far as the command names it."""
    asked = list(dropwhile("publish".__ne__, operands(rest, _PUBLISH_VALUED)))
    named = [value for option, value in pairwise(rest) if option in _PACKAGES]
    return one_line(" ".join([program, "publish", *asked[1:], *named]), _WIDTH)
