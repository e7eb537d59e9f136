"""Check a run's outputs against its inputs: none may replace a file that is read. Write the page of --html."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from compactor_cli.cli.configured import Configured
from compactor_cli.cli.files import is_file, is_folder, is_remote, local_path, real_path, whole_name, write_bytes
from compactor_cli.containers import CONTAINERS, UNSUPPORTED_SUFFIXES
from compactor_cli.db.place import sqlite_file
from compactor_cli.errors import UsageError

if TYPE_CHECKING:
    from compactor_cli.cli.session import Session
    from compactor_cli.model.timeline import Entry
    from compactor_cli.views.survival.result import Survival

_INPUT = "input"
_MAIN = ("-o", "--out-dir")
"""Options for the main result, for which there may be an alternative."""
_CREATED_IN = ("--out-dir", "--manifest")
"""Options whose folders are created, or belong to another output."""


class FilesRead(Struct, frozen=True):
    """Every file that a run reads, examined once for any number of outputs."""

    meanings: Mapping[str, str]
    """Path -> what the file is, such as an input."""
    identities: Mapping[object, str]
    """Identity of the file -> its path."""
    folders: Mapping[Path, str]
    """Folder of a session in parts, without links -> its path."""

    def replaced_by(self, out_path: str, identity: object) -> str | None:
        """Return the path that an output would replace, in whole or in part; None if there is none.
        `identity`: what identifies the output's file."""
        if identity in self.identities:
            return self.identities[identity]
        local = local_path(out_path)
        if not self.folders or not is_file(local):
            return None
        return next((self.folders[folder] for folder in real_path(local).parents if folder in self.folders), None)


def find_files_read(
    configured: Configured,
    inputs: Iterable[str] = (),
    named_files: Mapping[str, str] | None = None,
    *,
    profile: bool = True,
) -> FilesRead:
    """Return every file that a run reads: inputs, files of settings, the database. `named_files`: further files -> what
    they are. `profile`: whether the profile is read."""
    # an input that is also read as something else is listed as that, since advice to replace it in place would be wrong
    read = {**dict.fromkeys(inputs, _INPUT), **configured.files, **(named_files or {})}
    if profile and configured.reading.profile:
        read[configured.reading.profile] = "profile"
    with suppress(UsageError):  # an invalid address is reported where it is used
        if database := sqlite_file(configured.reading.database_url):
            read[str(database)] = "database"
    identities = {identity: path for path in read if (identity := _file_identity(path)) is not None}
    return FilesRead(read, identities, {real_path(path): path for path in read if is_folder(path)})


def check_outputs(read: FilesRead, outputs: Mapping[str, Sequence[str]], remedy: str = "") -> None:
    """Raise UsageError if an output is a file that the run reads, by whatever name, or equals another output.
    `outputs`: option -> places; empty ones are ignored. `remedy`: advice for an output that is its input."""
    claimed: dict[str, tuple[str, str]] = {}
    for option, places in outputs.items():
        for out_path in filter(None, places):
            if out_path.lower().endswith(UNSUPPORTED_SUFFIXES):
                kinds = ", ".join(end for kind in CONTAINERS.values() for end in kind.suffixes if not kind.copies)
                raise UsageError(
                    f"{option} {out_path}: unsupported compression; use a name that ends in {kinds}, or in none of them"
                )
            identity = _file_identity(out_path, standard=1)
            same = read.replaced_by(out_path, identity)
            if same is not None:
                raise UsageError(f"{option} {out_path}: {_conflict_phrase(option, same, read.meanings[same], remedy)}")
            target = _output_identity(out_path, identity)
            if target is None:
                continue
            if target in claimed:
                raise UsageError(f"{option} {out_path}: {_same_output_phrase(option, target, *claimed[target])}")
            claimed[target] = option, out_path
            if target != "-" and option not in _CREATED_IN and not is_remote(local_path(out_path)):
                _check_folder(option, out_path)


def _check_folder(option: str, out_path: str) -> None:
    """Raise UsageError if a file cannot be created in its folder, before any work is wasted."""
    folder = real_path(local_path(out_path)).parent
    if not folder.is_dir():
        raise UsageError(f"{option} {out_path}: the folder {folder} does not exist; create it first")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{option} {out_path}: the folder {folder} cannot be written to; name another one")


def _conflict_phrase(option: str, path: str, what: str, remedy: str) -> str:
    if path == "-":
        return "is the file that standard input is read from; give the output another name"
    if what != _INPUT:
        return f"is the {what} {path} of this run; give the output another name"
    return f"is the input {path}{remedy if option in _MAIN else ''}"


def _same_output_phrase(option: str, target: str, other_option: str, out_path: str) -> str:
    if target == "-":
        return f"{other_option} also writes to standard output; name a file for one of them"
    if other_option == option:
        return f"is the same file as {out_path}, which gets its own output; remove the link, or name another folder"
    return f"is also named by {other_option}; give it a name of its own"


def _output_identity(out_path: str, identity: object) -> str | None:
    """Return what identifies an output among outputs. Files are replaced by name, so two names of one file do not
    collide, except for standard output, which writes into an open file. None for a device such as /dev/null."""
    if out_path == "-" or (identity is not None and identity == _file_identity("-", standard=1)):
        return "-"
    return None if identity is None else whole_name(out_path)


def _file_identity(path: str, *, standard: int = 0) -> object:
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


def check_html(out_path: str, work: int) -> None:
    """Raise UsageError if a page cannot be written. `work`: how many files the command processes."""
    if out_path == "-":
        raise UsageError("--html -: standard output is used for what the command prints; name a file")
    if out_path and work > 1:
        raise UsageError(f"--html {out_path}: a page shows one file, but there are {work}; name one")


def write_page(
    session: Session,
    out_path: str,
    command: str,
    paths: Sequence[str],
    report: Mapping[str, Any],
    entries: Sequence[Entry],
    survivals: Sequence[Survival] = (),
) -> None:
    """Write the HTML page of a command. `paths`: the files that it read."""
    from compactor_cli.render.html.page import page_value, render_page

    text = render_page(page_value(command, " → ".join(paths), report, entries, survivals))
    write_bytes(out_path, text.encode("utf-8"), inputs=paths)
    session.say(f"page written to {out_path}")
