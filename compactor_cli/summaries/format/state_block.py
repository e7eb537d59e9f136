"""The block of a summary that says the state, written and read back."""

from __future__ import annotations

from collections.abc import Iterable

from compactor_cli.model.state_line import Kind, StateLine
from compactor_cli.summaries.format.headers import STATE as HEADING

_ORDER: tuple[Kind, ...] = ("task", "pending", "error", "check", "effect", "file")


def state_text(lines: Iterable[StateLine]) -> str:
    """The block as it stands in a summary; empty when there is nothing to say."""
    given = list(lines)
    if not given:
        return ""
    ordered = sorted(given, key=lambda line: _ORDER.index(line.kind))
    return "\n".join([HEADING, *(f"- {line.text}" for line in ordered)])


def state_lines(text: str) -> tuple[str, ...]:
    """The lines of all such blocks in a text, without bullets."""
    found: list[str] = []
    inside = False
    for line in text.split("\n"):
        if line.rstrip() == HEADING:
            inside = True
        elif inside and line.startswith("- "):
            found.append(line[2:])
        else:
            inside = False
    return tuple(found)
