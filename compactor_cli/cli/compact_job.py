"""Declare the options of `compact` that are not settings, and reject combinations that make no sense."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer
from msgspec import Struct

from compactor_cli.cli import options
from compactor_cli.cli.deciding import DecisionsFile
from compactor_cli.cli.files import is_remote, write_bytes
from compactor_cli.cli.gathering import refuse_in_place
from compactor_cli.cli.inputs import Input, is_parquet
from compactor_cli.cli.outputs import check_html, check_outputs, find_files_read
from compactor_cli.cli.recording import Keeper
from compactor_cli.cli.replacing import DONE_FILE_NAME
from compactor_cli.cli.session import Session
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import BudgetError, CompactorError, InputError, UsageError, meant
from compactor_cli.model.memory import Memory
from compactor_cli.model.outcome import CheckFinding
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.make_plan import compile_patterns
from compactor_cli.settings import Settings
from compactor_cli.settings.frozen import frozen
from compactor_cli.strategies import strategy as strategy_named
from compactor_cli.tokens.models import model_facts

EMITS = ("rewritten", "native")
ENGINES = ("processes", "dask")
ANNOTATIONS = ("github",)
_SCORING_KEYS = ("scoring.scorer", "scoring.threshold", "scoring.max_residuals", "scoring.now")
"""Settings that matter only if scores decide which messages stay."""


@frozen(frozen=True, kw_only=True)
class CompactOptions(options.SessionOptions):
    """The options of `compact`."""

    files: options.FilesArgument = None
    out: options.OutOption = ""
    out_dir: str = options.option("DIR", "Folder for the outputs, which keep the names of the inputs.", "")
    in_place: options.InPlaceOption = False
    emit: str = options.option(
        "WAY",
        "rewritten: a smaller file; native: the whole file plus the records that its agent appends when it compacts.",
        "rewritten",
    )
    new_session: bool = options.switch(
        "Write a new session with its own id where the agent keeps its sessions (or to -o), and say how to resume it."
    )
    jobs: int = options.option("N", "Processes to share the files among; 0 is one for each processor.", 1, min=0)
    resume: bool = options.switch("Skip inputs whose outputs an earlier run with the same settings wrote to --out-dir.")
    engine: str = options.option(
        "NAME",
        "Where to compact several files: processes (default), or dask: a cluster, of N local processes unless "
        "--scheduler names one.",
        "processes",
    )
    scheduler: str = options.option("ADDRESS", "Scheduler of a Dask cluster: tcp://HOST:8786.", "")
    if_needed: bool = options.switch("Compact only a session that is over the threshold of its model's context.")
    dry_run: options.DryRunOption = False
    check: bool = options.switch("Write nothing; exit with code 1 if a file would change.")
    annotations: str = options.option("NAME", "Print what --check finds as CI annotations: github.", "")
    sarif: str = options.option(
        "FILE", "Write what --check finds as SARIF, for code scanning.", "", callback=options.parse_output
    )
    report: options.ReportOption = ""
    html: options.HtmlOption = ""
    recall: str = options.option("QUERY", "Add the memories that match the query best to the output.", "")
    column: str = options.option(
        "NAME", "Column of a Parquet data set that holds the conversations; default: found by its content.", ""
    )
    decisions: options.DecisionsOption = ""

    @property
    def writes(self) -> bool:
        return not self.dry_run and not self.check

    @property
    def on_cluster(self) -> bool:
        """Return whether the workers of a cluster share the files."""
        return self.engine == "dask"

    @property
    def finds_places(self) -> bool:
        """Return whether outputs go to the folders in which agents keep their sessions."""
        return self.new_session and not self.out


class Job(Struct, frozen=True, kw_only=True):
    """The work to do on every file of a run."""

    args: CompactOptions
    several: bool
    keeper: Keeper
    recalled: Sequence[Memory] = ()
    decisions: DecisionsFile | None = None
    """A person's decisions on the messages of the only input."""

    @property
    def lists(self) -> bool:
        """Return whether the run keeps a list of finished files for --resume."""
        return self.several and self.args.writes and bool(self.args.out_dir)

    def place(self, file: Input) -> str:
        """Return the place of an input's output; `-` is standard output."""
        if self.args.in_place:
            return file.path
        return path_in(self.args.out_dir, file.name) if self.args.out_dir else self.args.out or "-"


