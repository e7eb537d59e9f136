"""Show the results of `compactor learn`: tables for people, JSON for scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from rich.console import Console
from rich.table import Table
from rich.text import Text

from compactor_cli.evaluation.learning.held_out import RATIOS, Figures, HeldOut, PartFigures
from compactor_cli.evaluation.learning.profile_text import LearnedProfile, figures_of
from compactor_cli.features.name_features import SIGNALS
from compactor_cli.render.console import count_phrase, format_figure, make_table, snippet

_NAMES = {"by_session": "adaptive, session unseen", "by_source": "adaptive, source unseen"}
_NAME_WIDTH = 28
_MAX_WEIGHTS = 8
_FEW_SESSIONS = 20
"""Below this number of sessions, a note says that they are few."""


class UnusedInputs(Struct, frozen=True):
    """Inputs from which nothing was learned."""

    short: int
    copies: int
    refused: tuple[str, ...]


def learned_tables(
    console: Console, taught: LearnedProfile, left_out: UnusedInputs, counter: str
) -> Iterator[Text | Table | str]:
    """Yield the report piece by piece; strings may be longer than a line."""
    yield Text(
        f"{count_phrase(taught.sessions, 'session')} of {count_phrase(len(taught.sources), 'source')} · "
        f"{count_phrase(taught.cases, 'case')} · {count_phrase(taught.names, 'name')} ({counter})",
        style="bold",
    )
    yield from _unused_lines(left_out)
    if taught.held_out is None:
        yield f"no held-out figures: {taught.not_held_out}"
    else:
        yield _whole_table(console, taught.held_out)
        if len(taught.held_out.sources) > 1:
            yield _source_table(console, taught.held_out)
    yield _weight_table(console, taught)
    yield Text("\n".join(f"- {note}" for note in limit_remarks(taught)), style="dim")


def learned_json(
    path: str, taught: LearnedProfile, left_out: UnusedInputs, counter: str, warnings: Sequence[str]
) -> dict[str, Any]:
    """Return the figures rounded to four digits; if `held_out` is null, `not_held_out` gives the reason."""
    held_out = taught.held_out
    return {
        "profile": path,
        "sessions": taught.sessions,
        "cases": taught.cases,
        "names": taught.names,
        "sources": [{"name": name, "sessions": count} for name, count in sorted(taught.sources.items())],
        "too_short": left_out.short,
        "copies": left_out.copies,
        "refused": list(left_out.refused),
        "counter": counter,
        "penalty": taught.penalty,
        "held_out": None
        if held_out is None
        else {
            "folds": held_out.folds,
            "all": _part_json(held_out.whole),
            "sources": {name: _part_json(part) for name, part in held_out.sources.items()},
        },
        "not_held_out": taught.not_held_out,
        "weights": dict(taught.weights),
        "notes": limit_remarks(taught),
        "warnings": list(warnings),
    }


def limit_remarks(taught: LearnedProfile) -> list[str]:
    lines = ["weights are of signals of different units: compare their signs, not their sizes"]
    if taught.held_out is not None:
        lines.append("presence is not use: a model may overlook what is there, and may not need what is missing")
    if taught.sessions < _FEW_SESSIONS:
        session_phrase = "one session says" if taught.sessions == 1 else f"{taught.sessions} sessions say"
        lines.append(
            f"{session_phrase} little: compare with the shipped profile, `compactor evaluate` with and without "
            f"--profile"
        )
    return lines


def _part_json(part: PartFigures) -> dict[str, Any]:
    return {
        "sessions": part.sessions,
        **{
            name: {"cases": row.cases, **{key: round(value, 4) for key, value in figures_of(row).items()}}
            for name, row in part.rows.items()
        },
    }


def _unused_lines(left_out: UnusedInputs) -> Iterator[str]:
    if left_out.refused:
        yield f"left out: {count_phrase(len(left_out.refused), 'file')} that cannot be read"
    if left_out.copies:
        yield f"left out: {count_phrase(left_out.copies, 'copy', 'copies')} of other files"
    if left_out.short:
        yield (
            f"left out: {count_phrase(left_out.short, 'session')} too short, or without anything that was needed later"
        )


def _whole_table(console: Console, held_out: HeldOut) -> Table:
    measures = (f">{measure} {ratio:.0%}!" for ratio in RATIOS for measure in ("LINKED", "recall"))
    table = make_table(console, "Held out", "!", ">AUC!", *measures)
    for name, row in held_out.whole.rows.items():
        values = [value for point in row.kept for value in (point.linked, point.recall)]
        figures = list(map(format_figure, values)) or ["-"] * 2 * len(RATIOS)
        style = "bold" if name in _NAMES else "dim"
        table.add_row(_NAMES.get(name, name), format_figure(row.auc), *figures, style=style)
    return table


def _source_table(console: Console, held_out: HeldOut) -> Table:
    rows = list(held_out.whole.rows)
    ratio = RATIOS[-1]
    names = (f">{_NAMES.get(name, name).removeprefix('adaptive, ')}!" for name in rows)
    table = make_table(console, f"LINKED at {ratio:.0%}, by source", "source!", ">sessions", *names)
    for source, part in held_out.sources.items():
        figures = (_linked(part.rows[name], ratio) for name in rows)
        table.add_row(snippet(source, _NAME_WIDTH), f"{part.sessions:,}", *figures)
    return table


def _weight_table(console: Console, taught: LearnedProfile) -> Table:
    """Return a table of the signals with the greatest effect, for or against a name, when they are 1."""
    table = make_table(console, "Largest weights", ">weight!", "signal!", "")
    order = sorted(SIGNALS, key=lambda signal: (-abs(taught.weights[signal]), signal))
    for signal in order[:_MAX_WEIGHTS]:
        table.add_row(f"{taught.weights[signal]:+.2f}", signal, Text(SIGNALS[signal], style="dim"))
    return table


def _linked(row: Figures, ratio: float) -> str:
    return next((format_figure(kept_shares.linked) for kept_shares in row.kept if kept_shares.ratio == ratio), "-")
