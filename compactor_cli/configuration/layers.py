"""Layers of settings, the stronger over the weaker, and where each value came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, TypeVar

from msgspec import Struct

from compactor_cli.configuration.checked_values import checked
from compactor_cli.configuration.keys import keys
from compactor_cli.configuration.presets import PRESETS
from compactor_cli.errors import SettingsError
from compactor_cli.settings import ReadingSettings, Settings

S = TypeVar("S")


class Origin(Struct, frozen=True):
    """Where a value came from: a kind of source, and its path or name."""

    kind: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.place}".rstrip()

    def names(self, key: str) -> str:
        """Return how an error names the key there: `--target-tokens`, or `compactor.toml: target_tokens`."""
        return self.place if self.kind in ("variable", "option") else f"{self.place}: {key}"


class SettingValue(Struct, frozen=True):
    """A value and where it came from."""

    value: Any
    origin: Origin
    file: str = ""
    """The file whose text it is; empty for none."""


Layer = Mapping[str, SettingValue]
"""The keys that one source sets; a file, the environment, or the options of a command."""
DEFAULT = Origin("default")
_PYTHON = Origin("settings", "settings")
_RIVALS = {"target_tokens": "target_ratio", "target_ratio": "target_tokens"}
"""Keys of which one at most is set: the stronger layer's."""


def merge(layers: Sequence[Layer]) -> dict[str, SettingValue]:
    """Return every key with its effective value, from layers of which each is stronger than those before it.

    The strongest layer that names a preset has it expanded under its own keys; other presets count for
    nothing. Raises SettingsError for keys of one layer that exclude each other.
    """
    effective = {key.name: SettingValue(key.default, DEFAULT) for key in keys().values()}
    naming = max((index for index, layer in enumerate(layers) if "preset" in layer), default=None)
    for index, layer in enumerate(layers):
        _refuse_rivals(layer)
        if index == naming:
            effective |= _expanded(layer["preset"])
        for name, entry in layer.items():
            effective[name] = entry
            if name in _RIVALS and entry.value is not None:
                effective[_RIVALS[name]] = SettingValue(None, entry.origin)
    return effective


def settings_of(effective: Mapping[str, SettingValue]) -> Settings:
    return _filled(Settings, effective, "")


def checked_settings(settings: Settings) -> Settings:
    """Return settings that were made in Python, each value as a file would give it. Raises SettingsError for all values
    that are not allowed, and for keys that exclude each other."""
    layer: dict[str, SettingValue] = {}
    wrong: list[str] = []
    for key in keys().values():
        try:
            value = attrgetter(key.name)(settings)
        except AttributeError:
            continue  # of another class of settings
        try:
            layer[key.name] = SettingValue(checked(key, _number(value)), _PYTHON)
        except ValueError as error:
            wrong.append(f"settings: {key.name} = {value!r}: {error}")
    if wrong:
        raise SettingsError("\n".join(wrong))
    _refuse_rivals(layer)
    return settings_of(layer)


def _number(value: Any) -> Any:
    """Return a number of another library, such as numpy, as one of Python's; anything else as it is."""
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def reading_of(effective: Mapping[str, SettingValue]) -> ReadingSettings:
    return _filled(ReadingSettings, effective, "")


def _filled(kind: type[S], effective: Mapping[str, SettingValue], prefix: str) -> S:
    values: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type]  # only dataclasses come here
        section = field.default_factory
        if isinstance(section, type):
            values[field.name] = _filled(section, effective, f"{field.name}.")
        else:
            values[field.name] = effective[prefix + field.name].value
    return kind(**values)


def _expanded(named: SettingValue) -> dict[str, SettingValue]:
    preset = PRESETS.get(named.value)
    if preset is None:  # an empty name: none
        return {}
    origin = Origin("preset", f"{named.value} ({named.origin})")
    return {name: SettingValue(value, origin) for name, value in preset.values.items()}


def _refuse_rivals(layer: Layer) -> None:
    first, second = (layer.get(name) for name in sorted(_RIVALS, reverse=True))
    if first and second and first.value is not None and second.value is not None:
        first_name, second_name = first.origin.names("target_tokens"), second.origin.names("target_ratio")
        raise SettingsError(f"{first_name} and {second_name.rpartition(': ')[2]} exclude each other")
