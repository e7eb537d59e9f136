"""What a run writes, held against what it reads: no output takes the place of a file that is read, or of another
output."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from compactor_cli.cli.configured import Configured
from compactor_cli.cli.files import is_file, is_folder, real_path
from compactor_cli.cli.remote import is_remote
from compactor_cli.db.place import file_of
from compactor_cli.errors import UsageError

_INPUT = "input"
_MAIN = ("-o", "--out-dir")
"""Options that say where a result goes, for which there may be another way."""


def files_read(
    configured: Configured,
    inputs: Iterable[str] = (),
    named: Mapping[str, str] | None = None,
    *,
    profile: bool = True,
) -> dict[str, str]:
    """Return every file that a run reads, with what it is: its inputs, those that the settings name, and the database,
    also one that is yet to be made. `named`: further ones that options name -> what they are; `profile`: whether the
    profile is read."""
    read = dict(configured.files)
    if profile and configured.reading.profile:
        read[configured.reading.profile] = "profile"
    with suppress(UsageError):  # an address that cannot be used is told of where it is used
        if database := file_of(configured.reading.database_url):
            read[str(database)] = "database"
    return {**read, **(named or {}), **dict.fromkeys(inputs, _INPUT)}


def check_outputs(read: Mapping[str, str], outputs: Mapping[str, Sequence[str]], remedy: str = "") -> None:
    """Raise UsageError where an output is a file that is read, by its name, a link or a second name of the same file,
    or where two options name one output.

    `read`: as `files_read` returns it; `outputs`: the option -> the places that it names, of which an empty one is
    none; `remedy`: what else to do where the result would replace its input."""
    known = {identity: path for path in read if (identity := _identity(path)) is not None}
    folders = {str(real_path(path) / "_")[:-1]: path for path in read if is_folder(path)}
    taken: dict[object, str] = {}
    for option, places in outputs.items():
        for place in filter(None, places):
            own = place if place == "-" else _identity(place)
            same = known.get(own) if place != "-" else None
            same = same or next((folders[start] for start in folders if _is_inside(place, start)), None)
            if same is not None:
                raise UsageError(f"{option} {place}: {_words(option, same, read[same], remedy)}")
            other = taken.setdefault(own, option) if own is not None else option
            if other != option:
                raise UsageError(f"{option} {place}: {_also(place, other)}")


def _words(option: str, path: str, what: str, remedy: str) -> str:
    """Return what a file is that an output would replace."""
    if what != _INPUT:
        return f"is the {what} {path} of this run; give the output another name"
    return f"is the input {path}{remedy if option in _MAIN else ''}"


def _also(place: str, option: str) -> str:
    if place == "-":
        return f"standard output has what {option} writes; name a file for one of them"
    return f"is also named by {option}; give it a name of its own"


def _is_inside(place: str, folder: str) -> bool:
    """Return whether an output would replace a file of a session in parts."""
    return is_file(place) and str(real_path(place)).startswith(folder)


def _identity(path: str) -> object:
    """Return what a file is told from others by: one that is not there by its path; None for a pipe or a device."""
    if is_remote(path):
        return path
    try:
        state = os.fstat(0) if path == "-" else os.stat(path)  # noqa: PTH116  # a descriptor has no path
    except FileNotFoundError:
        return str(real_path(path))
    except OSError:
        return None
    return (state.st_dev, state.st_ino) if stat.S_ISREG(state.st_mode) else None
