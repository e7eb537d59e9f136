"""`compactor learn`: fit the weights of strategy adaptive to your own sessions."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from compactor_cli.cli import options
from compactor_cli.cli.files import is_folder, real_path, write_bytes
from compactor_cli.cli.inputs import is_file_or_inaccessible
from compactor_cli.cli.outputs import check_outputs, find_files_read
from compactor_cli.cli.session import Session, conversations, open_session
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import ExitCode, InputError, UsageError
from compactor_cli.model.content import sha256
from compactor_cli.model.profile import Profile
from compactor_cli.model.transcript import Transcript
from compactor_cli.profiles import complete_profile
from compactor_cli.settings.frozen import frozen

if TYPE_CHECKING:  # imported only where they are used, so that other commands start faster
    from compactor_cli.evaluation.learning.examples import Lesson, TrainingCase
    from compactor_cli.evaluation.learning.held_out import HeldOut
    from compactor_cli.evaluation.learning.profile_text import LearnedProfile
    from compactor_cli.evaluation.retention.measure import Method

_MEASURED_RATIOS = (0.5, 0.75)
"""Where sessions are cut for the held-out figures, as in `evaluate`."""
_MAX_SOURCES = 10
"""Maximum number of folds over whole sources. With more sources, several are held out together."""
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""Variables that numpy reads when it is imported. The matrices are small: several threads would wait for each other,
and their number would change the last digits of results."""


class TrainingFile(NamedTuple):
    """A file to learn from."""

    path: str
    source: str
    """The name of its folder, without a path on this machine."""
    name: str
    """The source, and the path relative to it."""


@dataclass(slots=True)
class Read:
    """What was read from the files."""

    lessons: list[Lesson] = field(default_factory=list)
    cases: list[TrainingCase] = field(default_factory=list)
    transcripts: dict[str, Transcript] = field(default_factory=dict)
    """Transcripts by the name of the lesson; only those that will be measured."""
    short: int = 0
    """Number of sessions that are too short to learn from."""
    copies: int = 0
    refused: list[InputError] = field(default_factory=list)


@frozen(frozen=True, kw_only=True)
class LearnOptions(options.CommandOptions):
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|FOLDER...",
            help="Sessions to learn from; folders are searched for *.jsonl, except names that begin with _.",
        ),
    ]
    output: str = options.option(
        "TOML", "Profile to write; default: standard output.", "-", "-o", "--output", callback=options.parse_output
    )
    folds: int = options.option("N", "Parts to split the sessions into; each is held out once.", 5, min=2)
    penalty: float = options.option(
        "X", "Penalty on large weights; use more with few sessions.", 10.0, min=0.001, max=1e6
    )
    seed: int = options.option("N", "Seed of the split into parts.", 0)
    held_out: bool = options.option(
        "", "Measure on held-out sessions, which takes most of the time.", True, "--held-out/--no-held-out"
    )


@takes_options("learn")
def learn(args: LearnOptions, overrides: Layer) -> None:
    """Fit strategy adaptive to your own sessions.

    Nothing has to be labelled: each session is cut, and the names that the agent used after the cut
    without being told them again are those that were needed. The weights of the features are fitted to
    that, with the same weight for each source (the folder of a file). The profile is a readable TOML file
    for --profile. It holds weights, figures and the names of folders, but no text of a session.

    The figures are held out: each session, and each source, is measured with weights that were learned
    without it. Learning needs numpy (pip install 'compactor-cli[learn]'); using a profile does not. Exit
    code 1: no session is long enough to learn from; 3: no file can be read.

    \b
    Examples:
      compactor learn ~/.claude/projects -o profile.toml
      compactor compact session.jsonl --target-ratio 0.25 --profile profile.toml
      compactor learn sessions/*.jsonl -o profile.toml --no-held-out
    """
    from compactor_cli.evaluation.learning.fit import load_numpy

    for variable in _THREADS:
        os.environ.setdefault(variable, "1")
    load_numpy()
    files = _name_files(_find_files(args.paths))
    _check_output(args.output, json=args.json)
    session = open_session(args, overrides)
    # the profile in use may be the one that is written, so it is not read
    inputs = [file.path for file in files]
    check_outputs(find_files_read(session.configured, inputs, profile=False), {"-o": [args.output]})
    read = _read(session, files, keep=args.held_out)
    if len(read.refused) == len(files):
        raise typer.Exit(ExitCode.UNREADABLE)
    if not read.cases:
        session.say(_no_examples_error(read))
        raise typer.Exit(ExitCode.NO)
    taught = _fit_profile(session, read, args)
    _write(session, read, taught, args.output, json=args.json)


