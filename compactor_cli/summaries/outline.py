"""The forms of summaries: their headings, in order, and what belongs under each.

A later round reads an earlier summary with the same table, so that every line gets back to its section.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.text.patterns import compiled_later

IMMEDIATE = "Immediate"
PROSE = ("Goal", "Constraints", "Decisions", "Done", "In progress", "Next", IMMEDIATE)
FACTS = ("Files", "Errors", "Commands")
OTHERS = ("Earlier summary", "Details")
CHANGED_CODE, ACTIVE_CODE = "Changed code", "Active code"
SECTIONS = (
    "Earlier summary",
    "Goal",
    "Constraints",
    "Decisions",
    "Done",
    "In progress",
    "Errors",
    "Files",
    "Commands",
    "Next",
    "Details",
)
_COMMAND = compiled_later(r"`.+` \((?:\d+x, )?last (?:ok|failed)(?:, passed since)?\)")
_FILE = compiled_later(r"`[^`]+` (?:created|edited|deleted|restored|read)\b")

Style = Literal["list", "checklist", "table"]
Standing = Literal["done", "open", "error", "next", "declined"]
"""The standing of a fact of the computed state: done, still to be done, an error that is not fixed, being done, or
declined by the user."""


class Heading(Struct, frozen=True):
    title: str
    sections: tuple[str, ...]
    style: Style = "list"
    quotes: Literal["first", "last", ""] = ""
    state: tuple[Standing, ...] = ()
    always: bool = False


class Outline(Struct, frozen=True):
    """`facts_first`: files, errors and commands take precedence when tokens are short."""

    name: str
    headings: tuple[Heading, ...]
    facts_first: bool = False
    ends_with_request: bool = False
    parts: bool = False
    reductions: tuple[tuple[str, float], ...] = ()
    changes_only: bool = False


_STATE: dict[str, tuple[Standing, ...]] = {
    "Decisions": ("declined",),
    "Done": ("done",),
    "In progress": ("next",),
    "Errors": ("error",),
    "Next": ("open",),
}
_SUMMARY = Outline("summary", tuple(Heading(s, (s,), state=_STATE.get(s, ())) for s in SECTIONS))  # seed 003
_EARLIER = Heading("Earlier summary", ("Earlier summary",))
_OUTCOMES = ("Done", "In progress", "Files", "Errors", "Commands", "Next")
_TIERS = {  # seed 000: what the summary of each tier preserves
    1: Outline(
        "tiers",
        (
            _EARLIER,
            Heading("Participants", ("Participants", "Goal")),
            Heading("Actions and Outcomes", _OUTCOMES, state=("next", "error", "open", "done")),
            Heading("Decisions", ("Decisions", "Constraints"), state=("declined",)),
            Heading("Technical Details", ("Details",)),
        ),
    ),
    2: Outline(
        "tiers",
        (
            _EARLIER,
            Heading("Topics", ("Topics", "Goal")),
            Heading("Decisions", ("Decisions", "Constraints"), state=("declined",)),
            Heading("Open Items", ("Next", "In progress"), state=("next", "open")),
            Heading("Context", ("Files", "Errors", "Commands", "Done", "Details"), state=("error", "done")),
        ),
        reductions=(("Done", 2.0), ("Commands", 3.0), ("Details", 1.0)),
    ),
    3: Outline(
        "tiers",
        (
            _EARLIER,
            Heading("About", ("Goal",)),
            Heading("Conclusions", ("Decisions", "Constraints", "Done"), state=("declined",)),
            Heading("Outcomes", ("Files", "Errors"), state=("next", "error", "open", "done")),
        ),
        reductions=(("Done", 2.0),),
        changes_only=True,
    ),
}
_SESSION = Outline(
    "session",  # seed 001
    (
        Heading("Original Task", ("Goal", "Constraints"), quotes="first", always=True),
        Heading("Completed Work", ("Files", "Commands", "Done"), "table", state=("done",), always=True),
        Heading("Key Technical Decisions", ("Decisions",), state=("declined",), always=True),
        Heading("Current State", ("In progress",), quotes="last", state=("next",), always=True),
        Heading("Pending Work", ("Next",), "checklist", state=("open",), always=True),
        Heading("Errors & Resolutions", ("Errors",), state=("error",)),
        Heading("Earlier summary", ("Earlier summary",)),
    ),
    facts_first=True,
    changes_only=True,
)
_HANDOFF = Outline(
    "handoff",  # seed 004
    (
        Heading("1. User's Primary Goals and Intent", ("Goal", "Constraints"), quotes="first", always=True),
        Heading("2. Conversation Timeline and Progress", ("Done", "Errors", "Earlier summary"), always=True),
        Heading("3. Technical Context and Decisions", ("Decisions",), state=("declined",), always=True),
        Heading("4. Files and Code Changes", ("Files", "Commands", CHANGED_CODE), state=("done",), always=True),
        Heading("5. Active Work and Last Actions", ("In progress", ACTIVE_CODE), always=True),
        Heading("6. Unresolved Issues and Pending Tasks", ("Next",), state=("error", "open"), always=True),
        Heading("7. Immediate Next Step", ("Immediate",), state=("next",), always=True),
    ),
    facts_first=True,
    changes_only=True,
    ends_with_request=True,
)
_LEDGER = (
    Heading("Files", ("Files",)),
    Heading("Errors", ("Errors",), state=("next", "error", "open")),
    Heading("Commands", ("Commands",), state=("done", "declined")),
)
_BATCHES = Outline("batches", _LEDGER, facts_first=True, parts=True)  # seed 002
_TOPICS = Outline("topics", _LEDGER, parts=True)  # seed 003

OUTLINES: dict[str, Outline] = {
    form.name: form for form in (_TIERS[3], _SUMMARY, _SESSION, _HANDOFF, _BATCHES, _TOPICS)
}
_SECTIONS_BY_TITLE: dict[str, tuple[str, ...]] = {
    heading.title: heading.sections for form in (*OUTLINES.values(), _TIERS[2], _TIERS[1]) for heading in form.headings
}


def outline_of(name: str, tier: int) -> Outline:
    """Return a form by its name; the form for `tiers` depends on the tier."""
    return _TIERS.get(tier, _TIERS[3]) if name == "tiers" else OUTLINES[name]


def model_outline(outline: Outline) -> Outline:
    """Return the form for a summary by a model: the model's text under the headings, followed by computed facts."""
    if outline.parts:
        return replace(outline, facts_first=True)
    model_headings = tuple(replace(heading, sections=()) for heading in outline.headings if heading.title not in OTHERS)
    if outline is _SUMMARY:  # the first request stays in its place
        model_headings = tuple(
            Heading(heading.title, (), always=heading.always)
            for heading in _SESSION.headings
            if heading.quotes != "first" and heading.title not in OTHERS
        )
    return replace(outline, headings=(*model_headings, *_LEDGER), facts_first=True)


