"""The report of `compactor evaluate`, word for word, from figures that no strategy can change."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from compactor_cli.evaluation.retention.cases import Skipped
from compactor_cli.evaluation.retention.measure import Difference, Evaluation, MethodRow
from compactor_cli.evaluation.retention.statistics import MeanEstimate
from compactor_cli.render.evaluation import evaluation_tables, limit_notes

GOLDEN = Path(__file__).parent / "golden"


def estimate(mean, spread=0.05):
    return MeanEstimate(mean, mean - spread, mean + spread)


def row(method, kind, ratio, linked, **extra):
    given = {
        "recall": estimate(min(1, linked + 0.02)),
        "old_half": linked / 2,
        "size": 0.98,
        "over": 0,
        "failed": 0,
        "seconds": 0.125,
        "failures": (),
    }
    return MethodRow(method=method, kind=kind, ratio=ratio, linked=estimate(linked), **{**given, **extra})


def rows(ratio, linked):
    return (
        row("tiered", "strategy", ratio, linked),
        row("other-tool", "against", ratio, 0.0, size=1.75, over=12, old_half=None),
        row(
            "a-tool-with-a-very-long-name",
            "against",
            ratio,
            0.0,
            size=None,
            failed=12,
            failures=(("exit code 1: ValueError: bad \x1b[31minput", 12),),
        ),
        row("keep_last", "baseline", ratio, linked - 0.2),
        row("mask", "baseline", ratio, linked - 0.01),
    )


def difference(ratio, other, linked, spread=0.05):
    return Difference(ratio, "tiered", other, estimate(linked, spread), estimate(linked, spread))


RESULT = Evaluation(
    sessions=6,
    cases=12,
    needs=500,
    skipped=(
        Skipped("sessions/broken.jsonl", None, "sessions/broken.jsonl:3: not JSON"),
        *(Skipped(f"sessions/short-{n}.jsonl", 0.5, f"{n} tokens to compact, fewer than 1,000") for n in range(9)),
    ),
    rows=(*rows(0.1, 0.5), *rows(0.25, 0.75)),
    differences=(
        difference(0.1, "keep_last", 0.2),
        difference(0.1, "mask", 0.01),
        difference(0.25, "keep_last", -0.2),
        difference(0.25, "mask", 0.01),
    ),
)


def shown(result, width, *, terminal=False):
    stream = io.StringIO()
    looks = {"highlight": False, "emoji": False, "markup": False, "color_system": None, "force_terminal": terminal}
    console = Console(file=stream, width=width, **looks)
    for piece in evaluation_tables(console, result, "o200k_base"):
        console.print(piece, soft_wrap=isinstance(piece, str))
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


@pytest.mark.parametrize("width", [80, 100])
def test_what_people_read_is_as_it_was_and_fits(golden, width):
    text = shown(RESULT, width)
    assert "\x1b" not in text
    wrapped_by_the_terminal = ("failed: ", "skipped: ")
    assert [t for t in text.splitlines() if cell_len(t) > width and not t.startswith(wrapped_by_the_terminal)] == []
    golden(GOLDEN / f"evaluate-{width}.txt", text)


@pytest.mark.parametrize("width", [80, 90, 100, 140])
@pytest.mark.parametrize("terminal", [True, False])
def test_no_figure_is_cut_at_any_width(width, terminal):
    lines = shown(RESULT, width, terminal=terminal).splitlines()
    cut = [line for line in lines if "…" in line]
    assert all(line.startswith("a-tool-with-") for line in cut), cut
    for name in ("method", "LINKED", "recall", "old half", "size/target", "over", "failed", "seconds"):
        assert sum(name in line for line in lines) >= 2, name


def test_without_cases_only_what_was_skipped_is_shown():
    text = shown(Evaluation(0, 0, 0, RESULT.skipped[:2], (), ()), 100)
    assert len(text.splitlines()) == 2


def test_few_sessions_are_called_few():
    for sessions, words in ((1, "one session says little"), (2, "at least 3 sessions"), (6, "6 sessions say little")):
        assert words in " ".join(limit_notes(Evaluation(sessions, 1, 3, (), (), ())))
    assert "little" not in " ".join(limit_notes(Evaluation(100, 200, 600, (), (), ())))
