"""Show the sessions on this machine as a table, as lines to choose from, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from pathlib import PurePath
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from compactor_cli.agents.base import Figure
from compactor_cli.agents.finding import Listing, SavedSession, shortest_prefixes
from compactor_cli.render.console import make_table, snippet
from compactor_cli.text.clean import one_line, plain

_MIN_WIDE_WIDTH = 110
"""From this console width on, ids and sizes are shown."""
_PROJECT, _PROJECT_NARROW = 24, 12
_MIN_TITLE_WIDTH = 12
_UNITS = ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k"))
_AGES = ((60, 1, "s"), (3_600, 60, " min"), (86_400, 3_600, " h"), (14 * 86_400, 86_400, " d"))
"""(limit in seconds, seconds per unit, unit name) for ages below the limit."""


def session_table(console: Console, sessions: Sequence[SavedSession], now: float) -> Table:
    """Return a table of the sessions, newest first. ~ marks an estimate, – an unknown number."""
    wide = console.width >= _MIN_WIDE_WIDTH
    project_width = _PROJECT if wide else _PROJECT_NARROW
    wide_columns = ("title or first request!", ">messages!", ">tokens!", ">size!", ">last use!")
    more = wide_columns if wide else ("title!", ">msgs!", ">tokens!", ">last use!")
    columns = ("id!", "agent!", "project!", *more)
    rows = [
        {
            "id": Text(name, style="cyan"),
            "agent": Text(saved.agent.name),
            "project": snippet(_project_end(saved.summary.project, project_width), project_width),
            "messages": Text(estimate_figure(saved.summary.messages)),
            "msgs": Text(estimate_figure(saved.summary.messages)),
            "tokens": Text(estimate_figure(saved.summary.tokens)),
            "size": Text(short_number(saved.session.size) + "B"),
            "last use": Text(age_phrase(now - saved.session.used, saved.session.used), style="dim"),
        }
        for saved, name in zip(sessions, shortest_prefixes([plain(saved.id) for saved in sessions]), strict=True)
    ]
    names = [column.strip(">!") for column in columns]
    used_width = sum(max([len(name), *(row[name].cell_len for row in rows)]) + 2 for name in names if name in rows[0])
    title_width = max(_MIN_TITLE_WIDTH, console.width - used_width)
    table = make_table(console, "Sessions", *columns)
    for saved, row in zip(sessions, rows, strict=True):
        words = snippet(saved.words or "–", title_width)
        table.add_row(*(row.get(name, words) for name in names))
    return table


def choice_lines(sessions: Sequence[SavedSession], width: int, now: float) -> Iterable[Text]:
    """Yield one numbered line per session, to choose from."""
    for number, saved in enumerate(sessions, 1):
        used = age_phrase(now - saved.session.used, saved.session.used)
        project = one_line(_project_end(saved.summary.project, _PROJECT), _PROJECT)
        start = f"{number:>3}  {used:>10}  {saved.agent.name:<11}  {project}"
        words = snippet(saved.words or "–", max(_MIN_TITLE_WIDTH, width - len(start) - 2))
        yield Text(start + "  ", style="bold" if number == 1 else "") + words


def sessions_json(sessions: Iterable[SavedSession], listing: Listing) -> dict[str, Any]:
    listed = [_session_json(saved) for saved in sessions]
    return {
        "sessions": listed,
        "looked_in": [str(folder) for folder in listing.searched_folders],
        "unreadable": [{"path": str(path), "reason": reason} for path, reason in listing.failed],
    }


def _session_json(saved: SavedSession) -> dict[str, Any]:
    about, file = saved.summary, saved.session
    return {
        "agent": saved.agent.name,
        "id": saved.id,
        "path": str(file.path),
        "format": saved.agent.format,
        "project": about.project or None,
        "title": about.title or None,
        "request": about.request or None,
        "messages": about.messages.value if about.messages else None,
        "messages_source": about.messages.source if about.messages else None,
        "tokens": about.tokens.value if about.tokens else None,
        "tokens_source": about.tokens.source if about.tokens else None,
        "bytes": file.size,
        "used": datetime.fromtimestamp(file.used, timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "subagent": file.is_subagent,
        "resume": saved.resume or None,
    }


def estimate_figure(estimate: Figure | None) -> str:
    """Return a short number, with ~ if it is an estimate."""
    if estimate is None:
        return "–"
    return ("~" if estimate.source == "estimated" else "") + short_number(estimate.value)


def short_number(number: int) -> str:
    """Return a number with at most three digits: 940, 12k, 1.4M."""
    for index, (size, unit) in enumerate(_UNITS):
        if number >= size * 0.9995:
            scaled = number / size
            text = f"{scaled:.1f}" if scaled < 9.95 else f"{scaled:.0f}"
            return (text if text != "1000" or not index else "1.0") + unit
    return str(number)


def age_phrase(seconds: float, moment: float) -> str:
    """Return an age in a single unit, or the date if it is more than two weeks."""
    if seconds < 5:
        return "now"
    for limit, size, unit in _AGES:
        if seconds < limit:
            return f"{int(seconds // size)}{unit} ago"
    return datetime.fromtimestamp(moment).astimezone().strftime("%Y-%m-%d")


def _project_end(path: str, width: int) -> str:
    """Return the end of a project's path, cut at a folder if possible."""
    if len(path) <= width:
        return path or "–"
    name = PurePath(path.replace("\\", "/")).name
    return ("…/" + name) if len(name) + 2 <= width else "…" + name[-(width - 1) :]
