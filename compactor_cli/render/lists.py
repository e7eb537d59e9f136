"""Show strategies, formats and settings as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from rich.console import Console
from rich.table import Table
from rich.text import Text

from compactor_cli.configuration.checked_values import display_value
from compactor_cli.configuration.layers import DEFAULT, SettingValue
from compactor_cli.render.console import make_table
from compactor_cli.text.clean import plain

if TYPE_CHECKING:  # all agents, and what reads their databases
    from compactor_cli.agents.base import Agent
    from compactor_cli.containers.base import Container
    from compactor_cli.model.planning import Strategy

_MAX_VALUE_WIDTH = 40
"""Maximum width of a value of a setting; longer ones are wrapped, to leave space for paths."""


def strategy_table(console: Console, strategies: Iterable[Strategy]) -> Table:
    table = make_table(console, "Strategies", "name!")
    table.add_column("what it does", ratio=1)
    table.add_column("best for", ratio=1)
    for each_strategy in strategies:
        table.add_row(Text(each_strategy.name, style="bold"), each_strategy.purpose, each_strategy.suits)
    return table


def strategies_json(strategies: Iterable[Strategy]) -> list[dict[str, Any]]:
    """Return one object per strategy; `learned`: it uses the weights of a profile."""
    return [{"name": s.name, "purpose": s.purpose, "suits": s.suits, "learned": s.learned} for s in strategies]


class KnownFormat(Struct, frozen=True):
    """A format, and what is possible with it besides reading and compacting."""

    name: str
    title: str
    converted: bool
    """Whether `convert --to` writes it."""
    agents: Sequence[Agent]
    """Agents whose sessions in this format `sessions` finds."""


def format_table(console: Console, formats: Iterable[KnownFormat]) -> Table:
    table = make_table(console, "Formats: each is read, and written in the same format", "format!")
    table.add_column("description", ratio=3)
    table.add_column("convert --to")
    table.add_column("sessions of", ratio=1)
    table.add_column("resume", ratio=2)
    for known_format in formats:
        table.add_row(
            Text(known_format.name, style="bold"),
            known_format.title,
            "yes" if known_format.converted else "",
            ", ".join(agent.name for agent in known_format.agents),
            "\n".join(agent.resume for agent in known_format.agents if agent.resume),
        )
    return table


def container_line(containers: Iterable[Container]) -> Text:
    names = ", ".join(suffix for container in containers for suffix in container.suffixes)
    return Text(f"Compressed files are recognised by content when read, and by name when written: {names}.")


def formats_json(formats: Iterable[KnownFormat], containers: Iterable[Container]) -> dict[str, Any]:
    return {
        "formats": [
            {
                "name": known_format.name,
                "title": known_format.title,
                "converted": known_format.converted,
                "agents": [{"name": a.name, "title": a.title, "resume": a.resume or None} for a in known_format.agents],
            }
            for known_format in formats
        ],
        "containers": [{"name": container.name, "suffixes": list(container.suffixes)} for container in containers],
    }


def settings_table(console: Console, values: Mapping[str, SettingValue]) -> Table:
    """Return a table of all keys with their values and origins; values that were set stand out."""
    table = make_table(console, "Settings", "key!")
    table.add_column("value", overflow="fold", max_width=_MAX_VALUE_WIDTH)
    table.add_column("from", overflow="fold")
    for name, entry in values.items():
        style = "dim" if entry.origin == DEFAULT else ""
        table.add_row(name, plain(display_value(entry.value)), plain(str(entry.origin)), style=style)
    return table
