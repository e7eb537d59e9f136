"""Generate the manual page `compactor.1` from the help of the commands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

_SHARED = 4
"""Minimum commands that share an option; such an option is described only once."""
_EXIT = "Exit codes: "
_BRACKETS = re.compile(r" \([^()]*\)")

_ENVIRONMENT = {
    "COLUMNS": "How wide tables are, where --width does not say it.",
    "NO_COLOR": "When it is set, there are no colours.",
    "FORCE_COLOR": "When it is set, there are colours in a pipe, too.",
    "COMPACTOR_CONFIG": "A settings file that is read instead of the user's and the project's, as --config names one.",
    "COMPACTOR_KEY": "The value of a key of the settings: COMPACTOR_STRATEGY, COMPACTOR_CONTEXT_THRESHOLD and so on.",
}
_FILES = {
    "compactor.toml": "Settings of a project, in its folder; compactor config init writes one with every key.",
    "~/.config/compactor/config.toml": "Settings of the user; compactor config path says where they are read from.",
}


def page(commands: Mapping[str, Any]) -> str:
    """Return the page as roff. `commands`: all commands by what the user types for them; "" is the program itself."""
    return "".join(f"{line}\n" for line in _page(commands))


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, without its final dot and without anything in brackets."""
    return re.split(r"[.;](?:\s|$)", _BRACKETS.sub("", " ".join(text.split())), maxsplit=1)[0]


def _page(commands: Mapping[str, Any]) -> Iterator[str]:
    program = commands[""]
    said = _paragraphs(program.help)
    parsed = {name: _parameters(command) for name, command in commands.items()}
    often = Counter(_said_of(one) for name in parsed for one in parsed[name] if name and _is_option(one))
    shared = {said for said, count in often.items() if count >= _SHARED}
    yield '.TH COMPACTOR 1 "" "compactor" "User Commands"\n.nh\n.ad l'
    yield ".SH NAME"
    yield f"compactor \\- {_escaped(first_sentence(said[0]).lower())}"
    yield ".SH SYNOPSIS"
    yield ".B compactor\n[\\fIOPTION\\fR]... \\fICOMMAND\\fR [\\fIARGUMENT\\fR]..."
    yield ".SH DESCRIPTION"
    yield from _text([part for part in said if not part.startswith(_EXIT)])
    yield ".SH OPTIONS"
    yield from _options(one for one in parsed[""] if _is_option(one))
    yield ".SH COMMANDS"
    for name, command in commands.items():
        if name:
            yield from _command(name, command, parsed[name], shared)
    yield ".SH OPTIONS OF SEVERAL COMMANDS"
    every = {_said_of(one): one for parameters in parsed.values() for one in parameters if _is_option(one)}
    yield from _options(one for said_of, one in every.items() if said_of in shared)
    yield ".SH EXIT STATUS"
    yield from _text([part.removeprefix(_EXIT) for part in said if part.startswith(_EXIT)])
    for title, entries in (("ENVIRONMENT", _ENVIRONMENT), ("FILES", _FILES)):
        yield f".SH {title}"
        for name, meaning in entries.items():
            yield f".TP\n.B {_escaped(name)}\n{_escaped(meaning)}"


def _command(name: str, command: Any, parameters: list[Any], shared: set[tuple[Any, ...]]) -> Iterator[str]:
    arguments = [one for one in parameters if not _is_option(one)]
    usage = " ".join(_escaped(one.make_metavar(_context(command))) for one in arguments)
    yield f'.SS "compactor {name}"'
    yield f".B compactor {name}\n[\\fIOPTION\\fR]... {usage}".rstrip()
    yield from _text(_paragraphs(command.help))
    options = [one for one in parameters if _is_option(one)]
    for argument in arguments:
        yield f".TP\n.I {_escaped(argument.make_metavar(_context(command)))}\n{_escaped(argument.help or '')}"
    yield from _options(one for one in options if _said_of(one) not in shared)
    others = [max(one.opts, key=len) for one in options if _said_of(one) in shared]
    if others:
        yield f".PP\nAlso: {_escaped(', '.join(others))}."


def _parameters(command: Any) -> list[Any]:
    found: list[Any] = command.get_params(_context(command))
    return [one for one in found if getattr(one, "name", "") != "help"]


def _context(command: Any) -> Any:
    return command.make_context("compactor", [], resilient_parsing=True)


def _is_option(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "option")


def _said_of(option: Any) -> tuple[Any, ...]:
    return (*_names(option), option.metavar, option.help)


def _names(option: Any) -> list[str]:
    return [*sorted(option.opts, key=len), *option.secondary_opts]


def _options(options: Iterator[Any]) -> Iterator[str]:
    for option in options:
        value = "" if option.is_flag else f" \\fI{_escaped(option.metavar or 'VALUE')}\\fR"
        names = ", ".join(f"\\fB{_escaped(name)}\\fR" for name in _names(option))
        yield f".TP\n{names}{value}\n{_escaped(' '.join((option.help or '').split()))}"


def _paragraphs(text: str) -> list[str]:
    return [part.strip("\n") for part in (text or "").split("\n\n") if part.strip()]


def _text(paragraphs: list[str]) -> Iterator[str]:
    """Yield paragraphs as roff. Those that begin with a backspace keep their line breaks."""
    for part in paragraphs:
        if part.startswith("\b"):
            yield "\n".join([".PP", ".nf", *map(_escaped, part.removeprefix("\b").strip("\n").splitlines()), ".fi"])
        else:
            yield f".PP\n{_escaped(' '.join(part.split()))}"


def _escaped(text: str) -> str:
    """Return a text so that roff prints it as it is."""
    safe = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    safe = "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in safe)
    return f"\\&{safe}" if safe.startswith((".", "\\(aq")) else safe
