"""Show settings as a table."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from compactor_cli.configuration.checked_values import display_value
from compactor_cli.configuration.layers import DEFAULT, SettingValue
from compactor_cli.render.console import make_table
from compactor_cli.text.clean import plain

_MAX_VALUE_WIDTH = 40
"""Maximum width of a value; longer ones are wrapped, to leave space for paths."""


def settings_table(console: Console, values: Mapping[str, SettingValue]) -> Table:
    """Return a table of all keys with their values and origins; values that were set stand out."""
    table = make_table(console, "Settings", "key!")
    table.add_column("value", overflow="fold", max_width=_MAX_VALUE_WIDTH)
    table.add_column("from", overflow="fold")
    for name, entry in values.items():
        style = "dim" if entry.origin == DEFAULT else ""
        table.add_row(name, plain(display_value(entry.value)), plain(str(entry.origin)), style=style)
    return table