def _find_files(names: Sequence[str]) -> list[str]:
    """Return the files, the `*.jsonl` files below folders, and folders in them that cannot be listed, without names
    with a leading `_`. Raises UsageError for a folder without any."""
    paths: dict[str, None] = {}
    for name in names:
        if name == "-" or not is_folder(name):
            paths[name] = None
            continue
        unlistable: list[Path] = []
        walk = os.walk(name, onerror=lambda error: unlistable.append(Path(error.filename)))  # noqa: B023  # done here
        files_below = [
            Path(folder, file_name)
            for folder, _, inside in walk
            for file_name in inside
            if file_name.endswith(".jsonl") and not file_name.startswith("_")
        ]
        inner = sorted([*filter(is_file_or_inaccessible, files_below), *unlistable])
        if not inner:
            raise UsageError(f"{name}: the folder holds no *.jsonl file")
        paths.update({str(path): None for path in inner})
    return list(paths)


def _name_files(paths: Iterable[str]) -> list[TrainingFile]:
    """Return names for files; folders of the same name are told apart by parent folders."""
    folders = {path: _source_folder(path) for path in paths}
    labels = _labels({folder for folder in folders.values() if folder is not None})
    files = []
    for path, folder in folders.items():
        if folder is None:
            files.append(TrainingFile(path, "stdin", "stdin"))
        else:
            relative_name = real_path(path).relative_to(folder).as_posix()
            files.append(TrainingFile(path, labels[folder], f"{labels[folder]}/{relative_name}"))
    return files


def _source_folder(path: str) -> Path | None:
    """Return the folder that is a file's source, outside of folders of dates (2026/03/02)."""
    if path == "-":
        return None
    folder = real_path(path).parent
    while folder.name.isdigit() and folder.parent.name:
        folder = folder.parent
    return folder


def _labels(folders: set[Path]) -> dict[Path, str]:
    """Return folder -> its name, with as many parent folders as necessary to tell it from the others."""
    depth = dict.fromkeys(folders, 1)
    while True:
        labels = {folder: "/".join(map(_readable_folder, folder.parts[-depth[folder] :])) for folder in folders}
        counts = Counter(labels.values())
        short = [f for f in folders if counts[labels[f]] > 1 and depth[f] < len(f.parts)]
        if not short:
            return labels
        for folder in short:
            depth[folder] += 1


def _readable_folder(name: str) -> str:
    """Return a folder's name without the part for the home folder, as in Claude Code's -home-sam-shop."""
    home = re.sub(r"[^A-Za-z0-9]", "-", str(Path.home()))
    return name[len(home) :].lstrip("-") or "home" if name.startswith(home) else name


def _check_output(output: str, *, json: bool) -> None:
    if output == "-":
        if json:
            raise UsageError("--json prints the report on standard output: write the profile elsewhere with -o")
        return
    output_path = real_path(output)
    if is_folder(output_path) or not is_folder(output_path.parent):
        raise UsageError(f"-o {output}: name a file in a folder that exists")


def _read(session: Session, files: Sequence[TrainingFile], *, keep: bool) -> Read:
    """Return the examples of all files. Unreadable files cause a warning, and copies of a file count once."""
    read, seen_openings = Read(), set()
    with session.show_progress(len(files), "files") as progress:
        for file in files:
            progress.step("reading")
            try:
                source = session.load(file.path)
            except InputError as error:
                session.warn(f"left out: {error}")
                read.refused.append(error)
                continue
            digest = sha256(source.data)
            if digest in seen_openings:
                read.copies += 1
                continue
            seen_openings.add(digest)
            session.print_reading_notes(source)
            for name, transcript in conversations(source, file.name):
                _add_transcript(read, file, name, transcript, keep=keep)
    return read


