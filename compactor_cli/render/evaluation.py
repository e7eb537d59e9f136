"""Show what `compactor evaluate` found: tables for people, JSON for scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import asdict
from rich.console import Console
from rich.table import Table
from rich.text import Text

from compactor_cli.evaluation.retention.measure import Difference, Evaluation, MethodRow
from compactor_cli.evaluation.retention.statistics import MeanEstimate
from compactor_cli.render.console import count_phrase, format_figure, make_table, snippet
from compactor_cli.text.clean import plain

_MIN_WIDE_WIDTH = 90
"""From this console width on, the interval of the recall is shown too."""
_NAME_WIDTH = 22
_MIN_NAME_WIDTH = 8
_FIGURES_WIDTH = 67
"""Columns taken by the figures on a terminal, without the name and the interval of the recall."""
_INTERVAL_WIDTH = 5
_MAX_SKIPPED = 8
_FEW_SESSIONS = 20
"""Below this number of sessions, a note says that they are few."""
_STYLES = {"strategy": "", "against": "", "baseline": "dim"}


def limit_notes(result: Evaluation) -> list[str]:
    notes = [
        "presence is not use: a model may overlook what is there, and may not need what is missing",
        "outputs over the target and failures count as 0",
        "± is half the width of the 95% interval of the means of resampled sessions",
    ]
    if result.sessions < _FEW_SESSIONS:
        session_phrase = "one session says" if result.sessions == 1 else f"{result.sessions} sessions say"
        notes.append(f"{session_phrase} little: intervals are wide, and other sessions may rank the rows otherwise")
    if result.sessions < 3:
        notes.append("intervals need at least 3 sessions")
    return notes


def evaluation_tables(console: Console, result: Evaluation, counter: str) -> Iterator[Text | Table | str]:
    """Yield the report piece by piece; strings may be longer than a line."""
    if result.cases:
        count_line = f"{count_phrase(result.sessions, 'session')} · {count_phrase(result.cases, 'case')}"
        yield Text(
            f"{count_line} · {result.needs / result.cases:.0f} needed identifiers per case ({counter})", style="bold"
        )
    yield from _skipped_lines(result)
    for ratio in dict.fromkeys(row.ratio for row in result.rows):
        yield _ratio_table(console, ratio, [row for row in result.rows if row.ratio == ratio])
    if result.differences:
        yield _difference_table(console, result.differences)
    yield from _failures(result.rows)
    if result.cases:
        yield Text("\n".join(f"- {note}" for note in limit_notes(result)), style="dim")


def evaluation_json(result: Evaluation, counter: str) -> dict[str, Any]:
    """Return the figures rounded to four digits; intervals are null for fewer than three sessions."""
    return {
        "sessions": result.sessions,
        "cases": result.cases,
        "needs": result.needs,
        "skipped": [{"path": path, "cut": cut, "reason": reason} for path, cut, reason in result.skipped],
        "counter": counter,
        "rows": [_row_json(row) for row in result.rows],
        "differences": [
            asdict(row) | {"linked": _estimate_json(row.linked), "recall": _estimate_json(row.recall)}
            for row in result.differences
        ],
        "limits": limit_notes(result),
    }


def _row_json(row: MethodRow) -> dict[str, Any]:
    estimates = {name: _estimate_json(getattr(row, name)) for name in ("linked", "recall")}
    figures = {name: _rounded(getattr(row, name)) for name in ("old_half", "size", "seconds")}
    failures = [{"reason": reason, "count": count} for reason, count in row.failures]
    return asdict(row) | estimates | figures | {"failures": failures}


def _estimate_json(value: MeanEstimate) -> dict[str, float | None]:
    return {"mean": _rounded(value.mean), "low": _rounded(value.low), "high": _rounded(value.high)}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _skipped_lines(result: Evaluation) -> Iterator[str]:
    for name, cut, reason in result.skipped[:_MAX_SKIPPED]:
        where = f"{name}{'' if cut is None else f' at {_percent(cut)}'}"
        yield plain(f"skipped: {reason if reason.startswith(f'{name}:') else f'{where}: {reason}'}")
    if len(result.skipped) > _MAX_SKIPPED:
        yield f"skipped: {len(result.skipped) - _MAX_SKIPPED:,} more; all in --json"


def _ratio_table(console: Console, ratio: float, rows: list[MethodRow]) -> Table:
    figures = (">LINKED!", ">recall!", ">old half!", ">size/target!", ">over!", ">failed!", ">seconds!")
    table = make_table(console, f"Compacted to {_percent(ratio)}", "method!", *figures)
    wide = console.width >= _MIN_WIDE_WIDTH
    name_width = console.width - _FIGURES_WIDTH - wide * _INTERVAL_WIDTH
    for row in rows:
        table.add_row(
            snippet(row.method, max(_MIN_NAME_WIDTH, min(_NAME_WIDTH, name_width))),
            Text(_estimate(row.linked), style="" if row.kind == "baseline" else "bold"),
            _estimate(row.recall) if wide else f"{row.recall.mean:.3f}",
            format_figure(row.old_half, 3),
            format_figure(row.size, 2),
            _count_phrase(row.over),
            _count_phrase(row.failed),
            f"{row.seconds:.2f}",
            style=_STYLES[row.kind],
        )
    return table


def _difference_table(console: Console, differences: tuple[Difference, ...]) -> Table:
    title = f"{plain(differences[0].first)} minus each other row, case by case"
    table = make_table(console, title, ">ratio!", "other!", ">LINKED!", ">recall!", "by LINKED!")
    for difference in differences:
        linked, recall = _estimate(difference.linked, "+"), _estimate(difference.recall, "+")
        other, verdict = snippet(difference.other, _NAME_WIDTH), _verdict(difference.linked)
        table.add_row(_percent(difference.ratio), other, linked, recall, verdict)
    return table


def _verdict(value: MeanEstimate) -> Text:
    if value.low is None or value.high is None:
        return Text("-")
    if value.low > 0:
        return Text("better", style="green")
    return Text("worse", style="red") if value.high < 0 else Text("no clear difference", style="dim")


def _failures(rows: tuple[MethodRow, ...]) -> Iterator[str]:
    failure_counts: dict[tuple[str, str], int] = {}
    for row in rows:
        for reason, count in row.failures:
            failure_counts[row.method, reason] = failure_counts.get((row.method, reason), 0) + count
    for (method, reason), count in failure_counts.items():
        yield plain(f"failed: {method}: {reason}{f' ({count} times)' if count > 1 else ''}")


def _estimate(value: MeanEstimate, sign: str = "") -> str:
    spread = "-" if value.low is None or value.high is None else f"±{(value.high - value.low) / 2:.2f}"
    return f"{value.mean:{sign}.3f} {spread:>{_INTERVAL_WIDTH}}"


def _count_phrase(count: int) -> Text:
    return Text(f"{count:,}", style="red" if count else "")


def _percent(share: float) -> str:
    return f"{100 * share:g}%"
