"""`compact` over its files: one after the other or shared among processes, with a list of finished files.

Other processes and machines return what would be printed there, and this process prints it.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, structs
from msgspec.structs import replace

from compactor_cli.cli.compact_file import compact_file
from compactor_cli.cli.compact_job import CompactOptions, Job, failure_finding
from compactor_cli.cli.files import clear_beside, is_file
from compactor_cli.cli.inputs import Input, is_parquet, name_error
from compactor_cli.cli.recording import Keeper
from compactor_cli.cli.replacing import remove_leftovers
from compactor_cli.cli.session import Session
from compactor_cli.errors import CompactorError, ExitCode, bug_message
from compactor_cli.model.content import sha256
from compactor_cli.model.outcome import Outcome
from compactor_cli.tokens import make_counter

if TYPE_CHECKING:
    from compactor_cli.cli.configured import Configured
    from compactor_cli.cli.workers import Work
    from compactor_cli.model.memory import Memory
    from compactor_cli.model.profile import Profile
    from compactor_cli.render.console import ConsoleLook


class FileTask(Input, frozen=True):
    """A file to compact, and its outcome in an earlier run."""

    known: Outcome | None = None


class FileResult(Struct, frozen=True):
    """The outcome of a file, and the text to print for it."""

    outcome: Outcome
    out: str = ""
    err: str = ""


def attempt(session: Session, task: FileTask, job: Job) -> Outcome:
    """Compact one of several files. A failure becomes its outcome."""
    start = len(session.warnings)
    try:
        if task.known and _is_done(session, task, task.known, job):
            return replace(task.known, path=task.path)
        return compact_one(session, task, job)
    except CompactorError as error:
        return Outcome(
            task.path,
            error=name_error(task.path, error),
            code=int(error.exit_code),
            findings=(failure_finding(task.path, error),) if job.args.check else (),
        )
    except Exception as error:  # a bug with one file must not stop the others
        if job.args.debug:
            raise
        return Outcome(task.path, error=f"{task.path}: {bug_message(error)}", code=int(ExitCode.BUG))
    finally:
        del session.warnings[start:]  # these warnings belong to this file alone


def compact_one(session: Session, file: Input, job: Job) -> Outcome:
    """Compact one file, or each row of a data set. Return the outcome. Raises CompactorError."""
    if job.args.writes:
        clear_beside(job.place(file))
    if file.path not in session.contents and is_parquet(file.path):
        from compactor_cli.cli.compact_parquet import compact_parquet

        return compact_parquet(session, file, job)
    return compact_file(session, file, job)


def _is_done(session: Session, task: FileTask, earlier: Outcome, job: Job) -> bool:
    if (job.args.report or job.args.json) and not earlier.report:
        return False
    from compactor_cli.cli.done import is_still_done, sha256_of

    input_sha256 = sha256_of(task.path) if is_parquet(task.path) else sha256(session.read_bytes(task.path))
    return is_still_done(earlier, input_sha256, job.place(task))


_PRELOAD = (__name__, "compactor_cli.render.console")
"""Modules that the other processes import as they start."""
_STEPS = 7
"""Steps of the pipeline that the progress bar counts for each file."""
_MOST, _BYTES, _PIECES = 32, 4_000_000, 4
"""Limits of a chunk: at most this many files and, unless it is a single file, bytes. The remaining work is cut into
at least this many chunks per process."""


def get_ready(args: CompactOptions) -> None:
    """Start the processes early if files will be shared, since that takes as long as finding the files."""
    files = args.files or []
    alone = len(files) == 1 and is_file(files[0])
    if args.jobs != 1 and not args.on_cluster and not alone:
        from compactor_cli.cli import workers

        workers.start_server(_PRELOAD)


def run_files(session: Session, inputs: Sequence[Input], job: Job) -> list[Outcome]:
    """Return the outcomes of all files. Of several, failures are reported; a single one raises CompactorError."""
    if not job.several:
        with session.show_progress(_STEPS + (job.args.writes and job.keeper.flushes)):
            return [compact_one(session, inputs[0], job)]
    from compactor_cli.cli.done import DoneList

    done_list = DoneList(job.args.out_dir, _run_key(session, job)) if job.lists else None
    earlier_outcomes = done_list.known() if done_list and job.args.resume else {}
    tasks = [FileTask(entry.path, entry.name, earlier_outcomes.get(entry.name)) for entry in inputs]
    names, files = {entry.path: entry.name for entry in inputs}, [entry.path for entry in inputs]
    shares = _can_share(session, job, files)
    if done_list:
        done_list.start(files, afresh=not job.args.resume)
    outcomes = []
    try:
        with session.show_progress(len(files), steps_per_file=_STEPS) as progress:
            alone = (FileResult(attempt(session, task, job)) for task in tasks)
            results = _run_shared(session, tasks, job) if shares else alone
            with closing(results), closing(done_list) if done_list else nullcontext():
                for file_result in results:
                    if done_list and not file_result.outcome.error and not file_result.outcome.earlier:
                        done_list.add(names[file_result.outcome.path], file_result.outcome)
                    _print(session, file_result)
                    progress.finish_file(file_result.outcome.path)
                    outcomes.append(file_result.outcome)
    finally:
        if shares and job.args.writes:
            # a killed worker (this process may have killed it on its way out) may have left a half-written file, and
            # the worker that repeated its file had cleaned up before that
            remove_leftovers(Path(job.place(entry) if job.args.out_dir else entry.path) for entry in inputs)
    return outcomes


def _run_shared(session: Session, tasks: Sequence[FileTask], job: Job) -> Generator[FileResult, None, None]:
    from compactor_cli.cli import workers
    from compactor_cli.render.console import console_look

    looks = (console_look(session.out), console_look(session.err))
    begin_args = (session.configured, session.profile, job.args, tuple(job.recalled), *looks)
    work: Work[FileTask, FileResult] = workers.Work(
        begin=_begin, begin_args=begin_args, chunk=_compact_chunk, ended=_ended, preload=_PRELOAD
    )
    processes = min(job.args.jobs or workers.processors(), len(tasks))
    if not job.args.on_cluster:
        return workers.in_order(work, chunk_tasks(tasks, processes), processes)
    from compactor_cli.cli import cluster

    return cluster.in_order(work, lambda shares: chunk_tasks(tasks, shares), processes, job.args.scheduler)


def _ended(task: FileTask) -> FileResult:
    words = "the process that compacted it ended unexpectedly; there may not be enough memory"
    return FileResult(Outcome(task.path, error=f"{task.path}: {words}", code=int(ExitCode.BUG)))


class _Ready(threading.local):
    """The state of this thread after `_begin`: a session prints, and counts, for one file at a time."""

    setup: tuple[object, ...] = ()
    session: Session
    job: Job


_ready = _Ready()


def _begin(
    configured: Configured,
    profile: Profile | None,
    args: CompactOptions,
    recalled: Sequence[Memory],
    out: ConsoleLook,
    err: ConsoleLook,
) -> None:
    """Prepare this thread of another process for a run, once. Messages about the settings were printed where the run
    started."""
    from compactor_cli.render.console import recording_console

    setup = (configured, profile, args, recalled, out, err)
    if _ready.setup == setup:
        return
    counter = make_counter(configured.tokenizer, configured.reading.model).counter
    session = Session(configured, counter, recording_console(out), recording_console(err), profile, dry=args.dry_run)
    job = Job(args=args, several=True, keeper=Keeper(session), recalled=recalled)
    _ready.setup, _ready.session, _ready.job = setup, session, job


def _compact_chunk(tasks: Sequence[FileTask]) -> list[FileResult]:
    """Compact files one after the other in a thread prepared by `_begin`."""
    from compactor_cli.cli.workers import collect_garbage

    session, job = _ready.session, _ready.job
    outcomes = [
        FileResult(attempt(session, task, job), _take_text(session.out.file), _take_text(session.err.file))
        for task in tasks
    ]
    collect_garbage()
    return outcomes


def _take_text(stream: object) -> str:
    if not isinstance(stream, StringIO):
        return ""
    text = stream.getvalue()
    stream.seek(0)
    stream.truncate()
    return text.removesuffix("\n")


def chunk_tasks(tasks: Sequence[FileTask], processes: int) -> Iterator[list[FileTask]]:
    """Yield chunks worth handing out, in order, the last ones small, so that all processes end together."""
    chunk: list[FileTask] = []
    size = 0
    for position, task in enumerate(tasks):
        task_bytes, max_tasks = _size(task.path), max(1, min(_MOST, (len(tasks) - position) // (_PIECES * processes)))
        if chunk and (len(chunk) >= max_tasks or size + task_bytes > _BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(task)
        size += task_bytes
    if chunk:
        yield chunk


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def _can_share(session: Session, job: Job, files: Sequence[str]) -> bool:
    """Return whether the files are shared as requested. If they cannot be, the session warns."""
    option = "--engine dask" if job.args.on_cluster else f"--jobs {job.args.jobs}" if job.args.jobs != 1 else ""
    why = ""
    if session.settings.asks or session.probes:
        why = "a model is asked, and --concurrency already sends requests in parallel"
    elif job.keeper.flushes or session.settings.memory.auto_recall:
        why = "memories of one file affect the next"
    elif session.contents:
        why = "one of the sessions is not a file"
    elif any(path.startswith("memory://") for path in (job.args.out_dir, *files)):
        why = "memory:// is visible to a single process only"
    if option and why:
        session.warn(f"{option} is not used: {why}")
    return bool(option) and not why


def _run_key(session: Session, job: Job) -> str:
    """Return a key for everything that determines the outputs besides the inputs."""
    from compactor_cli.cli.done import run_key

    settings, reading = session.settings, session.reading
    read = (session.local.name, reading.model, reading.format, bool(reading.skip_damaged))
    profile = structs.asdict(session.profile) if session.profile else None
    recalled = [memory.text for memory in job.recalled]
    return run_key(asdict(settings), read, profile, job.args.emit, job.args.if_needed, recalled, job.args.column)


def _print(session: Session, result: FileResult) -> None:
    """Print in this process what a worker process printed."""
    from rich.text import Text

    from compactor_cli.render.console import is_unused

    for console, text in ((session.out, result.out), (session.err, result.err)):
        if text:
            console.print(Text.from_ansi(text.removeprefix("\n") if is_unused(console) else text), soft_wrap=True)
    if result.outcome.earlier and not session.err.quiet:
        from compactor_cli.render.many import file_line

        session.say(file_line(result.outcome, written=True))
