"""How summaries introduce themselves, so that later rounds and `diff` recognise them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

SUMMARY_PREFIX = "## Session Summary"
RECALLED_HEADING = "## Recalled Memories\nFrom earlier sessions, found by a search."
"""Begins the message of memories that were recalled into a transcript."""

CUT_OFF = "Cut off: nothing of them is kept here."
"""Stands below the heading of a summary that says no more than what is gone."""
_WRITTEN_BY = re.compile(r"^Written by (\S.*); files, errors and commands are computed\.$", re.MULTILINE)
_ROUND = re.compile(r"^## Session Summary \((?:Compaction )?Round (\d+)\)")
_HAS_SECTIONS = re.compile(r"^## Session Summary \(Compaction Round \d+\)")
_COVERS = re.compile(r"^Stands for messages ([\d, -]+?)(?: except kept ones)? \(", re.MULTILINE)
_MOST_RUNS = 8
"""Stretches of messages that a summary lists; of more it names the first and the last message."""
_BASE = re.compile(
    r"(?:compacted from ([\d,]+) tokens to at most ([\d,]+)|; from ([\d,]+) to ([\d,]+) tokens\)\.)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Base:
    """What an earlier compaction started from and aimed at, in tokens."""

    tokens: int
    target: int


def is_summary(text: str) -> bool:
    """Whether a message's text is a summary written by a compaction."""
    return text.startswith(SUMMARY_PREFIX)


def is_recalled(text: str) -> bool:
    """Whether a message's text is one of memories that a compaction recalled."""
    return text.startswith(RECALLED_HEADING)


def round_of(text: str) -> int:
    """The round that a summary names; 1 when it names none; 0 for text that is no summary."""
    if not is_summary(text):
        return 0
    match = _ROUND.match(text)
    return int(match.group(1)) if match else 1


def covered(text: str) -> tuple[int, ...]:
    """Indices of the messages that a summary says it stands for."""
    match = _COVERS.search(text)
    return parse_ranges(match.group(1)) if match else ()


def base_of(text: str) -> Base | None:
    """The size before the round that wrote this summary, when it says so."""
    match = _BASE.search(text[:800])
    if not match:
        return None
    tokens, target = (int(group.replace(",", "")) for group in match.groups() if group)
    return Base(tokens, target)


def header(
    round: int,
    covers: Iterable[int],
    *,
    tokens: int,
    reference: str,
    tier: int | None = None,
    short: bool = False,
    base: Base | None = None,
) -> str:
    """The fixed beginning of a summary. `base` stands in one summary of a transcript only."""
    covered = sorted(covers)
    ranges = format_ranges(covered)
    if ranges.count(",") >= _MOST_RUNS:
        ranges = f"{covered[0]}-{covered[-1]} except kept ones"
    if short:
        size = f"; from {base.tokens:,} to {base.target:,} tokens" if base is not None else ""
        return f"{SUMMARY_PREFIX} (Round {round})\nStands for messages {ranges} ({reference}{size})."
    where = "" if tier is None else f"tier {tier}; "
    lines = [
        f"{SUMMARY_PREFIX} (Compaction Round {round})",
        f"Stands for messages {ranges} ({where}{tokens:,} tokens; {reference}).",
    ]
    if base is not None:
        lines.append(f"Compacted from {base.tokens:,} tokens to at most {base.target:,}.")
    return "\n".join(lines)


def written_by(model: str) -> str:
    """The line in the heading of a summary whose text a language model wrote."""
    return f"Written by {model}; files, errors and commands are computed."


def writer_of(text: str) -> str:
    """The model that wrote a summary; empty for one that was computed."""
    match = _WRITTEN_BY.search(text, 0, max(0, text.find("\n### ")))
    return match.group(1) if match else ""


def body_start(text: str) -> int:
    """Where what a summary says begins, behind its heading; 0 for text that is no summary."""
    if not is_summary(text):
        return 0
    if _HAS_SECTIONS.match(text):
        section = text.find("\n### ")
        return len(text) if section < 0 else section + 1
    blank = text.find("\n\n")
    return len(text) if blank < 0 else blank + 2


def format_ranges(indices: Iterable[int]) -> str:
    """`3-5, 9` for 3, 4, 5, 9."""
    runs: list[list[int]] = []
    for index in sorted(indices):
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def parse_ranges(text: str) -> tuple[int, ...]:
    """The inverse of `format_ranges`."""
    found: list[int] = []
    for piece in text.split(","):
        first, _, last = piece.strip().partition("-")
        if first.isdigit():
            found.extend(range(int(first), int(last or first) + 1))
    return tuple(found)
