"""Selected sentences of a request, joined into one text."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compactor_cli.text.clauses import Clause
from compactor_cli.text.shorten import text_reference

ELLIPSIS = "…"
"""Marks where sentences are left out."""


class KeptRequest(Struct, frozen=True):
    """What is kept of a request."""

    message: int
    text: str
    """The whole request, or whole sentences of it with an ellipsis where others are left out."""
    tokens: int
    whole: bool
    clauses: tuple[int, ...] = ()
    """If the request is not whole: the indices of its kept clauses, in the order in which they were taken."""


def join_kept_clauses(text: str, kept: Sequence[Clause], last: Clause) -> str:
    """Join the kept sentences of a text, with an ellipsis wherever others are left out. `last`: the last sentence of
    the text."""
    pieces: list[str] = []
    end = 0
    for clause in kept:
        gap = text[end : clause.start]
        if not gap.strip():
            pieces.append(gap if pieces else "")
        elif not pieces:
            pieces.append(f"{ELLIPSIS} ")
        else:
            pieces.append(f"\n{ELLIPSIS} " if "\n" in gap else f" {ELLIPSIS} ")
        pieces.append(text[clause.start : clause.end])
        end = clause.end
    return "".join(pieces) + (f" {ELLIPSIS}" if end < last.end else "")


def with_cut_mark(kept: KeptRequest, whole: str) -> str:
    """Return the kept text of a request, with a mark that says how much of the whole was left out."""
    left_out = len(whole) - sum(len(piece.strip()) for piece in kept.text.split(ELLIPSIS))
    return f"{kept.text}\n[… {max(1, left_out):,} characters left out · {text_reference(whole)}]"
