"""Convert a parsed settings file to the keys that it sets, reporting all its errors at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from compactor_cli.configuration.checked_values import check_value, notation_of
from compactor_cli.configuration.keys import keys, sections
from compactor_cli.configuration.layers import Layer, Origin, SettingValue
from compactor_cli.errors import SettingsError


def layer_of(document: Mapping[Any, Any], origin: Origin) -> Layer:
    """Return the keys that a document sets. Raises SettingsError with the file, the keys and what is allowed."""
    known_keys, layer, wrong = keys(), {}, []
    for name, value in _flatten(document):
        if name not in known_keys:
            wrong.append(f"{origin.place}: {unknown_key_error(name, value)}")
            continue
        try:
            layer[name] = SettingValue(check_value(known_keys[name], value), origin)
        except ValueError as error:
            wrong.append(f"{origin.place}: {name} = {notation_of(value)}: {error}")
    if wrong:
        raise SettingsError("\n".join(wrong))
    return layer


def unknown_key_error(name: str, value: Any = None) -> str:
    """Return an error message for an unknown key, with a suggestion of which key was meant."""
    from difflib import get_close_matches

    section, _, leaf = name.rpartition(".")
    if name in sections():
        return f"{name} = {notation_of(value)}: {name} is a section; its keys: {_list_keys(name)}"
    near = get_close_matches(name, [*keys(), *(() if section else sections())], n=1)
    near = [key for key in near if get_close_matches(leaf, [key.rpartition(".")[2]], n=1)]  # the section is no likeness
    near = near or [key.name for key in keys().values() if key.leaf in get_close_matches(leaf, [key.leaf], n=1)]
    suggestion = f" (did you mean {near[0]}?)" if near else ""
    if section in sections():
        return f"unknown key {name}{suggestion}; known in {section}: {_list_keys(section)}"
    return f"unknown key {name}{suggestion}; known: {_list_keys('')}; sections: {', '.join(sections())}"


def _flatten(document: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    """Yield dotted keys with their values. An empty section is allowed, also when YAML makes it null."""
    known_sections = sections()
    for name, value in document.items():
        if name not in known_sections:
            # a key containing a dot is not a section's key: otherwise it could be set twice
            yield f'"{name}"' if "." in str(name) else str(name), value
        elif isinstance(value, Mapping):
            yield from ((f"{name}.{leaf}", inner) for leaf, inner in value.items())
        elif value is not None:
            yield name, value


def _list_keys(section: str) -> str:
    return ", ".join(key.leaf for key in keys().values() if key.section == section)
