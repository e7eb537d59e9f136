"""Settings from environment variables."""

from __future__ import annotations

from collections.abc import Mapping

from compactor_cli.configuration.checked_values import notation_of, parse_value
from compactor_cli.configuration.keys import keys
from compactor_cli.configuration.layers import Layer, Origin, SettingValue
from compactor_cli.errors import SettingsError

CONFIG = "COMPACTOR_CONFIG"
"""Names a file to read instead of the user's and the project's."""
_RESERVED = (CONFIG, "COMPACTOR_DATABASE_URL")
MEILISEARCH = "ENABLE_MEILISEARCH"
"""From seed 000; the database itself provides what it asks for."""
_OFF_VALUES = ("", "0", "false", "no", "off")


def layer_of(environment: Mapping[str, str]) -> tuple[Layer, list[str]]:
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
