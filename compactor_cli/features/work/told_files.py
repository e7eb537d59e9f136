"""Changed files as summaries of earlier rounds tell them: in the state, and in lists and tables under headings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compactor_cli.features.work.changed_files import CARRIED
from compactor_cli.summary_text.headers import quotes_lines, writer_of
from compactor_cli.summary_text.state_block import state_lines
from compactor_cli.summary_text.verbatim import QUOTED, carried
from compactor_cli.text.patterns import compiled_later

_LISTED = compiled_later(
    r"^(?:- `([^`\n]+)` (.+?)|\| `([^`\n]+)` \| ([^|\n]+) \|.*?)(?: \[(?:earlier )?#[^\]\n]*\])+(?: \|)?$", re.MULTILINE
)
"""A file in a list, or in a row of a table, with what was done to it and the messages that this stands on."""
_DONE = compiled_later(r"(created|edited|deleted|restored|read)(?: (\d+)x)?")
_FILES = "\n### Files\n"


def files_in_state(text: str) -> Iterator[tuple[str, str]]:
    """Yield what `told_file` does of the files that the state in a summary tells."""
    for line in state_lines(text):
        yield from told_file(line)


def told_file(line: str) -> Iterator[tuple[str, str]]:
    """Yield the path of a line of the state about a file, and what was done, as a list of files says it."""
    for action, path, times, edits, _ in CARRIED.findall(line):
        said = "created" if action == "wrote" else action
        yield path, said + (f" {times}x" if times else "") + (f", edited {edits}x" if edits else "")


def files_under_headings(text: str) -> Iterator[tuple[str, str]]:
    """Yield path and line, as the state says it, of the changed files that a summary names under its headings."""
    if quotes_lines(text):
        return
    said = carried(text).rest.partition(QUOTED)[0]
    if writer_of(text):  # under other headings a model says what it likes
        said = said.partition(_FILES)[2].partition("\n### ")[0]
    for listed, done, in_row, done_in_row in _LISTED.findall(said):
        pieces = [_DONE.fullmatch(piece) for piece in (done or done_in_row).partition(" · ")[0].split(", ")]
        changes = [(piece[1], int(piece[2] or 1)) for piece in pieces if piece and piece[1] != "read"]
        if changes and None not in pieces:
            yield listed or in_row, _line(listed or in_row, changes)


def _line(path: str, changes: list[tuple[str, int]]) -> str:
    """Return what the state says of a file of which a list tells what was done, the last act last."""
    last, times = changes[-1]
    if last != "edited":
        return f"{last} {path}"
    if changes[0][0] == "created" and all(action in ("created", "edited") for action, _ in changes):
        return f"created {path}, edited {times}x"
    return f"edited {path}" + (f" {times}x" if times > 1 else "")
