"""Read the state from the summaries of earlier rounds. A later summary supersedes earlier ones. Changed files are
named in the state, and in lists and tables below headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from compactor_cli.features.work.changed_files import EARLIER_LINE
from compactor_cli.model.message import Message
from compactor_cli.summary_text.headers import quotes_lines, writer_of
from compactor_cli.summary_text.state_block import holds_after, state_lines
from compactor_cli.summary_text.verbatim import QUOTED, carried
from compactor_cli.text.patterns import compiled_later

_MESSAGE_REFERENCES = compiled_later(r"(?: \[(?:earlier )?#[^\]\n]*\])+")
"""The messages that a line refers to."""
_REFERENCE_START = compiled_later(r" \[(?:earlier )?#")
_MAX_LINE_CHARS = 1000
"""Maximum length of a line that names a file."""
_NOT_A_FILE = compiled_later(r"/$|^/(?:private/)?(?:var/)?tmp/|^[^/.]* [^/.]*$")
"""Folders, the system's scratch files, and phrases such as `git push`."""
_LISTED_ACTION = compiled_later(r"(created|edited|deleted|restored|read)(?: (\d+)x)?")
_FILES_HEADING = "\n### Files\n"


def files_in_state(text: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of `parse_file_line` for all files in the state of a summary."""
    for line in state_lines(text):
        yield from parse_file_line(line)


def parse_file_line(line: str) -> Iterator[tuple[str, str]]:
    """Yield the path in a state line about a file, and what was done to it in the words of a file list."""
    for action, path, times, edits, _ in EARLIER_LINE.findall(line):
        described = "created" if action == "wrote" else action
        yield path, described + (f" {times}x" if times else "") + (f", edited {edits}x" if edits else "")


def changed_file_lines(text: str) -> dict[str, str]:
    """Return path -> line of the changed files in the state of a summary."""
    return {path: line for line in state_lines(text) for path, _ in parse_file_line(line)}


def merge_file_lines(earlier_line: str, line: str) -> str:
    """Return one line for a file that two summaries mention, `earlier_line` in the earlier one. They cover different
    messages."""
    earlier, later = EARLIER_LINE.match(earlier_line), EARLIER_LINE.match(line)
    if not earlier or not later or later[1] != "edited" or earlier[1] in ("deleted", "restored"):
        return line
    edits = _edit_count(earlier) + _edit_count(later)
    if earlier[1] == "edited":
        return _format_line(later[2], [("edited", edits)])
    return f"{earlier[1]} {later[2]}, edited {edits}x"


def _edit_count(match: re.Match[str]) -> int:
    return int(match[3] or match[4] or (match[1] == "edited"))


def files_under_headings(text: str) -> Iterator[tuple[str, str]]:
    """Yield (path, line) of the changed files that a summary names below its headings; the lines have the form of
    the state."""
    if quotes_lines(text):
        return
    listing = carried(text).rest.partition(QUOTED)[0]
    if writer_of(text):  # below other headings a model can write anything
        listing = listing.partition(_FILES_HEADING)[2].partition("\n### ")[0]
    for line in listing.split("\n"):
        path, actions = _parse_list_line(line)
        matches = [_LISTED_ACTION.fullmatch(piece) for piece in actions.split(", ")]
        changes = [(piece[1], int(piece[2] or 1)) for piece in matches if piece and piece[1] != "read"]
        if changes and None not in matches and not _NOT_A_FILE.search(path):
            yield path, _format_line(path, changes)


def _parse_list_line(line: str) -> tuple[str, str]:
    """Return the path in a line of a list or in a row of a table, and what was done to it; ("", "") if the line
    refers to no message."""
    is_row = line.startswith("| `")
    if not (is_row or line.startswith("- `")) or len(line) > _MAX_LINE_CHARS:
        return "", ""
    path, _, rest = line[len("- `") :].removesuffix(" |" if is_row else "").partition("`")
    rest, _, code = rest.removeprefix(" |").partition(" |") if is_row else (rest, "", "")
    actions, separator, references = rest.partition(" · ")
    reference = _REFERENCE_START.search(code if is_row else references if separator else actions)
    if not reference or not rest.startswith(" "):
        return "", ""
    if is_row or separator:
        return path, actions[1:]
    return (
        (path, actions[1 : reference.start()])
        if _MESSAGE_REFERENCES.fullmatch(actions, reference.start())
        else ("", "")
    )


def _format_line(path: str, changes: list[tuple[str, int]]) -> str:
    """Return the state line of a file from the actions in a list, of which the last action comes last."""
    last, times = changes[-1]
    if last != "edited":
        return f"{last} {path}"
    if changes[0][0] == "created" and all(action in ("created", "edited") for action, _ in changes):
        return f"created {path}, edited {times}x"
    return f"edited {path}" + (f" {times}x" if times > 1 else "")


class EarlierState(Struct, frozen=True):
    """The newest state in the summaries of earlier rounds: where it is, and the last message that it covers."""

    summary: int = -1
    """Index of the message."""
    last_covered: int = -1
    """Index of the last message that the state takes into account."""


def split_earlier_rounds(messages: Sequence[Message]) -> tuple[Sequence[Message], list[list[str]], EarlierState]:
    """Return the messages without summaries, the lines that each summary contains about the state, oldest first, and
    the position of the newest state. Without summaries, the messages are returned as they are."""
    summaries = [index for index, message in enumerate(messages) if message.origin == "summary"]
    rounds: list[list[str]] = []
    files: dict[str, str] = {}
    newest, covered_to, state_paths = EarlierState(), -1, set[str]()
    for index in summaries:
        text = messages[index].text("text")
        paths = {path for path, _ in files_in_state(text)}
        known_paths = paths | (state_paths if index <= covered_to else set())  # a state covers everything up to its end
        listed = {path: line for path, line in files_under_headings(text) if path not in known_paths}
        files |= {
            path: merge_file_lines(files.get(path, ""), line) for path, line in listed.items()
        } | changed_file_lines(text)
        lines = state_lines(text)
        rounds.append([*map(files.__getitem__, listed), *lines])
        if lines:
            covered_to, state_paths = min(index + holds_after(text), len(messages) - 1), state_paths | paths
            newest = EarlierState(messages[index].index, messages[covered_to].index)
    return [m for m in messages if m.origin != "summary"] if summaries else messages, rounds, newest
