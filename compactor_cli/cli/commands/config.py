"""`compactor config`: the settings in effect, the origin of each, and the files that set them."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec import Struct

from compactor_cli.cli import options
from compactor_cli.cli.configured import Configured, config_option, configure
from compactor_cli.cli.files import check_ends, is_folder, is_there, make_folder, real_path, write_bytes
from compactor_cli.cli.options import RunOptions
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration import settings_files
from compactor_cli.configuration.checked_values import describe_allowed, display_value, notation_of, parse_value
from compactor_cli.configuration.keys import Key, keys
from compactor_cli.configuration.layers import layer_of, merge, unknown_key_error
from compactor_cli.errors import SettingsError, StoreError, UsageError
from compactor_cli.render.console import make_console
from compactor_cli.settings.frozen import frozen

ANSWERS = "answers of models"
MEMORIES = "originals, rounds and memories"
_STATES = {True: "there", False: "not there", None: "not looked at"}


class DataPlace(Struct, frozen=True):
    """A place that stores something beyond a run."""

    what: str
    place: str
    exists: bool | None
    """None for a server, which is not asked, and for a place that cannot be checked."""


KeyArgument = Annotated[str, typer.Argument(metavar="KEY", help="Key with its section: scoring.threshold.")]


@frozen(frozen=True, kw_only=True)
class KeyOptions(options.CommandOptions):
    key: KeyArgument


config = typer.Typer(rich_markup_mode=None, add_completion=False, invoke_without_command=True)


@config.callback()
@takes_options("config")
def show(args: options.CommandOptions, ctx: typer.Context) -> None:
    """Show the settings in effect and where each came from; read or change one.

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
    from compactor_cli.render.lists import settings_table

    console = make_console(sys.stdout)
    _print_warnings(args, configured)
    console.print(settings_table(console, configured.values))
    for place in data_places(configured):
        state = ", not there yet" if place.exists is False else ""
        console.print(f"{place.what} are stored in {place.place}{state}", soft_wrap=True)


@config.command("get", short_help="Print the value of one key.")
@takes_options("config get")
def get(args: KeyOptions, ctx: typer.Context) -> None:
    """Print the value in effect of one key. A key that is unset prints an empty line.

    \b
    Examples:
      compactor config get strategy
      compactor config get context.threshold --json
    """
    if args.key not in keys():
        raise UsageError(unknown_key_error(args.key))
    configured = configure({}, args.config or ctx.obj)
    if args.json:
        print_json(_entry(keys()[args.key], configured))
        return
    _print_warnings(args, configured)
    typer.echo(display_value(configured.values[args.key].value))


@config.command("path", short_help="Show which files are read.")
@takes_options("config path")
def path(args: options.CommandOptions, ctx: typer.Context) -> None:
    """Show the settings files, the weakest first, and the places for stored data, and which of them exist.

    \b
    Examples:
      compactor config path
    """
    config_file = config_option(args.config or ctx.obj)
    files = [settings_files.named_file(config_file)] if config_file else [settings_files.user_file(), _own_file()]
    configured = None
    try:
        configured = configure({}, config_file)
    except SettingsError as error:  # a user who has to repair a settings file needs to see the files
        args.say(f"warning: {error}")
    data_places_found = data_places(configured)
    if args.json:
        rows = [{"source": file.kind, "path": str(file.path), "exists": file.exists} for file in files]
        rows += [{"source": place.what, "path": place.place, "exists": place.exists} for place in data_places_found]
        print_json(rows)
        return
    console = make_console(sys.stdout)
    for file in files:
        console.print(f"{file.kind}  {file.path}  {'read' if file.exists else 'not there'}", soft_wrap=True)
    for place in data_places_found:
        console.print(f"{place.what}  {place.place}  {_STATES[place.exists]}", soft_wrap=True)


def _own_file() -> settings_files.SettingsFile:
    """Return the project's file, or where its first one would be."""
    folder = settings_files.working_folder()
    return settings_files.project_file(folder) or settings_files.SettingsFile("project file", folder / "compactor.toml")


def data_places(configured: Configured | None) -> list[DataPlace]:
    """Return where answers of models are stored and, if the settings can be read, the archive and the memory log."""
    from compactor_cli.db.place import is_there, sqlite_file
    from compactor_cli.llm.cache import cache_file

    places = [DataPlace(ANSWERS, str(cache_file()), cache_file().exists())]
    if configured is not None:
        url, exists = configured.reading.database_url, None
        file = sqlite_file(url)
        with suppress(StoreError):
            exists = None if file is None else is_there(file)
        places.append(DataPlace(MEMORIES, display_value(url) if file is None else str(file), exists))
    return places


def _entry(key: Key, configured: Configured) -> dict[str, Any]:
    setting = configured.values[key.name]
    return {
        "key": key.name,
        "value": display_value(setting.value) if isinstance(setting.value, str) else setting.value,
        "source": setting.origin.kind,
        "place": setting.origin.place,
        "default": key.default,
        "meaning": key.meaning,
        "allowed": describe_allowed(key),
        "variables": list(key.variables),
    }


def _print_warnings(args: options.CommandOptions, configured: Configured) -> None:
    for warning in configured.warnings:
        args.say(f"warning: {warning}")


@frozen(frozen=True, kw_only=True)
class FileOptions(RunOptions):
    """Options that choose the settings file to change."""

    user: bool = options.switch("Use the user's file.")
    project: bool = options.switch("Use the project's file (default), or a new compactor.toml in this folder.")
    config: str = options.option("FILE", "Use this file.", "")


