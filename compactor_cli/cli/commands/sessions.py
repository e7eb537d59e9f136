"""`compactor sessions`: the sessions of agents on this machine."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from datetime import datetime
from itertools import islice

from msgspec.structs import replace

from compactor_cli.agents import AGENTS, agent
from compactor_cli.agents.base import Agent, Figure
from compactor_cli.agents.finding import Listing, SavedSession, describe_sessions, find_sessions
from compactor_cli.cli import options
from compactor_cli.cli.session import Session, open_session
from compactor_cli.cli.session_menu import project_of, read_saved, this_machine
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import InputError, UsageError
from compactor_cli.settings.frozen import frozen
from compactor_cli.text.clean import plain
from compactor_cli.text.times import parse_time

_MAX_SHOWN = 20
_AGE_PATTERN = re.compile(r"(\d+(?:\.\d+)?)\s*(min|m|h|d|w)[a-z]*", re.IGNORECASE)
_UNIT_SECONDS = {"min": 60, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_DATE_PATTERN = re.compile(r"\d{4}-\d{2}-\d{2}$")


@frozen(frozen=True, kw_only=True)
class SessionsOptions(options.CommandOptions):
    agents: list[str] | None = options.option(
        "NAME", "Only sessions of this agent: claude, codex, ...; repeatable.", None, "--agent"
    )
    project: options.ProjectOption = ""
    since: str = options.option("TIME", "Only sessions used since then: 12h, 7d, 2w, or 2026-11-01.", "")
    limit: int = options.option("N", "Most sessions to list; 0 for all. Default: 20.", _MAX_SHOWN, min=0)
    everything: bool = options.switch("Also list the sessions of subagents.", "--all")
    exact: bool = options.switch("Read each listed session and count its messages and tokens.")


@takes_options("sessions")
def sessions(args: SessionsOptions, overrides: Layer) -> None:
    """List the sessions of agents on this machine, the newest first.

    Sessions are looked for in the agents' own folders, or where their environment variables point. Tokens are
    the provider's last count; with ~, tokens and messages are estimated from the size of the file, and
    --exact counts them. In other commands, name a session with --session and the start of its id, or the
    newest one with --latest.

    \b
    Examples:
      compactor sessions
      compactor sessions --agent claude --agent codex --since 7d
      compactor sessions --project . --limit 0
      compactor inspect --session 44df7d08
      compactor compact --latest claude --target-ratio 0.25 -o small.jsonl
    """
    from compactor_cli.render import sessions as render

    session = open_session(args, overrides)
    now = time.time()
    agents: Iterable[Agent] = dict.fromkeys(map(agent, args.agents)) if args.agents else AGENTS.values()
    listing = find_sessions(this_machine(), agents, with_subagents=args.everything)
    min_timestamp = _parse_since(args.since, now) if args.since else 0
    saved = describe_sessions(listing, since=min_timestamp, project=project_of(args.project))
    listed = list(islice(saved, args.limit or None))
    more = bool(args.limit) and next(saved, None) is not None
    if args.exact:
        with session.show_progress(len(listed), "sessions") as progress:
            for index, entry in enumerate(listed):
                progress.step(f"reading {entry.session.path.name}")
                listed[index] = _count_session(session, listing, entry)
    if args.json:
        print_json(render.sessions_json(listed, listing))
    else:
        _show(session, listing, listed, now, more=more)
    for path, reason in listing.failed:
        session.warn(f"cannot be read: {path}: {reason}")


def _parse_since(text: str, now: float) -> float:
    """Return the time for an age (`90min`, `2 weeks`), a local date or an ISO 8601 time. Raises UsageError."""
    age = _AGE_PATTERN.fullmatch(text.strip())
    if age:
        return now - float(age[1]) * _UNIT_SECONDS[age[2].lower()]
    word = text.strip()
    try:
        time = datetime.fromisoformat(word).timestamp() if _DATE_PATTERN.match(word) else parse_time(word)
    except ValueError:
        time = None
    if time is None:
        raise UsageError(f"--since {text!r} is not a time; write an age (90min, 12h, 7d, 2w) or a date (2026-11-01)")
    return time


def _show(session: Session, listing: Listing, listed: list[SavedSession], now: float, *, more: bool) -> None:
    from compactor_cli.render import sessions as render

    if not listed:
        places = plain(", ".join(map(str, listing.searched_folders)))
        matching = f"none of the {len(listing.sessions):,} sessions matches"
        session.out.print(matching if listing.sessions else f"no sessions found; looked in {places}", soft_wrap=True)
        return
    session.out.print(render.session_table(session.out, listed, now))
    if more:
        session.say(f"only the newest {len(listed):,} are listed; --limit 0 lists all")


def _count_session(session: Session, listing: Listing, saved: SavedSession) -> SavedSession:
    """Return a session with counted messages and tokens; both are None if it cannot be read."""
    try:
        source = session.read(read_saved(saved), str(saved.session.path))
    except (InputError, OSError) as error:
        listing.failed.append((saved.session.path, error.what if isinstance(error, InputError) else str(error)))
        return SavedSession(saved.session, replace(saved.summary, messages=None, tokens=None))
    messages, tokens = Figure(source.message_count, "counted"), Figure(source.tokens, "counted")
    return SavedSession(saved.session, replace(saved.summary, messages=messages, tokens=tokens))
