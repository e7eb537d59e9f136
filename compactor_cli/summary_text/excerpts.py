"""Lines quoted in a summary, each under the number of the message that it stands in.

    #12 user: The first line that was taken of message 12
     the next line of it
    … a line further on, with something left out before it
    #13 Bash: git status
    #14 → On branch main
    #15 Bash failed: git push
    earlier #7 user: A line that the summary of an earlier round quoted, with the numbers of that round

Only marks stand at the beginning of a line. Every other line is indented by a blank, so that nothing that is
quoted can pass for a mark, and tags of harnesses are made harmless.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.text.patterns import compiled_later

LEGEND = "Lines quoted: #n is the message, → a tool's output, … a gap."
_MANY = 40
GAP = "… "
_HEADING = compiled_later(
    r"(?:(?P<earlier>earlier )?#(?P<message>\d+)(?: (?P<name>[^\s:→](?:[^\n:→]|:(?! )){0,79}))?(?P<joint> →|:)"
    r"|(?P<before>earlier) (?P<speaker>user|instructions):) "
)
INSTRUCTIONS = "instructions"
"""The speaker of standing instructions that a harness put in, such as AGENTS.md."""
_EARLIER = "earlier "
EARLIER_USER = "earlier user: "
"""Stands before words of the user of which an earlier summary does not say which message they were, or of which the
number is of a round before that: it would clash with those of the last one."""
EARLIER_SUMMARY = "earlier summary: "
"""Stands before a line of a summary that stood under no heading there."""
_PERSON = "user ("
"""Begins the speaker of what one of several people said."""
_NOT_IN_NAMES = str.maketrans(":→()", "    ")
_BEGINS = ("heading", "middle")
_OF_RESULT = "→ "
"""Ends the heading of a tool's result."""
_IN_FILE = compiled_later(r"([^\s:]*\.[A-Za-z]\w{0,5})([:-])([0-9]{1,9})\2")
"""What a search puts before a line that it found, or one beside it. Names that end otherwise may have numbers of their
own behind them."""
_NUMBERED = compiled_later(r"([:-])([0-9]{1,9})\1")
SYSTEM_TAG = r"system[-_](?:notification|message|notice|warning|note|event|info)s?"
"""A pattern of the names of tags in which harnesses say something that is nobody's words. Other words behind `system`
name what people speak of: a prompt, a design, a header of C++."""
_TAG = compiled_later(
    rf"<(?=/?(?:system[-_]reminder|{SYSTEM_TAG}|command-\w+|local-command-\w+|bash-\w+|task-notification"
    r"|environment_context|user_instructions|turn_aborted|function_calls|function_results|tool_results?|invoke|antml:\w+"
    r"|system|user|assistant|human)\b[^<>\n]{0,80}>|\|\w[^|<>\n]{0,40}\|>)"
)


class Excerpt(Struct, frozen=True):
    """One line, and how it joins the line before it."""

    heading: str
    """What stands before the first line of a part: message and speaker."""
    text: str
    joint: str
    """What stands before it: `heading` for the first of a part, `middle` for the first that was taken of
    one that begins otherwise, `gap`, `line` (the next one), or `same` (the next piece of the same line,
    with the blanks before it in `text`)."""
    value: float = 0.0
    """Of several, the ones with the least value go first when room is short."""


class Speaker(Struct, frozen=True):
    """Who says what stands under a heading."""

    message: int | None
    """None: it comes from an earlier summary, whose numbers mean other messages."""
    name: str
    """`user` whatever the person's name, `instructions`, a tool's name for a call, `→` for a result, `summary`, nothing
    for the agent."""


class QuotedPart(Struct, frozen=True):
    """What a summary quotes of a part of a message."""

    heading: str
    """What stands before it, such as `#12 user: `."""
    start: int
    end: int
    """Where it stands in the summary, without the heading."""


def legend(excerpts: Sequence[Excerpt]) -> str:
    """Return how to read the lines, where there are enough of them to be worth saying."""
    return f"{LEGEND}\n" if len(excerpts) >= _MANY else ""


def quote(excerpts: Iterable[Excerpt]) -> str:
    """Return the lines as they stand in a summary. Of the lines that a search found in a file one says which, and those
    behind it the number between its signs (`:12:`, or `-13-` of one beside it)."""
    lines: list[str] = []
    last: tuple[str, int] | None = None
    for excerpt in excerpts:
        found = _place_in_file(excerpt.text) if excerpt.heading.endswith(_OF_RESULT) else None
        follows = found and last and excerpt.joint not in _BEGINS and found[0] == last[0] and found[1] > last[1]
        text = excerpt.text[len(found[0]) :] if found and follows else excerpt.text
        text = harmless(text).replace("\n", "\n ")
        last = last if excerpt.joint == "same" else found
        if excerpt.joint in _BEGINS or not lines:
            gap = GAP if excerpt.joint != "heading" else ""
            lines.append(f"{excerpt.heading}{gap}{text}")
        elif excerpt.joint == "same":
            lines[-1] += text
        else:
            lines.append((GAP if excerpt.joint == "gap" else " ") + text)
    return "\n".join(lines)


