"""`compactor formats`: the formats, and which can be written, converted to, found and resumed."""

from __future__ import annotations

import sys

from compactor_cli.cli import options
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options


@takes_options("formats")
def formats(args: options.CommandOptions) -> None:
    """List the formats, and whether each can be written, converted to, found on this machine and resumed.

    The format of a file is recognised by its content; where that is not enough, name it with --format.
    docs/formats.md says what is read of each, and docs/resume.md how an agent resumes a session.

    \b
    Examples:
      compactor formats
      compactor formats --json | jq -r '.formats[].name'
    """
    from compactor_cli.agents import AGENTS
    from compactor_cli.containers import CONTAINERS
    from compactor_cli.converting import TARGETS
    from compactor_cli.formats import FORMATS
    from compactor_cli.render import lists as render
    from compactor_cli.render.console import make_console

    rows = [
        render.KnownFormat(
            entry.name,
            entry.title,
            entry.name in TARGETS,
            [agent for agent in AGENTS.values() if agent.format == entry.name],
        )
        for entry in FORMATS.values()
    ]
    if args.json:
        print_json(render.formats_json(rows, CONTAINERS.values()))
        return
    console = make_console(sys.stdout)
    console.print(render.format_table(console, rows))
    console.print(render.container_line(CONTAINERS.values()))
