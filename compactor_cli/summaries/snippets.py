"""Code that a summary shows verbatim: the last change of each file, and what the agent last worked on (seed 004)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.call_lines import changed_lines
from compactor_cli.features.work.endings import has_failed
from compactor_cli.features.work.ledger import CHANGE_ACTIONS, call_actions, is_within
from compactor_cli.features.work.masked_calls import mask_code
from compactor_cli.features.work.same_paths import KnownPaths
from compactor_cli.model.message import Message
from compactor_cli.summary_text.excerpts import harmless
from compactor_cli.text.clean import plain
from compactor_cli.text.patterns import compiled_later

_MAX_LINES, _MAX_LINE_CHARS = 8, 160
_ADDED_MARK, _MAX_REMOVED_LINES = "+| ", 3
_FENCED = compiled_later(r"^[ \t]*(```+|~~~+)[^\n]*\n(.*?)\n[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_LABELS = ("newest change of", "last change of", "earlier change of", "code shown last")
_CARRIED_CHANGE = compiled_later(
    r"^- (?P<label>newest|last|earlier) change of `(?P<path>[^`\n]+)` \[(?:earlier )?#(?P<number>[^\]\n]*)\][^\n]*\n"
    r"  (?P<fence>```+)\n(?P<code>(?:  [^\n]*\n|\n)*?)  (?P=fence)$",
    re.MULTILINE,
)
_MAX_FILES = 12


class CodeSnippet(Struct, frozen=True):
    """Some lines of code."""

    path: str
    """Path of the file; empty for code that was only shown."""
    lines: tuple[str, ...]
    message: int
    is_outdated: bool = False
    """Whether the file was changed again in a way that leaves no visible change, for example by a script."""

    @property
    def block(self) -> str:
        """Return the lines as a code block under a list item. None of them can be taken for a mark of the summary."""
        fence, shown = "```", tuple(_shown_lines(self.lines))
        while any(fence in line for line in shown):
            fence += "`"
        return "\n".join(f"  {line}".rstrip() for line in (fence, *shown, fence))


def last_changes(messages: Sequence[Message]) -> list[CodeSnippet]:
    """Return what the last change of each file did, in order, without changes that failed or were undone."""
    failed = {part.call_id for message in messages for part in message.results if has_failed(part)}
    snippets: dict[str, CodeSnippet] = {}
    paths = KnownPaths(min_parts=2)
    for message in messages:
        for part in message.calls:
            if part.call_id in failed and part.call_id:
                continue
            actions = call_actions(part)
            restored = [path for path, action in actions if action == "restored"]
            if restored:
                snippets = {
                    path: snippet
                    for path, snippet in snippets.items()
                    if not any(is_within(path, folder) for folder in restored)
                }
            for path in (paths.find(path) for path, action in actions if action in CHANGE_ACTIONS):
                if path in snippets:
                    snippets[path] = replace(snippets[path], is_outdated=True)
            for path, lines in changed_lines(part):
                known_path = paths.known(path)
                snippets.pop(known_path, None)
                snippets[known_path] = CodeSnippet(known_path, _nonblank_lines(lines), message.number)
    newest = [snippet for snippet in snippets.values() if snippet.lines][-_MAX_FILES:]
    return [replace(snippet, lines=tuple(map(mask_code, snippet.lines))) for snippet in newest]


class CarriedChange(Struct, frozen=True):
    """A change of a file that an earlier summary shows."""

    path: str
    number: str
    block: str
    is_outdated: bool
    """Whether the file was changed again, in that round or since."""


def carried_changes(messages: Sequence[Message]) -> list[CarriedChange]:
    """Return the changes shown by earlier summaries."""
    texts = [message.text("text") for message in messages if message.origin == "summary"]
    found = [match for text in texts for match in _CARRIED_CHANGE.finditer(text)]
    if not found:
        return []
    paths = KnownPaths((match["path"] for match in found), min_parts=2)
    calls = (part for message in messages for part in message.calls)
    changed_paths = {
        paths.find(path) for call in calls for path, action in call_actions(call) if action in CHANGE_ACTIONS
    }
    return [
        CarriedChange(
            match["path"],
            match["number"],
            f"  {match['fence']}\n{match['code']}  {match['fence']}",
            match["label"] == "earlier" or match["path"] in changed_paths,
        )
        for match in found
    ]


def is_label(line: str) -> bool:
    """Return whether a line of a summary (without its bullet) is the label of a code block."""
    return line.startswith(_LABELS)


def shown_last(messages: Sequence[Message]) -> CodeSnippet | None:
    """Return the code that the agent last showed since the second newest request; None if it showed none."""
    request_count = 0
    for message in reversed(messages):
        request_count += message.origin == "request"
        if request_count > 1:
            return None
        if message.role != "assistant" or message.origin != "other":
            continue
        blocks = [match[2] for match in _FENCED.finditer(message.text("text"))]
        if blocks:
            lines = _nonblank_lines(blocks[-1].split("\n"))
            return CodeSnippet("", lines, message.number) if lines else None
    return None


def _nonblank_lines(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line.rstrip() for line in lines if line.strip())


def _shown_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines to show, with a mark where others are left out."""
    left_out = 0
    shown = _shown_indices(lines)
    for index, line in enumerate(lines):
        if index not in shown:
            left_out += 1
            continue
        if left_out:
            yield _gap_line(left_out)
        left_out = 0
        cleaned = harmless(plain(line))
        yield cleaned if len(cleaned) <= _MAX_LINE_CHARS else cleaned[: _MAX_LINE_CHARS - 1] + "…"
    if left_out:
        yield _gap_line(left_out)


def _shown_indices(lines: Sequence[str]) -> set[int]:
    """Return the indices of the lines to show: the first ones, but only a few of a long removal."""
    first_added = next((index for index, line in enumerate(lines) if line.startswith(_ADDED_MARK)), 0)
    if first_added < _MAX_LINES - 1:
        return set(range(_MAX_LINES))
    return {*range(_MAX_REMOVED_LINES), *range(first_added, first_added + _MAX_LINES - _MAX_REMOVED_LINES)}


def _gap_line(lines: int) -> str:
    return f"… {lines} more line{'s' * (lines > 1)}"
