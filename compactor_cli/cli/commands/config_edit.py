"""`compactor config set`, `unset` and `init`: settings files changed and begun."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from compactor_cli.cli.configured import config_of, configure
from compactor_cli.cli.files import check_ends, is_folder, is_there, make_folder, real_path, write_bytes
from compactor_cli.cli.options import RunOptions
from compactor_cli.cli.typed_options import takes
from compactor_cli.configuration.checked_values import parsed, shown, written
from compactor_cli.configuration.keys import Key, keys
from compactor_cli.configuration.layers import merge
from compactor_cli.configuration.parsed_file import layer_of, unknown
from compactor_cli.configuration.settings_files import (
    SUFFIXES,
    SettingsFile,
    named_file,
    parse,
    project_file,
    read_text,
    section_of,
    user_file,
    working_folder,
)
from compactor_cli.errors import SettingsError, UsageError
from compactor_cli.settings.frozen import frozen


@frozen(frozen=True, kw_only=True)
class FileOptions(RunOptions):
    """Which settings file is changed."""

    user: Annotated[bool, typer.Option("--user", help="The user's file.")] = False
    project: Annotated[
        bool, typer.Option("--project", help="The project's file (default), or a new compactor.toml in this folder.")
    ] = False
    config: Annotated[str, typer.Option("--config", metavar="FILE", help="This file.")] = ""


@frozen(frozen=True, kw_only=True)
class UnsetOptions(FileOptions):
    key: Annotated[str, typer.Argument(metavar="KEY", help="A key with its section: scoring.threshold.")]


@frozen(frozen=True, kw_only=True)
class SetOptions(UnsetOptions):
    value: Annotated[
        str, typer.Argument(metavar="VALUE", help="Its value; a list has commas between its items, or is a JSON array.")
    ]


@frozen(frozen=True, kw_only=True)
class InitOptions(RunOptions):
    user: Annotated[bool, typer.Option("--user", help="The user's file.")] = False
    config: Annotated[str, typer.Option("--config", metavar="FILE", help="This file.")] = ""
    yaml: Annotated[bool, typer.Option("--yaml", help="YAML instead of TOML.")] = False


@takes("config set")
def set_key(args: SetOptions, ctx: typer.Context) -> None:
    """Set a key in a settings file. What else stands in the file stays as it is, comments too.

    \b
    Examples:
      compactor config set context.threshold 80000
      compactor config set strategy hybrid --user
      compactor config set tiers.keep 1,0.6,0.3,0.1 --config settings.yaml
    """
    from compactor_cli.configuration.editing import with_value

    key = args.key
    if key not in keys():
        raise UsageError(unknown(key))
    file = _target(args, ctx.obj)
    wanted = _value(keys()[key], args.value, file)
    before = read_text(file) if file.exists else ""
    after = with_value(file, before, keys()[key], wanted)
    merge([layer_of(section_of(file, parse(file, after)), file.origin)])  # raises for what cannot be used together
    _write(file, after)
    args.say(f"{file.path}: {key} = {written(wanted)}")
    with suppress(SettingsError):  # another file is wrong, which is not this command's matter
        effective = configure({}, str(file.path) if file.kind == "file" else "").values[key]
        if effective.origin.place != str(file.path):
            args.say(f"note: {effective.origin} is stronger: {key} is {shown(effective.value) or 'unset'} here")


@takes("config unset")
def unset(args: UnsetOptions, ctx: typer.Context) -> None:
    """Take a key out of a settings file, so that weaker ones and the default count again.

    \b
    Examples:
      compactor config unset context.threshold
      compactor config unset strategy --user
    """
    from compactor_cli.configuration.editing import without

    key, file = args.key, _target(args, ctx.obj)
    after = without(file, read_text(file), key)
    if after is None:
        raise UsageError(f"{file.path}: {key} is not set there" + ("" if key in keys() else f"; {unknown(key)}"))
    _write(file, after)
    args.say(f"{file.path}: {key} is no longer set")


@takes("config init")
def init(args: InitOptions, ctx: typer.Context) -> None:
    """Write a settings file with every key commented out: its meaning, default, and what is allowed.

    The file is compactor.toml in this folder, or with --user the user's file.

    \b
    Examples:
      compactor config init
      compactor config init --user --yaml
    """
    from compactor_cli.configuration.editing import template

    named = args.config or ctx.obj
    if args.user and named:
        raise UsageError("--user and --config exclude each other: use one of them")
    path = named_file(named).path if named else user_file().path if args.user else working_folder() / "compactor.toml"
    candidates = [path] if named else [path.with_suffix(suffix) for suffix in SUFFIXES]
    for place in candidates:
        if is_there(place):
            raise UsageError(f"{place} is there already; change it with `compactor config set`")
    path = path.with_suffix(".yaml") if args.yaml else path
    file = SettingsFile("user file" if args.user else "file", path)
    _write(file, template(yaml=file.is_yaml))
    args.say(f"written to {path}")


def _target(args: FileOptions, around: str) -> SettingsFile:
    """Return the file to change: the one that is named, also before the subcommand (`around`), else the project's."""
    config = args.config or around
    if args.user + args.project + bool(config) > 1:
        raise UsageError("--user, --project and --config exclude each other: use one of them")
    if args.user:
        return user_file()
    named = config if args.project else config_of(config)
    if named:
        check_ends(named)
        return named_file(named)
    folder = working_folder()
    return project_file(folder) or SettingsFile("project file", folder / "compactor.toml")


def _value(key: Key, text: str, file: SettingsFile) -> object:
    """Return the value to write. A path is one for the folder of the file."""
    try:
        text.encode()
        value = parsed(key, text)
    except UnicodeEncodeError:
        raise SettingsError(f"{key.name}: the value is not UTF-8") from None
    except ValueError as error:
        raise SettingsError(f"{file.path}: {key.name} = {written(text)}: {error}; nothing was written") from None
    if key.form == "path" and text and real_path(file.path.parent) != working_folder():
        return str(Path(text).expanduser().absolute())
    return value


def _write(file: SettingsFile, text: str) -> None:
    if file.kind == "user file":
        make_folder(str(file.path))
    elif not is_folder(file.path.parent):
        raise SettingsError(f"{file.path}: there is no folder {file.path.parent}; nothing was written")
    write_bytes(str(file.path), text.encode())
