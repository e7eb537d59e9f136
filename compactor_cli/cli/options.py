"""Options that several commands share. Those of one command are in its class, those of settings in `settings/`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Annotated, Any, TypeVar

import typer

from compactor_cli.errors import UsageError
from compactor_cli.settings.frozen import FrozenValues, frozen
from compactor_cli.text.quantities import count_in, share_in

T = TypeVar("T")
_MIN_WIDTH = 40


def _set_width(width: int | None) -> int | None:
    """Set the width of the terminal for everything that prints and for child processes."""
    if width is not None:
        os.environ["COLUMNS"] = str(width)
    return width


WidthOption = Annotated[
    int | None,
    typer.Option(
        "--width",
        metavar="N",
        min=_MIN_WIDTH,
        is_eager=True,
        callback=_set_width,
        help="Width of tables; default: that of the terminal, or COLUMNS.",
    ),
]


def _parser(read: Callable[[str], T | None], wanted: str) -> Callable[[str | float], T]:
    """Return a function that reads a number, or raises BadParameter."""

    def parse(text: str | float) -> T:
        number = read(str(text))
        if number is None:
            raise typer.BadParameter(f"{text!r} is not {wanted}")
        return number

    return parse


parse_tokens = _parser(count_in, "a number of tokens of at least 1; write 4000, 4,000 or 4k")
parse_size = _parser(count_in, "a number of bytes of at least 1; write 500000, 500k or 5M")
parse_share = _parser(share_in, "a share between 0 and 1; write 0.25 or 25%")


def parse_output(out_path: str) -> str:
    """Return an output's place, `-` for each name of standard output, which must not be replaced as a file."""
    return "-" if out_path in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1") else out_path


def check_at_most_one(options: Iterable[tuple[str, object]]) -> list[str]:
    """Return the name of the one option that has a value, or an empty list. Raises UsageError if several have one."""
    used = [name for name, value in options if value]
    if len(used) > 1:
        raise UsageError(f"{' and '.join(used)} exclude each other: use one of them")
    return used


def option(metavar: str, help: str, default: Any, *names: str, **more: Any) -> Any:
    """Return a field for an option with a value, named like the field unless it has `names`. `more`: for typer."""

    def declare(name: str) -> Any:
        words = names or (f"--{name.replace('_', '-')}",)
        return typer.Option(*words, metavar=metavar or None, help=help, **more)

    return field(default=default, metadata={"declare": declare})


def switch(help: str, *names: str) -> Any:
    """Return a field for an option without a value, which is off by default."""
    return option("", help, False, *names)


@frozen(frozen=True, kw_only=True)
class RunOptions(FrozenValues):
    """Options of every command: what it prints."""

    quiet: bool = switch("Write nothing to standard error except usage errors.", "--quiet", "-q")
    debug: bool = switch("Show the traceback of a failure.")
    width: WidthOption = None

    def say(self, text: str) -> None:
        """Print to standard error, for commands that open no session."""
        from compactor_cli.render.console import make_console

        make_console(sys.stderr, quiet=self.quiet).print(text, soft_wrap=True)


@frozen(frozen=True, kw_only=True)
class ConfiguredOptions(RunOptions):
    """Options of a command that uses settings."""

    config: str = option("FILE", "Settings file to read instead of the user's and the project's.", "")


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for scripts instead of tables.")]


@frozen(frozen=True, kw_only=True)
class CommandOptions(ConfiguredOptions):
    """Options of a command that prints tables or JSON."""

    json: JsonOption = False


ProjectOption = Annotated[
    str,
    typer.Option(
        "--project",
        metavar="PATH",
        help="Only sessions of this folder (. for the current one), or of folders whose path contains this.",
    ),
]


@frozen(frozen=True, kw_only=True)
class PickOptions(ConfiguredOptions):
    """Options of a command that accepts a session of this machine as well as a file."""

    latest: str = option(
        "[AGENT]",
        "Use the newest session on this machine instead of FILE, or the newest of an agent: claude, codex, "
        "gemini, ...; see compactor sessions.",
        "",
    )
    session: str = option("ID", "Use the session on this machine whose id is or begins with this.", "")
    project: ProjectOption = ""


@frozen(frozen=True, kw_only=True)
class SessionOptions(PickOptions):
    """The same options, plus --json."""

    json: JsonOption = False


FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="Transcript, or folder of transcripts; - is standard input.")
]
OneFileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="Transcript, or folder with a single one; - is standard input.")
]
FilesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="FILE...", help="Transcripts, or folders of transcripts; - is standard input."),
]
OutOption = Annotated[
    str,
    typer.Option(
        "-o", "--output", metavar="OUT", callback=parse_output, help="File to write; default: standard output."
    ),
]
InPlaceOption = Annotated[bool, typer.Option("--in-place", help="Replace each file atomically.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Print the plan and write nothing.")]
ReportOption = Annotated[
    str,
    typer.Option(
        "--report",
        metavar="FILE",
        callback=parse_output,
        help="Write a JSON report to this file, one line for each input.",
    ),
]
HtmlOption = Annotated[
    str,
    typer.Option(
        "--html",
        metavar="FILE",
        callback=parse_output,
        help="Also write a self-contained HTML page that shows what became of each message, and why.",
    ),
]
TotalOption = Annotated[
    int, typer.Option("--total", parser=parse_tokens, metavar="N", help="Token budget of the whole prompt: 8000 or 8k.")
]
PromptOption = Annotated[
    str,
    typer.Option(
        "--prompt", metavar="YAML", help="File with the parts of the prompt besides the conversation: sizes or texts."
    ),
]
ContextOption = Annotated[
    list[str] | None,
    typer.Option("--context", metavar="NAME=VALUE", help="Value for the conditions of segments; may be repeated."),
]
DecisionsOption = Annotated[
    str,
    typer.Option(
        "--decisions",
        metavar="FILE",
        help="File that `browse` saved: messages to keep or drop, and the target and strategy unless options override "
        "them.",
    ),
]
