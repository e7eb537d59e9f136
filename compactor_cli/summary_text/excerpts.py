"""Lines quoted in a summary, each under the number of its message.

    #12 user: The first line taken from message 12
     the line after it
    … a later line, with something left out before it
    #13 Bash: git status
    #14 → On branch main
    #15 Bash failed: git push
    earlier #7 user: A line quoted by the summary of an earlier round, with its number in that round
    earlier Bash: ls src
    earlier → Lines of rounds before that one, whose numbers would be taken for those of the last round

Only marks are at the beginning of a line. Every other line is indented by a space, so that quoted text cannot pass
for a mark. Tags of harnesses are made harmless.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.text.patterns import compiled_later

LEGEND = "Lines quoted: #n is the message, → a tool's output, … a gap."
_MANY = 40
GAP = "… "
_HEADING = compiled_later(
    r"(?:(?P<earlier>earlier )?#(?P<message>\d+)(?: (?P<name>[^\s:→](?:[^\n:→]|:(?! )){0,79}))?(?P<joint> →|:)"
    r"|(?P<before>earlier)(?: (?P<speaker>[^\s:→#](?:[^\n:→]|:(?! )){0,79}))?(?P<end> →|:)) "
)
INSTRUCTIONS = "instructions"
"""The speaker of standing instructions inserted by a harness, such as AGENTS.md."""
_EARLIER = "earlier "
EARLIER_USER = "earlier user: "
"""Precedes words of the user if the earlier summary gives no message number. It is also used if the number is from a
round before that one, because it would clash with the last round's numbers."""
EARLIER_SUMMARY = "earlier summary: "
_PERSON = "user ("
_NOT_IN_NAMES = str.maketrans(":→()", "    ")
_BEGINS = ("heading", "middle")
OF_RESULT = "→ "
_IN_FILE = compiled_later(r"([^\s:]*\.[A-Za-z]\w{0,5})([:-])([0-9]{1,9})\2")
"""The prefix with which a search marks a line that it found, or a neighbouring line. Names that end differently may
contain numbers of their own."""
_NUMBERED = compiled_later(r"([:-])([0-9]{1,9})\1")
SYSTEM_TAG = r"system[-_](?:notification|message|notice|warning|note|event|info)s?"
"""A pattern of tag names for harness messages, which are nobody's words. Other words after `system` are excluded,
because people write about them: a prompt, a design, a C++ header."""
_TAG = compiled_later(
    rf"<(?=/?(?:system[-_]reminder|{SYSTEM_TAG}|command-\w+|local-command-\w+|bash-\w+|task-notification"
    r"|environment_context|user_instructions|turn_aborted|function_calls|function_results|tool_results?|invoke|antml:\w+"
    r"|system|user|assistant|human)\b[^<>\n]{0,80}>|\|\w[^|<>\n]{0,40}\|>)"
)


class Excerpt(Struct, frozen=True):
    """One quoted line, and how it joins the line before it."""

    heading: str
    """The mark before the first line of a part: message and speaker."""
    text: str
    joint: str
    """What precedes the line.

    - `heading`: it is the first line of a part.
    - `middle`: it is the first line taken from a part, but the part begins with another line.
    - `gap`: lines are left out before it.
    - `line`: it directly follows the line before.
    - `same`: it is the next piece of the same line; `text` includes the spaces before it.
    """
    value: float = 0.0


class Speaker(Struct, frozen=True):
    """The speaker of the lines under a heading."""

    message: int | None
    """None: the words come from an earlier summary, whose numbers refer to other messages."""
    name: str
    """`user` regardless of the person's name, `instructions`, a tool's name for a call, `→` for a result, `summary`,
    or empty for the agent."""


class QuotedPart(Struct, frozen=True):
    """The lines that a summary quotes from one part of a message."""

    heading: str
    start: int
    end: int
    """The span in the summary's text, without the heading."""


def legend(excerpts: Sequence[Excerpt]) -> str:
    """Return the legend for quoted lines, if there are enough of them."""
    return f"{LEGEND}\n" if len(excerpts) >= _MANY else ""


def quote(excerpts: Iterable[Excerpt]) -> str:
    """Return the lines as they appear in a summary. Neighbouring lines that a search found name their file once."""
    lines: list[str] = []
    last: tuple[str, int] | None = None
    for excerpt in excerpts:
        found = _place_in_file(excerpt.text) if excerpt.heading.endswith(OF_RESULT) else None
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
    """Return position -> file for the lines of a summary that `quote` wrote without their file."""
    files: dict[int, str] = {}
    start, of_result, last = 0, False, None
    for line in text.split("\n"):
        heading = _HEADING.match(line)
        if heading or not line.startswith((" ", GAP)):
            of_result, last = bool(heading and heading[0].endswith(OF_RESULT)), None
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
    """Return the file and number with which a search prefixes a line that it found."""
    match = _IN_FILE.match(line)
    return (match[1], int(match[3])) if match else None


def harmless(text: str) -> str:
    """Return a text in which tags of harnesses and markers of chat templates are disabled."""
    return _TAG.sub("‹", text) if "<" in text else text


def without(excerpts: Sequence[Excerpt], places: Iterable[int]) -> list[Excerpt]:
    """Return the lines without those at some places. A gap is marked before the line that follows a removed one."""
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
    """Return the mark before the first line of a part."""
    if speaker.endswith("→"):
        return f"#{message} {speaker} "
    return f"#{message} {speaker}: " if speaker else f"#{message}: "


def user_named(name: str) -> str:
    """Return the speaker for one of several people under the role user; `user` if the person has no name."""
    return f"user {person}" if (person := person_named(name)) else "user"


def person_named(name: str) -> str:
    """Return a person's name in the form that follows their words; empty if there is none."""
    plain = " ".join(name.translate(_NOT_IN_NAMES).split())[:40].strip()
    return f"({plain})" if plain else ""


def earlier_heading(text: str, start: int) -> tuple[str, int]:
    """Return the heading above the line at `start` of a summary, in the form for a later round, and its position."""
    start = text.rfind("\n", 0, start) + 1
    while True:
        match = _HEADING.match(text, start)
        if match:
            if match["earlier"]:  # the number is from a round before the last one
                name = f" {match['name']}" if match["name"] else ""
                return f"earlier{name}{match['joint']} ", start
            return match[0] if match["before"] else _EARLIER + match[0], start
        if start <= 0:
            return EARLIER_SUMMARY, 0
        start = text.rfind("\n", 0, start - 1) + 1


def bare(line: str) -> str:
    """Return a line of a summary without the prefix added by `quote`."""
    match = _HEADING.match(line)
    rest = line[match.end() :] if match else line
    return rest.removeprefix(GAP)


def quoted_parts(text: str) -> Iterator[QuotedPart]:
    """Yield the parts that a summary quotes."""
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
    """Return the words of a part without the prefixes that `quote` added to its further lines."""
    return "\n".join(line.removeprefix(" ") for line in text.split("\n"))


def speaker_of(line: str) -> Speaker | None:
    """Return the speaker of the words that a line of a summary begins; None if it begins none."""
    match = _HEADING.match(line)
    if match is None:
        return None
    name = match["name"] or match["speaker"] or ""
    if (match["joint"] or match["end"]) != ":":
        name = "→"
    elif name.startswith(_PERSON) and name.endswith(")"):
        name = "user"
    return Speaker(int(match["message"]) if match["message"] and not match["earlier"] else None, name)


def is_said_by(speaker: str, line: str) -> bool:
    """Return whether a line of a summary begins a quote of the given speaker, such as `user`."""
    found = speaker_of(line)
    return found is not None and found.name == speaker
