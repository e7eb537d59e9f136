"""`compactor hook`: commands that agents run before and after their own compaction, and their installation."""

from __future__ import annotations

import difflib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from compactor_cli.cli import options
from compactor_cli.cli.files import is_there, make_folder, read_text, write_bytes
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import ExitCode, InputError, UsageError, meant
from compactor_cli.hooks.installing import with_hooks, without_hooks
from compactor_cli.settings.frozen import frozen

COMMAND = "compactor hook run"


class _Agent(Struct, frozen=True):
    """Where an agent keeps its hooks."""

    title: str
    variable: str
    """Environment variable that names the agent's folder; without it, the folder is `folder` in the user's home."""
    folder: str
    file: str


HOOKED_AGENTS = {
    "claude": _Agent("Claude Code", "CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
    "codex": _Agent("Codex", "CODEX_HOME", ".codex", "hooks.json"),
}
_OTHER_MEANS = {"pi": "an extension", "opencode": "a plugin"}

hook = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)


@hook.callback()
def about() -> None:
    """Archive a session before its agent compacts it, and restore what was lost afterwards.

    `install` adds `compactor hook run` to the settings of an agent, which then runs it before and after its
    own compaction. docs/hooks.md says what happens then.

    \b
    Examples:
      compactor hook install claude
      compactor hook install claude --project --yes
      compactor hook uninstall claude
    """


@frozen(frozen=True, kw_only=True)
class ChangeOptions(options.CommandOptions):
    """Options of the commands that change the settings of an agent."""

    agent: Annotated[str, typer.Argument(metavar="AGENT", help="claude or codex.")]
    project: bool = options.switch("Change the settings of the project in this folder instead of the user's.")
    yes: bool = options.switch("Write without asking.", "--yes", "-y")


@frozen(frozen=True, kw_only=True)
class HookRunOptions(options.ConfiguredOptions):
    tokens: str = options.option("N", "Most tokens of the restored text; default: hook.tokens.", "")


@hook.command("install", short_help="Add the hooks to an agent's settings.")
@takes_options("hook install")
def install(args: ChangeOptions) -> None:
    """Add the hooks to the settings of an agent, after showing what will change.

    Everything else in the file stays as it is, including hooks that are already installed. Exit code 1:
    nothing was written, because nobody said yes.

    \b
    Examples:
      compactor hook install claude
      compactor hook install codex --yes
    """
    command = COMMAND if args.project else _own_command()
    _change(args, lambda text: with_hooks(text, command))


@hook.command("uninstall", short_help="Remove the hooks from an agent's settings.")
@takes_options("hook uninstall")
def uninstall(args: ChangeOptions) -> None:
    """Remove the hooks from the settings of an agent, after showing what will change.

    Nothing else in the file changes; a file that held nothing else is removed.

    \b
    Examples:
      compactor hook uninstall claude
      compactor hook uninstall claude --project --yes
    """
    _change(args, without_hooks)


@hook.command(
    "run",
    short_help="Answer a hook; agents run this.",
    # a wrong option in an agent's settings must not stop the agent
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
@takes_options("hook run")
def run(args: HookRunOptions, overrides: Layer, ctx: typer.Context) -> None:
    """Answer a hook: the agent's JSON payload on standard input, its answer on standard output.

    PreCompact (PreCompress): archives the session, and writes a compacted copy if hook.folder is set.
    SessionStart with source compact: prints what the compaction lost as additional context. Any other
    event: does nothing. The exit code is always 0, so that no agent is held up; failures go to standard error.

    \b
    Examples:
      compactor hook run < payload.json
    """
    from compactor_cli.cli.hook_run import answer_hook

    answer_hook(args, args.tokens, overrides, ctx.args)


def _change(args: ChangeOptions, edit: Callable[[str], str]) -> None:
    """Show what an edit would change in an agent's settings, and write it if the user agrees."""
    settings_path = _settings_path(args.agent, project=args.project)
    before = read_text(str(settings_path)) if is_there(settings_path) else ""
    try:
        after = edit(before)
    except InputError as error:
        raise error.at(str(settings_path)) from None
    is_deleted = after.strip() == "{}" and bool(before.strip()) and before != after and not settings_path.is_symlink()
    after_text = "" if is_deleted else after
    lines = difflib.unified_diff(
        before.splitlines(), after_text.splitlines(), str(settings_path), str(settings_path), n=2, lineterm=""
    )
    changes = "\n".join(lines)
    if before == after:
        args.say(f"{settings_path}: nothing to change")
    else:
        if not args.json:
            typer.echo(changes)
        if not args.yes and not _user_agrees(settings_path):
            raise typer.Exit(int(ExitCode.NO))
        _write(settings_path, before, after, is_deleted=is_deleted)
        args.say(f"{settings_path}: {'removed, as it held nothing else' if is_deleted else 'written'}")
    if args.json:
        print_json({"agent": args.agent, "file": str(settings_path), "changed": before != after, "diff": changes})


def _user_agrees(settings_path: Path) -> bool:
    if sys.stdin.isatty():
        return typer.confirm(f"Make these changes to {settings_path}?", err=True)
    typer.echo("nothing was written: add --yes, or run it in a terminal", err=True)
    return False


def _write(settings_path: Path, before: str, after: str, *, is_deleted: bool) -> None:
    data = settings_path.read_bytes() if is_there(settings_path) else b""
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    if is_deleted:
        settings_path.unlink()
        return
    make_folder(str(settings_path))
    old = mark + before.encode() if before else None
    write_bytes(str(settings_path), mark + after.encode(), old)


def _settings_path(agent: str, *, project: bool) -> Path:
    if agent in _OTHER_MEANS:
        raise UsageError(f"{agent} has {_OTHER_MEANS[agent]} instead of hooks; docs/hooks.md has one to copy")
    known_agent = HOOKED_AGENTS.get(agent)
    if known_agent is None:
        raise UsageError(
            f"no hooks are known for {agent!r}{meant(agent, HOOKED_AGENTS)}; use {' or '.join(HOOKED_AGENTS)}"
        )
    named = known_agent.folder if project else os.environ.get(known_agent.variable)
    folder = Path(named or Path.home() / known_agent.folder)
    return (folder / known_agent.file).absolute()


def _own_command() -> str:
    """Return the command by its name if the shell finds it, otherwise by the path of this program."""
    if shutil.which("compactor"):
        return COMMAND
    program_path = Path(sys.executable).with_name("compactor")
    return f'"{program_path}" hook run' if program_path.exists() else f'"{sys.executable}" -m compactor_cli hook run'
