"""The interface of agents: where an agent keeps its sessions, what a listing shows of one, and how to resume one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import force_setattr

WINDOWS = os.name == "nt"
_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")


class Machine(Struct, frozen=True):
    """The home folder and the environment, which determine where agents keep their files."""

    home: Path
    environment: Mapping[str, str]

    def folder_by_variable(self, variable: str, *below_home: str) -> Path:
        """Return the folder named by a variable, or else the default location below the home folder."""
        stated = self.environment.get(variable, "")
        if not stated:
            return self.home.joinpath(*below_home)
        return self.home / stated[2:] if stated.startswith(("~/", "~\\")) else Path(stated)


def make_machine(environment: Mapping[str, str], *, windows: bool = WINDOWS) -> Machine:
    """Return the machine for an environment. The home folder is $HOME, on Windows %USERPROFILE%."""
    home = environment.get("USERPROFILE" if windows else "HOME", "")
    return Machine(Path(home) if home else Path.home(), environment)


class FoundSession(Struct, frozen=True):
    """A session as found in the file system or a database; its content has not been read."""

    agent: str
    path: Path
    """Path of its file, of its folder if it has many files, or of the database that contains it."""
    id: str
    """Session id; empty if only the content shows it."""
    size: int
    used: float
    """When it was last written to, in seconds since 1970."""
    is_subagent: bool = False
    is_in_database: bool = False
    """Whether its file holds several sessions, which the id distinguishes."""


class Figure(Struct, frozen=True):
    """A number and its source: `counted`, `recorded` by the provider, or `estimated`."""

    value: int
    source: str


class About(Struct, frozen=True):
    """What a quick look into a session shows; unknown fields are empty or None."""

    id: str = ""
    project: str = ""
    title: str = ""
    request: str = ""
    messages: Figure | None = None
    tokens: Figure | None = None
    """Tokens of what the agent sends: the provider's last count, or an estimate."""


Look = Callable[[FoundSession], About]


class Agent(Struct, frozen=True, kw_only=True):
    """One agent. The fields are declarations. `find` and `look` read files, and raise OSError on failure."""

    name: str
    title: str
    format: str = ""
    """Name of the format of its sessions; by default, that of the agent."""
    aliases: tuple[str, ...] = ()
    folders: Callable[[Machine], Sequence[Path]]
    """Returns the folders of its sessions, existing or not."""
    find: Callable[[Path], Iterator[FoundSession]]
    """Yields the sessions in one of these folders."""
    look: Look
    resume: str = ""
    """The command that resumes a session, with placeholders `{id}` and `{path}`; empty if there is none."""
    new_folder: Callable[[Machine, str, float], Path | None] | None = None
    """Returns the folder in which the agent would keep a new session. The arguments are the machine, the project's
    folder, and the session's start time (seconds since 1970). None if the agent has no place for the project."""
    new_name: Callable[[str, float], str] | None = None
    """Returns the path of a new session below that folder, from its id and start time."""
    export: Callable[[FoundSession], bytes] | None = None
    """Returns the session as a file, for agents that store it in another form."""

    def __post_init__(self) -> None:
        force_setattr(self, "format", self.format or self.name)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


def files_below(folder: Path, depth: int) -> Iterator[os.DirEntry[str]]:
    """Yield the files up to `depth` levels below a folder. Raises OSError for the folder itself only."""
    with os.scandir(folder) as entries:
        folder_entries = list(entries)
    for entry in folder_entries:
        try:
            if entry.is_dir():
                if depth > 0:
                    yield from files_below(Path(entry.path), depth - 1)
            elif entry.is_file():
                yield entry
        except OSError:
            continue


def new_session(agent: str, entry: os.DirEntry[str], id: str, *, is_subagent: bool = False) -> FoundSession:
    state = entry.stat()
    return FoundSession(agent, Path(entry.path), id, state.st_size, state.st_mtime, is_subagent)


def find_files(
    agent: str,
    depth: int,
    id_of: Callable[[Path], str | None],
    is_subagent: Callable[[Path], bool] = lambda path: False,
) -> Callable[[Path], Iterator[FoundSession]]:
    """Return the `find` of an agent with one file per session, up to `depth` levels below its folder. `id_of`: returns
    the session id for a path below the folder; None if the file holds no session."""

    def find(folder: Path) -> Iterator[FoundSession]:
        for entry in files_below(folder, depth):
            path = Path(entry.path).relative_to(folder)
            session_id = id_of(path)
            if session_id is not None:
                yield new_session(agent, entry, session_id, is_subagent=is_subagent(path))

    return find


def jsonl_id(path: Path) -> str | None:
    """Return the id of a session whose file is named by it."""
    return path.name.removesuffix(".jsonl") if path.name.endswith(".jsonl") else None


def folder_id(file_name: str) -> Callable[[Path], str | None]:
    """Return the `id_of` of an agent whose sessions are `PROJECT/ID/file_name`."""
    return lambda path: path.parts[-2] if path.name == file_name and len(path.parts) == 3 else None


def uuid_in(stem: str) -> str:
    """Return the UUID at the end of a file's stem, or an empty string."""
    match = _ID.search(stem)
    return match[0] if match else ""