def warn_about_options(session: Session, inputs: Sequence[Input], args: CompactOptions, overrides: Layer) -> None:
    settings, model = session.settings, session.reading.model
    if args.if_needed and model and not settings.context.limit:
        facts = model_facts(model)
        if not facts.known:
            session.warn(f"the context limit of {model} is not known; {facts.context_limit:,} tokens are assumed")
    chosen = strategy_named(settings.strategy_name)
    if settings.summarizer == "llm" and not chosen.writes:
        session.warn(f"--summarizer llm is not used: strategy {chosen.name} only quotes in its summaries")
    if "profile" in overrides and not chosen.learned:
        session.warn(f"--profile is not used: strategy {settings.strategy_name} has no learned values")
    aims = settings.target_tokens is not None or settings.target_ratio is not None
    unused = [overrides[key].origin.place for key in _SCORING_KEYS if key in overrides]
    if unused and chosen.name == "adaptive" and aims:
        session.warn(f"{', '.join(unused)} not used: with a target, strategy adaptive does not use scores")
    if args.column and not any(is_parquet(item.path) for item in inputs):
        session.warn("--column is not used: no input is a data set in Parquet")


def check_usage(session: Session, inputs: Sequence[Input], args: CompactOptions) -> None:
    """Raise UsageError for options that make no sense."""
    files, settings = [item.path for item in inputs], session.settings
    if settings.summary_role not in ("", "user", "assistant", "system"):
        raise UsageError(f"--summary-role {settings.summary_role!r} is not a role; use user, assistant or system")
    _check_carrying_on(args, settings)
    _check_sharing(args)
    if args.decisions and (len(files) > 1 or is_parquet(files[0])):
        raise UsageError("--decisions applies to the messages of one session; name one file that is not a data set")
    outs = (("-o", args.out), ("--out-dir", args.out_dir), ("--in-place", args.in_place))
    places = options.check_at_most_one(outs)
    silent = args.dry_run or args.check
    if len(files) > 1 and not silent and not (args.out_dir or args.in_place or args.finds_places):
        raise UsageError("several files need --out-dir or --in-place")
    if args.in_place:
        refuse_in_place(files, appends=args.emit == "native")
    if args.in_place and any(file in session.contents for file in files):
        raise UsageError("a session that is not a single file cannot be replaced in place; use -o")
    if args.out_dir and "-" in files:
        raise UsageError("standard input has no file name to use in --out-dir; use -o")
    if args.json and not silent and not args.finds_places and (not places or args.out == "-"):
        raise UsageError("--json prints the report on standard output: write the transcript elsewhere with -o")
    if args.out_dir:
        _check_names(inputs)
    _check_findings(args)
    check_html(args.html, len(files))
    read = find_files_read(session.configured, files, {args.decisions: "decisions file"} if args.decisions else {})
    check_outputs(read, _output_paths(settings, inputs, args), "; --in-place replaces inputs")
    compile_patterns(settings.keep)


def _check_names(inputs: Sequence[Input]) -> None:
    name_paths: dict[str, str] = {}
    for item in inputs:
        if item.name in name_paths:
            raise UsageError(
                f"{name_paths[item.name]} and {item.path} would both become {item.name} in --out-dir; name a folder "
                "that contains both, or a pattern such as 'FOLDER/**/*.jsonl', to keep their subfolders"
            )
        name_paths[item.name] = item.path


