"""What `compact` is asked to do with its outputs, and which requests make no sense."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from compactor_cli.cli.checking import CheckOutput
from compactor_cli.cli.compact_options import EMITS, ENGINES, CompactOptions
from compactor_cli.cli.configured import Configured
from compactor_cli.cli.deciding import DecisionsFile
from compactor_cli.cli.gathering import refuse_in_place
from compactor_cli.cli.html import check_html
from compactor_cli.cli.inputs import Input, refuse_overwriting
from compactor_cli.cli.parquet import is_parquet
from compactor_cli.cli.recording import Keeper
from compactor_cli.cli.remote import is_remote
from compactor_cli.cli.session import Session
from compactor_cli.errors import UsageError, meant
from compactor_cli.model.memory import Memory
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.make_plan import compile_patterns
from compactor_cli.settings import Settings
from compactor_cli.settings.layers import Layer
from compactor_cli.strategies import strategy as strategy_named
from compactor_cli.tokens.models import ModelFacts


class Job(Struct, frozen=True, kw_only=True):
    """What is to be done with every file of a run."""

    asked: CompactOptions
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
    checking: CheckOutput
    recalled: Sequence[Memory] = ()
    """Memories that are put into the outputs."""
    manifest: bool = False
    decisions: DecisionsFile | None = None
    """What a person decided of the messages of the only input."""

    @property
    def lists(self) -> bool:
        """A list is kept of what is done, for --resume."""
        return self.several and self.asked.writes and bool(self.asked.out_dir)


def warn_of(session: Session, job: Job, configured: Configured, given: Layer) -> None:
    """Say what of the options cannot be used as asked."""
    settings, model = configured.settings, configured.reading.model
    if job.facts is not None and model and not (job.facts.known or settings.context.limit):
        session.warn(f"the context limit of {model} is not known; {job.facts.context_limit:,} is assumed")
    chosen = strategy_named(settings.strategy_name)
    if settings.summarizer == "llm" and not chosen.writes:
        session.warn(f"--summarizer llm is not used: the summaries of strategy {chosen.name} hold no text of their own")
    if "profile" in given and not chosen.learned:
        session.warn(f"--profile is not used: strategy {settings.strategy_name} has no learned values")


def check_usage(inputs: Sequence[Input], asked: CompactOptions, settings: Settings, contents: Collection[str]) -> None:
    files = [one.path for one in inputs]
    if settings.summary_role not in ("", "user", "assistant", "system"):
        raise UsageError(f"--summary-role {settings.summary_role!r}: use user, assistant or system")
    _check_carrying_on(asked, settings)
    _check_sharing(asked)
    if asked.decisions and (len(files) > 1 or is_parquet(files[0])):
        raise UsageError("--decisions is about the messages of one session: name one file, and no data set")
    outs = (("-o", asked.out), ("--out-dir", asked.out_dir), ("--in-place", asked.in_place))
    places = [name for name, value in outs if value]
    if len(places) > 1:
        raise UsageError(f"{' and '.join(places)} exclude each other: use one of them")
    silent = asked.dry_run or asked.check
    if len(files) > 1 and not silent and not (asked.out_dir or asked.in_place or asked.finds_places):
        raise UsageError("several files need --out-dir or --in-place")
    if asked.in_place:
        refuse_in_place(files, appends=asked.emit == "native")
    if asked.in_place and "-" in files:
        raise UsageError("standard input cannot be replaced in place; use -o")
    if asked.in_place and any(file in contents for file in files):
        raise UsageError("a session that is not one file cannot be replaced in place; use -o")
    if asked.out_dir and "-" in files:
        raise UsageError("standard input has no name to write under in --out-dir; use -o")
    if asked.json and not silent and not asked.finds_places and (not places or asked.out == "-"):
        raise UsageError("--json prints the report on standard output: write the transcript elsewhere with -o")
    if asked.out_dir and len({one.name for one in inputs}) < len(inputs):
        raise UsageError("two inputs have the same name; with --out-dir one would overwrite the other")
    if asked.writes and not asked.in_place and not asked.finds_places:
        outputs = {"-o": [asked.out or "-"], "--out-dir": [under(asked.out_dir, one.name) for one in inputs]}
        refuse_overwriting(files, outputs if asked.out_dir else {"-o": outputs["-o"]}, "; --in-place replaces inputs")
    CheckOutput(asked.annotations, asked.sarif).refuse(checks=asked.check, json=asked.json)
    refuse_overwriting(files, {"--report": [asked.report or "-"], "--sarif": [asked.sarif or "-"]})
    check_html(asked.html, files, len(files), {"-o": asked.out, "--report": asked.report})
    compile_patterns(settings.keep)


def _check_sharing(asked: CompactOptions) -> None:
    if asked.engine not in ENGINES:
        raise UsageError(f"--engine {asked.engine!r}{meant(asked.engine, ENGINES)}: use {' or '.join(ENGINES)}")
    if asked.scheduler and not asked.on_cluster:
        raise UsageError("--scheduler is an address for --engine dask: add it")
    if asked.resume and not asked.out_dir:
        raise UsageError("--resume skips what was written to --out-dir before: add --out-dir")


def _check_carrying_on(asked: CompactOptions, settings: Settings) -> None:
    if asked.emit not in EMITS:
        raise UsageError(f"--emit {asked.emit!r}{meant(asked.emit, EMITS)}: use {' or '.join(EMITS)}")
    if asked.emit == "native" and settings.drop_outside:
        raise UsageError("--emit native keeps the old history, which --drop-outside leaves out: use one of them")
    if asked.new_session and (asked.out_dir or asked.in_place or asked.out == "-"):
        raise UsageError("--new-session writes where the agent keeps its sessions, or to the file that -o names")


def under(folder: str, name: str) -> str:
    """A name in a folder, which may be one of a store."""
    return f"{folder.rstrip('/')}/{name}" if is_remote(folder) else str(Path(folder, name))
