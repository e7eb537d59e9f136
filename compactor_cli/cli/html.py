"""The edge of --html: a page of one file, written as other outputs are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compactor_cli.cli.files import real_path, write_bytes
from compactor_cli.cli.inputs import refuse_overwriting
from compactor_cli.cli.session import Session
from compactor_cli.errors import UsageError
from compactor_cli.model.report import Analysis, Compaction
from compactor_cli.model.timeline import Entry
from compactor_cli.model.transcript import Source
from compactor_cli.views.survival.result import Survival


def check_html(place: str, files: Sequence[str], work: int, others: Mapping[str, str]) -> None:
    """Raise UsageError where a page cannot be written. `files`: what is read; `work`: how many pages that would be;
    `others`: option -> the other outputs."""
    if not place:
        return
    if place == "-":
        raise UsageError("--html -: name a file; standard output has what the command prints")
    if work > 1:
        raise UsageError(f"--html {place}: a page is of one file, and there are {work}; name one")
    refuse_overwriting(files, {"--html": [place]})
    for option, other in others.items():
        if other not in ("", "-") and real_path(other) == real_path(place):
            raise UsageError(f"--html {place}: is also named by {option}; give it a name of its own")


def inspect_page(
    session: Session, place: str, source: Source, report: Mapping[str, Any], analyses: Sequence[Analysis]
) -> None:
    """Write the page of `inspect`."""
    from compactor_cli.views.timelines import of_analyses

    _write(session, place, "inspect", [source.path], report, of_analyses(analyses))


def diff_page(
    session: Session, place: str, pair: tuple[Source, Source], report: Mapping[str, Any], survivals: Sequence[Survival]
) -> None:
    """Write the page of `diff`."""
    from compactor_cli.views.timelines import of_sources

    _write(session, place, "diff", [one.path for one in pair], report, of_sources(*pair), survivals)


def compact_page(
    session: Session, place: str, source: Source, report: Mapping[str, Any], parts: Sequence[Compaction]
) -> None:
    """Write the page of `compact`, where one is asked for."""
    if not place:
        return
    from compactor_cli.views.compare_sources import survival_of
    from compactor_cli.views.timelines import of_compactions

    _write(session, place, "compact", [source.path], report, of_compactions(parts), survival_of(parts))


def _write(
    session: Session,
    place: str,
    command: str,
    paths: Sequence[str],
    report: Mapping[str, Any],
    entries: Sequence[Entry],
    survivals: Sequence[Survival] = (),
) -> None:
    from compactor_cli.render.html.page import page
    from compactor_cli.render.html.values import page_value

    text = page(page_value(command, " → ".join(paths), report, entries, survivals))
    write_bytes(place, text.encode("utf-8"), inputs=paths)
    session.say(f"page written to {place}")
