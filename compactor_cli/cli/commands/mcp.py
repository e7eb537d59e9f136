"""`compactor mcp`: an MCP server over standard input and output. Its tools run commands of this program."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from compactor_cli.cli import options
from compactor_cli.cli.streams import check_input
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import ExitCode, UsageError

INSTRUCTIONS = (
    "Sessions of coding agents on this machine: list them, inspect one, write a smaller copy, and find or restore "
    "what a compaction removed. Everything is local; no session is ever changed in place."
)


_TIMEOUT_SECONDS = 300


class Tool(NamedTuple):
    """A tool: a method of Served. The agent is shown the method's docstring and parameters."""

    name: str
    title: str
    writes: bool = False


TOOLS = (
    Tool("list_sessions", "List sessions"),
    Tool("inspect_session", "Inspect a session"),
    Tool("compact_session", "Write a smaller copy", writes=True),
    Tool("restore_message", "Restore one original message"),
    Tool("restore_session", "Restore a whole session", writes=True),
    Tool("search_archive", "Search archived sessions"),
    Tool("search_memory", "Search the memory log"),
)


class Served(Struct, frozen=True):
    """The tools, with the options that all of their commands get. Failures raise `error`, the SDK's exception."""

    shared: tuple[str, ...]
    error: type[Exception]

    async def list_sessions(self, agent: str = "", project: str = "", limit: int = 20) -> str:
        """List the sessions of coding agents on this machine, the newest first, as JSON: id, path, project, title,
        messages, tokens. `agent`: only of this one (claude, codex, gemini, ...). `project`: only of this folder.
        """
        options = {"--agent": agent, "--project": project, "--limit": limit}
        return await self._run(["sessions", *_option_words(options), "--json"], database=False)

    async def inspect_session(self, file: str = "", session: str = "", message: int | None = None) -> str:
        """Look into a session: its context, roles, tools, heaviest messages, past compactions, faults; as JSON.
        `file` is its path, or `session` the beginning of its id. With `message`, that message whole, by its number.
        """
        options = {"--session": session, "--message": message}
        return await self._run(["inspect", *_option_words(options), "--json"], self._one(file, session))

    async def compact_session(
        self,
        output: str,
        file: str = "",
        session: str = "",
        target_tokens: int | None = None,
        target_ratio: float | None = None,
        query: str = "",
        archive: bool = False,
    ) -> str:
        """Write a smaller copy of a session to a new file; the session itself stays as it is. `output`: path of the new
        file, which must not exist. `file` is the session's path, or `session` the beginning of its id. Name
        `target_tokens` or `target_ratio` (0.25). `query`: words that should be preferred. `archive`: keep what is taken
        away, so that restore_message finds it. Returns the report as JSON: tokens before and after, what survived.
        """
        target = self._new(output)
        if target_tokens is None and target_ratio is None:
            raise self.error("set target_tokens or target_ratio")
        targets = {"--target-tokens": target_tokens, "--target-ratio": target_ratio}
        options = {"--session": session, **targets, "--query": query, "-o": target}
        flags = ["--archive"] if archive else []
        return await self._run(["compact", *_option_words(options), *flags, "--json"], self._one(file, session))

    async def restore_message(self, reference: str, file: str = "", session: str = "", characters: int = 20_000) -> str:
        """Print one original that a compaction took away, by the reference (ctx_ and hex digits) in a mark, in a
        summary or in a result of search_archive. `file` is the compacted file or the session, or `session` the
        beginning of its id. At most `characters` of it are printed.
        """
        options = {"--session": session, "--ref": reference}
        text = await self._run(["restore", *_option_words(options)], self._one(file, session))
        remaining_chars = len(text) - characters
        return text if remaining_chars <= 0 else f"{text[:characters]}\n[… {remaining_chars:,} more characters]"

    async def restore_session(self, output: str, file: str = "", session: str = "", round: int | None = None) -> str:
        """Write a session as it was before a compaction to a new file. `output`: its path, which must not exist. `file`
        is the compacted file or the session, or `session` the beginning of its id. `round`: before which compaction;
        the newest by default.
        """
        target = self._new(output)
        options = {"--session": session, "--round": round, "-o": target}
        return await self._run(["restore", *_option_words(options)], self._one(file, session)) or f"written to {target}"

    async def search_archive(self, words: str, file: str = "") -> str:
        """Find messages of archived sessions that have these words, those with most of them first, as JSON: role,
        reference, snippet. `file`: only in the rounds of this session; else in all.
        """
        return await self._run(["restore", *_option_words({"--search": words}), "--json"], [file] if file else [])

    async def search_memory(self, words: str, limit: int = 10) -> str:
        """Find what was remembered of earlier sessions: statements with category, source and time, as JSON."""
        return await self._run(["memory", "search", *_option_words({"--limit": limit}), "--json"], words.split())

    def _new(self, output: str) -> Path:
        """Return the path of a file to create. Raises `error` if it exists."""
        target = Path(output).expanduser().absolute()
        if target.exists() or target.is_symlink():
            raise self.error(f"{output} already exists; name a new file")
        return target

    def _one(self, file: str, session: str) -> list[str]:
        """Return the file for a command, or nothing if an option names its session. Raises `error` unless exactly
        one is given."""
        if bool(file) == bool(session):
            raise self.error("set either file or session")
        return [file] if file else []

    async def _run(self, command: list[str], files: list[str] | None = None, *, database: bool = True) -> str:
        """Return the standard output of a command. A failure raises `error` with its message; a search without
        results does not."""
        shared = self.shared if database else _without_database(self.shared)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "compactor_cli", *command, *shared, "--", *(files or [])),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            out, errors = await asyncio.wait_for(process.communicate(), _TIMEOUT_SECONDS)
        except BaseException as error:  # also when the agent cancels the call
            if process.returncode is None:
                process.kill()
                await process.wait()
            if isinstance(error, asyncio.TimeoutError):
                raise self.error(f"gave up after {_TIMEOUT_SECONDS} seconds") from None
            raise
        text = out.decode("utf-8", "replace")
        if process.returncode == ExitCode.OK or (process.returncode == ExitCode.NO and text):
            return text
        raise self.error(errors.decode("utf-8", "replace").strip() or f"exit code {process.returncode}")


