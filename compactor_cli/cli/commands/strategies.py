"""`compactor strategies`: the strategies, and what each is for."""

from __future__ import annotations

import sys

from compactor_cli.cli import options
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.strategies import STRATEGIES


@takes_options("strategies")
def strategies(args: options.CommandOptions) -> None:
    """List the strategies, and what each is for.

    The output of every strategy is valid and fits its target. Without --strategy, compact uses adaptive if
    there is a target, and tiered if there is none.

    \b
    Examples:
      compactor strategies
      compactor compact session.jsonl --strategy rolling --target-tokens 20000
    """
    from compactor_cli.render import lists as render
    from compactor_cli.render.console import make_console

    if args.json:
        print_json(render.strategies_json(STRATEGIES.values()))
        return
    console = make_console(sys.stdout)
    console.print(render.strategy_table(console, STRATEGIES.values()))
