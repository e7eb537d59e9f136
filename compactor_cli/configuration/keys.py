"""The keys of settings files, derived from the dataclasses in `settings/declaration.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from msgspec import Struct

from compactor_cli.configuration.presets import PRESETS
from compactor_cli.settings import Option, ReadingSettings, Settings


class Key(Struct, frozen=True):
    """One setting: its name including the section, and what it allows."""

    name: str
    kind: type
    """bool, int, float or str; for a list, the type of its items."""
    default: Any
    meaning: str
    optional: bool = False
    """Whether it may be unset, which is None."""
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
    """Return the key for presets, each of which sets several other keys."""
    ways = "; ".join(f"{name} ({preset.purpose})" for name, preset in PRESETS.items())
    option = Option("--preset", ("compact", "inspect"), "NAME")
    return Key(
        "preset", str, "", f"when to compact: {ways}; empty: none", declared_choices=("", *PRESETS), option=option
    )


def options_of(command: str) -> list[Key]:
    """Return the keys for which a command has options."""
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
    metadata = field.metadata
    return Key(
        name,
        items[0] if items else kind,
        field.default,
        metadata["meaning"],
        optional=optional,
        many=bool(items),
        length=None if not items or Ellipsis in items else len(items),
        minimum=metadata["minimum"],
        maximum=metadata["maximum"],
        declared_choices=metadata["choices"],
        form=metadata["form"],
        seed_variable=metadata["variable"],
        option=metadata["option"],
    )


@cache
def _registry_names(key: str) -> tuple[str, ...]:
    """Return a registry's names, for a key that chooses from one. The registry is only loaded here, since most
    commands do not set these keys."""
    match key:
        case "strategy":
            from compactor_cli.strategies import STRATEGIES

            return ("", *STRATEGIES)
        case "summarizer":
            from compactor_cli.summaries.registry import SUMMARIZERS

            return tuple(SUMMARIZERS)
        case "scoring.scorer":
            from compactor_cli.scoring import SCORERS

            return ("", *SCORERS)
        case "format":
            from compactor_cli.formats import NAMES

            return ("", *NAMES)
        case "tokenizer":
            from compactor_cli.tokens import TOKENIZERS

            return ("", *TOKENIZERS)
        case _:
            return ()
