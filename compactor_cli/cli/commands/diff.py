"""`compactor diff`: what became of the messages, and what survived."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from compactor_cli.cli import options
from compactor_cli.cli.files import is_folder, read_bytes
from compactor_cli.cli.inputs import Input, files_of, one_by_one
from compactor_cli.cli.outputs import check_html, check_outputs, find_files_read, write_page
from compactor_cli.cli.picking import pick_files
from compactor_cli.cli.session import Session, open_session
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import ExitCode, InputError, UsageError, meant
from compactor_cli.formats import FORMATS
from compactor_cli.pipeline.verify import format_faults
from compactor_cli.settings.frozen import frozen


@frozen(frozen=True, kw_only=True)
class DiffOptions(options.SessionOptions):
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="Transcript before compaction.")] = ""
    after: Annotated[str, typer.Argument(metavar="AFTER", help="Transcript after compaction.")] = ""
    fail_under: list[str] | None = options.option(
        "NAME=PERCENT",
        "Exit with code 1 if less survives: user_requests, rules, instructions, corrections, constraints, "
        "decisions, effects, open_items, errors, files, identifiers; or if `saved` (percent of the tokens) is "
        "less.",
        None,
    )
    lost: int = options.option("N", "Most lost items to list.", 12, min=0)
    html: options.HtmlOption = ""


@takes_options("diff")
def diff(args: DiffOptions, overrides: Layer) -> None:
    """Compare a transcript with its compacted form: messages, tokens, and what survived.

    Survival is counted by category: sentences of the user's requests, and among them the rules, corrections
    and constraints; standing instructions (AGENTS.md), decisions, effects (files, commits, bookings), open
    items, errors, changed files and identifiers. A sentence survives when it is there word for word.

    \b
    Examples:
      compactor diff session.jsonl small.jsonl
      compactor diff --latest claude small.jsonl
      compactor diff session.jsonl small.jsonl --html diff.html
      compactor diff session.jsonl small.jsonl --fail-under user_requests=90 --fail-under files=100
    """
    requirements = [_parse_requirement(text) for text in args.fail_under or ()]
    session = open_session(args, overrides)
    pairs = _file_pairs(session, *_two_files(session, args))
    check_html(args.html, len(pairs))
    check_outputs(find_files_read(session.configured, [*pairs, *pairs.values()]), {"--html": [args.html]})
    inputs = [Input(name, name) for name in pairs]
    one_by_one(session, inputs, lambda name: _diff(session, name, pairs[name], requirements, args))


def _two_files(session: Session, args: DiffOptions) -> tuple[str, str]:
    """Return the two files to compare. A session chosen by options is BEFORE, and the one named file is AFTER."""
    before, after = args.before, args.after
    if not after and (args.latest or args.session):
        after, (before,) = before, pick_files(session, [], args)
    elif args.latest or args.session or args.project:
        raise UsageError("--latest and --session choose BEFORE; name only AFTER")
    for name, file in (("BEFORE", before), ("AFTER", after)):
        if not file:
            raise UsageError(f"Missing argument '{name}'.")
    if before == after == "-":
        raise UsageError(
            "BEFORE and AFTER are both -, but standard input can be read only once; name a file for one of them"
        )
    return before, after


def _file_pairs(session: Session, before: str, after: str) -> dict[str, str]:
    """Return each file with its compacted form. Files of two folders are matched by name, others skipped."""
    folders = [path != "-" and is_folder(path) for path in (before, after)]
    if not any(folders):
        return {before: after}
    if not all(folders):
        folder, file = (before, after) if folders[0] else (after, before)
        read_bytes(file)  # a wrong file name is the likelier mistake
        raise InputError(f"is a directory, but {file} is a file; compare two files or two folders", path=folder)
    first, second = ({entry.name: entry.path for entry in files_of(session, [path])} for path in (before, after))
    for name in sorted(first.keys() ^ second.keys()):
        session.say(f"skipped: {first.get(name) or second[name]}: the other folder has no {name}")
    if not first.keys() & second.keys():
        raise InputError(f"no session in it has the same name as one in {after}", path=before)
    return {first[name]: second[name] for name in first if name in second}


def _diff(
    session: Session, before: str, after: str, requirements: Sequence[tuple[str, float]], args: DiffOptions
) -> int:
    from compactor_cli.render import jsons, tables
    from compactor_cli.views.compare_sources import compare_sources

    first, second = session.load(before), session.load(after)
    fate, survivals = compare_sources(first, second)
    if first.format != second.format:
        session.say(
            f"{first.format} and {second.format} split a session into messages differently: a message that is whole "
            "in one and split in the other counts as dropped and added; survival is measured by words"
        )
    faults_found = [fault for t in second.transcripts for fault in format_faults(t.messages, FORMATS[t.format])]
    value = jsons.diff_json(first, second, session.counter.name, fate, survivals, faults_found)
    if args.html:
        from compactor_cli.views.timelines import of_sources

        paths = [first.path, second.path]
        write_page(session, args.html, "diff", paths, value, of_sources(first, second), survivals)
    if args.json:
        print_json(value)
    else:
        tables.print_heading(session.out, first, session.counter.name)
        tables.print_heading(session.out, second, session.counter.name)
        saved = value["tokens"]
        session.out.print(f"{saved['saved']:,} tokens saved ({saved['saved_percent']}%)")
        session.out.print(tables.fate_line(fate))
        session.out.print(tables.survival_table(session.out, survivals))
        session.out.print("present in the output; a model may still overlook it")
        lost_table = tables.lost_table(session.out, survivals, args.lost) if args.lost else None
        if lost_table is not None:
            session.out.print(lost_table)
        if faults_found:
            session.out.print(tables.fault_table(session.out, faults_found, ()))
    percents = {s.category: s.percent for s in survivals} | {"saved": value["tokens"]["saved_percent"]}
    short = [
        f"{name} {percents[name]:g}% < {min_percent:g}%"
        for name, min_percent in requirements
        if percents[name] < min_percent
    ]
    if short:
        session.say("below --fail-under: " + ", ".join(short))
        return ExitCode.NO
    return ExitCode.OK


def _parse_requirement(text: str) -> tuple[str, float]:
    from compactor_cli.views.survival.result import CATEGORIES

    name, _, min_percent = text.partition("=")
    categories = (*CATEGORIES, "saved")
    try:
        percent = float(min_percent.rstrip("%"))
    except ValueError:
        percent = -1.0
    if name not in categories or not 0 <= percent <= 100:
        near = "" if name in categories else meant(name, categories)
        raise UsageError(f"--fail-under {text!r}{near}: write NAME=PERCENT with one of {', '.join(categories)}")
    return name, percent
