"""The options of `compact` that are no settings: where outputs go, and what is done with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from compactor_cli.cli import options

EMITS = ("rewritten", "native")
ENGINES = ("processes", "dask")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactOptions(options.SessionOptions):
    """What `compact` is asked to do."""

    files: options.FilesArgument = None
    out: options.OutOption = ""
    out_dir: Annotated[
        str, typer.Option("--out-dir", metavar="DIR", help="Folder to write to, under the names of the inputs.")
    ] = ""
    in_place: options.InPlaceOption = False
    emit: Annotated[
        str,
        typer.Option(
            "--emit",
            metavar="WAY",
            help="rewritten: a smaller file; native: the file as it was, and what its agent appends when it compacts.",
        ),
    ] = "rewritten"
    new_session: Annotated[
        bool,
        typer.Option(
            "--new-session",
            help="Write a new session, with an id of its own, where the agent keeps its sessions (or to -o), and say "
            "how to go on with it.",
        ),
    ] = False
    jobs: Annotated[
        int,
        typer.Option("--jobs", metavar="N", min=0, help="Processes that share several files; 0 is one a processor."),
    ] = 1
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Skip what an earlier run with the same settings has written to --out-dir of the same inputs.",
        ),
    ] = False
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="What shares several files: processes (default), or dask: a cluster, of N processes here unless "
            "--scheduler names one.",
        ),
    ] = "processes"
    scheduler: Annotated[
        str, typer.Option("--scheduler", metavar="ADDRESS", help="Dask scheduler of a cluster: tcp://HOST:8786.")
    ] = ""
    if_needed: Annotated[
        bool, typer.Option("--if-needed", help="Only when the session is over the threshold of its model's context.")
    ] = False
    dry_run: options.DryRunOption = False
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit code 1 when a file would be changed.")] = (
        False
    )
    annotations: Annotated[
        str,
        typer.Option("--annotations", metavar="NAME", help="Print what --check finds as annotations of CI: github."),
    ] = ""
    sarif: Annotated[
        str, typer.Option("--sarif", metavar="FILE", help="Write what --check finds as SARIF, for code scanning.")
    ] = ""
    report: options.ReportOption = ""
    html: options.HtmlOption = ""
    recall: Annotated[
        str, typer.Option("--recall", metavar="QUERY", help="Put the most relevant memories into the output.")
    ] = ""
    column: Annotated[
        str,
        typer.Option(
            "--column",
            metavar="NAME",
            help="Of a data set in Parquet, the column that holds the conversations; without it, it is found by what "
            "is in it.",
        ),
    ] = ""
    decisions: options.DecisionsOption = ""

    @property
    def writes(self) -> bool:
        """Whether anything is written."""
        return not self.dry_run and not self.check

    @property
    def on_cluster(self) -> bool:
        return self.engine == "dask"

    @property
    def finds_places(self) -> bool:
        """Whether outputs go where their agents keep sessions."""
        return self.new_session and not self.out
