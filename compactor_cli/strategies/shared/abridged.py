"""Some sentences of a text as one text."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.text.clauses import Clause

LEFT_OUT = "…"
"""Stands where sentences are left out."""


def abridged(text: str, kept: Sequence[Clause], last: Clause) -> str:
    """Join some sentences of a text; an ellipsis says where others are left out."""
    pieces: list[str] = []
    end = 0
    for clause in kept:
        between = text[end : clause.start]
        if not between.strip():
            pieces.append(between if pieces else "")
        elif not pieces:
            pieces.append(f"{LEFT_OUT} ")
        else:
            pieces.append(f"\n{LEFT_OUT} " if "\n" in between else f" {LEFT_OUT} ")
        pieces.append(text[clause.start : clause.end])
        end = clause.end
    return "".join(pieces) + (f" {LEFT_OUT}" if end < last.end else "")
