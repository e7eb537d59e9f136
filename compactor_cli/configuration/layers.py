"""Layers of settings (a file, the environment, options), the stronger of which override the weaker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import partial
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, TypeVar

from msgspec import Struct

from compactor_cli.configuration.checked_values import check_value, notation_of, parse_value
from compactor_cli.configuration.keys import PRESETS, keys, sections
from compactor_cli.errors import SettingsError
from compactor_cli.settings import ReadingSettings, Settings

S = TypeVar("S")


class Origin(Struct, frozen=True):
    """The origin of a value: a kind of source, and its path or name."""

    kind: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.place}".rstrip()

    def names(self, key: str) -> str:
        """Return how an error message names the key: `--target-tokens`, or `compactor.toml: target_tokens`."""
        return self.place if self.kind in ("variable", "option") else f"{self.place}: {key}"


class SettingValue(Struct, frozen=True):
    """A value and its origin."""

    value: Any
    origin: Origin
    file: str = ""
    """The file that the value's text was read from; empty if none."""


Layer = Mapping[str, SettingValue]
"""The keys that one source sets: a file, the environment, or a command's options."""
DEFAULT = Origin("default")
_PYTHON = Origin("settings", "settings")
_EXCLUSIVE_KEYS = {"target_tokens": "target_ratio", "target_ratio": "target_tokens"}
"""Mutually exclusive keys; the stronger layer's takes effect."""


def merge(layers: Sequence[Layer]) -> dict[str, SettingValue]:
    """Return every key with its effective value. `layers`: from weakest to strongest; the strongest that names a preset
    has it expanded below its own keys. Raises SettingsError for mutually exclusive keys."""
    effective = {key.name: SettingValue(key.default, DEFAULT) for key in keys().values()}
    naming = max((index for index, layer in enumerate(layers) if "preset" in layer), default=None)
    for index, layer in enumerate(layers):
        _check_exclusive(layer)
        if index == naming:
            effective |= _expand_preset(layer["preset"])
        for name, entry in layer.items():
            effective[name] = entry
            if name in _EXCLUSIVE_KEYS and entry.value is not None:
                effective[_EXCLUSIVE_KEYS[name]] = SettingValue(None, entry.origin)
    return effective


def checked_settings(settings: Settings) -> Settings:
    """Return settings made in Python, converted as if read from a file. Raises SettingsError."""
    layer: dict[str, SettingValue] = {}
    wrong: list[str] = []
    for key in keys().values():
        try:
            value = attrgetter(key.name)(settings)
        except AttributeError:
            continue  # from another settings class
        try:
            layer[key.name] = SettingValue(check_value(key, _number(value)), _PYTHON)
        except ValueError as error:
            wrong.append(f"settings: {key.name} = {value!r}: {error}")
    if wrong:
        raise SettingsError("\n".join(wrong))
    _check_exclusive(layer)
    return make_settings(layer)


def _number(value: Any) -> Any:
    """Return a number from another library, such as numpy, as a Python number; anything else unchanged."""
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def _fill_dataclass(kind: type[S], effective: Mapping[str, SettingValue], prefix: str = "") -> S:
    values: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type]  # only dataclasses come here
        section = field.default_factory
        if isinstance(section, type):
            values[field.name] = _fill_dataclass(section, effective, f"{field.name}.")
        else:
            values[field.name] = effective[prefix + field.name].value
    return kind(**values)


make_settings = partial(_fill_dataclass, Settings)
make_reading_settings = partial(_fill_dataclass, ReadingSettings)


def _expand_preset(preset_name: SettingValue) -> dict[str, SettingValue]:
    preset = PRESETS.get(preset_name.value)
    if preset is None:  # an empty name stands for no preset
        return {}
    origin = Origin("preset", f"{preset_name.value} ({preset_name.origin})")
    return {name: SettingValue(value, origin) for name, value in preset.values.items()}


def _check_exclusive(layer: Layer) -> None:
    first, second = (layer.get(name) for name in sorted(_EXCLUSIVE_KEYS, reverse=True))
    if first and second and first.value is not None and second.value is not None:
        first_name, second_name = first.origin.names("target_tokens"), second.origin.names("target_ratio")
        raise SettingsError(f"{first_name} and {second_name.rpartition(': ')[2]} exclude each other")


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


CONFIG_VARIABLE = "COMPACTOR_CONFIG"
"""Names a file to read instead of the user's and the project's."""
_RESERVED = (CONFIG_VARIABLE, "COMPACTOR_DATABASE_URL")
MEILISEARCH = "ENABLE_MEILISEARCH"
"""From seed 000; the database itself provides what it asks for."""
_OFF_VALUES = ("", "0", "false", "no", "off")


def environment_layer(environment: Mapping[str, str]) -> tuple[Layer, list[str]]:
    """Return the keys that variables set, and a warning for each unknown one. Raises SettingsError."""
    layer: dict[str, SettingValue] = {}
    wrong: list[str] = []
    for key in keys().values():
        for variable in key.variables:
            text = environment.get(variable, "")
            if not text:
                continue
            try:
                layer[key.name] = SettingValue(parse_value(key, text), Origin("variable", variable))
            except ValueError as error:
                wrong.append(f"{variable} = {notation_of(text)}: {error} ({key.name})")
    if wrong:
        raise SettingsError("\n".join(wrong))
    known_variables = {*_RESERVED, *(key.variable for key in keys().values())}
    strange = sorted(name for name in environment if name.startswith("COMPACTOR_") and name not in known_variables)
    warnings = [f"the variable {name} is unknown and has no effect" for name in strange]
    if environment.get(MEILISEARCH, "").strip().lower() not in _OFF_VALUES:
        warnings.append(
            f"the variable {MEILISEARCH} has no effect: memory search uses the full text index of the database "
            "(database_url), not Meilisearch"
        )
    return layer, warnings
