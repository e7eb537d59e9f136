"""`compactor mcp`: an MCP server over standard input and output, whose tools are commands of this program."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from typing import Any

from compactor_cli.cli import options
from compactor_cli.cli.mcp_tools import TOOLS, Served
from compactor_cli.cli.streams import check_input
from compactor_cli.cli.typed_options import takes
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import UsageError

INSTRUCTIONS = (
    "Sessions of coding agents on this machine: list them, look into one, write a smaller copy, and find or bring back "
    "what a compaction took away. Everything is local; no session is ever changed in place."
)


@takes("mcp")
def mcp(args: options.ConfiguredOptions, overrides: Layer) -> None:
    """Serve the sessions of this machine to an agent, by the Model Context Protocol over standard input and output.

    Tools: list sessions, inspect one, compact one into a new file, restore by reference or as a whole, search
    what was archived and remembered. Needs the extra: pip install 'compactor-cli[mcp]'.

    \b
    Examples:
      compactor mcp
      claude mcp add compactor -- compactor mcp
      codex mcp add compactor -- compactor mcp
    """
    shared = [word for entry in overrides.values() for word in (entry.origin.place, str(entry.value))]
    if args.config:
        shared += ["--config", os.path.abspath(args.config)]  # noqa: PTH100  # a link stays what it is
    serve(shared)


def serve(shared: Sequence[str]) -> None:
    """Serve until standard input ends. `shared`: options of every command. Raises UsageError without the extra, and
    InputError where standard input is closed."""
    check_input()
    server_class, error_class = _load()
    # unlike a command, a server runs for days
    gc.enable()
    server = server_class("compactor", instructions=INSTRUCTIONS, version=_version(), log_level="WARNING")
    served = Served(tuple(shared), error_class)
    for tool in TOOLS:
        function = getattr(served, tool.name)
        annotations = _annotations(read_only=not tool.writes)
        server.tool(tool.name, title=tool.title, annotations=annotations, structured_output=False)(function)
    server.run("stdio")


def _load() -> tuple[Any, Any]:
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError:
        raise UsageError("the server needs the package mcp, 2.0 or newer: pip install 'compactor-cli[mcp]'") from None
    return MCPServer, ToolError


def _annotations(*, read_only: bool) -> Any:
    from mcp.types import ToolAnnotations

    return ToolAnnotations(read_only_hint=read_only, destructive_hint=False, open_world_hint=False)


def _version() -> str:
    from importlib.metadata import version

    return version("compactor-cli")
