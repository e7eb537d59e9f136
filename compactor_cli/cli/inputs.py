"""The input files of a command. A folder stands for the sessions in it."""

from __future__ import annotations

import errno
import glob
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from msgspec import Struct

from compactor_cli.cli.files import is_folder, is_remote, load_store, real_path, whole_name
from compactor_cli.cli.gathering import is_gathered, read_session
from compactor_cli.cli.picking import pick_files
from compactor_cli.cli.replacing import is_own_file
from compactor_cli.cli.session import Session
from compactor_cli.errors import AccessError, CompactorError, InputError, UsageError
from compactor_cli.formats.base import Uncounted
from compactor_cli.formats.loading import load

if TYPE_CHECKING:
    from compactor_cli.cli.options import PickOptions

_PARQUET = b"PAR1"
_MISSING_ERRNOS = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""Errors of a broken link: its target is not counted as a missing session."""


class Input(Struct, frozen=True):
    """An input file."""

    path: str
    name: str
    """Its name. For a file found in a folder, its path relative to that folder."""


def inputs_of(session: Session, files: Sequence[str], args: PickOptions, *, out_folder: str = "") -> list[Input]:
    """Return the inputs of a command: the named files, or the session that its options choose (see `pick_files`),
    expanded by `files_of`. Raises UsageError and InputError."""
    return files_of(session, pick_files(session, files, args), out_folder=out_folder)


def files_of(session: Session, paths: Sequence[str], *, out_folder: str = "") -> list[Input]:
    """Return the files that are named or match a pattern (`sessions/**/*.jsonl`); a folder becomes the sessions in and
    below it. `out_folder` is ignored. Raises InputError for a folder or pattern without any."""
    inputs: list[Input] = []
    for path in paths:
        if is_remote(path):
            matching = load_store().meant(path)
            inputs += [Input(whole, name) for whole, name in matching if not is_own_file(name.rpartition("/")[2])]
            continue
        if path not in session.contents and glob.has_magic(path) and not os.path.lexists(path):
            inputs += _matching_files(path, out_folder)
            continue
        if path == "-" or not is_folder(path) or is_gathered(path):
            inputs.append(Input(path, Path(path).name))
            continue
        inside = list(_files_inside(session, path, out_folder))
        if not inside:
            _check_outside_output(path, out_folder)
            raise InputError("is a directory that holds no readable session", path=path)
        inputs += inside
    return inputs


def unique_inputs(session: Session, inputs: Sequence[Input]) -> list[Input]:
    """Return inputs to be replaced, with each file once. (A hard link is a separate file.)"""
    by_name: dict[str, Input] = {}
    for entry in inputs:
        identity = whole_name(entry.path)
        if identity in by_name:
            session.say(f"note: {entry.path}: is the same file as {by_name[identity].path}, and is processed once")
        else:
            by_name[identity] = entry
    return list(by_name.values())


def is_parquet(path: str) -> bool:
    """Return whether a file is Parquet, judging by its first bytes, or by its name in a remote store."""
    if is_remote(path):
        return path.lower().endswith((".parquet", ".pq"))
    try:
        file = Path(path)
        if path == "-" or not stat.S_ISREG(file.stat().st_mode):
            return False  # data read from a pipe cannot be read again
        with file.open("rb") as stream:
            return stream.read(len(_PARQUET)) == _PARQUET
    except OSError:
        return False


def _matching_files(pattern: str, out_folder: str) -> list[Input]:
    """Return the files that match a pattern, named relative to the pattern's fixed part."""
    whole = Path(pattern).expanduser()
    fixed = list(takewhile(lambda part: not glob.has_magic(part), whole.parts))
    root = Path(*fixed)
    outputs = _common_prefix(out_folder)
    inputs = []
    for name in sorted(glob.iglob(str(whole), recursive=True)):  # noqa: PTH207  # skips hidden folders
        path = Path(name)
        if not _is_own_output(path, outputs) and (is_gathered(name) or is_file_or_inaccessible(path)):
            inputs.append(Input(name, path.relative_to(root).as_posix()))
    if not inputs:
        _check_listable(root)
        _check_outside_output(str(root), out_folder)
        raise InputError("no file matches; * matches a part of a name, ** any folders", path=pattern)
    return inputs


