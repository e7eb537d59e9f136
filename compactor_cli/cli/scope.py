"""Says which strategy a table of scores, residuals or tiers speaks of, and which one would be used."""

from __future__ import annotations

from compactor_cli.cli.session import Session
from compactor_cli.settings import Settings
from compactor_cli.strategies import strategy


def say_scope(session: Session, settings: Settings) -> None:
    """Below the table, for runs of `compact` with a target and without one."""
    from compactor_cli.render.strategies import scope_lines

    aimed, plain = (strategy(settings.strategy_for(aims=aims)) for aims in (True, False))
    for line in scope_lines(aimed, plain):
        session.out.print(line)
