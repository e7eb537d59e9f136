"""The keys of settings files, derived from `settings/declaration.py`, and presets, one line each, which set several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from functools import cache
from importlib import import_module
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from msgspec import Struct

from compactor_cli.settings import Option, ReadingSettings, Settings


class Preset(Struct, frozen=True):
    """A named group of settings. They are weaker than the settings of the layer that names the preset."""

    purpose: str
    values: Mapping[str, Any]


PRESETS: dict[str, Preset] = {
    "window": Preset(
        "from 80 percent of what the reserves leave of the model's context limit",
        {
            "context.threshold": None,
            "context.system_reserve": 2_000,
            "context.output_reserve": 4_000,
            "context.safety_buffer": 5_000,
            "context.threshold_percent": 0.80,
            "context.warning_percent": 0.80,
            "recent_messages": 10,
        },
    ),
    "chat": Preset(
        "from 80,000 tokens, strategy hybrid, the newest 10 messages kept",
        {"context.threshold": 80_000, "context.warning_percent": 0.80, "strategy": "hybrid", "recent_messages": 10},
    ),
    "agent": Preset("from 200,000 tokens, strategy handoff", {"context.threshold": 200_000, "strategy": "handoff"}),
}
"""Presets from seeds 001, 003 and 004."""


class Key(Struct, frozen=True):
    """One setting: its name including the section, and what it allows."""

    name: str
    kind: type
    """bool, int, float or str; for a list, the type of its items."""
    default: Any
    meaning: str
    optional: bool = False
    many: bool = False
    length: int | None = None
    """Number of items of a list; None for any number."""
    minimum: float | None = None
    maximum: float | None = None
    declared_choices: tuple[str, ...] = ()
    form: str = ""
    """Further restrictions, as in `settings.setting`."""
    seed_variable: str = ""
    option: Option | None = None

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the allowed values; empty if there is no fixed set."""
        return _registry_names(self.name) or self.declared_choices

    @property
    def is_share(self) -> bool:
        """Return whether it, or each of its items, is a share between 0 and 1."""
        return self.kind is float and (self.minimum, self.maximum) == (0, 1)

    @property
    def section(self) -> str:
        return self.name.rpartition(".")[0]

    @property
    def leaf(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def variable(self) -> str:
        return "COMPACTOR_" + self.name.upper().replace(".", "_")

    @property
    def variables(self) -> tuple[str, ...]:
        """Return the environment variables that set it; the last one takes precedence."""
        return (self.seed_variable, self.variable) if self.seed_variable else (self.variable,)


@cache
def keys() -> Mapping[str, Key]:
    """Return all keys by name: first those without a section, then section by section."""
    all_keys = [_preset_key(), *_dataclass_keys(Settings, ""), *_dataclass_keys(ReadingSettings, "")]
    return {key.name: key for key in sorted(all_keys, key=lambda key: key.section != "")}


def _preset_key() -> Key:
    ways = "; ".join(f"{name} ({preset.purpose})" for name, preset in PRESETS.items())
    option = Option("--preset", ("compact", "inspect"), "NAME")
    return Key(
        "preset", str, "", f"when to compact: {ways}; empty: none", declared_choices=("", *PRESETS), option=option
    )


def options_of(command: str) -> list[Key]:
    return [key for key in keys().values() if key.option and command in key.option.commands]


def sections() -> tuple[str, ...]:
    return tuple(dict.fromkeys(key.section for key in keys().values() if key.section))


def _dataclass_keys(settings: type, prefix: str) -> Iterator[Key]:
    hints = get_type_hints(settings)
    for field in fields(settings):
        if is_dataclass(hints[field.name]):
            yield from _dataclass_keys(hints[field.name], f"{field.name}.")
        else:
            yield _key(prefix + field.name, field, hints[field.name])


def _key(name: str, field: Field[Any], hint: Any) -> Key:
    optional = isinstance(hint, UnionType)
    kind = get_args(hint)[0] if optional else hint
    items = get_args(kind) if get_origin(kind) is tuple else ()
    return Key(
        name,
        items[0] if items else kind,
        field.default,
        optional=optional,
        many=bool(items),
        length=None if not items or Ellipsis in items else len(items),
        **field.metadata,
    )


_REGISTRIES = {
    "strategy": ("strategies", "STRATEGIES"),
    "summarizer": ("summaries.registry", "SUMMARIZERS"),
    "scoring.scorer": ("scoring", "SCORERS"),
    "format": ("formats", "NAMES"),
    "tokenizer": ("tokens", "TOKENIZERS"),
}
"""Key -> the registry that it chooses from: its module and its name there."""


@cache
def _registry_names(key: str) -> tuple[str, ...]:
    """Return a registry's names, for a key that chooses from one. The registry is only loaded here, since most
    commands do not set these keys."""
    module, name = _REGISTRIES.get(key, ("", ""))
    names = getattr(import_module(f"compactor_cli.{module}"), name) if module else ()
    return ("", *names) if names and key != "summarizer" else tuple(names)
