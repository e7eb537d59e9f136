"""Code that a summary shows verbatim: the last change of each file, and what the agent last worked on (seed 004)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.call_lines import changed_lines
from compactor_cli.features.work.endings import has_failed
from compactor_cli.features.work.ledger import CHANGES, call_actions, is_within
from compactor_cli.features.work.same_paths import KnownPaths
from compactor_cli.features.work.told_of_calls import code_without_secrets
from compactor_cli.model.message import Message, Part
from compactor_cli.summary_text.excerpts import harmless
from compactor_cli.text.clean import plain
from compactor_cli.text.patterns import compiled_later

_LINES, _WIDTH = 8, 160
"""Maximum lines of a snippet, and characters of a line."""
_ADDED, _REMOVED = "+| ", 3
"""Beginning of an added line, and how many removed lines are shown before the first added one."""
_FENCED = compiled_later(r"^[ \t]*(```+|~~~+)[^\n]*\n(.*?)\n[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_ERROR = compiled_later(r"\W*(?:error|failed|failure|could not|cannot|unable to|no match)\b", re.IGNORECASE)
_LABELS = ("newest change of", "last change of", "earlier change of", "code shown last")
_CARRIED = compiled_later(
    r"^- (?P<label>newest|last|earlier) change of `(?P<path>[^`\n]+)` \[(?:earlier )?#(?P<number>[^\]\n]*)\][^\n]*\n"
    r"  (?P<fence>```+)\n(?P<code>(?:  [^\n]*\n|\n)*?)  (?P=fence)$",
    re.MULTILINE,
)
_MOST = 12
"""Maximum number of files whose changes are shown, most recently changed first."""


class CodeSnippet(Struct, frozen=True):
    """Some lines of code."""

    about: str
    """Path of the file; empty for code that was only shown."""
    lines: tuple[str, ...]
    """All lines that are not blank; the block shows some of them."""
    message: int
    overtaken: bool = False
    """Whether the file was changed again in a way that leaves no visible change, for example by a script."""

    @property
    def block(self) -> str:
        """Return the lines as a code block under a list item. None of them can be taken for a mark of the summary."""
        fence, shown = "```", tuple(_cut(self.lines))
        while any(fence in line for line in shown):
            fence += "`"
        return "\n".join(f"  {line}".rstrip() for line in (fence, *shown, fence))


def changes(messages: Sequence[Message]) -> list[CodeSnippet]:
    """Return what the last change of each file did, in the order of these changes. Changes that failed, or that a later
    restore undid, are ignored."""
    failed = {part.call_id for message in messages for part in message.results if _has_failed(part)}
    snippets: dict[str, CodeSnippet] = {}
    paths = KnownPaths(parts=2)
    for message in messages:
        for part in message.calls:
            if part.call_id in failed and part.call_id:
                continue
            done = call_actions(part)
            restored = [path for path, action in done if action == "restored"]
            if restored:
                snippets = {
                    path: snippet
                    for path, snippet in snippets.items()
                    if not any(is_within(path, place) for place in restored)
                }
            for path in (paths.find(path) for path, action in done if action in CHANGES):
                if path in snippets:
                    snippets[path] = replace(snippets[path], overtaken=True)
            for path, lines in changed_lines(part):
                known = paths.known(path)
                snippets.pop(known, None)
                snippets[known] = CodeSnippet(known, _filled(lines), message.number)
    newest = [snippet for snippet in snippets.values() if snippet.lines][-_MOST:]
    return [replace(snippet, lines=tuple(map(code_without_secrets, snippet.lines))) for snippet in newest]


class CarriedChange(Struct, frozen=True):
    """A change of a file that an earlier summary shows."""

    path: str
    number: str
    """Its message's number in that round."""
    block: str
    overtaken: bool
    """Whether the file was changed again, in that round or since."""


def carried(messages: Sequence[Message]) -> list[CarriedChange]:
    """Return the changes shown by earlier summaries."""
    texts = [message.text("text") for message in messages if message.origin == "summary"]
    found = [match for text in texts for match in _CARRIED.finditer(text)]
    if not found:
        return []
    paths = KnownPaths((match["path"] for match in found), parts=2)
    calls = (part for message in messages for part in message.calls)
    since = {paths.find(path) for call in calls for path, action in call_actions(call) if action in CHANGES}
    return [
        CarriedChange(
            match["path"],
            match["number"],
            f"  {match['fence']}\n{match['code']}  {match['fence']}",
            match["label"] == "earlier" or match["path"] in since,
        )
        for match in found
    ]


def is_label(line: str) -> bool:
    """Return whether a line of a summary (without its bullet) is the label of a code block."""
    return line.startswith(_LABELS)


def shown_last(messages: Sequence[Message]) -> CodeSnippet | None:
    """Return the code that the agent last showed in its text; None if it showed none since the second newest
    request, to which the newest one may refer."""
    asked = 0
    for message in reversed(messages):
        asked += message.origin == "request"
        if asked > 1:
            return None
        if message.role != "assistant" or message.origin != "other":
            continue
        blocks = [match[2] for match in _FENCED.finditer(message.text("text"))]
        if blocks:
            lines = _filled(blocks[-1].split("\n"))
            return CodeSnippet("", lines, message.number) if lines else None
    return None


def _has_failed(result: Part) -> bool:
    """Return whether a result says that its call failed or was declined, also judging by how it begins."""
    return has_failed(result) or (result.failed is None and _ERROR.match(result.text) is not None)


def _filled(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line.rstrip() for line in lines if line.strip())


def _cut(filled: Sequence[str]) -> Iterator[str]:
    """Yield the lines to show, with a mark where others are left out."""
    left_out = 0
    shown = _first_telling(filled)
    for index, line in enumerate(filled):
        if index not in shown:
            left_out += 1
            continue
        if left_out:
            yield _more(left_out)
        left_out = 0
        clean = harmless(plain(line))
        yield clean if len(clean) <= _WIDTH else clean[: _WIDTH - 1] + "…"
    if left_out:
        yield _more(left_out)


def _first_telling(lines: Sequence[str]) -> set[int]:
    """Return the indices of the lines to show: the first ones, but only a few of a long removal, so that its
    replacement is visible."""
    added = next((index for index, line in enumerate(lines) if line.startswith(_ADDED)), 0)
    if added < _LINES - 1:
        return set(range(_LINES))
    return {*range(_REMOVED), *range(added, added + _LINES - _REMOVED)}


def _more(lines: int) -> str:
    return f"… {lines} more line{'s' * (lines > 1)}"
