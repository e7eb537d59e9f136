"""`compact` on one of its files: the task and its result."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.cli.checking import failure_finding
from compactor_cli.cli.compact_file import compact_file
from compactor_cli.cli.compact_job import Job
from compactor_cli.cli.files import clear_beside
from compactor_cli.cli.inputs import is_parquet, name_error
from compactor_cli.cli.session import Session
from compactor_cli.errors import CompactorError, ExitCode, bug_message
from compactor_cli.model.content import sha256
from compactor_cli.model.outcome import Outcome


class FileTask(Struct, frozen=True):
    """A file to compact, and its outcome in an earlier run."""

    path: str
    name: str
    """Its output name in --out-dir."""
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
        return compact_one(session, task.path, job)
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


def compact_one(session: Session, path: str, job: Job) -> Outcome:
    """Compact one file, or each row of a data set. Return the outcome. Raises CompactorError."""
    if job.args.writes:
        clear_beside(job.place(path))
    if path not in session.contents and is_parquet(path):
        from compactor_cli.cli.compact_parquet import compact_parquet

        return compact_parquet(session, path, job)
    return compact_file(session, path, job)


def _is_done(session: Session, task: FileTask, earlier: Outcome, job: Job) -> bool:
    if (job.args.report or job.args.json) and not earlier.report:
        return False
    from compactor_cli.cli.done import is_still_done, sha256_of

    input_sha256 = sha256_of(task.path) if is_parquet(task.path) else sha256(session.read_bytes(task.path))
    return is_still_done(earlier, input_sha256, job.place(task.path))
