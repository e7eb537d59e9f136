"""`compactor convert`: write a session in the format of another program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct

from compactor_cli.cli import options
from compactor_cli.cli.configured import forced_values
from compactor_cli.cli.files import make_folder, whole_name, write_bytes
from compactor_cli.cli.inputs import Input, inputs_of, one_by_one
from compactor_cli.cli.outputs import FilesRead, check_outputs, find_files_read
from compactor_cli.cli.session import Session, open_session
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.checked_values import timestamp_of
from compactor_cli.configuration.layers import Layer
from compactor_cli.converting import TARGETS
from compactor_cli.errors import UsageError, meant
from compactor_cli.model.content import sha256
from compactor_cli.pipeline.one_compaction import DAMAGE_KINDS
from compactor_cli.settings.frozen import frozen

if TYPE_CHECKING:
    from compactor_cli.converting.base import Target
    from compactor_cli.converting.convert import Converted, Options
    from compactor_cli.model.transcript import Source

_SUFFIXES = (".json", ".jsonl", ".ndjson")


@frozen(frozen=True, kw_only=True)
class ConvertOptions(options.SessionOptions):
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help=f"Format to write: {', '.join(TARGETS)}.")]
    file: options.FileArgument = ""
    out: options.OutOption = ""
    out_dir: str = options.option("DIR", "Folder for the outputs, named as the target's agent names its sessions.", "")
    cwd: str = options.option("DIR", "Working folder of the new session; default: that of the input.", "")
    thinking: bool = options.option(
        "", "Convert thinking, too, if the target can hold it.", True, "--thinking/--no-thinking"
    )
    time: str = options.option("TIME", "Time for a session that has none; default: 2000-01-01T00:00:00Z.", "")
    report: options.ReportOption = ""


class ConvertJob(Struct, frozen=True):
    """The work to do on every file."""

    args: ConvertOptions
    target: Target
    options: Options
    names: dict[str, str]
    """Path of an input -> name of its output in a folder, if the target format does not name it."""
    read: FilesRead
    written: dict[str, tuple[str, str]] = {}
    """Path of an output -> its input, and the hash of its contents."""


@takes_options("convert")
def convert(args: ConvertOptions, overrides: Layer) -> None:
    """Write a session in another format, or for another agent to resume.

    Whatever the target format cannot hold is listed on standard error, and for scripts with --json or
    --report. The output is read back and compared before it is kept. Ids are new, but always the same for
    the same input. docs/convert.md says what each format holds and where agents look for sessions.

    \b
    Examples:
      compactor convert session.jsonl --to openai-chat -o chat.jsonl
      compactor convert rollout.jsonl --to claude-code --cwd ~/project --out-dir out
      compactor convert --latest claude --to codex --out-dir out
      compactor convert session.jsonl --to anthropic --no-thinking | jq .messages
      compactor convert session.jsonl --to codex -o rollout.jsonl --json | jq .losses
    """
    session = open_session(args, {**overrides, **forced_values(tokenizer="chars", model="")})
    options.check_at_most_one((("-o", args.out), ("--out-dir", args.out_dir)))
    if args.json and not args.out_dir and (args.out or "-") == "-":
        raise UsageError("--json prints the report on standard output: write the session elsewhere with -o")
    if args.to not in TARGETS:
        raise UsageError(f"--to {args.to!r}{meant(args.to, TARGETS)}: convert writes {', '.join(TARGETS)}")
    inputs = inputs_of(session, [args.file], args, out_folder=args.out_dir)
    if len(inputs) > 1 and not args.out_dir:
        description = f"{args.file} is a folder with {len(inputs):,} sessions"
        raise UsageError(f"{description}; name a folder to write to with --out-dir")
    paths = [made_file.path for made_file in inputs]
    read = find_files_read(session.configured, paths)
    check_outputs(read, {"-o": [] if args.out_dir else [args.out or "-"], "--report": [args.report]})
    names = {made_file.path: _default_name(made_file) for made_file in inputs}
    job = ConvertJob(args, TARGETS[args.to], _options(args), names, read)
    reports: list[str] = []
    try:
        one_by_one(session, inputs, lambda path: _convert_file(session, path, job, reports))
    finally:
        if args.report and reports:
            write_bytes(args.report, "".join(reports).encode(), inputs=paths)


def _options(args: ConvertOptions) -> Options:
    from compactor_cli.converting.base import UNKNOWN_TIME
    from compactor_cli.converting.convert import Options

    now = timestamp_of(args.time) if args.time else UNKNOWN_TIME
    if now is None:
        raise UsageError(f"--time {args.time!r} is not a time; write a date and time such as 2026-05-01T12:00:00Z")
    absolute = args.cwd[1:3] in (":\\", ":/") or not args.cwd
    cwd = args.cwd if absolute else str(Path(args.cwd).expanduser().absolute())
    return Options(cwd=cwd, now=now, thinking=args.thinking)


def _default_name(made_file: Input) -> str:
    """Return the name of an output in a format that belongs to no agent: the input's name, as a JSONL file."""
    if made_file.path == "-":
        return "session.jsonl"
    path = Path(made_file.name)
    return (path.with_suffix(".jsonl") if path.suffix in _SUFFIXES else path.with_name(path.name + ".jsonl")).as_posix()


