"""Hide secrets in the arguments of tools: keys, passwords, and values put into a store of secrets."""

from __future__ import annotations

from typing import Any

from compactor_cli.features.work.secret_words import mask_command, mask_words
from compactor_cli.text.json_values import is_scalar
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.secret_values import CUT, is_safe, is_secret, mask_secrets
from compactor_cli.text.shell import word_set

_MAX_ARGUMENT_CHARS = 2_000
_MAX_DEPTH = 4
_VALUE_ARGUMENTS = word_set("value val data secret")
"""Arguments with the value of a setting that another argument names."""
_NAME_ARGUMENTS = word_set("name key variable var env id field setting option property param parameter")
_SECRET_TOOL_WORDS = word_set("secret secrets password credential credentials token")
"""Words in names of tools that set secrets."""
_SECRET_NAMES = word_set("pin auth pass pw pwd")
"""Arguments that hold a secret if this is their whole name."""
_NAME_WORDS = compiled_later(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def is_secret_argument(name: object, arguments: dict[str, Any], tool: str = "") -> bool:
    """Return whether an argument of a tool holds a secret, judging by its name, or by the setting whose value it is."""
    name = str(name)
    lowered = name.lower()
    if is_secret(name) or lowered in _SECRET_NAMES:
        return True
    if lowered not in _VALUE_ARGUMENTS:
        return False
    setting_names = (
        value for key, value in arguments.items() if str(key).lower() in _NAME_ARGUMENTS and isinstance(value, str)
    )
    return not _SECRET_TOOL_WORDS.isdisjoint(map(str.lower, _NAME_WORDS.findall(tool))) or any(
        map(is_secret, setting_names)
    )


def argument_without_values(name: str, value: str, arguments: dict[str, Any], tool: str = "") -> str:
    """Return an argument's value for display, without secrets."""
    if is_secret_argument(name, arguments, tool) and not is_safe(name, value):
        return CUT
    return mask_secrets(value[:_MAX_ARGUMENT_CHARS])


def list_without_values(name: str, values: list[Any], arguments: dict[str, Any], tool: str = "") -> list[Any]:
    """Return the elements of an argument for display. Strings are treated like words of a command, where one may
    name the secret that follows."""
    if is_secret_argument(name, arguments, tool):
        return [CUT if is_scalar(value) and not is_safe(str(name), str(value)) else value for value in values]
    if len(values) < 2 or not all(isinstance(value, str) for value in values):
        return values
    return mask_words([value[:_MAX_ARGUMENT_CHARS] for value in ("", *values)])[1:]


def secrets_in_arguments(tool: str, arguments: Any, command: str) -> list[str]:
    """Return the secret values among the arguments of a call; its result may repeat them."""
    found: list[str] = []
    if command:
        mask_command(command, found)
    elif isinstance(arguments, dict):
        _collect_secrets(tool, arguments, found, _MAX_DEPTH)
    return found


def _collect_secrets(tool: str, arguments: dict[str, Any], found: list[str], depth: int) -> None:
    for name, value in arguments.items():
        if isinstance(value, dict):
            if depth:
                _collect_secrets(tool, value, found, depth - 1)
        elif isinstance(value, list):
            shown = list_without_values(str(name), value, arguments, tool)
            found += (str(item) for item, cut in zip(value, shown, strict=True) if cut == CUT and item != CUT)
            for item in value if depth else ():
                if isinstance(item, dict):
                    _collect_secrets(tool, item, found, depth - 1)
                elif isinstance(item, str):
                    mask_secrets(item[:_MAX_ARGUMENT_CHARS], found)
        elif is_scalar(value):
            text = str(value)
            if is_secret_argument(name, arguments, tool) and not is_safe(str(name), text):
                found.append(text)
            mask_secrets(text[:_MAX_ARGUMENT_CHARS], found)
