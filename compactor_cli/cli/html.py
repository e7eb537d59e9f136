"""The command line's side of --html: the page of one file, written like other outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from compactor_cli.cli.files import write_bytes
from compactor_cli.cli.session import Session
from compactor_cli.errors import UsageError

if TYPE_CHECKING:
    from compactor_cli.model.timeline import Entry
    from compactor_cli.views.survival.result import Survival


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