def _convert_file(session: Session, path: str, job: ConvertJob, reports: list[str]) -> int:
    from compactor_cli.converting.convert import convert as converted

    source = session.read(session.read_bytes(path), path)
    session.print_reading_notes(source)
    converted_files = list(converted(source, job.target, job.options, separately=bool(job.args.out_dir)))
    for out_path, made_file in zip(_out_paths(path, converted_files, job), converted_files, strict=True):
        if job.args.out_dir:
            _check_out_path(path, out_path, made_file, job)
            make_folder(out_path)
        write_bytes(out_path, made_file.data, inputs=[path])
        reports.append(_report_conversion(session, source, made_file, out_path, job))
    return 0


def _check_out_path(path: str, out_path: str, converted_file: Converted, job: ConvertJob) -> None:
    """Raise UsageError if an output would replace a file that is read, or a different output of another input."""
    check_outputs(job.read, {"--report": [job.args.report], "--out-dir": [out_path]})
    origin = (path, sha256(converted_file.data))
    other_path, other_hash = job.written.setdefault(whole_name(out_path), origin)
    if other_hash != origin[1]:
        raise UsageError(
            f"--out-dir {out_path}: already the output of {other_path}; convert {path} separately, into another folder"
        )


def _out_paths(path: str, converted_files: Sequence[Converted], job: ConvertJob) -> list[str]:
    if not job.args.out_dir:
        return [job.args.out or "-"]
    folder = Path(job.args.out_dir)
    return [str(folder / (made_file.file_name or job.names[path])) for made_file in converted_files]


def _report_conversion(
    session: Session, source: Source, converted_file: Converted, out_path: str, job: ConvertJob
) -> str:
    """Print the result for people, and as JSON if requested. Return the JSON line for the report."""
    from compactor_cli.render import jsons
    from compactor_cli.render.conversion import conversion_json, conversion_line, loss_table, resume_lines

    warnings = _warnings(converted_file)
    for warning in warnings:
        session.warn(warning)
    line = jsons.dumps(conversion_json(source, converted_file, out_path, warnings)) + "\n"
    if job.args.json:
        typer.echo(line, nl=False)
    console = session.err
    if console.quiet:
        return line
    console.print(conversion_line(source, converted_file, out_path), soft_wrap=True)
    if converted_file.losses:
        console.print(loss_table(console, converted_file))
    else:
        session.say(
            "nothing else was lost" if any(note.kind in DAMAGE_KINDS for note in source.notes) else "nothing was lost"
        )
    for resume_line in resume_lines(converted_file, os.path.abspath(out_path)):  # noqa: PTH100  # keep links in the home folder
        session.say(resume_line)
    return line


def _warnings(converted_file: Converted) -> list[str]:
    no_cwd = (
        f"the session does not record the folder it works in, so {converted_file.cwd} was used; name another "
        "one with --cwd"
    )
    unread = f"compactor cannot read {converted_file.target}, so the output was not checked by reading it again"
    is_guessed = converted_file.home and not converted_file.cwd_known
    return [*([no_cwd] if is_guessed else []), *([] if converted_file.read_back else [unread])]
