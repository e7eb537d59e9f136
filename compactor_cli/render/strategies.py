"""Show the list of strategies as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from compactor_cli.model.planning import Strategy
from compactor_cli.render.console import make_table
from compactor_cli.settings import Settings
from compactor_cli.strategies import strategy


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
    """Yield notes on which strategy the residuals and tiers in a table belong to, and which ones `compact` uses with
    and without a target."""
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
