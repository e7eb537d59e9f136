"""Layers of settings, the stronger over the weaker, and where each value came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from msgspec import Struct

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
