"""What `compact` is asked to do with its outputs, and which requests make no sense."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from compactor_cli.cli.checking import Check
from compactor_cli.cli.deciding import DecisionsFile
from compactor_cli.cli.gathering import refuse_in_place
from compactor_cli.cli.html import check_html
from compactor_cli.cli.inputs import Input, refuse_overwriting
from compactor_cli.cli.keeping import Keeper
from compactor_cli.cli.parquet import is_parquet
from compactor_cli.cli.remote import is_remote
from compactor_cli.cli.session import Session
from compactor_cli.errors import UsageError
from compactor_cli.model.memories import Memory
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.plan import compile_patterns
from compactor_cli.settings import Settings
from compactor_cli.strategies import strategy as strategy_named
from compactor_cli.tokens.models import ModelFacts

EMITS = ("rewritten", "native")
ENGINES = ("processes", "dask")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Where outputs go and what is done with them."""

    out: str
    out_dir: str
    in_place: bool
    emit: str
    """One of EMITS."""
    new_session: bool
    dry_run: bool
    check: bool
    if_needed: bool
    report: str
    html: str
    json: bool
    facts: ModelFacts | None
    """Context limit of the model, looked up for --if-needed only."""
    load: Callable[[Session, str], Source]
    probes: bool
    """A provider counts."""
    names: Mapping[str, str]
    """Input -> its name in --out-dir."""
    several: bool
    """There are further files."""
    keeper: Keeper
    checking: Check
    jobs: int
    """Processes that share the files; 0 for one a processor."""
    engine: str
    """One of ENGINES."""
    scheduler: str
    """Address of a Dask scheduler; empty for a cluster of this machine."""
    resume: bool
    debug: bool
    column: str
    """The column of a data set that holds the conversations; empty: found by what is in it."""
    recalled: Sequence[Memory] = ()
    """Memories that are put into the outputs."""
    manifest: bool = False
    decisions: DecisionsFile | None = None
    """What a person decided of the messages of the only input."""

    @property
    def writes(self) -> bool:
        return not self.dry_run and not self.check

    @property
    def on_cluster(self) -> bool:
        return self.engine == "dask"

    @property
    def lists(self) -> bool:
        """A list is kept of what is done, for --resume."""
        return self.several and self.writes and bool(self.out_dir)

    @property
    def finds_places(self) -> bool:
        """Outputs go where their agents keep sessions."""
        return self.new_session and not self.out


def warn_of(session: Session, job: Job, settings: Settings, *, model: str, profile: str) -> None:
    """Say what of the options cannot be used as asked."""
    if job.facts is not None and model and not (job.facts.known or settings.context.limit):
        session.warn(f"the context limit of {model} is not known; {job.facts.context_limit:,} is assumed")
    chosen = strategy_named(settings.strategy_name)
    if settings.summarizer == "llm" and not chosen.writes:
        session.warn(f"--summarizer llm is not used: the summaries of strategy {chosen.name} hold no text of their own")
    if profile and not chosen.learned:
        session.warn(f"--profile is not used: strategy {settings.strategy_name} has no learned values")


def check_usage(inputs: Sequence[Input], job: Job, settings: Settings, contents: Collection[str]) -> None:
    files = [one.path for one in inputs]
    if settings.summary_role not in ("", "user", "assistant", "system"):
        raise UsageError(f"--summary-role {settings.summary_role!r}: use user, assistant or system")
    _check_carrying_on(job, settings)
    _check_sharing(job)
    if job.decisions and (len(files) > 1 or is_parquet(files[0])):
        raise UsageError("--decisions is about the messages of one session: name one file, and no data set")
    places = [
        name for name, given in (("-o", job.out), ("--out-dir", job.out_dir), ("--in-place", job.in_place)) if given
    ]
    if len(places) > 1:
        raise UsageError(f"{' and '.join(places)} exclude each other")
    silent = job.dry_run or job.check
    if len(files) > 1 and not silent and not (job.out_dir or job.in_place or job.finds_places):
        raise UsageError("several files need --out-dir or --in-place")
    if job.in_place:
        refuse_in_place(files)
    if job.in_place and "-" in files:
        raise UsageError("standard input cannot be replaced in place; use -o")
    if job.in_place and any(file in contents for file in files):
        raise UsageError("a session that is not one file cannot be replaced in place; use -o")
    if job.out_dir and "-" in files:
        raise UsageError("standard input has no name to write under in --out-dir; use -o")
    if job.json and not silent and not job.finds_places and (not places or job.out == "-"):
        raise UsageError("--json prints the report on standard output: write the transcript elsewhere with -o")
    if job.out_dir and len({one.name for one in inputs}) < len(inputs):
        raise UsageError("two inputs have the same name; with --out-dir one would overwrite the other")
    if job.writes and not job.in_place and not job.finds_places:
        outputs = {"-o": [job.out or "-"], "--out-dir": [under(job.out_dir, one.name) for one in inputs]}
        refuse_overwriting(files, outputs if job.out_dir else {"-o": outputs["-o"]}, "; --in-place replaces inputs")
    job.checking.refuse(checks=job.check, json=job.json)
    refuse_overwriting(files, {"--report": [job.report or "-"], "--sarif": [job.checking.sarif or "-"]})
    check_html(job.html, files, len(files), {"-o": job.out, "--report": job.report})
    compile_patterns(settings.keep)


def _check_sharing(job: Job) -> None:
    if job.engine not in ENGINES:
        raise UsageError(f"--engine {job.engine!r}: use {' or '.join(ENGINES)}")
    if job.scheduler and not job.on_cluster:
        raise UsageError("--scheduler is an address for --engine dask: add it")
    if job.resume and not job.out_dir:
        raise UsageError("--resume skips what was written to --out-dir before: add --out-dir")


def _check_carrying_on(job: Job, settings: Settings) -> None:
    if job.emit not in EMITS:
        raise UsageError(f"--emit {job.emit!r}: use {' or '.join(EMITS)}")
    if job.emit == "native" and settings.drop_outside:
        raise UsageError("--emit native keeps the old history, which --drop-outside leaves out: use one of them")
    if job.new_session and (job.out_dir or job.in_place or job.out == "-"):
        raise UsageError("--new-session writes where the agent keeps its sessions, or to the file that -o names")


def under(folder: str, name: str) -> str:
    """A name in a folder, which may be one of a store."""
    return f"{folder.rstrip('/')}/{name}" if is_remote(folder) else str(Path(folder, name))
