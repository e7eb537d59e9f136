"""Show strategies and formats as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from rich.console import Console
from rich.table import Table
from rich.text import Text

from compactor_cli.model.planning import Strategy
from compactor_cli.render.console import make_table
from compactor_cli.settings import Settings
from compactor_cli.strategies import strategy

if TYPE_CHECKING:  # all agents, and what reads their databases
    from compactor_cli.agents.base import Agent
    from compactor_cli.containers.base import Container


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


def scope_lines(settings: Settings) -> Iterable[Text]:
    """Yield notes on the strategy that residuals and tiers belong to, and on those that `compact` uses."""
    aimed, plain = (strategy(settings.strategy_for(aims=aims)) for aims in (True, False))
    words = "Residuals (messages kept whole) and tiers (classes of age) are those of strategy"
    if plain.tiers:
        used = "" if plain.name == aimed.name else " without a target"
        yield Text(f"{words} {plain.name}, which compact uses{used}.")
    else:
        yield Text(f"{words} tiered, which the settings do not use.")
    if not aimed.tiers:
        used = "It uses" if plain.name == aimed.name else "With a target it uses"
        yield Text(f"{used} {aimed.name}, which needs neither. What it does: {aimed.purpose}.")


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
