"""`compact` for a Parquet data set: one output row per input row, and a list of the rows that failed."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING

from compactor_cli.cli.compact_file import compact_always
from compactor_cli.cli.compact_job import Job
from compactor_cli.cli.done import sha256_in
from compactor_cli.cli.files import is_remote, load_store, make_folder, real_path, write_bytes
from compactor_cli.cli.inputs import Input
from compactor_cli.cli.progress import NoSteps
from compactor_cli.cli.replacing import access_of, replace_by
from compactor_cli.cli.session import Session
from compactor_cli.containers import CONTAINERS
from compactor_cli.errors import ExitCode, InputError, UsageError
from compactor_cli.model.content import read_all
from compactor_cli.model.outcome import FAILURES, Outcome, Sizes

if TYPE_CHECKING:
    from compactor_cli.datasets.batches import Make, RowResult
    from compactor_cli.datasets.parquet_files import Shard

NO_PYARROW = "reading Parquet needs pyarrow, which is not installed: pip install 'compactor-cli[parquet]'"

_OTHER_SUFFIXES = (
    *(".json", ".jsonl", ".ndjson", ".csv", ".txt"),
    *(s for kind in CONTAINERS.values() for s in kind.suffixes),
)
"""Endings of file names that rule out Parquet."""


def compact_parquet(session: Session, entry: Input, job: Job) -> Outcome:
    """Compact each row of a Parquet file and return the outcome. Raises CompactorError."""
    _check_options(session, job)
    try:
        from compactor_cli.datasets.parquet_files import compact_shard
    except ImportError:
        raise UsageError(NO_PYARROW) from None
    file, out_path, progress = entry.path, job.place(entry), session.progress
    if job.args.out_dir and job.args.writes:
        make_folder(out_path)

    def rows(source: IO[bytes], sink: IO[bytes]) -> tuple[Shard, Outcome]:
        """Write the new file into `sink`. Return what was done to its rows, and the outcome."""
        make = _row_compactor(session, file, job)
        try:
            shard = compact_shard(
                source, sink, job.args.column, make, lambda count: progress.say(f"{file}: {count:,} rows done")
            )
        except InputError as error:
            raise error.at(file) from None
        if not shard.changed:  # then the output is a byte-for-byte copy
            _copy(source, sink)
        input_sha256, output_sha256 = (_sha256(stream) if job.lists else "" for stream in (source, sink))
        return shard, Outcome(
            path=file,
            place=out_path,
            before=Sizes(shard.before.messages, shard.before.tokens, source.seek(0, 2)),
            after=Sizes(shard.after.messages, shard.after.tokens, sink.seek(0, 2)),
            changed=bool(shard.changed),
            code=int(ExitCode.UNREADABLE) if shard.failures else 0,
            input_sha256=input_sha256,
            output_sha256=output_sha256,
            rows=shard.rows,
            failed_rows=len(shard.failures),
        )

    with load_store().reading(file) if is_remote(file) else Path(file).open("rb") as source:
        if job.args.writes:
            shard, outcome = _write(source, file, out_path, rows)
        else:
            with tempfile.TemporaryFile() as sink:
                shard, outcome = rows(source, sink)
    _show(session, job, outcome, shard)
    return outcome


def _check_options(session: Session, job: Job) -> None:
    """Raise UsageError for options that data sets do not have, and for places where Parquet cannot be written."""
    settings = session.settings
    unfit = {
        "--in-place": job.args.in_place,
        "--emit native": job.args.emit == "native",
        "--new-session": job.args.new_session,
        "--check": job.args.check,
        "--if-needed": job.args.if_needed,
        "--report": bool(job.args.report),
        "--json": job.args.json,
        "--html": bool(job.args.html),
        "--tokenizer probe": session.probes,
        "--archive": settings.archive.enabled,
        "--manifest": settings.archive.manifest,
        "--flush": job.keeper.flushes,
        "memory.auto_recall": settings.memory.auto_recall,
    }
    for option, is_set in unfit.items():
        if is_set:
            raise UsageError(f"{option} does not work on Parquet data sets; save the rows as JSON lines first")
    if job.args.writes and not job.args.out_dir and job.args.out in ("", "-"):
        raise UsageError(
            "Parquet cannot be written to standard output; name a file with -o, or a folder with --out-dir"
        )
    if job.args.writes and job.args.out.lower().endswith(_OTHER_SUFFIXES):
        raise UsageError(
            f"{job.args.out}: the output of a Parquet input is Parquet; use a name that ends in .parquet, or save "
            "the rows as JSON lines and compact those"
        )


def _row_compactor(session: Session, file: str, job: Job) -> Make:
    from compactor_cli.datasets.batches import row_of

    def make(line: bytes) -> RowResult:
        session.counter, session.probed = session.local, None
        source = session.read(line, file)
        data, parts = compact_always(session, source, session.settings, NoSteps(), recalled=job.recalled)
        return row_of(source, read_all(data), parts)

    return make


def _write(
    source: IO[bytes], file: str, out_path: str, rows: Callable[[IO[bytes], IO[bytes]], tuple[Shard, Outcome]]
) -> tuple[Shard, Outcome]:
    """Write the new file in one step, and the list of the failed rows before it. Return the result of `rows`."""
    if is_remote(out_path):
        with tempfile.TemporaryFile() as sink:
            result = rows(source, sink)
            _write_failures(file, out_path, result[0])
            sink.seek(0)
            load_store().write(out_path, lambda stream: shutil.copyfileobj(sink, stream))
        return result
    results: list[tuple[Shard, Outcome]] = []
    access = access_of(file)
    try:
        replace_by(
            real_path(out_path),
            lambda sink: results.append(rows(source, sink)),
            [access] if access else [],
            lambda: _write_failures(file, out_path, results[0][0]),
        )
    except OSError as error:
        raise UsageError(f"{out_path}: cannot be written: {error.strerror}") from None
    return results[0]


def _write_failures(file: str, out_path: str, shard: Shard) -> None:
    """Write a JSON line for each row that failed, or remove the list of an earlier run."""
    if not shard.failures:
        if is_remote(out_path):
            load_store().remove(f"{out_path}{FAILURES}")
        else:
            Path(f"{out_path}{FAILURES}").unlink(missing_ok=True)
        return
    lines = [
        json.dumps({"path": file, "row": row, "column": shard.column, "error": why}, ensure_ascii=False)
        for row, why in shard.failures.items()
    ]
    write_bytes(f"{out_path}{FAILURES}", "".join(f"{line}\n" for line in lines).encode(), inputs=[file])


def _copy(source: IO[bytes], sink: IO[bytes]) -> None:
    source.seek(0)
    sink.seek(0)
    sink.truncate()
    shutil.copyfileobj(source, sink)


def _sha256(stream: IO[bytes]) -> str:
    stream.seek(0)
    return sha256_in(stream)


def _show(session: Session, job: Job, outcome: Outcome, shard: Shard) -> None:
    """Print a line for the file, and each distinct note on its rows once."""
    if session.err.quiet:
        return
    from compactor_cli.render.many import failed_rows, file_line

    session.say(file_line(outcome, written=job.args.writes))
    for note, count in shard.notes.items():
        session.say(f"{outcome.path}: {note} (rows: {count:,})")
    if outcome.failed_rows and not job.several:
        session.say(f"error: {failed_rows(outcome)}")
