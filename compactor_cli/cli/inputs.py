"""The files that a command is given: folders are read as the sessions in them."""

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

from compactor_cli.cli.files import is_folder, real_path, whole_name
from compactor_cli.cli.gathering import gathers, read_session
from compactor_cli.cli.picking import picked
from compactor_cli.cli.remote import is_remote, store
from compactor_cli.cli.replacing import is_part
from compactor_cli.cli.session import Session
from compactor_cli.errors import AccessError, CompactorError, InputError, UsageError
from compactor_cli.formats.base import Uncounted
from compactor_cli.formats.loading import load

if TYPE_CHECKING:
    from compactor_cli.cli.options import PickOptions

_PARQUET = b"PAR1"
_NOWHERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""How a link that leads nowhere fails: what it once meant is no session that is missed."""


class Input(Struct, frozen=True):
    """A file to read."""

    path: str
    name: str
    """Its name; of a file in a folder that was given, its path from there on."""


def inputs_of(session: Session, files: Sequence[str], args: PickOptions, *, aside: str = "") -> list[Input]:
    """Return the inputs of a command: of the files that are named, or the session that its options choose (`picked`),
    as `files_of` finds them. Raises UsageError, InputError."""
    return files_of(session, picked(session, files, args), aside=aside)


def files_of(session: Session, paths: Sequence[str], *, aside: str = "") -> list[Input]:
    """Return the files that are named or that a pattern such as `sessions/**/*.jsonl` means, and of a folder every
    session in and below it, in order; what else stands there is listed as skipped. Nothing in the folder `aside`
    counts. Raises InputError for a folder without any session, and for a pattern that means nothing."""
    inputs: list[Input] = []
    for path in paths:
        if is_remote(path):
            meant = store().meant(path)
            inputs += [Input(whole, name) for whole, name in meant if not is_part(name.rpartition("/")[2])]
            continue
        if path not in session.contents and _is_pattern(path):
            inputs += _meant(path, aside)
            continue
        if path == "-" or not is_folder(path) or gathers(path):
            inputs.append(Input(path, Path(path).name))
            continue
        inside = list(_inside(session, path, aside))
        if not inside:
            _check_apart(path, aside)
            raise InputError("is a directory without a session in it that can be read", path=path)
        inputs += inside
    return inputs


def once_each(session: Session, inputs: Sequence[Input]) -> list[Input]:
    """Return inputs that are to be replaced, each file once; one that is there under another name, also by a link, is
    left out and told of. (A hard link is a file of its own: replacing one leaves the other.)"""
    known: dict[str, Input] = {}
    for entry in inputs:
        place = whole_name(entry.path)
        if place in known:
            session.say(f"note: {entry.path}: is the same file as {known[place].path}, and is done once")
        else:
            known[place] = entry
    return list(known.values())


def is_parquet(path: str) -> bool:
    """Return whether a file is Parquet, by how it begins; one in a store by its name."""
    if is_remote(path):
        return path.lower().endswith((".parquet", ".pq"))
    try:
        file = Path(path)
        if path == "-" or not stat.S_ISREG(file.stat().st_mode):
            return False  # what is read from a pipe is gone from it
        with file.open("rb") as stream:
            return stream.read(len(_PARQUET)) == _PARQUET
    except OSError:
        return False


def _is_pattern(path: str) -> bool:
    """Return whether a path is a pattern that the shell has left as it is; a file may be called so, too."""
    return glob.has_magic(path) and not os.path.lexists(path)


def _meant(pattern: str, aside: str) -> list[Input]:
    """Return the files that a pattern means, by their paths from where it begins to leave something open."""
    whole = Path(pattern).expanduser()
    fixed = list(takewhile(lambda part: not glob.has_magic(part), whole.parts))
    root = Path(*fixed)
    outputs = _beginning(aside)
    inputs = []
    for name in sorted(glob.iglob(str(whole), recursive=True)):  # noqa: PTH207  # follows no hidden folder
        path = Path(name)
        if not _is_own(path, outputs) and (gathers(name) or is_file_or_closed(path)):
            inputs.append(Input(name, path.relative_to(root).as_posix()))
    if not inputs:
        _check_open(root)
        _check_apart(str(root), aside)
        raise InputError("no file is called so; * stands for a part of a name, ** for folders", path=pattern)
    return inputs


def _inside(session: Session, folder: str, aside: str) -> Iterator[Input]:
    outputs = _beginning(aside)
    files = sorted(_files_below(Path(folder)))
    with session.working(len(files), "files") as progress:
        for path in files:
            progress.step(f"looking into {path.name}")
            if _is_own(path, outputs):
                continue
            why = _unread(session, str(path))
            if why:
                session.say(f"skipped: {path}: {why}")
            else:
                yield Input(str(path), path.relative_to(folder).as_posix() if path != Path(folder) else path.name)


def _beginning(folder: str) -> str:
    """Return what the real paths of all files in a folder begin with; empty for no folder."""
    return str(real_path(folder) / "_")[:-1] if folder else ""


def _is_own(path: Path, outputs: str) -> bool:
    """Return whether a file is one of this program's: half-written, or in the folder of outputs, whose files begin
    so."""
    return is_part(path.name) or (outputs != "" and os.path.realpath(path).startswith(outputs))


def _check_apart(folder: str, aside: str) -> None:
    """Raise UsageError for a folder of inputs that is, or is in, the folder of the outputs."""
    if aside and f"{os.path.realpath(folder)}{os.sep}".startswith(_beginning(aside)):
        raise UsageError(
            f"--out-dir {aside}: what stands there is no input, and {folder} is in it; name another folder"
        )


def _check_open(folder: Path) -> None:
    """Raise AccessError for a folder that is there and cannot be listed."""
    try:
        with os.scandir(folder):
            pass
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise AccessError(f"cannot be read: {error.strerror}", path=str(folder)) from None


def is_file_or_closed(path: Path) -> bool:
    """Return whether a path is that of a file, or of what cannot be looked at, which fails when it is read."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError as error:
        return error.errno not in _NOWHERE


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and those below it, and the folders that cannot be listed: they fail when they are
    read."""
    closed: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=lambda error: closed.append(Path(error.filename))):
        yield from (Path(place, name) for name in names)
        for name in [name for name in folders if gathers(str(Path(place, name)))]:
            folders.remove(name)  # its files are parts of one session
            yield Path(place, name)
    yield from closed


def _unread(session: Session, path: str) -> str:
    """Return why a file in a folder is no session; empty for one that is, also when a part of it is damaged, and for
    what cannot be read: it may be one, and fails where it is to be read."""
    try:
        mode = Path(path).stat().st_mode
    except OSError as error:
        return f"cannot be read: {error.strerror}" if error.errno in _NOWHERE else ""
    if not gathers(path):
        if stat.S_ISDIR(mode) or is_parquet(path):
            return ""
        if not stat.S_ISREG(mode):
            return "is no file"
    try:
        load(read_session(path), path, Uncounted(), format=session.reading.format, skip_damaged=True)
    except AccessError:
        return ""
    except InputError as error:
        return error.what.partition("; ")[0]  # what to do about it is for a file that was named
    return ""


def one_by_one(session: Session, inputs: Sequence[Input], work: Callable[[str], int | None]) -> None:
    """Do a command's work for each file; of several, one that fails is reported and does not stop the others. The
    first code that is not 0 ends the command."""
    code = 0
    with session.working(len(inputs), "files") as progress:
        for entry in inputs:
            try:
                ended = work(entry.path) or 0
                code = code or ended
            except CompactorError as error:
                if len(inputs) == 1:
                    raise
                session.say(f"error: {naming(entry.path, error)}")
                code = code or int(error.exit_code)
            progress.whole(entry.path)
    if code:
        raise typer.Exit(code)


def naming(file: str, error: CompactorError) -> str:
    """Return the words of an error, with the file that it is about."""
    words = str(error)
    return words if words.startswith(file) else f"{file}: {words}"