def _option_words(options: Mapping[str, object]) -> list[str]:
    """Return the options that have a value. A value may begin with a dash."""
    given = [(name, str(value)) for name, value in options.items() if value is not None and value != ""]
    return [word for name, value in given for word in ([f"{name}={value}"] if "--" in name else [name, value])]


def _without_database(shared: tuple[str, ...]) -> tuple[str, ...]:
    if "--database" not in shared:
        return shared
    position = shared.index("--database")
    return shared[:position] + shared[position + 2 :]


@takes_options("mcp")
def mcp(args: options.ConfiguredOptions, overrides: Layer) -> None:
    """Serve the sessions of this machine to an agent: a Model Context Protocol server on standard input and output.

    Its tools list, inspect and compact sessions (into new files), restore originals or whole files, and search
    the archive and the memory log. Needs the extra: pip install 'compactor-cli[mcp]'.

    \b
    Examples:
      compactor mcp
      claude mcp add compactor -- compactor mcp
      codex mcp add compactor -- compactor mcp
    """
    shared = [word for entry in overrides.values() for word in (entry.origin.place, str(entry.value))]
    if args.config:
        shared += ["--config", os.path.abspath(args.config)]  # noqa: PTH100  # keep links
    serve(shared)


def serve(shared: Sequence[str]) -> None:
    """Serve until standard input ends. `shared`: options for every command. Raises UsageError if the extra is
    missing, and InputError if standard input is closed."""
    check_input()
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError:
        raise UsageError("the server needs the package mcp, 2.0 or newer: pip install 'compactor-cli[mcp]'") from None
    from importlib.metadata import version

    from mcp.types import ToolAnnotations

    # unlike a command, a server runs for days
    gc.enable()
    server = MCPServer("compactor", instructions=INSTRUCTIONS, version=version("compactor-cli"), log_level="WARNING")
    served = Served(tuple(shared), ToolError)
    for tool in TOOLS:
        function = getattr(served, tool.name)
        annotations = ToolAnnotations(read_only_hint=not tool.writes, destructive_hint=False, open_world_hint=False)
        server.tool(tool.name, title=tool.title, annotations=annotations, structured_output=False)(function)
    server.run("stdio")
