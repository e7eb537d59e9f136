"""Steps of shell commands with which package managers change what is publicly available."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, pairwise

from compactor_cli.text.clean import one_line
from compactor_cli.text.shell import operands, word_set

PUBLISHERS = word_set("npm pnpm yarn cargo poetry bun gem uv")
_PUBLISHING_VERBS = word_set("publish unpublish yank deprecate")
_VALUE_OPTIONS = word_set("-C --prefix --cwd --dir --filter -F -w --workspace --registry --tag")
"""Their options that take a value."""
_PACKAGE_OPTIONS = word_set("--tag -p --package")
_PUBLISH_VALUE_OPTIONS = (
    _VALUE_OPTIONS
    | _PACKAGE_OPTIONS
    | word_set("--access --otp --registry --token --index --repository -r -u --username")
)
"""Options that name what is published; and all options that take a value."""
_MAX_STEP_CHARS = 80


def publishing_verb(program: str, rest: Sequence[str]) -> str:
    """Return the subcommand with which a package manager changes what is published; "" for other commands."""
    words = [word for word in operands(rest, _VALUE_OPTIONS) if not word.startswith("+")]
    words = words[1:] if program == "yarn" and words[:1] == ["npm"] else words
    verb, argument = "".join(words[:1]), "".join(words[1:2])
    is_publishing = (
        verb in _PUBLISHING_VERBS
        or (verb == "dist-tag" and argument in ("add", "rm"))
        or (program, verb) == ("gem", "push")
    )
    return verb if is_publishing else ""


def describe_publication(program: str, rest: Sequence[str]) -> str:
    """Return what a package manager publishes, as far as the command names it."""
    words = list(dropwhile("publish".__ne__, operands(rest, _PUBLISH_VALUE_OPTIONS)))
    named_packages = [value for option, value in pairwise(rest) if option in _PACKAGE_OPTIONS]
    return one_line(" ".join([program, "publish", *words[1:], *named_packages]), _MAX_STEP_CHARS)
