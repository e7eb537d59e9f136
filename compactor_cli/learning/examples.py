"""Sessions -> examples: the signals of each name before a cut, and whether the rest needed it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compactor_cli.model.message import Message
from compactor_cli.signals.evidence import gather
from compactor_cli.signals.lines import Session, read_session
from compactor_cli.signals.signals import expanded, signals_of

CUTS = (0.35, 0.5, 0.65, 0.8)
"""Shares of a session's tokens behind which the rest is what is to come."""
_SMALLEST = 1_000
"""Tokens before a cut below which there is nothing to choose."""
_FEWEST = 3
"""Needed names without which a cut teaches nothing."""


@dataclass(frozen=True, slots=True)
class Case:
    """One cut of one session: a row of signals and a label for each name before it."""

    session: str
    rows: tuple[tuple[float, ...], ...]
    needed: tuple[bool, ...]


def cases_of(session: str, messages: Sequence[Message], cuts: Sequence[float] = CUTS) -> Iterator[Case]:
    """The cases that a session gives; a short one gives none."""
    for share in cuts:
        cut = cut_at(messages, share)
        if cut is None:
            continue
        case = _case(session, messages[:cut], messages[cut:])
        if sum(case.needed) >= _FEWEST:
            yield case


def cut_at(messages: Sequence[Message], share: float) -> int | None:
    """The first place behind this share of the tokens where no tool result is cut from its call."""
    sizes = [0 if message.role == "system" else message.tokens for message in messages]
    total, run = sum(sizes), 0
    for at, size in enumerate(sizes, 1):
        run += size
        if run >= share * total and at < len(messages) and not messages[at].results:
            return at if run >= _SMALLEST else None
    return None


def _case(name: str, front: Sequence[Message], rest: Sequence[Message]) -> Case:
    session = read_session(front)
    evidence = gather(front, session)
    needed = needed_names(session, front, rest)
    known = [term for term in evidence.mentions if term not in _system_names(session, front)]
    rows = tuple(
        tuple(expanded(session.kinds[t], signals_of(session.names[t], evidence.mentions[t], evidence))) for t in known
    )
    return Case(name, rows, tuple(term in needed for term in known))


def _system_names(session: Session, front: Sequence[Message]) -> set[int]:
    return {t for piece in session.pieces if front[piece.message].role == "system" for t in piece.names}


def needed_names(session: Session, front: Sequence[Message], rest: Sequence[Message]) -> set[int]:
    """Names before the cut that the agent writes behind it before anybody else says them again.

    Keys of structured data and names of tools are no needs: they come with the tools.
    """
    needed: set[int] = set()
    supplied: set[str] = set()
    later = read_session(rest)
    form = _form(session, front) | _form(later, rest)
    for piece in later.pieces:
        names = [later.names[term] for term in piece.names]
        if rest[piece.message].role == "assistant":
            for name in names:
                term = session.find(name)
                if term is not None and term >= 0 and name not in supplied and name not in form:
                    needed.add(term)
        else:
            supplied.update(names)
    return needed


def _form(session: Session, messages: Sequence[Message]) -> set[str]:
    mentions = gather(messages, session).mentions
    return {session.names[term] for term, found in mentions.items() if found.key}
