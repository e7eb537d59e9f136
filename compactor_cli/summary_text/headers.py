"""Headings of summaries, by which later rounds and `diff` recognise them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256

from msgspec import Struct

from compactor_cli.summary_text.excerpts import GAP
from compactor_cli.summary_text.verbatim import LAST_REQUEST_WAS, SINCE, TURNS
from compactor_cli.text.patterns import compiled_later

SUMMARY_PREFIX = "## Session Summary"
RECALLED_HEADING = "## Recalled Memories\nFrom earlier sessions, found by a search."

CUT_OFF = "Cut off: nothing of them is kept here."
_STATE = (
    r"State(?: at the end| (?:after|at the end,) the (?:(?P<later>\d+) messages|message) below(?: included)?"
    r"|, (?P<on>\d+) messages? on)?:"
)
"""Precedes the lines with the state of the work after all messages; quoted lines never begin like that. Earlier
versions wrote `State:`, `State, 7 messages on:`, or `State at the end, the 7 messages below included:`."""
_WRITTEN_BY = compiled_later(r"^Written by (\S.*); files, errors and commands are computed\.$", re.MULTILINE)
_HAS_SECTIONS = compiled_later(
    r"## Session Summary \(Compaction Round (?P<round>\d+)\)\n"
    r"Stands for messages (?P<covers>\d[\d, -]*)(?: except kept ones)? "
    r"\((?:tier \d; )?[\d,]+ tokens; ctx_[0-9a-f]{8,64}\)\.\n"
    r"(?:(?:The whole transcript was c|C)ompacted from (?P<base>[\d,]+) tokens to at most (?P<target>[\d,]+)\.\n)?"
)
_QUOTES_LINES = compiled_later(
    r"## Session Summary of #(?P<covers>\d[\d, -]*)(?: except kept ones)?"
    r"(?: \((?:round (?P<round>\d+))?(?:, )?(?:ctx_[0-9a-f]{8,64})?"
    r"(?:, (?:whole transcript )?(?P<base>[\d,]+) to (?:at most )?(?P<target>[\d,]+) tokens)?\))?\n",
)
_MARK = compiled_later(
    r"\[#(?P<covers>\d[\d, -]*)(?:(?: \(round (?P<round>\d+)\))?"
    r" of a transcript compacted from (?P<base>[\d,]+) to at most (?P<target>[\d,]+) tokens)?\]\n"
)
_OLDER = compiled_later(
    r"## Session Summary \(Round (?P<round>\d+)\)\nStands for messages (?P<covers>\d[\d, -]*)(?: except kept ones)? "
    r"\(ctx_[0-9a-f]{8,64}(?:; from (?P<base>[\d,]+) to (?P<target>[\d,]+) tokens)?\)\.\n"
    r"(?=\n|Lines quoted from them: )"
)
"""The heading of summaries that quote lines, up to version 0.1."""
_BODY = compiled_later(
    rf"(?:earlier )?#\d|earlier(?: [^\s:→#][^\n→]{{0,79}}?)?(?: →|:) |Lines quoted: |{_STATE}\n|Cut off: |… "
    rf"|{TURNS}\n|{LAST_REQUEST_WAS[1:]}|\n(?:{'|'.join(SINCE)})"
)
_LEFT_OUT = compiled_later(r"\[…(?P<tokens>\d+)/(?P<check>\d{3})\](?P<joint>[ \n])")
_LEFT_OUT_AT_END = compiled_later(r"\n\[…(?P<tokens>\d+)/(?P<check>\d{3})\]\Z")
"""Ends a system prompt instead, because its beginning says who the agent is."""
_WORD = compiled_later(r"\w+")
_MOST_RUNS = 4


class Base(Struct, frozen=True):
    """The size from which an earlier compaction started, and its target, in tokens."""

    tokens: int
    target: int


class MarkOfLoss(Struct, frozen=True):
    """The contents of the mark at the beginning or end of a message."""

    tokens: int
    """Tokens that all compactions together removed from everything the transcript ever contained."""
    text: str


def left_out_mark(tokens: int, text: str, *, at_end: bool = False) -> str:
    """Return a text with a mark of the tokens that all compactions removed. The mark replaces the gap mark at the
    text's beginning, or else gets its own line before the text; with `at_end`, after it. The mark contains a
    checksum of the text, so that a mark that a person types or quotes is ignored."""
    mark = f"[…{tokens}/{_check(tokens, text)}]"
    if at_end:
        return f"{text}\n{mark}"
    rest = text.lstrip(" ")
    words = rest.removeprefix(GAP)
    return f"{mark} {words}" if words != rest else f"{mark}\n{text}"


def left_out(text: str) -> MarkOfLoss | None:
    """Return the contents of the mark at the beginning or end of a text; None if it has none of its own."""
    if text.startswith("[…") and (match := _LEFT_OUT.match(text)):
        rest = text[match.end() :]
        words = f"{GAP}{rest}" if match["joint"] == " " else rest
    elif text.endswith("]") and (match := _LEFT_OUT_AT_END.search(text, text.rfind("\n"))):
        rest = words = text[: match.start()]
    else:
        return None
    return MarkOfLoss(tokens, words) if match["check"] == _check(tokens := int(match["tokens"]), rest) else None


def _check(tokens: int, text: str) -> str:
    """Return a checksum of three digits that depends on every word of a text, but not on spaces and punctuation."""
    words = " ".join((str(tokens), *_WORD.findall(text)))
    return f"{int.from_bytes(sha256(words.encode('utf-8', 'surrogatepass')).digest()[:8], 'big') % 1000:03}"


def state_heading(later: int = 0) -> str:
    """Return the heading for the state at the end of a transcript, `later` messages after the summary."""
    if not later:
        return "State at the end:"
    return f"State after the {f'{later} messages' if later > 1 else 'message'} below:"


def is_state_heading(line: str) -> bool:
    """Return whether a line is the heading of the state of the work."""
    return line.startswith("State") and re.fullmatch(_STATE, line.rstrip()) is not None


def messages_to_state(line: str) -> int:
    """Return the number of messages after the summary that a heading's state includes."""
    match = re.fullmatch(_STATE, line.rstrip())
    if match is None:
        return 0
    return int(match["later"] or match["on"] or "below" in line)


