"""Layers of settings, where stronger ones override weaker ones, and the origin of each value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, TypeVar

from msgspec import Struct

from compactor_cli.configuration.checked_values import check_value
from compactor_cli.configuration.keys import PRESETS, keys
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


def make_settings(effective: Mapping[str, SettingValue]) -> Settings:
    return _fill_dataclass(Settings, effective, "")


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


def make_reading_settings(effective: Mapping[str, SettingValue]) -> ReadingSettings:
    return _fill_dataclass(ReadingSettings, effective, "")


def _fill_dataclass(kind: type[S], effective: Mapping[str, SettingValue], prefix: str) -> S:
    values: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type]  # only dataclasses come here
        section = field.default_factory
        if isinstance(section, type):
            values[field.name] = _fill_dataclass(section, effective, f"{field.name}.")
        else:
            values[field.name] = effective[prefix + field.name].value
    return kind(**values)


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