@frozen(frozen=True, kw_only=True)
class UnsetOptions(FileOptions):
    key: KeyArgument


@frozen(frozen=True, kw_only=True)
class SetOptions(UnsetOptions):
    value: Annotated[
        str, typer.Argument(metavar="VALUE", help="Value; a list is separated by commas, or is a JSON array.")
    ]


@frozen(frozen=True, kw_only=True)
class InitOptions(RunOptions):
    user: bool = options.switch("Use the user's file.")
    config: str = options.option("FILE", "Use this file.", "")
    yaml: bool = options.switch("Write YAML instead of TOML.")


@config.command("set", short_help="Set a key in a file.", context_settings={"ignore_unknown_options": True})
@takes_options("config set")
def set_key(args: SetOptions, ctx: typer.Context) -> None:
    """Set a key in a settings file. Everything else in the file stays as it is, including comments.

    \b
    Examples:
      compactor config set context.threshold 80000
      compactor config set strategy hybrid --user
      compactor config set tiers.keep 1,0.6,0.3,0.1 --config settings.yaml
    """
    from compactor_cli.configuration.editing import with_value

    key = args.key
    if key not in keys():
        raise UsageError(unknown_key_error(key))
    file = _target(args, ctx.obj)
    value = _parse_value(keys()[key], args.value, file)
    before = settings_files.read_text(file) if file.exists else ""
    after = with_value(file, before, keys()[key], value)
    # raises for settings that cannot be combined
    merge([layer_of(settings_files.section_of(file, settings_files.parse_file(file, after)), file.origin)])
    _write(file, after)
    args.say(f"{file.path}: {key} = {notation_of(value)}")
    with suppress(SettingsError):  # errors in another file are not this command's concern
        effective = configure({}, str(file.path) if file.kind == "file" else "").values[key]
        if effective.origin.place != str(file.path):
            args.say(
                f"note: {effective.origin} takes precedence: {key} is {display_value(effective.value) or 'unset'} here"
            )


@config.command("unset", short_help="Remove a key from a file.")
@takes_options("config unset")
def unset(args: UnsetOptions, ctx: typer.Context) -> None:
    """Remove a key from a settings file, so that weaker files and the default apply again.

    \b
    Examples:
      compactor config unset context.threshold
      compactor config unset strategy --user
    """
    from compactor_cli.configuration.editing import without_key

    key, file = args.key, _target(args, ctx.obj)
    after = without_key(file, settings_files.read_text(file), key)
    if after is None:
        raise UsageError(
            f"{file.path}: {key} is not set in this file" + ("" if key in keys() else f"; {unknown_key_error(key)}")
        )
    _write(file, after)
    args.say(f"{file.path}: {key} was removed")


@config.command("init", short_help="Write a file with every key, commented out.")
@takes_options("config init")
def init(args: InitOptions, ctx: typer.Context) -> None:
    """Write a settings file with every key commented out: its meaning, default and allowed values.

    The file is compactor.toml in this folder, or the user's file with --user.

    \b
    Examples:
      compactor config init
      compactor config init --user --yaml
    """
    from compactor_cli.configuration.editing import settings_template

    config_path = args.config or ctx.obj
    if args.user and config_path:
        raise UsageError("--user and --config exclude each other: use one of them")
    path = settings_files.user_file().path if args.user else settings_files.working_folder() / "compactor.toml"
    path = settings_files.named_file(config_path).path if config_path else path
    candidates = [path] if config_path else [path.with_suffix(suffix) for suffix in settings_files.SUFFIXES]
    for candidate in candidates:
        if is_there(candidate):
            raise UsageError(f"{candidate} already exists; change it with `compactor config set`")
    path = path.with_suffix(".yaml") if args.yaml else path
    file = settings_files.SettingsFile("user file" if args.user else "file", path)
    _write(file, settings_template(yaml=file.is_yaml))
    args.say(f"written to {path}")


def _target(args: FileOptions, outer_config: str) -> settings_files.SettingsFile:
    """Return the file to change; `outer_config` was named before the subcommand."""
    config = args.config or outer_config
    if args.user + args.project + bool(config) > 1:
        raise UsageError("--user, --project and --config exclude each other: use one of them")
    if args.user:
        return settings_files.user_file()
    config_path = config if args.project else config_option(config)
    if config_path:
        check_ends(config_path)
        return settings_files.named_file(config_path)
    return _own_file()


def _parse_value(key: Key, text: str, file: settings_files.SettingsFile) -> object:
    """Return the value to write. A path is made absolute unless the settings file is in the working folder."""
    try:
        text.encode()
        value = parse_value(key, text)
    except UnicodeEncodeError:
        raise SettingsError(f"{key.name}: the value is not UTF-8") from None
    except ValueError as error:
        raise SettingsError(f"{file.path}: {key.name} = {notation_of(text)}: {error}; nothing was written") from None
    if key.form == "path" and text and real_path(file.path.parent) != settings_files.working_folder():
        return str(Path(text).expanduser().absolute())
    return value


def _write(file: settings_files.SettingsFile, text: str) -> None:
    if file.kind == "user file":
        make_folder(str(file.path))
    elif not is_folder(file.path.parent):
        raise SettingsError(f"{file.path}: the folder {file.path.parent} does not exist; nothing was written")
    write_bytes(str(file.path), text.encode())
