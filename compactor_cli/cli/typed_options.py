"""Commands for typer, made from functions whose options are fields of a class and settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from inspect import Parameter, Signature
from math import isfinite
from typing import Annotated, Any, get_type_hints

import typer

from compactor_cli.cli.command_table import ARGS
from compactor_cli.cli.files import read_text
from compactor_cli.cli.options import parse_share, parse_tokens
from compactor_cli.configuration.checked_values import check_value, display_value, notation_of, timestamp_of
from compactor_cli.configuration.keys import Key, options_of
from compactor_cli.configuration.layers import Layer, Origin, SettingValue
from compactor_cli.errors import SettingsError, UsageError

_SHARED_OPTIONS = ("latest", "session", "project", "config", "json", "quiet", "width", "debug")
"""Options of many commands, in the order in which help lists them, after the others."""
_MAX_SHOWN_CHOICES = 6


def takes_options(command: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that makes a typer command from a function with a parameter `args`, a class of options. With a
    parameter `overrides`, it also gets the settings that options set; with `ctx`, the click context."""

    def made(function: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(function)
        kind = hints["args"]
        declared = get_type_hints(kind, include_extras=True)
        parameters_by_name = {field.name: _field_parameter(field, declared[field.name]) for field in fields(kind)}
        settings = options_of(command) if "overrides" in hints else ()
        keys = {_option_names(key)[0].removeprefix("--").replace("-", "_"): key for key in settings}
        parameters = [
            Parameter("ctx", Parameter.KEYWORD_ONLY, annotation=typer.Context),
            *(parameter for name, parameter in parameters_by_name.items() if name not in _SHARED_OPTIONS),
            *(_setting_parameter(name, key) for name, key in keys.items()),
            *(parameters_by_name[name] for name in _SHARED_OPTIONS if name in parameters_by_name),
        ]

        def call(ctx: typer.Context, **values: Any) -> None:
            _refuse_infinite(ctx, values, keys)
            args = kind(**{name: values[name] for name in parameters_by_name})
            ctx.meta[ARGS] = args
            more: dict[str, Any] = {"ctx": ctx} if "ctx" in hints else {}
            if keys:
                more["overrides"] = layer_of(keys, values)
            function(args, **more)

        call.__name__, call.__doc__ = function.__name__, function.__doc__
        call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # typer goes by it
        return call

    return made


def _refuse_infinite(ctx: typer.Context, values: Mapping[str, Any], keys: Mapping[str, Key]) -> None:
    """Raise BadParameter for NaN, and for infinity except for settings without a maximum, where it is no limit."""
    for name, value in values.items():
        if isinstance(value, float) and not isfinite(value):
            if value > 0 and name in keys and keys[name].maximum is None:
                continue
            raise typer.BadParameter(f"--{name.replace('_', '-')}: {value} is not a finite number", ctx=ctx)


def layer_of(keys: Mapping[str, Key], values: Mapping[str, Any]) -> Layer:
    """Return the settings that options set; None and empty values were not given. Raises SettingsError. Ranges are
    checked by the option, names of tools where they are used."""
    layer: dict[str, SettingValue] = {}
    for name, key in keys.items():
        value = values[name]
        if value is not None and value not in ("", []):
            option = _option_names(key)[0]
            file = value if key.form == "text" else ""
            layer[key.name] = SettingValue(_converted_value(option, key, value), Origin("option", option), file)
    return layer


def _field_parameter(field: Field[Any], hint: Any) -> Parameter:
    default = Parameter.empty if field.default is MISSING else field.default
    if "declare" in field.metadata:
        hint = Annotated[hint, field.metadata["declare"](field.name)]
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _option_names(key: Key) -> Sequence[str]:
    """Return the options of a key: one, or two for a switch."""
    assert key.option is not None
    return key.option.name.split("/")


def _setting_parameter(name: str, key: Key) -> Parameter:
    assert key.option is not None
    allowed: dict[str, Any] = {}
    kind: Any = key.kind
    if key.many:
        kind = list[kind]
    elif key.form == "tokens":
        allowed["parser"] = parse_tokens
    elif key.is_share:
        allowed["parser"] = parse_share
    elif kind in (int, float) and key.form != "time":
        allowed |= {"min": key.minimum, "max": key.maximum}
    if key.form == "time":
        kind = str
    option = typer.Option(key.option.name, metavar=key.option.metavar or None, help=_help(key), **allowed)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, option])


def _help(key: Key) -> str:
    head, sign, remainder = key.meaning.partition("; ")
    choices = [choice for choice in key.choices if choice]
    if choices and len(choices) <= _MAX_SHOWN_CHOICES and choices[0] not in head:
        head = f"{head}: {', '.join(choices)}"
    if key.form == "tokens":
        head += " (4000 or 4k)"
    elif key.is_share:
        head += " (0.25 or 25%)"
    remainder = remainder.replace("empty: ", "default: ").replace("unset: ", "default: ")
    text = f"{head[0].upper()}{head[1:]}{sign}{remainder}"
    if key.many:
        text += "; may be repeated"
    elif not isinstance(key.default, bool) and key.default and "default: " not in text:
        text += f"; default: {display_value(key.default)}"
    return f"{text}."


def _converted_value(option: str, key: Key, value: Any) -> Any:
    if key.form == "time":
        seconds = timestamp_of(value)
        if seconds is None:
            raise UsageError(f"{option} {value!r} is not a time; use ISO 8601 such as 2026-03-01T12:00:00Z")
        return seconds
    if key.form == "text":
        return _plain_help(option, value)
    if key.name == "preset":
        try:
            return check_value(key, value)
        except ValueError as error:
            raise SettingsError(f"{option} {notation_of(value)}: {error}") from None
    return tuple(value) if isinstance(value, list) else value


def _plain_help(option: str, path: str) -> str:
    text = read_text(path)
    if not text.strip():
        raise UsageError(f"{option} {path}: the file is empty; leave the option out for the default prompt")
    return text
