"""The keys of settings files, derived from the dataclasses in `settings.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from compactor_cli.configuration.presets import PRESETS
from compactor_cli.formats import NAMES as FORMAT_NAMES
from compactor_cli.scoring import SCORERS
from compactor_cli.settings import Reading, Settings
from compactor_cli.strategies import STRATEGIES
from compactor_cli.summarizers import SUMMARIZERS
from compactor_cli.tokens import TOKENIZERS

SEED_VARIABLES = {
    "scoring.residuals": "PROMPT_COMPACTION_RESIDUALS_ENABLED",
    "scoring.threshold": "PROMPT_COMPACTION_RESIDUAL_THRESHOLD",
    "scoring.max_residuals": "PROMPT_COMPACTION_RESIDUAL_MAX_PERCENT",
    "tiers.enabled": "PROMPT_COMPACTION_TIERED_ENABLED",
    "budget.enabled": "PROMPT_COMPACTION_BUDGET_ENABLED",
}
"""The variables of seed 000, by the key that they set."""
_FORMS = {"scoring.now": "time", "keep": "pattern", "profile": "path", "tiers.borders": "rising"}


@dataclass(frozen=True, slots=True)
class Key:
    """One setting: its name with its section, and what is allowed for it."""

    name: str
    kind: type
    """bool, int, float or str; of each item where it is a list."""
    default: Any
    meaning: str
    optional: bool = False
    """Whether it may be unset, which is None."""
    many: bool = False
    length: int | None = None
    """Items of a list; None for any number."""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    form: str = ""
    """What the type does not say: time, pattern, path, or rising for a list."""

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
        """The environment variables that set it; the last one wins."""
        seed = SEED_VARIABLES.get(self.name)
        return (seed, self.variable) if seed else (self.variable,)


@cache
def keys() -> Mapping[str, Key]:
    """Every key by its name: those without a section first, then section by section."""
    preset = Key("preset", str, "", "when to compact, ready made; empty: none", choices=("", *PRESETS))
    found = [preset, *_keys_of(Settings, ""), *_keys_of(Reading, "")]
    return {key.name: key for key in sorted(found, key=lambda key: key.section != "")}


def sections() -> tuple[str, ...]:
    return tuple(dict.fromkeys(key.section for key in keys().values() if key.section))


def _keys_of(settings: type, prefix: str) -> Iterator[Key]:
    hints = get_type_hints(settings)
    for field in fields(settings):
        if is_dataclass(hints[field.name]):
            yield from _keys_of(hints[field.name], f"{field.name}.")
        else:
            yield _key(prefix + field.name, field, hints[field.name])


def _key(name: str, field: Field[Any], hint: Any) -> Key:
    optional = isinstance(hint, UnionType)
    kind = get_args(hint)[0] if optional else hint
    items = get_args(kind) if get_origin(kind) is tuple else ()
    given = field.metadata
    return Key(
        name,
        items[0] if items else kind,
        field.default,
        given["meaning"],
        optional=optional,
        many=bool(items),
        length=None if not items or Ellipsis in items else len(items),
        minimum=given["minimum"],
        maximum=given["maximum"],
        choices=_names(name) or given["choices"],
        form=_FORMS.get(name, ""),
    )


def _names(key: str) -> tuple[str, ...]:
    """The names that registries know, for the keys that choose from one."""
    known = {
        "strategy": ("", *STRATEGIES),
        "summarizer": tuple(SUMMARIZERS),
        "scoring.scorer": ("", *SCORERS),
        "format": ("", *FORMAT_NAMES),
        "tokenizer": ("", *TOKENIZERS),
    }
    return known.get(key, ())
