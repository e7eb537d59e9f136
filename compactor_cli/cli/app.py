"""The command line: the commands, and the one place that turns errors into exit codes."""

from __future__ import annotations

import gc
import signal
import sys
from types import FrameType
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from compactor_cli.cli.command_table import ARGS, Commands, summary
from compactor_cli.cli.mistakes import is_mistake, mistake_message
from compactor_cli.cli.options import WidthOption
from compactor_cli.cli.streams import open_streams
from compactor_cli.errors import BUG_REMEDY, CompactorError, ExitCode, UsageError, bug_message
from compactor_cli.text.clean import visible

_SYNONYMS = {
    **dict.fromkeys(("compress", "shrink", "reduce", "squeeze", "trim", "summarize", "truncate"), "compact"),
    **dict.fromkeys(("status", "show", "stats", "info", "view", "look"), "inspect"),
    **dict.fromkeys(("compare", "verify"), "diff"),
    **dict.fromkeys(("undo", "decompress", "uncompact", "expand"), "restore"),
    **dict.fromkeys(("benchmark", "bench", "measure"), "evaluate"),
    **dict.fromkeys(("train", "fit"), "learn"),
    **dict.fromkeys(("settings", "configure"), "config"),
    **dict.fromkeys(("list", "ls", "find", "history"), "sessions"),
    **dict.fromkeys(("transform", "translate", "export"), "convert"),
}
"""Names that other tools use for a command and that are not spelled like ours."""
_ENDING_SIGNALS = ("SIGTERM", "SIGHUP")
"""Signals that end the process. Half-written files are removed first."""


class _TerminatedError(BaseException):
    """A signal that asks the process to end. `code` is the exit code that a shell would report for it."""

    def __init__(self, number: int) -> None:
        self.code = 128 + number
        super().__init__(signal.Signals(number).name)


class Boundary(TyperGroup):
    """Prints one message for an expected failure. Anything else is reported as a bug."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = Commands()

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands with their summaries from the command table, without loading any command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary(name)) for name in self.commands])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return a command by its name. Raises UsageError for a synonym, naming the command it stands for."""
        command_name = _SYNONYMS.get(args[0].lower()) if args and args[0] not in self.commands else None
        if command_name:
            raise UsageError(
                f"no such command '{args[0]}'. Did you mean '{command_name}'?\nSee {ctx.command_path} --help."
            )
        return super().resolve_command(ctx, args)

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        """Return the context of the program's own options. Mistakes in them are reported like all other errors."""
        ctx = self.context_class(self, info_name=info_name, parent=parent)
        if not args and not extra.get("resilient_parsing"):
            from compactor_cli.cli.welcome import welcome

            welcome(ctx.command_path)
            raise typer.Exit(int(ExitCode.USAGE))
        try:
            try:
                return super().make_context(info_name, args, parent, **extra)
            finally:
                sys.stdout.flush()  # help and version have been printed by now
        except CompactorError as error:
            raise _report_failure(error, ctx) from None
        except Exception as error:  # the parser's own errors have no public class
            if not is_mistake(error):
                raise
            raise _report_misuse(error, ctx) from None

    def invoke(self, ctx: Any) -> Any:
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()  # a write error must show before the exit code is set
        except CompactorError as error:
            raise _report_failure(error, ctx) from None
        except KeyboardInterrupt:
            _print_error(ctx, "interrupted; no file was left half-written")
            raise typer.Exit(int(ExitCode.INTERRUPTED)) from None
        except _TerminatedError as termination:
            _print_error(ctx, "terminated; no file was left half-written")
            raise typer.Exit(termination.code) from None
        except Exception as error:  # the parser's own error, or a bug of any kind
            if is_mistake(error):
                raise _report_misuse(error, ctx) from None
            if hasattr(error, "exit_code"):  # typer's own: an exit, or help that the user asked for
                raise
            if _is_debugging(ctx):
                _show_traceback()
            _print_error(ctx, f"{bug_message(error)}\n{BUG_REMEDY}")
            raise typer.Exit(int(ExitCode.BUG)) from None


app = typer.Typer(
    cls=Boundary,
    name="compactor",
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(on: bool) -> None:
    if on:
        from importlib.metadata import version

        typer.echo(f"compactor {version('compactor-cli')}")
        raise typer.Exit


@app.callback()
def about(
    version: bool = typer.Option(False, "--version", "-V", help="Show the version.", is_eager=True, callback=_version),
    width: WidthOption = None,
) -> None:
    """Make saved sessions with language models smaller without losing what the work needs.

    Start with `compactor sessions`, which lists the sessions on this machine, and `compactor compact`, which
    makes one smaller; score and inspect show what is in a session, and diff shows what survived. Everything
    works offline, and the same input always gives the same bytes; a language model is only asked when an
    option or a setting says so.

    Exit codes: 0 success, 1 the answer is no, 2 wrong usage, 3 input could not be read, 4 the budget
    cannot be met, 5 the language model failed, 6 the database could not be used, 70 a bug, 130 interrupted,
    129 and 143 ended by a signal.
    """


def _is_debugging(ctx: Any) -> bool:
    args = ctx.meta.get(ARGS)
    return bool(args and args.debug)


def _report_failure(error: CompactorError, ctx: Any) -> typer.Exit:
    if _is_debugging(ctx):
        _show_traceback()
    _print_error(ctx, f"error: {error}", always=error.exit_code == ExitCode.USAGE)
    return typer.Exit(int(error.exit_code))


def _report_misuse(error: Exception, ctx: Any) -> typer.Exit:
    _print_error(ctx, f"error: {mistake_message(error, ctx)}", always=True)
    return typer.Exit(int(ExitCode.USAGE))


def _show_traceback() -> None:
    import traceback

    traceback.print_exc()


def _print_error(ctx: Any, text: str, *, always: bool = False) -> None:
    args = ctx.meta.get(ARGS)
    if args and args.quiet and not always:
        return
    print(visible(text), file=sys.stderr)  # noqa: T201  # the boundary has no console yet


def _catch_ending_signals() -> None:
    """Let SIGTERM and SIGHUP unwind the run as Ctrl-C does; one that is ignored (nohup) stays ignored."""
    for name in _ENDING_SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _raise_terminated)


def _raise_terminated(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_DFL)  # a second signal ends the process at once
    raise _TerminatedError(number)


def main() -> None:
    _catch_ending_signals()
    open_streams()
    try:
        app()
    finally:
        gc.freeze()  # otherwise the collector would scan all objects once more while Python ends
