"""Texts of the browser: the heading, the sums, and the reasons for what happens to messages."""

from __future__ import annotations

from collections.abc import Iterable

from compactor_cli.browse.rows import FATES, BrowserRow, BrowserView, display_name
from compactor_cli.browse.view_state import History, Mark, State
from compactor_cli.errors import BudgetError
from compactor_cli.model.decisions import Aim, Choice
from compactor_cli.model.transcript import Source


def aim_phrase(aim: Aim) -> str:
    """Return a target in readable form; empty for none."""
    if aim.target_ratio is not None:
        return f"{100 * aim.target_ratio:g}%"
    return f"{aim.target_tokens:,}" if aim.target_tokens is not None else ""


def heading(source: Source, counter: str) -> str:
    conversation_note = f"{len(source.transcripts):,} conversations · " if len(source.transcripts) > 1 else ""
    return (
        f"{display_name(source.path.rpartition('/')[2])} · {source.format} · "
        f"{conversation_note}{source.message_count:,} messages · {source.tokens:,} tokens ({counter})"
    )


def target_line(state: State, view: BrowserView, strategy: str) -> str:
    aimed = aim_phrase(state.aim)
    if view.target is not None and state.aim.target_ratio is not None:
        aimed = f"{aimed} = {view.target:,}"
    return f"target {aimed} tokens · {strategy}" if aimed else f"no target: cut by age · {strategy}"


def decisions_line(history: History) -> str:
    """Return how many decisions there are, and whether they are saved."""
    kept_count, dropped_count = history.now.count("keep"), history.now.count("drop")
    if not kept_count and not dropped_count:
        return "no decisions"
    return f"decisions: {kept_count} keep, {dropped_count} drop" + ("" if history.is_saved else " (unsaved)")


def fate_sums(view: BrowserView) -> list[tuple[str, int]]:
    fate_counts = view.counts()
    return [(fate, fate_counts[fate]) for fate in FATES if fate_counts[fate] or fate != "added"]


def failure_line(error: Exception) -> str:
    """Return one line on why the decisions cannot be carried out."""
    if isinstance(error, BudgetError):
        items = ", ".join(f"{item} {tokens:,}" for item, tokens in error.items)
        message = f"Does not fit into {error.target:,} tokens: at least {error.floor:,}"
        return f"{message} ({items}). u undoes the last change, t sets another target."
    return " ".join(str(error).split())


def fate_reason(row: BrowserRow, choice: Choice | None, is_own: bool, signals: Iterable[str], *, scored: bool) -> str:
    """Return the reason for a message's fate. `scored`: the strategy uses scores and tiers."""
    decision = {"keep": "to be kept", "drop": "to be dropped"}.get(choice or "", "")
    if decision and not is_own:
        decision += " (with its group)"
    words = [f"#{row.number}", decision, row.entry.reason, f"for {', '.join(signals)}" if signals else ""]
    if scored and row.entry.score is not None:
        tier = "residual" if row.entry.residual else f"tier {row.entry.tier}" if row.entry.tier is not None else ""
        words += [tier, f"score {row.entry.score.value:g}"]
    return " · ".join(word for word in words if word)


def filter_phrase(marks: Iterable[Mark], shown_rows: int, rows: int) -> str:
    listed = ", ".join(mark.value for mark in sorted(marks))
    return f"{shown_rows:,} of {rows:,} shown: {listed}" if listed else ""


HELP = (
    (
        "Look",
        (
            ("arrows, pages", "move through the messages; also home and end"),
            ("enter", "show a message in full; left and right show others"),
            ("/  n  N", "find words; next match, previous match"),
            ("f  x", "show only some messages; show all again"),
            ("g", "go to a message by its number"),
            (".", "go to the next message with a decision"),
        ),
    ),
    (
        "Decide",
        (
            ("k  d", "keep or drop a message with its group; again: undecided"),
            ("K  D", "the same for all shown messages"),
            ("u  r", "undo, redo"),
            ("t  S", "another target, another strategy"),
        ),
    ),
    ("Write", (("s", "save the decisions, for compact --decisions"), ("w", "write the compacted file"), ("q", "quit"))),
)