def files_of_lines(text: str) -> dict[int, str]:
    """Return where lines of a summary begin that `quote` wrote without their file, and what stood before them."""
    files: dict[int, str] = {}
    start, of_result, last = 0, False, None
    for line in text.split("\n"):
        heading = _HEADING.match(line)
        if heading or not line.startswith((" ", GAP)):
            of_result, last = bool(heading and heading[0].endswith(_OF_RESULT)), None
        shown = bare(line).removeprefix(" ")
        number = _NUMBERED.match(shown) if last else None
        if number and last and int(number[2]) > last[1]:
            files[start] = last[0]
            last = last[0], int(number[2])
        else:
            last = _place_in_file(shown) if of_result else None
        start += len(line) + 1
    return files


def _place_in_file(line: str) -> tuple[str, int] | None:
    """Return file and number that a search puts before a line that it found."""
    match = _IN_FILE.match(line)
    return (match[1], int(match[3])) if match else None


def harmless(text: str) -> str:
    """Return a text in which no tag of a harness and no mark of a chat template is one any more."""
    return _TAG.sub("‹", text) if "<" in text else text


def without(excerpts: Sequence[Excerpt], places: Iterable[int]) -> list[Excerpt]:
    """Return the lines but for those at some places; what stood behind one of those says that something is left out."""
    removed = set(places)
    remaining: list[Excerpt] = []
    joint = ""
    for index, excerpt in enumerate(excerpts):
        if excerpt.joint in _BEGINS:
            joint = ""
        if index in removed:
            joint = "middle" if excerpt.joint in _BEGINS or joint == "middle" else "gap"
        else:
            remaining.append(replace(excerpt, joint=joint) if joint else excerpt)
            joint = ""
    return remaining


def heading(message: int, speaker: str) -> str:
    """Return what stands before the first line of a part. Speakers: `user`, a tool's name for a call, `→` for a
    result (with what it is of before the arrow, or nothing), nothing for the agent."""
    if speaker.endswith("→"):
        return f"#{message} {speaker} "
    return f"#{message} {speaker}: " if speaker else f"#{message}: "


def user_named(name: str) -> str:
    """Return the speaker of what one of several people said under the role user; `user` for one without a name."""
    return f"user {person}" if (person := person_named(name)) else "user"


def person_named(name: str) -> str:
    """Return the name of one of several people as it stands behind what they said; empty for one without a name."""
    plain = " ".join(name.translate(_NOT_IN_NAMES).split())[:40].strip()
    return f"({plain})" if plain else ""


def _speaker(match: re.Match[str]) -> str:
    name = match["name"] or ""
    return "user" if name.startswith(_PERSON) and name.endswith(")") else name


def earlier_heading(text: str, start: int) -> tuple[str, int]:
    """Return the heading that the line at `start` of a summary stands under, as a later round says it, and where it
    stands there: of two parts with the same heading each has its own."""
    start = text.rfind("\n", 0, start) + 1
    while True:
        match = _HEADING.match(text, start)
        if match:
            mark = match[0]
            if (
                match["earlier"] and match["name"] == "user" and match["joint"] == ":"
            ):  # its number is of a round before the last one
                return EARLIER_USER, start
            return mark if mark.startswith(_EARLIER) else _EARLIER + mark, start
        if start <= 0:
            return EARLIER_SUMMARY, 0
        start = text.rfind("\n", 0, start - 1) + 1


def bare(line: str) -> str:
    """Return a line of a summary without what `quote` put before it."""
    match = _HEADING.match(line)
    rest = line[match.end() :] if match else line
    return rest.removeprefix(GAP)


def quoted_parts(text: str) -> Iterator[QuotedPart]:
    """Yield what a summary quotes, part by part."""
    start, open_part = 0, None
    for line in text.split("\n"):
        match = _HEADING.match(line)
        if open_part is not None and (match or not line.startswith((" ", GAP))):
            yield QuotedPart(open_part[0], open_part[1], start - 1)
            open_part = None
        if match:
            open_part = match[0], start + match.end()
        start += len(line) + 1
    if open_part is not None:
        yield QuotedPart(open_part[0], open_part[1], len(text))


def unquoted(text: str) -> str:
    """Return the words of a part as it stands in a summary: without what `quote` put before its further lines."""
    return "\n".join(line.removeprefix(" ") for line in text.split("\n"))


def begins_part(line: str) -> bool:
    """Return whether a line of a summary begins the quote of a part."""
    return _HEADING.match(line) is not None


def speaker_of(line: str) -> Speaker | None:
    """Return whose words a line of a summary begins; None when it begins none."""
    match = _HEADING.match(line)
    if match is None:
        return Speaker(None, "summary") if line.startswith(EARLIER_SUMMARY) else None
    if match["before"]:
        return Speaker(None, match["speaker"])
    name = "→" if match["joint"] != ":" else _speaker(match)
    return Speaker(None if match["earlier"] else int(match["message"]), name)


def is_said_by(speaker: str, line: str) -> bool:
    """Return whether a line of a summary begins the quote of something that a speaker said, such as `user`."""
    found = speaker_of(line)
    return found is not None and found.name == speaker