def _output_paths(settings: Settings, inputs: Sequence[Input], args: CompactOptions) -> dict[str, list[str]]:
    """Return option -> the places written for it, without replaced inputs and the folders of agents."""
    results: dict[str, list[str]] = {}
    places = [item.path for item in inputs] if args.in_place else [args.out or "-"]
    if args.out_dir:
        places = [path_in(args.out_dir, item.name) for item in inputs]
        results["--out-dir"] = [*places, *([path_in(args.out_dir, DONE_FILE_NAME)] if len(inputs) > 1 else [])]
    elif not args.in_place and not args.finds_places:
        results["-o"] = places
    if settings.archive.manifest and not args.finds_places:
        from compactor_cli.archive.manifest_json import SUFFIX

        results["--manifest"] = [out_path + SUFFIX for out_path in places if out_path != "-"]
    more = {"--report": [args.report], "--sarif": [args.sarif], "--html": [args.html]}
    return {**(results if args.writes else {}), **more}


def _check_sharing(args: CompactOptions) -> None:
    if args.engine not in ENGINES:
        raise UsageError(f"unknown --engine {args.engine!r}{meant(args.engine, ENGINES)}; use {' or '.join(ENGINES)}")
    if args.scheduler and not args.on_cluster:
        raise UsageError("--scheduler works only with --engine dask; add it")
    if args.resume and not args.out_dir:
        raise UsageError("--resume skips what was already written to --out-dir; add --out-dir")


def _check_carrying_on(args: CompactOptions, settings: Settings) -> None:
    if args.emit not in EMITS:
        raise UsageError(f"unknown --emit {args.emit!r}{meant(args.emit, EMITS)}; use {' or '.join(EMITS)}")
    if args.emit == "native" and settings.drop_outside:
        raise UsageError("--emit native keeps the old history, which --drop-outside removes; use one of them")
    if args.new_session and (args.out_dir or args.in_place or args.out == "-"):
        raise UsageError(
            "--new-session writes to the agent's own folder of sessions, or to the file that -o names; "
            "leave out the other place"
        )


def _check_findings(args: CompactOptions) -> None:
    for option, value in (("--annotations", args.annotations), ("--sarif", args.sarif)):
        if value and not args.check:
            raise UsageError(f"{option} reports what --check finds; add --check")
    if args.annotations and args.annotations not in ANNOTATIONS:
        problem = f"{meant(args.annotations, ANNOTATIONS)}: use {' or '.join(ANNOTATIONS)}"
        raise UsageError(f"--annotations {args.annotations!r}{problem}")
    if args.json and (args.annotations or args.sarif == "-"):
        raise UsageError("--json, --annotations and --sarif - all print on standard output; choose one")


def path_in(folder: str, name: str) -> str:
    """Return the path of a name in a folder, which may be in a remote store."""
    return f"{folder.rstrip('/')}/{name}" if is_remote(folder) else str(Path(folder, name))


def verdict(before: int, after: int, *, changed: bool) -> str:
    """Return a phrase with the result for one file, from its tokens before and after."""
    return f"would be compacted from {before:,} to {after:,} tokens" if changed else "would stay unchanged"


def compaction_finding(source: Source, after: int) -> CheckFinding:
    """Return the finding for a file that would change; `after` is the number of tokens it would have."""
    message = f"{verdict(source.tokens, after, changed=True)}; run compact without --check"
    return CheckFinding("needs-compaction", source.path, 1, message)


def failure_finding(path: str, error: CompactorError) -> CheckFinding:
    message = error.what if isinstance(error, InputError) else str(error)
    line = (error.line or 1) if isinstance(error, InputError) else 1
    rule = "cannot-fit" if isinstance(error, BudgetError) else "unreadable" if isinstance(error, InputError) else ""
    return CheckFinding(rule or "failed", path, line, message)


def publish_findings(args: CompactOptions, findings: Sequence[CheckFinding], inputs: Sequence[str]) -> None:
    """Print the annotations and write the SARIF file for CI, if requested. `inputs`: the files that were checked."""
    if not args.annotations and not args.sarif:
        return
    from importlib.metadata import version

    from compactor_cli.render.annotations import github, sarif

    if args.annotations:
        typer.echo(github(findings), nl=False)
    if args.sarif:
        write_bytes(args.sarif, sarif(findings, version("compactor-cli")).encode(), inputs=inputs)
