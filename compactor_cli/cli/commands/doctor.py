"""`compactor doctor`: find and fix what keeps a session from being resumed or sent."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from compactor_cli.cli import options
from compactor_cli.cli.configured import forced_values
from compactor_cli.cli.files import clear_beside, write_bytes
from compactor_cli.cli.gathering import refuse_in_place
from compactor_cli.cli.inputs import inputs_of, one_by_one
from compactor_cli.cli.outputs import check_outputs, find_files_read
from compactor_cli.cli.session import Session, open_session
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.containers import pack
from compactor_cli.doctor.base import MAX_IMAGE_BYTES, Finding, Limits
from compactor_cli.doctor.examine import FileFindings, examine, repair_source
from compactor_cli.errors import ExitCode, UsageError
from compactor_cli.model.transcript import Source
from compactor_cli.settings.frozen import frozen


@frozen(frozen=True, kw_only=True)
class DoctorOptions(options.SessionOptions):
    file: options.FileArgument = ""
    fix: bool = options.switch("Fix what can be fixed; every change is listed, and the original is kept.")
    out: options.OutOption = ""
    in_place: options.InPlaceOption = False
    max_image_bytes: int = options.option(
        "N", "Size from which a picture is too large: 5M, 500k.", MAX_IMAGE_BYTES, parser=options.parse_size
    )


@takes_options("doctor")
def doctor(args: DoctorOptions, overrides: Layer) -> None:
    """Find what keeps a session from being resumed or sent, and fix it.

    Looks for calls without results and results without calls, missing parents that cut off earlier messages, ids
    that are used twice, records of another session, thinking without its signature, empty messages, oversized
    images and damaged lines. Exit code 1: something was found or, with --fix, could not be fixed.

    \b
    Examples:
      compactor doctor session.jsonl
      compactor doctor --latest claude
      compactor doctor session.jsonl --fix -o mended.jsonl
      compactor doctor session.jsonl --fix --in-place
    """
    fix, out, in_place = args.fix, args.out, args.in_place
    if (out or in_place) and not fix:
        raise UsageError(f"{'--in-place' if in_place else '-o'} needs --fix; without it nothing is written")
    if fix and bool(out) == in_place:
        raise UsageError("--fix needs a place to write to: -o FILE, or --in-place, which keeps the original next to it")
    session = open_session(args, {**overrides, **forced_values(skip_damaged=True)})
    inputs = inputs_of(session, [args.file], args)
    if in_place:
        refuse_in_place([entry.path for entry in inputs], session.contents)
    if out:
        if len(inputs) > 1:
            raise UsageError("-o names one file, but there are several inputs; use --in-place")
        read = find_files_read(session.configured, [inputs[0].path])
        check_outputs(read, {"-o": [out]}, "; --in-place keeps the original next to it")
    one_by_one(session, inputs, partial(_examine_file, session, args))


def _examine_file(session: Session, args: DoctorOptions, file: str) -> int:
    out, fix, limits = args.out, args.fix, Limits(args.max_image_bytes)
    if fix:
        clear_beside(out or file)
    source = session.load(file)
    examined = examine(source, limits)
    out_path, original_path, remaining = "", "", examined.findings
    if fix and examined.findings:
        data = repair_source(source, examined, session.counter)
        remaining = examine(session.read(data, source.path), limits).findings
        out_path = out or file
        original_path = "" if out else _keep_original(source)
        stored = pack(data, out_path, source.packed, same=not out)
        session.write(out_path, stored, None if out else source.stored, [file])
    elif fix and out:
        out_path = out
        write_bytes(out, pack(source.data, out, source.packed), None, [file])
    _show(session, source, examined, out_path, original_path, remaining if fix else (), json=args.json)
    return ExitCode.NO if remaining else ExitCode.OK


def _keep_original(source: Source) -> str:
    """Write the input next to itself under an unused name, with the same owner. Return that path."""
    number = 0
    while (free_path := Path(f"{source.path}.before-fix{number or ''}")).exists():
        number += 1
    write_bytes(str(free_path), source.stored, inputs=[source.path], original=source.path)
    return str(free_path)


def _show(
    session: Session,
    source: Source,
    examined: FileFindings,
    out_path: str,
    original_path: str,
    remaining: tuple[Finding, ...],
    *,
    json: bool,
) -> None:
    from compactor_cli.render import jsons, tables
    from compactor_cli.render.tables import finding_json, findings_table

    findings = examined.findings
    if json:
        value = {
            "transcript": jsons.source_json(source, session.counter.name),
            "findings": [finding_json(finding) for finding in findings],
            "fixed": {
                "path": out_path,
                "original": original_path or None,
                "left": [finding_json(finding) for finding in remaining],
            }
            if out_path
            else None,
        }
        print_json(value)
        return
    console = session.err if out_path == "-" else session.out  # the result may go to standard output
    tables.print_heading(console, source, session.counter.name)
    if not findings:
        console.print("no problems found")
    else:
        console.print(findings_table(console, findings, fixed=bool(out_path)))
    if original_path:
        session.say(f"the original is kept as {original_path}")
    if out_path:
        session.print_written(out_path)
    for finding in remaining if out_path else ():
        session.say(f"not fixed: line {finding.line}: {finding.kind}: {finding.detail}")
