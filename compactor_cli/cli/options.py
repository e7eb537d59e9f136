"""Options that several commands share. Those of one command stand in its class, those of settings in `settings/`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from compactor_cli.cli.numbers import tokens
from compactor_cli.cli.width import WidthOption


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a command speaks: options of every command."""

    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Nothing on standard error, but for options that are wrong.")
    ] = False
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of a failure.")] = False
    width: WidthOption = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredOptions(RunOptions):
    """Of a command that goes by settings."""

    config: Annotated[
        str,
        typer.Option("--config", metavar="FILE", help="Settings file to read instead of the user's and the project's."),
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandOptions(ConfiguredOptions):
    """Of a command that prints tables, or JSON."""

    json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts instead of tables.")] = False


ProjectOption = Annotated[
    str,
    typer.Option(
        "--project", metavar="PATH", help="Only sessions of this folder (. for this one), or with this in its path."
    ),
]


LatestOption = Annotated[
    str,
    typer.Option(
        "--latest",
        metavar="[AGENT]",
        help="Take the newest session on this machine instead of FILE, or that of an agent: claude, codex, gemini, "
        "...; see compactor sessions.",
    ),
]
SessionIdOption = Annotated[
    str,
    typer.Option("--session", metavar="ID", help="Take the session on this machine whose id is this or begins so."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions(CommandOptions):
    """Of a command that takes a session of this machine as well as a file."""

    latest: LatestOption = ""
    session: SessionIdOption = ""
    project: ProjectOption = ""


FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="Transcript, or a folder of them; - is standard input.")
]
OneFileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="Transcript, or a folder with one in it; - is standard input.")
]
FilesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="FILE...", help="Transcripts, or folders of them; - is standard input.")
]
OutOption = Annotated[
    str, typer.Option("-o", "--output", metavar="OUT", help="File to write; default: standard output.")
]
InPlaceOption = Annotated[bool, typer.Option("--in-place", help="Replace the files, each in one step.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Print the plan and write nothing.")]
ReportOption = Annotated[
    str, typer.Option("--report", metavar="FILE", help="Write the JSON report there, one line a file.")
]
HtmlOption = Annotated[
    str,
    typer.Option(
        "--html",
        metavar="FILE",
        help="Also write a page for a browser: each message with what became of it and why. It loads nothing from "
        "anywhere.",
    ),
]
TotalOption = Annotated[
    int, typer.Option("--total", parser=tokens, metavar="N", help="Tokens of the whole prompt: 8000 or 8k.")
]
PromptOption = Annotated[
    str,
    typer.Option("--prompt", metavar="YAML", help="Parts of the prompt besides the conversation: sizes or texts."),
]
ContextOption = Annotated[
    list[str] | None,
    typer.Option("--context", metavar="NAME=VALUE", help="A value for the conditions of segments; may be repeated."),
]
DecisionsOption = Annotated[
    str,
    typer.Option(
        "--decisions",
        metavar="FILE",
        help="Messages to keep or to drop, as `browse` saved them, and their target and strategy, unless options name "
        "others.",
    ),
]
