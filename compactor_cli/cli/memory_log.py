"""What the commands of `compactor memory` share: access to the log, options, days and local times."""

from __future__ import annotations

import re
import time
from datetime import date, datetime, timedelta
from math import isfinite
from typing import Annotated

import typer
from msgspec import Struct

from compactor_cli.cli.configured import Configured, configure
from compactor_cli.cli.databases import missing_database
from compactor_cli.cli.files import real_path
from compactor_cli.cli.options import CommandOptions, ConfiguredOptions, option, switch
from compactor_cli.configuration.checked_values import timestamp_of
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import UsageError, meant
from compactor_cli.memory.conditions import Filters
from compactor_cli.memory.merging import MAX_TIMESTAMP, normalize_tag
from compactor_cli.model.memory import CATEGORIES
from compactor_cli.settings.frozen import frozen
from compactor_cli.text.clean import one_line


@frozen(frozen=True, kw_only=True)
class KindOptions(CommandOptions):
    """Options that select memories by their properties."""

    category: str = option("NAME", f"Only this category: {', '.join(CATEGORIES)}.", "")
    tag: str = option("TAG", "Only memories with this tag.", "")
    pinned: bool = switch("Only pinned memories.")
    day: str = option("DAY", "Only memories from that day: 2026-11-22, today or yesterday.", "")


@frozen(frozen=True, kw_only=True)
class FilterOptions(KindOptions):
    """The same options, plus filters by transcript and importance."""

    transcript: str = option("PATH", "Only memories from this transcript.", "")
    least: float = option("POINTS", "Only memories of at least this importance.", 0.0, min=0, max=100)


@frozen(frozen=True, kw_only=True)
class IdsOptions(CommandOptions):
    """Options of commands on single memories."""

    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of memories, or their first 4 digits or more.")]


_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Log(Struct, frozen=True):
    """The memory log of a command, not yet opened."""

    args: ConfiguredOptions
    configured: Configured

    @property
    def url(self) -> str:
        return self.configured.reading.database_url

    @property
    def nothing(self) -> str:
        missing = missing_database(self.url) if self.url else ""
        return "nothing has been remembered yet" + (f": {missing}" if missing else "")

    def tell(self, words: str) -> None:
        """Print one line for people, with control characters escaped."""
        self.args.say(one_line(words, 2_000))


def open_log(args: ConfiguredOptions, overrides: Layer) -> Log:
    """Return the log for the options and settings. Opens nothing yet."""
    log = Log(args, configure(overrides, args.config))
    for warning in log.configured.warnings:
        log.tell(f"warning: {warning}")
    return log


def time_of(option: str) -> float:
    """Return the time given by `--now` in seconds since 1970, or the current time if it is empty. Raises UsageError."""
    if not option:
        return time.time()
    seconds = timestamp_of(option)
    if seconds is None or not 0 <= seconds <= MAX_TIMESTAMP:
        raise UsageError(f"--now {option!r} is not a time; use ISO 8601 such as 2026-03-01T12:00:00Z")
    return seconds


def filters_of(args: KindOptions) -> Filters:
    """Return the options as filters of the store. Raises UsageError."""
    filters = args if isinstance(args, FilterOptions) else FilterOptions()
    if not isfinite(filters.least):
        raise UsageError(f"--least {filters.least} is not a number")
    tag = normalize_tag(args.tag)
    if args.tag and not tag:
        raise UsageError("--tag contains no letter; name a tag")
    start_time, end_time = _day_span(args.day) if args.day else (None, None)
    paths = (filters.transcript, str(real_path(filters.transcript))) if filters.transcript else ()
    name = args.category
    if name and name not in CATEGORIES:
        raise UsageError(f"unknown category {name!r}{meant(name, CATEGORIES)}; use {', '.join(CATEGORIES)}")
    return Filters(
        category=name,
        tag=tag,
        since=start_time,
        until=end_time,
        pinned=args.pinned,
        transcripts=tuple(dict.fromkeys(paths)),
        least=filters.least,
    )


def _day_span(day: str) -> tuple[float, float]:
    """Return when a local day begins and ends; the end may be 23 or 25 hours later."""
    today = datetime.fromtimestamp(time.time()).astimezone().date()
    named_days = {"today": today, "yesterday": today - timedelta(days=1)}
    try:
        # which other formats fromisoformat accepts depends on the Python version
        first_day = named_days.get(day) or date.fromisoformat(day if _DATE.fullmatch(day) else "")
        return _midnight(first_day), _midnight(first_day + timedelta(days=1))
    except (ValueError, OverflowError):
        raise UsageError(f"--day {day!r} is not a day; use 2026-11-22, today or yesterday") from None


def _midnight(day: date) -> float:
    return datetime(day.year, day.month, day.day).astimezone().timestamp()