def sections_in(outline: Outline) -> frozenset[str]:
    """Return the sections that a form has a place for; a form with pieces has one for all."""
    return frozenset(
        SECTIONS if outline.parts else (section for heading in outline.headings for section in heading.sections)
    )


def section_of(title: str, text: str) -> str:
    """Return the section of a line (without its bullet) under a heading of an earlier summary."""
    sections = _SECTIONS_BY_TITLE.get(title, SECTIONS)
    if _FILE.match(text) and "Files" in sections:
        return "Files"
    if _COMMAND.match(text) and "Commands" in sections:
        return "Commands"
    preferred = PROSE if text.startswith('"') else ("Errors", "Commands", "Details")
    if title not in _SECTIONS_BY_TITLE:  # a topic or a batch
        return "Commands" if _COMMAND.match(text) else "Earlier summary"
    return next((section for section in sections if section in preferred), sections[0])


def prose_section(title: str) -> str:
    """Return the section of what a model wrote under a heading. It is never a section of facts, which are computed."""
    return next((section for section in _SECTIONS_BY_TITLE.get(title, ()) if section in PROSE), "Earlier summary")


def row(cells: Iterable[str]) -> str:
    """Return a table row; bars in cells are escaped."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def cells(line: str) -> list[str]:
    """Return the cells of a table row, unescaped."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