def is_summary(text: str) -> bool:
    """Return whether a message's text is a summary written by a compaction: its heading must match exactly."""
    return _heading(text) is not None


def _heading(text: str) -> re.Match[str] | None:
    """Return the match of a summary's heading; None for text that merely begins like one."""
    if not text.startswith((SUMMARY_PREFIX, "[#")):
        return None
    match = _names_messages(text)
    if match:
        return match if _BODY.match(text, match.end()) else None
    return _HAS_SECTIONS.match(f"{text}\n") or _OLDER.match(f"{text}\n")


def quotes_lines(text: str) -> bool:
    """Return whether a summary's text consists of quoted lines, without sections."""
    return _names_messages(text) is not None


def _names_messages(text: str) -> re.Match[str] | None:
    """Return the match of the heading of a summary of quoted lines: a full heading or a short mark."""
    return _MARK.match(text) if text.startswith("[") else _QUOTES_LINES.match(text)


def is_recalled(text: str) -> bool:
    """Return whether a message's text contains memories recalled by a compaction."""
    return text.startswith(RECALLED_HEADING)


def round_of(text: str) -> int:
    """Return a summary's round, which is 1 if it names none; 0 for text that is not a summary."""
    match = _heading(text)
    return 0 if match is None else int(match.groupdict().get("round") or 1)


def covered(text: str) -> tuple[int, ...]:
    """Return the indices of the messages that a summary replaces."""
    match = _heading(text)
    return () if match is None else parse_ranges(match["covers"])


def base_of(text: str) -> Base | None:
    """Return the size before the round that wrote this summary, if the summary gives it."""
    match = _heading(text)
    if match is None or not match.groupdict().get("base"):
        return None
    return Base(*(int(match[name].replace(",", "")) for name in ("base", "target")))


def header(
    round: int, covers: Iterable[int], *, tokens: int, reference: str, tier: int | None = None, base: Base | None = None
) -> str:
    """Return the fixed beginning of a summary with sections. Only one summary of a transcript has a `base`."""
    where = "" if tier is None else f"tier {tier}; "
    lines = [
        f"{SUMMARY_PREFIX} (Compaction Round {round})",
        f"Stands for messages {_ranges(covers)} ({where}{tokens:,} tokens; {reference}).",
    ]
    if base is not None:
        lines.append(f"The whole transcript was compacted from {base.tokens:,} tokens to at most {base.target:,}.")
    return "\n".join(lines)


def lines_mark(covers: Iterable[int], *, round: int = 1, base: Base | None = None) -> str:
    """Return the short heading of a summary that quotes only a few lines."""
    covered = sorted(covers)
    ranges = format_ranges(covered)
    mark = f"#{covered[0]}-{covered[-1]}" if "," in ranges else f"#{ranges}"
    if base is not None:
        mark += f" (round {round})" if round > 1 else ""
        mark += f" of a transcript compacted from {base.tokens:,} to at most {base.target:,} tokens"
    return f"[{mark}]"


def lines_header(covers: Iterable[int], *, round: int = 1, reference: str = "", base: Base | None = None) -> str:
    """Return the heading of a summary that quotes lines, with only the given parts. `base` requires the reference."""
    notes = [f"round {round}"] if round > 1 else []
    notes += [reference] if reference else []
    if base is not None and reference:
        notes.append(f"whole transcript {base.tokens:,} to at most {base.target:,} tokens")
    return f"{SUMMARY_PREFIX} of #{_ranges(covers)}" + (f" ({', '.join(notes)})" if notes else "")


def _ranges(covers: Iterable[int]) -> str:
    covered = sorted(covers)
    ranges = format_ranges(covered)
    return f"{covered[0]}-{covered[-1]} except kept ones" if ranges.count(",") >= _MOST_RUNS else ranges


def written_by(model: str) -> str:
    """Return the heading's line for a summary whose text a language model wrote."""
    return f"Written by {model}; files, errors and commands are computed."


def writer_of(text: str) -> str:
    """Return the model that wrote a summary; empty for a computed one."""
    match = _WRITTEN_BY.search(text, 0, max(0, text.find("\n### ")))
    return match.group(1) if match else ""


def body_start(text: str) -> int:
    """Return the position after a summary's heading, where its contents begin; 0 for text that is not a summary."""
    match = _heading(text)
    if match is None:
        return 0
    if match.re.pattern == _HAS_SECTIONS.pattern:
        section = text.find("\n### ")
        return len(text) if section < 0 else section + 1
    return min(match.end() + (match.re.pattern == _OLDER.pattern), len(text))


def format_ranges(indices: Iterable[int]) -> str:
    """Return `3-5, 9` for 3, 4, 5, 9."""
    runs: list[list[int]] = []
    for index in sorted(indices):
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def parse_ranges(text: str) -> tuple[int, ...]:
    """Return the numbers that `format_ranges` wrote."""
    indices: list[int] = []
    for piece in text.split(","):
        first, _, last = piece.strip().partition("-")
        if first.isdigit():
            indices.extend(range(int(first), int(last or first) + 1))
    return tuple(indices)
