"""The list of strategies as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from compactor_cli.model.planning import Strategy
from compactor_cli.render.console import make_table


def strategy_table(console: Console, strategies: Iterable[Strategy]) -> Table:
    table = make_table(console, "Strategies")
    table.add_column("name", no_wrap=True)
    table.add_column("what it does", ratio=1)
    table.add_column("what it is for", ratio=1)
    for strategy in strategies:
        table.add_row(Text(strategy.name, style="bold"), strategy.purpose, strategy.suits)
    return table


def strategies_json(strategies: Iterable[Strategy]) -> list[dict[str, Any]]:
    """One object a strategy; `learned`: it uses the weights of a profile."""
    return [{"name": s.name, "purpose": s.purpose, "suits": s.suits, "learned": s.learned} for s in strategies]
