"""Steps of shell commands that act on GitHub with `gh`: their labels, and which of them do the same."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.features.work.git_steps import title_line
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import operands, word_set

_CHANGING_VERBS = {
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
_VALUE_OPTIONS = word_set(
    "-X --method -f -F --field --raw-field --input -H --header -q --jq -t --template --hostname -p --preview --cache"
)
"""Options of `gh api` that take a value."""
_FIELD_OPTION = compiled_later(r"(?:-[fF]|--field|--raw-field|--input)(?:=|$)|-[fF]\w+=")
_MUTATION = compiled_later(r"query=\s*mutation\b[^{]*\{\s*(?:\w+\s*:\s*)?(\w+)")
_OBJECT_PATH = compiled_later(r"(?:^|/)(?:pulls?|issues)/(\d+)(?:/(.+))?$")
_COLLECTION_PATH = compiled_later(r"(?:^|/)(pulls|issues|releases)$")
_PART_VERBS = {"merge": "merge", "comments": "comment", "reviews": "review", "labels": "edit", "assignees": "edit"}
"""What a request to a part of an issue or a pull request does to it."""
_OBJECT_NUMBER = compiled_later(r"^(?:#?|https://\S+/(?:pull|issues)/)(\d+)$")


def github_step(words: Sequence[str]) -> str:
    """Return a short description of what a `gh` command does; "" if it only looks."""
    topic, verb, rest = words[1], words[2], words[3:]
    if topic == "api":
        return _api_step(words)
    if verb not in _CHANGING_VERBS.get(topic, ()):
        return ""
    name = rest[0] if rest and not rest[0].startswith("-") else ""
    if topic in ("pr", "issue"):
        name = name or next(filter(_OBJECT_NUMBER.search, rest), "")
    title = option_value(rest, "--title", "-t") if topic in ("pr", "issue", "release") else ""
    first = title_line(title)
    # what was created is reported with its address
    repository = option_value(rest, "-R", "--repo") if verb != "create" else ""
    shown = name, f'"{first}"' if first else "", f"-R {repository}" if repository else ""
    return " ".join(filter(None, ["gh", topic, verb, *shown]))


def is_api_look_up(words: Sequence[str]) -> bool:
    """Return whether a command calls GitHub's API without changing anything."""
    return list(words[:2]) == ["gh", "api"] and not _api_step(words)


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
    number = _OBJECT_NUMBER.search(name)
    return f"gh {verb} {number.group(1)}" if number else f"gh {verb}"


def option_value(words: Sequence[str], *names: str) -> str:
    """Return the value of an option; "" if it is not given."""
    for index, word in enumerate(words):
        if word in names and index + 1 < len(words):
            return words[index + 1]
        name, has_value, value = word.partition("=")
        if has_value and name in names:
            return value
    return ""


def _api_step(words: Sequence[str]) -> str:
    method_option = option_value(words, "-X", "--method") or next(
        (word[2:] for word in words if word.startswith("-X")), ""
    )
    method = method_option.upper() or ("POST" if any(map(_FIELD_OPTION.match, words[2:])) else "GET")
    path = next(iter(operands(words[2:], _VALUE_OPTIONS)), "")
    if path == "graphql":
        mutation = next(filter(None, map(_MUTATION.search, words[2:])), None)
        return f"gh api graphql {mutation.group(1)}" if mutation else ""
    return "" if method == "GET" or not path else one_line(f"gh api {method} {path.partition('?')[0]}", 120)


def _api_key(method: str, path: str) -> str:
    collection, object_match = _COLLECTION_PATH.search(path), _OBJECT_PATH.search(path)
    if collection and method == "POST":
        return f"gh {collection.group(1).removeprefix('pulls').removesuffix('s') or 'pr'} create"
    if not object_match:
        return f"gh api {method} {path}"
    part = (object_match.group(2) or "").split("/", 1)[0]
    verb = _PART_VERBS.get(part, part) if part else {"PATCH": "edit", "DELETE": "delete"}.get(method, method.lower())
    return f"gh {verb} {object_match.group(1)}"
