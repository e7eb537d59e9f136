"""Lines quoted in a summary, each under the number of the message that it stands in.

#12 user: The first line that was taken of message 12
… a line further on, with something left out before it
#13 Bash: git status
#14 → On branch main
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

LEGEND = "Lines quoted from them; #n is the message, → a tool's output, … what was left out."
_MANY = 24
_GAP = "… "
_HEADING = re.compile(r"^#(\d+)(?: [^\s:]{1,80}:| →|:) ?")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One line: its message, who speaks (`user`, a tool's name, `→` for a result, nothing for the agent),
    and how it joins the line before it."""

    message: int
    speaker: str
    text: str
    joint: str
    """What stands before it: `heading` for the first of a part, `gap`, `line` (the next one), or `same`
    (the next piece of the same line)."""
    value: float = 0.0
    """Of several, the ones with the least value go first when room is short."""


def legend(excerpts: Sequence[Excerpt]) -> str:
    """How to read the lines, where there are enough of them to be worth saying."""
    return f"{LEGEND}\n" if len(excerpts) >= _MANY else ""


def quote(excerpts: Iterable[Excerpt]) -> str:
    """The lines as they stand in a summary."""
    out: list[str] = []
    for excerpt in excerpts:
        if excerpt.joint == "heading" or not out:
            out.append(heading(excerpt.message, excerpt.speaker) + excerpt.text)
        elif excerpt.joint == "same":
            out[-1] += " " + excerpt.text
        else:
            out.append((_GAP if excerpt.joint == "gap" else "") + excerpt.text)
    return "\n".join(out)


def without(excerpts: Sequence[Excerpt], places: Iterable[int]) -> list[Excerpt]:
    """The lines but for those at some places; what stood behind one of those says that something is left out."""
    gone = set(places)
    out: list[Excerpt] = []
    joint = ""
    for at, excerpt in enumerate(excerpts):
        if excerpt.joint == "heading":
            joint = ""
        if at in gone:
            joint = "heading" if excerpt.joint == "heading" or joint == "heading" else "gap"
        else:
            out.append(replace(excerpt, joint=joint) if joint else excerpt)
            joint = ""
    return out


def heading(message: int, speaker: str) -> str:
    """What stands before the first line of a part."""
    if speaker == "→":
        return f"#{message} → "
    return f"#{message} {speaker}: " if speaker else f"#{message}: "


def quoted_lines(text: str) -> Iterator[str]:
    """Lines of a summary without what `quote` put before them."""
    for line in text.split("\n"):
        bare = _HEADING.sub("", line)
        yield bare[len(_GAP) :] if bare is line and line.startswith(_GAP) else bare
