"""Check a run's outputs against its inputs: no output may replace a file that is read, or another output."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from compactor_cli.cli.configured import Configured
from compactor_cli.cli.files import is_file, is_folder, real_path, whole_name
from compactor_cli.cli.remote import is_remote, local_path
from compactor_cli.containers import CONTAINERS, UNWRITTEN
from compactor_cli.db.place import file_of
from compactor_cli.errors import UsageError

_INPUT = "input"
_MAIN = ("-o", "--out-dir")
"""Options for the main result, for which there may be an alternative."""
_MADE = ("--out-dir", "--manifest")
"""Options whose folders are created, or belong to another output."""


class FilesRead(Struct, frozen=True):
    """Every file that a run reads, examined once for any number of outputs."""

    meanings: Mapping[str, str]
    """Path -> what the file is, such as an input."""
    identities: Mapping[object, str]
    """Identity of the file -> its path."""
    folders: Mapping[Path, str]
    """Folder of a session in parts, without links -> its path."""

    def replaced_by(self, place: str, own: object) -> str | None:
        """Return the path that an output would replace, in whole or in part; None if there is none. `own`: the
        identity of the output."""
        if own in self.identities:
            return self.identities[own]
        local = local_path(place)
        if not self.folders or not is_file(local):
            return None
        return next((self.folders[folder] for folder in real_path(local).parents if folder in self.folders), None)


def files_read(
    configured: Configured,
    inputs: Iterable[str] = (),
    named: Mapping[str, str] | None = None,
    *,
    profile: bool = True,
) -> FilesRead:
    """Return every file that a run reads: its inputs, the files named by settings, and the database, even one that
    does not exist yet. `named`: further files named by options -> what they are. `profile`: whether the profile is
    read."""
    # an input that is also read as something else is listed as that, since advice to replace it in place would be wrong
    read = {**dict.fromkeys(inputs, _INPUT), **configured.files, **(named or {})}
    if profile and configured.reading.profile:
        read[configured.reading.profile] = "profile"
    with suppress(UsageError):  # an invalid address is reported where it is used
        if database := file_of(configured.reading.database_url):
            read[str(database)] = "database"
    identities = {identity: path for path in read if (identity := _identity(path)) is not None}
    return FilesRead(read, identities, {real_path(path): path for path in read if is_folder(path)})


def check_outputs(read: FilesRead, outputs: Mapping[str, Sequence[str]], remedy: str = "") -> None:
    """Raise UsageError if an output is a file that the run reads, or if two outputs are the same file. Files are
    recognised under other names and through links.

    `outputs`: option -> the places that it names; empty ones are ignored. `remedy`: advice for a main result that
    would replace its input.
    """
    taken: dict[str, tuple[str, str]] = {}
    for option, places in outputs.items():
        for place in filter(None, places):
            if place.lower().endswith(UNWRITTEN):
                kinds = ", ".join(end for kind in CONTAINERS.values() for end in kind.suffixes if not kind.copies)
                raise UsageError(
                    f"{option} {place}: unsupported compression; use a name that ends in {kinds}, or in none of them"
                )
            own = _identity(place, standard=1)
            same = read.replaced_by(place, own)
            if same is not None:
                raise UsageError(f"{option} {place}: {_words(option, same, read.meanings[same], remedy)}")
            target = _target(place, own)
            if target is None:
                continue
            if target in taken:
                raise UsageError(f"{option} {place}: {_also(option, target, *taken[target])}")
            taken[target] = option, place
            if target != "-" and option not in _MADE and not is_remote(local_path(place)):
                _check_folder(option, place)


def _check_folder(option: str, place: str) -> None:
    """Raise UsageError if a file cannot be created in its folder, before any work is wasted."""
    folder = real_path(local_path(place)).parent
    if not folder.is_dir():
        raise UsageError(f"{option} {place}: the folder {folder} does not exist; create it first")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{option} {place}: the folder {folder} cannot be written to; name another one")


def _words(option: str, path: str, what: str, remedy: str) -> str:
    """Return a phrase that says which file an output would replace."""
    if path == "-":
        return "is the file that standard input is read from; give the output another name"
    if what != _INPUT:
        return f"is the {what} {path} of this run; give the output another name"
    return f"is the input {path}{remedy if option in _MAIN else ''}"


def _also(option: str, target: str, other: str, place: str) -> str:
    """Return what is wrong with an output that equals the output of another option, or another output of the same
    option."""
    if target == "-":
        return f"{other} also writes to standard output; name a file for one of them"
    if other == option:
        return f"is the same file as {place}, which gets its own output; remove the link, or name another folder"
    return f"is also named by {other}; give it a name of its own"


def _target(place: str, own: object) -> str | None:
    """Return what identifies an output among outputs. Files are replaced by name, so two names of one file do not
    collide, except for standard output, which writes into an open file. None for a device such as /dev/null."""
    if place == "-" or (own is not None and own == _identity("-", standard=1)):
        return "-"
    return None if own is None else whole_name(place)


def _identity(path: str, *, standard: int = 0) -> object:
    """Return what identifies a file: device and inode, or the path if it does not exist. None for a pipe or a
    device. `standard`: the descriptor that `-` stands for."""
    path = local_path(path)
    if is_remote(path):
        return path
    try:
        state = os.fstat(standard) if path == "-" else os.stat(path)  # noqa: PTH116  # a descriptor has no path
    except OSError:
        return str(real_path(path))
    except ValueError:  # a NUL character, which no file name contains
        return None
    return (state.st_dev, state.st_ino) if stat.S_ISREG(state.st_mode) else None
