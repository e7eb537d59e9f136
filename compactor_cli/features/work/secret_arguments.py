"""Hide secrets in the arguments of tools: keys, passwords, and values put into a store of secrets."""

from __future__ import annotations

from typing import Any

from compactor_cli.features.work.secret_words import command_without_values, without_values
from compactor_cli.text.json_values import is_scalar
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.secret_values import CUT, is_open, is_secret, without_secrets
from compactor_cli.text.shell import word_set

_LONGEST_ARGUMENT = 2_000
_MOST_NESTED = 4
_VALUES = word_set("value val data secret")
"""Arguments with the value of a setting that another argument names."""
_NAMES = word_set("name key variable var env id field setting option property param parameter")
_SETTINGS = word_set("secret secrets password credential credentials token")
"""Words in names of tools that set secrets."""
_ALONE = word_set("pin auth pass pw pwd")
"""Arguments that hold a secret if this is their whole name."""
_WORDS = compiled_later(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def is_secret_argument(name: object, arguments: dict[str, Any], tool: str = "") -> bool:
    """Return whether an argument of a tool holds a secret, judging by its name, or by the setting whose value it is."""
    name = str(name)
    low = name.lower()
    if is_secret(name) or low in _ALONE:
        return True
    if low not in _VALUES:
        return False
    named = (value for key, value in arguments.items() if str(key).lower() in _NAMES and isinstance(value, str))
    return not _SETTINGS.isdisjoint(map(str.lower, _WORDS.findall(tool))) or any(map(is_secret, named))


def argument_without_values(name: str, value: str, arguments: dict[str, Any], tool: str = "") -> str:
    """Return an argument's value for display, without secrets."""
    if is_secret_argument(name, arguments, tool) and not is_open(name, value):
        return CUT
    return without_secrets(value[:_LONGEST_ARGUMENT])


def list_without_values(name: str, values: list[Any], arguments: dict[str, Any], tool: str = "") -> list[Any]:
    """Return the elements of an argument for display. Strings are treated like words of a command, where one may
    name the secret that follows."""
    if is_secret_argument(name, arguments, tool):
        return [CUT if is_scalar(value) and not is_open(str(name), str(value)) else value for value in values]
    if len(values) < 2 or not all(isinstance(value, str) for value in values):
        return values
    return without_values([value[:_LONGEST_ARGUMENT] for value in ("", *values)])[1:]


def secrets_of(tool: str, arguments: Any, command: str) -> list[str]:
    """Return the secret values among the arguments of a call; its result may repeat them."""
    found: list[str] = []
    if command:
        command_without_values(command, found)
    elif isinstance(arguments, dict):
        _collect(tool, arguments, found, _MOST_NESTED)
    return found


def _collect(tool: str, arguments: dict[str, Any], found: list[str], depth: int) -> None:
    for name, value in arguments.items():
        if isinstance(value, dict):
            if depth:
                _collect(tool, value, found, depth - 1)
        elif isinstance(value, list):
            told = list_without_values(str(name), value, arguments, tool)
            found += (str(one) for one, cut in zip(value, told, strict=True) if cut == CUT and one != CUT)
            for one in value if depth else ():
                if isinstance(one, dict):
                    _collect(tool, one, found, depth - 1)
                elif isinstance(one, str):
                    without_secrets(one[:_LONGEST_ARGUMENT], found)
        elif is_scalar(value):
            text = str(value)
            if is_secret_argument(name, arguments, tool) and not is_open(str(name), text):
                found.append(text)
            without_secrets(text[:_LONGEST_ARGUMENT], found)
