"""Read the state from the summaries of earlier rounds. A later summary supersedes earlier ones. Changed files are
named in the state, and in lists and tables below headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from compactor_cli.features.work.changed_files import CARRIED
from compactor_cli.model.message import Message
from compactor_cli.summary_text.headers import quotes_lines, writer_of
from compactor_cli.summary_text.state_block import holds_after, state_lines
from compactor_cli.summary_text.verbatim import QUOTED, carried
from compactor_cli.text.patterns import compiled_later

_STANDS_ON = compiled_later(r"(?: \[(?:earlier )?#[^\]\n]*\])+")
"""The messages that a line refers to."""
_IN_BRACKETS = compiled_later(r" \[(?:earlier )?#")
_LONGEST = 1000
"""Maximum length of a line that names a file."""
_NO_FILE = compiled_later(r"/$|^/(?:private/)?(?:var/)?tmp/|^[^/.]* [^/.]*$")
"""Folders, the system's scratch files, and phrases such as `git push`."""
_DONE = compiled_later(r"(created|edited|deleted|restored|read)(?: (\d+)x)?")
_FILES = "\n### Files\n"


def files_in_state(text: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of `told_file` for all files in the state of a summary."""
    for line in state_lines(text):
        yield from told_file(line)


def told_file(line: str) -> Iterator[tuple[str, str]]:
    """Yield the path in a state line about a file, and what was done to it in the words of a file list."""
    for action, path, times, edits, _ in CARRIED.findall(line):
        said = "created" if action == "wrote" else action
        yield path, said + (f" {times}x" if times else "") + (f", edited {edits}x" if edits else "")


def told_in_state(text: str) -> dict[str, str]:
    """Return path -> line of the changed files in the state of a summary."""
    return {path: line for line in state_lines(text) for path, _ in told_file(line)}


def in_all(before: str, line: str) -> str:
    """Return one line for a file that two summaries mention, `before` in the earlier one. They cover different
    messages."""
    earlier, later = CARRIED.match(before), CARRIED.match(line)
    if not earlier or not later or later[1] != "edited" or earlier[1] in ("deleted", "restored"):
        return line
    edits = _edits(earlier) + _edits(later)
    if earlier[1] == "edited":
        return _line(later[2], [("edited", edits)])
    return f"{earlier[1]} {later[2]}, edited {edits}x"


def _edits(told: re.Match[str]) -> int:
    return int(told[3] or told[4] or (told[1] == "edited"))


def files_under_headings(text: str) -> Iterator[tuple[str, str]]:
    """Yield (path, line) of the changed files that a summary names below its headings; the lines have the form of
    the state."""
    if quotes_lines(text):
        return
    said = carried(text).rest.partition(QUOTED)[0]
    if writer_of(text):  # below other headings a model can write anything
        said = said.partition(_FILES)[2].partition("\n### ")[0]
    for line in said.split("\n"):
        path, done = _listed(line)
        pieces = [_DONE.fullmatch(piece) for piece in done.split(", ")]
        changes = [(piece[1], int(piece[2] or 1)) for piece in pieces if piece and piece[1] != "read"]
        if changes and None not in pieces and not _NO_FILE.search(path):
            yield path, _line(path, changes)


def _listed(line: str) -> tuple[str, str]:
    """Return the path in a line of a list or in a row of a table, and what was done to it; ("", "") if the line
    refers to no message."""
    in_row = line.startswith("| `")
    if not (in_row or line.startswith("- `")) or len(line) > _LONGEST:
        return "", ""
    path, _, said = line[len("- `") :].removesuffix(" |" if in_row else "").partition("`")
    said, _, code = said.removeprefix(" |").partition(" |") if in_row else (said, "", "")
    told, apart, behind = said.partition(" · ")
    at = _IN_BRACKETS.search(code if in_row else behind if apart else told)
    if not at or not said.startswith(" "):
        return "", ""
    if in_row or apart:
        return path, told[1:]
    return (path, told[1 : at.start()]) if _STANDS_ON.fullmatch(told, at.start()) else ("", "")


def _line(path: str, changes: list[tuple[str, int]]) -> str:
    """Return the state line of a file from the actions in a list, of which the last action comes last."""
    last, times = changes[-1]
    if last != "edited":
        return f"{last} {path}"
    if changes[0][0] == "created" and all(action in ("created", "edited") for action, _ in changes):
        return f"created {path}, edited {times}x"
    return f"edited {path}" + (f" {times}x" if times > 1 else "")


class ToldState(Struct, frozen=True):
    """The newest state in the summaries of earlier rounds: where it is, and the last message that it covers."""

    summary: int = -1
    """Index of the message."""
    last: int = -1
    """Index of the last message that the state takes into account."""


def earlier_rounds(messages: Sequence[Message]) -> tuple[Sequence[Message], list[list[str]], ToldState]:
    """Return the messages without summaries, the lines that each summary contains about the state, oldest first, and
    the position of the newest state. Without summaries, the messages are returned as they are."""
    summaries = [at for at, message in enumerate(messages) if message.origin == "summary"]
    rounds: list[list[str]] = []
    files: dict[str, str] = {}
    told, looks_to, in_states = ToldState(), -1, set[str]()
    for at in summaries:
        text = messages[at].text("text")
        here = {path for path, _ in files_in_state(text)}
        known = here | (in_states if at <= looks_to else set())  # a state covers everything up to its end
        listed = {path: line for path, line in files_under_headings(text) if path not in known}
        files |= {path: in_all(files.get(path, ""), line) for path, line in listed.items()} | told_in_state(text)
        lines = state_lines(text)
        rounds.append([*map(files.__getitem__, listed), *lines])
        if lines:
            looks_to, in_states = min(at + holds_after(text), len(messages) - 1), in_states | here
            told = ToldState(messages[at].index, messages[looks_to].index)
    return [m for m in messages if m.origin != "summary"] if summaries else messages, rounds, told
