"""Find the sessions on this machine, newest first. Folders are listed; files are read only on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from msgspec import Struct

from compactor_cli.agents import AGENTS
from compactor_cli.agents.base import About, Agent, FoundSession, Machine


@dataclass(slots=True)
class Listing:
    """The result of a search."""

    sessions: list[FoundSession] = field(default_factory=list)
    searched_folders: list[Path] = field(default_factory=list)
    """Folders that may contain sessions, existing or not."""
    failed: list[tuple[Path, str]] = field(default_factory=list)


class SavedSession(Struct, frozen=True):
    """A session, and what a quick look into it shows."""

    session: FoundSession
    summary: About

    @property
    def agent(self) -> Agent:
        return AGENTS[self.session.agent]

    @property
    def id(self) -> str:
        return self.session.id or self.summary.id or self.session.path.stem

    @property
    def words(self) -> str:
        """Return its title, or else the first request."""
        return self.summary.title or self.summary.request

    @property
    def resume(self) -> str:
        """Return the command that resumes the session; empty if there is none."""
        return self.agent.resume.format(id=self.id, path=self.session.path)


def find_sessions(machine: Machine, agents: Iterable[Agent], *, with_subagents: bool = False) -> Listing:
    """Return the sessions of these agents, without empty files; unreadable places are recorded."""
    listing = Listing()
    for agent in agents:
        for folder in agent.folders(machine):
            listing.searched_folders.append(folder)
            try:
                listing.sessions += [
                    entry
                    for entry in agent.find(folder)
                    if (entry.size or entry.is_in_database) and (with_subagents or not entry.is_subagent)
                ]
            except FileNotFoundError:
                continue
            except OSError as error:
                listing.failed.append((folder, error.strerror or str(error)))
    listing.sessions.sort(key=lambda entry: (-entry.used, str(entry.path), entry.id))
    return listing


def describe_sessions(listing: Listing, *, since: float = 0, project: str = "") -> Iterator[SavedSession]:
    """Yield the sessions used since a given time in a given project. Each is read only when it is reached."""
    for entry in listing.sessions:
        if entry.used < since:
            return
        saved = look(listing, entry)
        if not project or is_in_project(saved.summary.project, project):
            yield saved


def look(listing: Listing, session: FoundSession) -> SavedSession:
    """Return what a session shows about itself; nothing if it cannot be read, which is recorded."""
    try:
        return SavedSession(session, AGENTS[session.agent].look(session))
    except OSError as error:
        listing.failed.append((session.path, error.strerror or str(error)))
        return SavedSession(session, About())


def find_by_id(listing: Listing, beginning: str) -> list[SavedSession]:
    """Return the sessions whose id begins with this text, or only the one with exactly this id."""
    prefix = beginning.lower()
    by_prefix = [entry for entry in listing.sessions if entry.id.lower().startswith(prefix)]
    unnamed = [saved for entry in listing.sessions if not entry.id for saved in [look(listing, entry)]]
    matching = [look(listing, entry) for entry in by_prefix]
    matching += [saved for saved in unnamed if saved.id.lower().startswith(prefix)]
    exact = [saved for saved in matching if saved.id.lower() == prefix]
    return exact or matching


def is_in_project(project: str, folder: str) -> bool:
    """Return whether a project is a folder (absolute path) or below it, or contains the wanted words."""
    if not PurePath(folder).is_absolute():
        return folder.lower() in project.lower()
    return bool(project) and PurePath(folder) in (PurePath(project), *PurePath(project).parents)


def shortest_prefixes(ids: Sequence[str], min_chars: int = 8) -> list[str]:
    """Return prefixes that distinguish the ids, all with the same length if possible."""
    length = min_chars
    while length < max(map(len, ids), default=0) and len({entry[:length] for entry in ids}) < len(set(ids)):
        length += 1
    return [entry[:length] for entry in ids]
