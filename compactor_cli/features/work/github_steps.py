"""Steps of shell commands that act on GitHub with `gh`: their labels, and which of them do the same."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.features.work.git_steps import first_line
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import operands, word_set

_VERBS = {
    **dict.fromkeys(
        word_set("pr issue release repo workflow label gist run project codespace"),
        word_set(
            "create merge close comment edit review reopen delete ready upload rerun run cancel enable disable archive "
            "rename fork sync transfer lock unlock item-add item-edit"
        ),
    ),
    **dict.fromkeys(word_set("secret variable ssh-key gpg-key deploy-key"), word_set("set delete remove add")),
}
"""Topic -> verbs that change something."""
_VALUED = word_set(
    "-X --method -f -F --field --raw-field --input -H --header -q --jq -t --template --hostname -p --preview --cache"
)
"""Options of `gh api` that take a value."""
_FIELDS = compiled_later(r"(?:-[fF]|--field|--raw-field|--input)(?:=|$)|-[fF]\w+=")
_MUTATION = compiled_later(r"query=\s*mutation\b[^{]*\{\s*(?:\w+\s*:\s*)?(\w+)")
_OBJECT = compiled_later(r"(?:^|/)(?:pulls?|issues)/(\d+)(?:/(.+))?$")
_MADE = compiled_later(r"(?:^|/)(pulls|issues|releases)$")
_PARTS = {"merge": "merge", "comments": "comment", "reviews": "review", "labels": "edit", "assignees": "edit"}
"""What a request to a part of an issue or a pull request does to it."""
_NUMBERED = compiled_later(r"^(?:#?|https://\S+/(?:pull|issues)/)(\d+)$")


def github_step(words: Sequence[str]) -> str:
    """Return a short description of what a `gh` command does; "" if it only looks."""
    topic, verb, rest = words[1], words[2], words[3:]
    if topic == "api":
        return _api(words)
    if verb not in _VERBS.get(topic, ()):
        return ""
    name = rest[0] if rest and not rest[0].startswith("-") else ""
    if topic in ("pr", "issue"):
        name = name or next(filter(_NUMBERED.search, rest), "")
    title = option(rest, "--title", "-t") if topic in ("pr", "issue", "release") else ""
    first = first_line(title)
    # what was created is reported with its address
    repository = option(rest, "-R", "--repo") if verb != "create" else ""
    told = name, f'"{first}"' if first else "", f"-R {repository}" if repository else ""
    return " ".join(filter(None, ["gh", topic, verb, *told]))


def looks_by_api(words: Sequence[str]) -> bool:
    """Return whether a command calls GitHub's API without changing anything."""
    return list(words[:2]) == ["gh", "api"] and not _api(words)


def github_key(words: Sequence[str]) -> str:
    """Return a key from a command's shortened words. A later `gh` command that does the same to the same thing in
    any way has the same key. Issues and pull requests share one sequence of numbers."""
    if len(words) > 3 and words[1] == "api":
        return _api_key(words[2], words[3])
    topic, verb, name = words[1:2], "".join(words[2:3]), "".join(words[3:4])
    if verb == "create":  # the title may have several words
        return " ".join(words)
    if topic not in (["pr"], ["issue"]):
        return " ".join(words[:4])
    number = _NUMBERED.search(name)
    return f"gh {verb} {number.group(1)}" if number else f"gh {verb}"


def option(words: Sequence[str], *names: str) -> str:
    """Return the value of an option; "" if it is not given."""
    for at, word in enumerate(words):
        if word in names and at + 1 < len(words):
            return words[at + 1]
        name, mark, value = word.partition("=")
        if mark and name in names:
            return value
    return ""


def _api(words: Sequence[str]) -> str:
    given = option(words, "-X", "--method") or next((word[2:] for word in words if word.startswith("-X")), "")
    method = given.upper() or ("POST" if any(map(_FIELDS.match, words[2:])) else "GET")
    path = next(iter(operands(words[2:], _VALUED)), "")
    if path == "graphql":
        changes = next(filter(None, map(_MUTATION.search, words[2:])), None)
        return f"gh api graphql {changes.group(1)}" if changes else ""
    return "" if method == "GET" or not path else one_line(f"gh api {method} {path.partition('?')[0]}", 120)


def _api_key(method: str, path: str) -> str:
    made, named = _MADE.search(path), _OBJECT.search(path)
    if made and method == "POST":
        return f"gh {made.group(1).removeprefix('pulls').removesuffix('s') or 'pr'} create"
    if not named:
        return f"gh api {method} {path}"
    part = (named.group(2) or "").split("/", 1)[0]
    verb = _PARTS.get(part, part) if part else {"PATCH": "edit", "DELETE": "delete"}.get(method, method.lower())
    return f"gh {verb} {named.group(1)}"