def _add_transcript(read: Read, file: TrainingFile, name: str, transcript: Transcript, *, keep: bool) -> None:
    from compactor_cli.evaluation.learning.examples import Lesson, cases_of, opening_of

    cases = list(cases_of(name, transcript.messages))
    if not cases:
        read.short += 1
        return
    read.cases += cases
    read.lessons.append(Lesson(name, file.source, opening_of(transcript.messages)))
    if keep:
        read.transcripts[name] = transcript


def _no_examples_error(read: Read) -> str:
    reason = "the session is" if read.short == 1 else f"all {read.short} sessions are"
    return (
        f"nothing to learn from: {reason} too short, or later turns need nothing from earlier ones. A session needs "
        "1,000 tokens before a cut, and 3 names from them that are needed after it. Nothing was written."
    )


def _fit_profile(session: Session, read: Read, args: LearnOptions) -> LearnedProfile:
    from compactor_cli.evaluation.learning.fit import fit
    from compactor_cli.evaluation.learning.held_out import folds_by_session, folds_by_source
    from compactor_cli.evaluation.learning.profile_text import LearnedProfile

    sources = {lesson.name: lesson.source for lesson in read.lessons}
    schemes = {
        "by_session": folds_by_session(read.lessons, args.folds, args.seed),
        "by_source": folds_by_source(read.lessons, _MAX_SOURCES, args.seed),
    }
    schemes = {name: parts for name, parts in schemes.items() if parts}
    figures, why = None, "--no-held-out was given"
    if args.held_out:
        why = "a single session cannot be held out from itself" if len(sources) == 1 else "all sessions begin alike"
        if "by_session" in schemes:
            figures, why = _measure(session, read, schemes, partial(fit, sources=sources, penalty=args.penalty)), ""
    return LearnedProfile(
        weights=fit(read.cases, sources, penalty=args.penalty),
        sources=dict(Counter(sources.values())),
        cases=len(read.cases),
        names=sum(len(case.needed) for case in read.cases),
        penalty=args.penalty,
        held_out=figures,
        not_held_out=why,
    )


def _measure(
    session: Session, read: Read, schemes: Mapping[str, Mapping[str, int]], fit: partial[dict[str, float]]
) -> HeldOut:
    from compactor_cli.cli.methods import plain_method, strategy_method
    from compactor_cli.evaluation.learning.fit import auc
    from compactor_cli.evaluation.learning.held_out import MeasureTools, measure_held_out, step_count
    from compactor_cli.evaluation.retention import cases as retention

    def adaptive(weights: Mapping[str, float]) -> Method:
        return strategy_method(replace(session, profile=complete_profile(Profile(weights))), "adaptive")

    sessions = [retention.EvaluatedSession(name, transcript) for name, transcript in read.transcripts.items()]
    with session.show_progress(len(sessions), "sessions") as progress:
        prepared = retention.prepare(
            sessions, _MEASURED_RATIOS, progress=lambda name: progress.step("looking for needs")
        )
    references = [strategy_method(session, "tiered"), plain_method("mask", session.counter)]
    with session.show_progress(step_count(prepared, list(schemes.values()), len(references)), "steps") as progress:
        tools = MeasureTools(fit, auc, adaptive, references, progress.step)
        return measure_held_out(read.lessons, read.cases, prepared, schemes, tools)


def _write(session: Session, read: Read, taught: LearnedProfile, output: str, *, json: bool) -> None:
    from compactor_cli.evaluation.learning.profile_text import profile_text
    from compactor_cli.render import learning as render

    write_bytes(output, profile_text(taught).encode())
    left_out = render.UnusedInputs(read.short, read.copies, tuple(map(str, read.refused)))
    if json:
        print_json(render.learned_json(output, taught, left_out, session.counter.name, session.warnings))
        return
    console = session.err if output == "-" else session.out
    for piece in render.learned_tables(console, taught, left_out, session.counter.name):
        console.print(piece, soft_wrap=isinstance(piece, str))
    if output != "-":
        session.print_written(output)
