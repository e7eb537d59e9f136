"""Explain what the command line cannot use, in the words of the other errors: what is wrong, and what to do."""

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
    """Return whether the parser raised it for words that it cannot use; help that was asked for is none."""
    return hasattr(error, "format_message") and type(error).__name__ != "NoArgsIsHelpError"


def words_of(error: Any, ctx: Any) -> str:
    """Return what is wrong, and where the help is. `ctx`: the context of the program, for errors that name no
    command."""
    where = error.ctx or ctx
    path = where.command_path
    if error.ctx is None and ctx.invoked_subcommand:
        path += f" {ctx.invoked_subcommand}"
    return f"{_what(error, where)}\nSee {path} --help."


def _what(error: Any, ctx: Any) -> str:
    """Return one sentence for what the parser says in several ways."""
    parameter = getattr(error, "param", None)
    if hasattr(error, "possibilities"):
        return f"no such option: {error.option_name}" + (
            _meant(error.option_name, ctx) or _file_like(error.option_name)
        )
    if hasattr(error, "option_name"):
        wanted = "takes no value" if "not take" in error.message else "needs a value"
        return f"{error.option_name} {wanted}"
    if hasattr(error, "param_type") and parameter is not None:
        return f"missing {_name(parameter, ctx)}: {getattr(parameter, 'help', '') or 'give it a value'}"
    if parameter is not None:
        return f"{_name(parameter, ctx)}: {_KIND.sub(_number, _RANGE.sub(_bounds, error.message))}"
    extra = _EXTRA.fullmatch(error.message)
    problem = f"unexpected argument: {extra[1]}" if extra else str(error.message)
    return problem[:1].lower() + problem[1:]


def _file_like(option: str) -> str:
    """Return how to name a file that begins with a dash, where the word that was taken for an option names one."""
    words = (word for word in sys.argv[1:] if word.startswith(option))
    named = next((word for word in words if Path(word).exists()), None)
    return f". The file of that name is ./{named}" if named else ""


def _bounds(match: re.Match[str]) -> str:
    least, most = match.groups()
    return f"has to be from {least} to {most}" if least else f"has to be at least {most}"


def _number(match: re.Match[str]) -> str:
    return "is no whole number" if match[1] == "int" else "is no number"


def _name(parameter: Any, ctx: Any) -> str:
    """Return what a parameter is called where it is given: `--total`, `FILE`."""
    return str(parameter.get_error_hint(ctx)).replace("'", "").replace("[", "").replace("]", "")


def _meant(option: str, ctx: Any) -> str:
    """Return the option of the command that is spelled most like one that it does not have."""
    known = [name for parameter in ctx.command.get_params(ctx) for name in (*parameter.opts, *parameter.secondary_opts)]
    near = get_close_matches(option, [name for name in known if name.startswith("--")], n=1)
    return f". Did you mean {near[0]}?" if near else ""