def _files_inside(session: Session, folder: str, out_folder: str) -> Iterator[Input]:
    outputs = _common_prefix(out_folder)
    files = sorted(_files_below(Path(folder)))
    with session.show_progress(len(files), "files") as progress:
        for path in files:
            progress.step(f"scanning {path.name}")
            if _is_own_output(path, outputs):
                continue
            why = _unreadable_reason(session, str(path))
            if why:
                session.say(f"skipped: {path}: {why}")
            else:
                yield Input(str(path), path.relative_to(folder).as_posix() if path != Path(folder) else path.name)


def _common_prefix(folder: str) -> str:
    """Return the common prefix of the real paths of all files in a folder; empty for no folder."""
    return str(real_path(folder) / "_")[:-1] if folder else ""


def _is_own_output(path: Path, outputs: str) -> bool:
    """Return whether the program itself wrote a file: it is half-written, or below the prefix `outputs`."""
    return is_own_file(path.name) or (outputs != "" and os.path.realpath(path).startswith(outputs))


def _check_outside_output(folder: str, out_folder: str) -> None:
    """Raise UsageError if a folder of inputs is the output folder or inside it."""
    if out_folder and f"{os.path.realpath(folder)}{os.sep}".startswith(_common_prefix(out_folder)):
        raise UsageError(
            f"--out-dir {out_folder}: files in it are not read as inputs, but {folder} is inside it; "
            "name another folder"
        )


def _check_listable(folder: Path) -> None:
    """Raise AccessError for an existing folder that cannot be listed."""
    try:
        with os.scandir(folder):
            pass
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise AccessError(f"cannot be read: {error.strerror}", path=str(folder)) from None


def is_file_or_inaccessible(path: Path) -> bool:
    """Return whether a path is a file or something inaccessible, which will fail when it is read."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError as error:
        return error.errno not in _MISSING_ERRNOS


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield the files in and below a folder, and unlistable folders, which fail when they are read."""
    unlistable: list[Path] = []
    for parent, folders, names in os.walk(folder, onerror=lambda error: unlistable.append(Path(error.filename))):
        yield from (Path(parent, name) for name in names)
        for name in [name for name in folders if is_gathered(str(Path(parent, name)))]:
            folders.remove(name)  # its files are parts of one session
            yield Path(parent, name)
    yield from unlistable


def _unreadable_reason(session: Session, path: str) -> str:
    """Return why a file in a folder is no session; empty for a session, a damaged or an unreadable one."""
    try:
        mode = Path(path).stat().st_mode
    except OSError as error:
        return f"cannot be read: {error.strerror}" if error.errno in _MISSING_ERRNOS else ""
    if not is_gathered(path):
        if stat.S_ISDIR(mode) or is_parquet(path):
            return ""
        if not stat.S_ISREG(mode):
            return "is not a file"
    try:
        load(read_session(path), path, Uncounted(), format=session.reading.format, skip_damaged=True)
    except AccessError:
        return ""
    except InputError as error:
        return error.what.partition("; ")[0]  # the advice after the semicolon is for a file that the user named
    return ""


def one_by_one(session: Session, inputs: Sequence[Input], work: Callable[[str], int | None]) -> None:
    """Call `work` for each file. If there are several, a failure is reported and the others continue. The first exit
    code other than 0 ends the command."""
    code = 0
    with session.show_progress(len(inputs), "files") as progress:
        for entry in inputs:
            try:
                exit_code = work(entry.path) or 0
                code = code or exit_code
            except CompactorError as error:
                if len(inputs) == 1:
                    raise
                session.say(f"error: {name_error(entry.path, error)}")
                code = code or int(error.exit_code)
            progress.finish_file(entry.path)
    if code:
        raise typer.Exit(code)


def name_error(file: str, error: CompactorError) -> str:
    """Return an error's text, preceded by the file's name unless it begins with it."""
    words = str(error)
    return words if words.startswith(file) else f"{file}: {words}"
