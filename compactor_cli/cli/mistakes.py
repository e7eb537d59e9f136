"""Explain what the parser rejects, in the style of our other errors: what is wrong and what to do."""

from __future__ import annotations

import re
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from compactor_cli.text.patterns import compiled_later

_EXTRA = compiled_later(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", re.DOTALL)

_KIND = compiled_later(r"is not a valid (int|float)\w*(?: range)?\.?$")
_RANGE = compiled_later(r"is not in the range (?:(.+)<=)?x(?:[<>]=(.+?))?\.?$")


def is_mistake(error: Exception) -> bool:
    """Return whether the parser raised the error for words that it cannot use. A request for help is not a mistake."""
    return hasattr(error, "format_message") and type(error).__name__ != "NoArgsIsHelpError"


def mistake_message(error: Any, ctx: Any) -> str:
    """Return what is wrong, and how to get help. `ctx`: the program's context, for errors that name no command."""
    where = error.ctx or ctx
    path = where.command_path
    if error.ctx is None and ctx.invoked_subcommand:
        path += f" {ctx.invoked_subcommand}"
    return f"{_describe_mistake(error, where)}\nSee {path} --help."


def _describe_mistake(error: Any, ctx: Any) -> str:
    """Return one sentence for each kind of error, which the parser words in several ways."""
    parameter = getattr(error, "param", None)
    if hasattr(error, "possibilities"):
        return f"no such option: {error.option_name}" + (
            _option_hint(error.option_name, ctx) or _dash_file_hint(error.option_name)
        )
    if hasattr(error, "option_name"):
        expectation = "takes no value" if "not take" in error.message else "needs a value"
        return f"{error.option_name} {expectation}"
    if hasattr(error, "param_type") and parameter is not None:
        return f"missing {_name(parameter, ctx)}: {getattr(parameter, 'help', '') or 'give it a value'}"
    if parameter is not None:
        return f"{_name(parameter, ctx)}: {_KIND.sub(_number, _RANGE.sub(_bounds_phrase, error.message))}"
    extra = _EXTRA.fullmatch(error.message)
    problem = f"unexpected argument: {extra[1]}" if extra else str(error.message)
    return problem[:1].lower() + problem[1:]


def _dash_file_hint(option: str) -> str:
    """Return how to name a file that begins with a dash, if the supposed option is the beginning of one."""
    words = (word for word in sys.argv[1:] if word.startswith(option))
    file_name = next((word for word in words if Path(word).exists()), None)
    return f". The file of that name is ./{file_name}" if file_name else ""


def _bounds_phrase(match: re.Match[str]) -> str:
    minimum, maximum = match.groups()
    return f"must be from {minimum} to {maximum}" if minimum else f"must be at least {maximum}"


def _number(match: re.Match[str]) -> str:
    return "is not a whole number" if match[1] == "int" else "is not a number"


def _name(parameter: Any, ctx: Any) -> str:
    """Return a parameter's name on the command line: `--total`, `FILE`."""
    return str(parameter.get_error_hint(ctx)).replace("'", "").replace("[", "").replace("]", "")


def _option_hint(option: str, ctx: Any) -> str:
    """Return a hint at the command's option that is spelled most like an unknown one."""
    options = [
        name for parameter in ctx.command.get_params(ctx) for name in (*parameter.opts, *parameter.secondary_opts)
    ]
    near = get_close_matches(option, [name for name in options if name.startswith("--")], n=1)
    return f". Did you mean {near[0]}?" if near else ""
