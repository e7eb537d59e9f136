"""Some sentences of a request as one text."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compactor_cli.text.clauses import Clause
from compactor_cli.text.shorten import text_reference

LEFT_OUT = "…"
"""Stands where sentences are left out."""


class KeptRequest(Struct, frozen=True):
    """What stays of a request."""

    message: int
    text: str
    """All of it, or whole sentences of it with an ellipsis where others are left out."""
    tokens: int
    whole: bool
    clauses: tuple[int, ...] = ()
    """Of one that is not whole, which of its clauses stay, those first that were taken first."""


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


def marked(kept: KeptRequest, whole: str) -> str:
    """Return what stays of a request with the mark of what is left out of the whole."""
    left_out = len(whole) - sum(len(piece.strip()) for piece in kept.text.split(LEFT_OUT))
    return f"{kept.text}\n[… {max(1, left_out):,} characters left out · {text_reference(whole)}]"
