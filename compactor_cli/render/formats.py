"""The list of formats as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from rich.console import Console
from rich.table import Table
from rich.text import Text

from compactor_cli.agents.base import Agent
from compactor_cli.containers.base import Container
from compactor_cli.render.console import make_table


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
