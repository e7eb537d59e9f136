"""What is known of an agent: where it keeps its sessions, what a listing says of one, how one is resumed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

WINDOWS = os.name == "nt"
_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")


class Machine(Struct, frozen=True):
    """The home folder and the environment: all that decides where agents keep things."""

    home: Path
    environment: Mapping[str, str]

    def place(self, variable: str, *below_home: str) -> Path:
        """Return the folder that a variable names, or the one at its usual place below the home folder."""
        named = self.environment.get(variable, "") if variable else ""
        return self.inside(named) if named else self.home.joinpath(*below_home)

    def inside(self, path: str) -> Path:
        """Return a path from the environment; `~` is the home folder."""
        return self.home / path[2:] if path.startswith(("~/", "~\\")) else Path(path)


def machine_of(environment: Mapping[str, str], *, windows: bool = WINDOWS) -> Machine:
    """Return this machine as its environment describes it: the home folder is $HOME, on Windows %USERPROFILE%."""
    home = environment.get("USERPROFILE" if windows else "HOME", "")
    return Machine(Path(home) if home else Path.home(), environment)


class FoundSession(Struct, frozen=True):
    """A session as its name and a look at its file's state tell it; nothing of it has been read."""

    agent: str
    path: Path
    """Its file; its folder where it has many, the database where it is in one."""
    id: str
    """Empty where only what is in it tells."""
    size: int
    """Bytes."""
    used: float
    """When it was last written to: seconds since 1970."""
    aside: bool = False
    """It is that of a subagent."""
    inside: bool = False
    """It is one of several in its file, which the id tells apart."""


class Figure(Struct, frozen=True):
    """A number, and how it is known: `counted`, `recorded` by the provider, or `estimated`."""

    value: int
    source: str


class About(Struct, frozen=True):
    """What a short look into a session tells; empty and None where it does not."""

    id: str = ""
    project: str = ""
    """The folder that was worked in."""
    title: str = ""
    request: str = ""
    """The first request of the user."""
    messages: Figure | None = None
    tokens: Figure | None = None
    """Of what the agent sends: what the provider counted last, or an estimate."""


Look = Callable[[FoundSession], About]


class Agent(Struct, frozen=True, kw_only=True):
    """One agent. Everything here is a declaration; `find` and `look` read, and raise OSError where they cannot."""

    name: str
    title: str
    format: str
    """The format of its sessions."""
    aliases: tuple[str, ...] = ()
    folders: Callable[[Machine], Sequence[Path]]
    """Where its sessions are, whether the folders are there or not."""
    find: Callable[[Path], Iterator[FoundSession]]
    """The sessions in one of the folders."""
    look: Look
    resume: str = ""
    """The command that goes on with a session; `{id}` and `{path}` stand for its own. Empty: there is none."""
    new_folder: Callable[[Machine, str, float], Path | None] | None = None
    """Where the agent would keep a new session: of the machine, the project's folder, and the time that the session
    began (seconds since 1970). None for a project in which it has no place."""
    new_name: Callable[[str, float], str] | None = None
    """The path below that folder: of the session's id and the time that it began."""
    export: Callable[[FoundSession], bytes] | None = None
    """The session as a file, where it is kept in another way."""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


def files_below(folder: Path, depth: int) -> Iterator[os.DirEntry[str]]:
    """Yield the files in a folder and in those below it, `depth` levels of them. Raises OSError for the folder itself;
    what cannot be read below it is left out."""
    with os.scandir(folder) as entries:
        listed = list(entries)
    for entry in listed:
        try:
            if entry.is_dir():
                if depth > 0:
                    yield from files_below(Path(entry.path), depth - 1)
            elif entry.is_file():
                yield entry
        except OSError:
            continue


def found(agent: str, entry: os.DirEntry[str], id: str, *, aside: bool = False) -> FoundSession:
    """Return a session that is the file of a directory's entry."""
    state = entry.stat()
    return FoundSession(agent, Path(entry.path), id, state.st_size, state.st_mtime, aside)


def uuid_in(stem: str) -> str:
    """Return the UUID at the end of a file's name without its suffix, or an empty string."""
    match = _ID.search(stem)
    return match[0] if match else ""
