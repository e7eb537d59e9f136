"""`compactor config`: the effective settings, where each came from, and the files they stand in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec import Struct

from compactor_cli.cli import options
from compactor_cli.cli.commands.config_edit import init, set_key, unset
from compactor_cli.cli.configured import Configured, config_of, configure
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes
from compactor_cli.configuration.checked_values import allowed, shown
from compactor_cli.configuration.keys import Key, keys
from compactor_cli.configuration.parsed_file import unknown
from compactor_cli.configuration.settings_files import SettingsFile, named_file, project_file, user_file, working_folder
from compactor_cli.errors import SettingsError, StoreError, UsageError
from compactor_cli.render.console import make_console
from compactor_cli.settings.frozen import frozen

ANSWERS = "answers of models"
MEMORIES = "originals, rounds and memories"
_STATES = {True: "there", False: "not there", None: "not looked at"}


class KeptPlace(Struct, frozen=True):
    """Where something is kept that outlives a run."""

    what: str
    place: str
    exists: bool | None
    """None for a server, which is not asked, and for what cannot be looked at."""


@frozen(frozen=True, kw_only=True)
class KeyOptions(options.CommandOptions):
    key: Annotated[str, typer.Argument(metavar="KEY", help="A key with its section: scoring.threshold.")]


config = typer.Typer(rich_markup_mode=None, add_completion=False, invoke_without_command=True)


@config.callback()
@takes("config")
def show(args: options.CommandOptions, ctx: typer.Context) -> None:
    """Show the settings that are in effect and where each came from; read or change one.

    Weakest first: defaults, the user's file, the project's file, environment variables, options.

    \b
    Examples:
      compactor config
      compactor config get context.threshold
      compactor config set context.threshold 80000
      compactor config init --user
    """
    if ctx.invoked_subcommand:
        ctx.obj = args.config
        return
    configured = configure({}, args.config)
    if args.json:
        print_json([_entry(key, configured) for key in keys().values()])
        return
    from compactor_cli.render.settings import settings_table

    console = make_console(sys.stdout)
    _warn(args, configured)
    console.print(settings_table(console, configured.values))
    for place in kept_places(configured):
        state = ", not there yet" if place.exists is False else ""
        console.print(f"{place.what} are kept in {place.place}{state}", soft_wrap=True)


@config.command("get", short_help="Print the value of one key.")
@takes("config get")
def get(args: KeyOptions, ctx: typer.Context) -> None:
    """Print the value of one key that is in effect. A key that is unset prints an empty line.

    \b
    Examples:
      compactor config get strategy
      compactor config get context.threshold --json
    """
    if args.key not in keys():
        raise UsageError(unknown(args.key))
    configured = configure({}, args.config or ctx.obj)
    if args.json:
        print_json(_entry(keys()[args.key], configured))
        return
    _warn(args, configured)
    typer.echo(shown(configured.values[args.key].value))


@config.command("path", short_help="Say which files are read.")
@takes("config path")
def path(args: options.CommandOptions, ctx: typer.Context) -> None:
    """Say which settings files there are, the weaker first, what is kept where, and what of it exists.

    \b
    Examples:
      compactor config path
    """
    config_file = config_of(args.config or ctx.obj)
    files = [named_file(config_file)] if config_file else _usual_places(working_folder())
    configured = None
    try:
        configured = configure({}, config_file)
    except SettingsError as error:  # the files are what somebody wants to see who has to mend one
        args.say(f"warning: {error}")
    kept = kept_places(configured)
    if args.json:
        rows = [{"source": file.kind, "path": str(file.path), "exists": file.exists} for file in files]
        rows += [{"source": place.what, "path": place.place, "exists": place.exists} for place in kept]
        print_json(rows)
        return
    console = make_console(sys.stdout)
    for file in files:
        console.print(f"{file.kind}  {file.path}  {'read' if file.exists else 'not there'}", soft_wrap=True)
    for place in kept:
        console.print(f"{place.what}  {place.place}  {_STATES[place.exists]}", soft_wrap=True)


def _usual_places(folder: Path) -> list[SettingsFile]:
    """Return where settings are looked for; the project's file is one in this folder when there is none yet."""
    return [user_file(), project_file(folder) or SettingsFile("project file", folder / "compactor.toml")]


def kept_places(configured: Configured | None) -> list[KeptPlace]:
    """Return where answers of models are kept and, when the settings can be read, the archive and the memory log."""
    from compactor_cli.db.place import file_of, is_there
    from compactor_cli.llm.cache import cache_file

    answers = KeptPlace(ANSWERS, str(cache_file()), cache_file().exists())
    if configured is None:
        return [answers]
    url = configured.reading.database_url
    file = file_of(url)
    if file is None:
        return [answers, KeptPlace(MEMORIES, shown(url), None)]
    try:
        exists = is_there(file)
    except StoreError:
        return [answers, KeptPlace(MEMORIES, str(file), None)]
    return [answers, KeptPlace(MEMORIES, str(file), exists)]


def _entry(key: Key, configured: Configured) -> dict[str, Any]:
    setting = configured.values[key.name]
    return {
        "key": key.name,
        "value": shown(setting.value) if isinstance(setting.value, str) else setting.value,
        "source": setting.origin.kind,
        "place": setting.origin.place,
        "default": key.default,
        "meaning": key.meaning,
        "allowed": allowed(key),
        "variables": list(key.variables),
    }


def _warn(args: options.CommandOptions, configured: Configured) -> None:
    for warning in configured.warnings:
        args.say(f"warning: {warning}")


config.command("set", short_help="Set a key in a file.", context_settings={"ignore_unknown_options": True})(set_key)
config.command("unset", short_help="Take a key out of a file.")(unset)
config.command("init", short_help="Write a file with every key, commented out.")(init)
