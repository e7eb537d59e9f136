"""Write a learned profile as readable TOML; the same sessions give the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from compactor_cli.evaluation.learning.held_out import Figures, HeldOut, PartFigures
from compactor_cli.features.name_features import BY_CLASS, CLASSES, NAME_KINDS, SIGNALS
from compactor_cli.features.talk import CHAT_SIGNALS, TALK_SIGNALS
from compactor_cli.model.profile import PROFILE_VERSION

_HEADER = """\
# What the rest of a session is likely to need, learned by `compactor learn`.
#
#   compactor compact SESSION.jsonl --target-ratio 0.25 --profile THIS_FILE
#   compactor evaluate SESSION.jsonl --profile THIS_FILE
#
# The value of a name (a path, a symbol, a number, something in quotes) is
# 1 / (1 + exp(-(bias + sum of weight x signal))): a weight above 0 speaks for keeping what holds the
# name, one below 0 against it. Weights may be edited; a signal without a weight counts nothing."""
_ROWS = {
    "by_session": "strategy adaptive, weights learned without the session",
    "by_source": "strategy adaptive, weights learned without the whole source",
}
_STATEMENTS = """\
# What people say, learned by `python -m benchmarks.talk`: the value of a message or sentence is
# 1 / (1 + exp(-(bias + sum of weight x signal))). Without these tables the shipped ones are used."""
_STATEMENT_TABLES = {
    "talk": ("messages of a conversation that are asked for later", TALK_SIGNALS),
    "binding": ("sentences of a user that bind the rest", TALK_SIGNALS),
    "needed": ("statements of a chat of a user and an agent that are needed to go on with it", CHAT_SIGNALS),
}
DIGITS = 4


class LearnedProfile(Struct, frozen=True):
    """What was learned, and from what."""

    weights: Mapping[str, float]
    sources: Mapping[str, int]
    cases: int
    names: int
    penalty: float
    held_out: HeldOut | None
    not_held_out: str

    @property
    def sessions(self) -> int:
        return sum(self.sources.values())


def profile_text(taught: LearnedProfile) -> str:
    """Return the whole file; `profiles.parse_profile` reads it back."""
    lines = [
        _HEADER,
        "",
        f"version = {PROFILE_VERSION}",
        f"sessions = {taught.sessions}",
        f"cases = {taught.cases}  # cuts of the sessions; what stands behind a cut tells what was needed",
        f"names = {taught.names}  # names before the cuts, each needed or not",
        f"penalty = {taught.penalty:g}",
        "",
        "[sources]  # folders, and the sessions of each",
        *(f"{_toml_key(source)} = {count}" for source, count in sorted(taught.sources.items())),
        "",
        *_figure_lines(taught),
        "",
        *_weight_lines(taught.weights),
    ]
    return "\n".join(lines) + "\n"


def _figure_lines(taught: LearnedProfile) -> Iterator[str]:
    held_out = taught.held_out
    if held_out is None:
        yield f"# No held-out figures: {taught.not_held_out}."
        return
    yield "# Measured on sessions that the weights were not learned on, for each row as `compactor evaluate` does."
    yield "# auc: how often a needed name was valued above another one; 0.5 is chance. recall_10: share of what the"
    yield "# rest needed that was still there after compacting to 10%; linked_10: still among the words it stood among."
    yield "[held_out]"
    yield f"folds = {held_out.folds}"
    yield from _table("all", held_out.whole)
    for source, part in held_out.sources.items():
        yield from _table(f"sources.{_toml_key(source)}", part)


def _table(name: str, part: PartFigures) -> Iterator[str]:
    """Yield one line per row."""
    width = max(map(len, part.rows), default=0)
    yield ""
    yield f"[held_out.{name}]"
    for row, figures in part.rows.items():
        values = ", ".join(f"{key} = {value:.{DIGITS}f}" for key, value in figures_of(figures).items())
        comment = f"  # {_ROWS[row]}" if name == "all" and row in _ROWS else ""
        if values:
            yield f"{row:<{width}} = {{ {values} }}{comment}"


def figures_of(figures: Figures) -> dict[str, float]:
    """Return figures under the names used in files and scripts."""
    values = {} if figures.auc is None else {"auc": figures.auc}
    for shares in figures.kept:
        values[f"linked_{100 * shares.ratio:g}"] = shares.linked
        values[f"recall_{100 * shares.ratio:g}"] = shares.recall
    return values


def _weight_lines(weights: Mapping[str, float]) -> Iterator[str]:
    signals = [("bias", weights["bias"], "of every name"), *((s, weights[s], text) for s, text in SIGNALS.items())]
    yield "[weights]"
    yield from _align_rows(signals)
    for name, kinds in CLASSES.items():
        yield ""
        yield f"# added for names that are a {' or '.join(kinds)}"
        yield from _align_rows([(f'"{signal}.{name}"', weights[f"{signal}.{name}"], "") for signal in BY_CLASS])
    yield ""
    yield "[weights.kind]  # added for what a name is"
    yield from _align_rows([(kind, weights[f"kind.{kind}"], "") for kind in NAME_KINDS])


def with_statements(text: str, tables: Mapping[str, Mapping[str, float]]) -> str:
    """Return the file with these tables of weights for statements, by name; they are always the last ones."""
    lines = [text.partition(_STATEMENTS)[0].rstrip("\n"), "", _STATEMENTS]
    for title, weights in tables.items():
        description, signals = _STATEMENT_TABLES[title]
        rows = [("bias", weights["bias"], "of every statement")]
        rows += [(signal, weights[signal], meaning) for signal, meaning in signals.items()]
        lines += ["", f"[{title}]  # {description}", *_align_rows(rows)]
    return "\n".join(lines) + "\n"


def _align_rows(rows: Iterable[tuple[str, float, str]]) -> Iterator[str]:
    rows = list(rows)
    width = max(len(name) for name, _, _ in rows)
    for name, value, text in rows:
        comment = f"  # {text}" if text else ""
        yield f"{name:<{width}} = {value:>8.{DIGITS}f}{comment}"


def _toml_key(text: str) -> str:
    """Return a quoted TOML key."""
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False).replace("\x7f", r"\u007f")
