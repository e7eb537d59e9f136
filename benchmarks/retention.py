"""`python -m benchmarks.retention NAME=FOLDER[,FOLDER...]...`: measure what survives, on sessions not learned on.

Each NAME is a set of sessions of one kind of tool. The output is Markdown for docs/retention.md. For every set it has
what `compactor evaluate` measures, with several rows for the strategy `adaptive`:

- `shipped`: with the profile of the package;
- `by session`: with weights learned without the session (five folds over all sets);
- `by set`: with weights learned on the other sets only;
- `by NAME`: with weights learned on one other set only.

This needs numpy (the extra `learn`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from compactor_cli import api
from compactor_cli.cli.methods import plain_method
from compactor_cli.errors import BudgetError, InputError
from compactor_cli.evaluation.learning.examples import Lesson, TrainingCase, cases_of, opening_of
from compactor_cli.evaluation.learning.fit import fit
from compactor_cli.evaluation.learning.held_out import folds_by_session
from compactor_cli.evaluation.retention.baselines import BASELINES
from compactor_cli.evaluation.retention.cases import EvaluatedSession, Prepared, prepare
from compactor_cli.evaluation.retention.comparison import Evaluation
from compactor_cli.evaluation.retention.measure import Method, NoOutputError, evaluate
from compactor_cli.evaluation.retention.statistics import MeanEstimate
from compactor_cli.model.message import Message
from compactor_cli.model.profile import Profile
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.run import compact
from compactor_cli.profiles import completed, default_profile
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for

RATIOS = (0.1, 0.25, 0.5)
CUTS = (0.5, 0.75)
FOLDS = 5
COUNTER = make_counter("o200k_base").counter
_Choose = Callable[[str], Profile | None]


def main(arguments: Sequence[str]) -> int:
    sets = {name: sessions_of(folders.split(",")) for name, _, folders in (a.partition("=") for a in arguments)}
    if not sets or any(not sessions for sessions in sets.values()):
        print(__doc__, file=sys.stderr)
        return 2
    cases = {
        name: [case for s in sessions for case in cases_of(s.name, s.transcript.messages)]
        for name, sessions in sets.items()
    }
    source = {s.name: name for name, sessions in sets.items() for s in sessions}
    held_out = _by_session(sets, cases, source)
    for name, sessions in sets.items():
        prepared = prepare(sessions, CUTS)
        others = {other: _profile(cases[other], source) for other in sets if other != name and cases[other]}
        rows: dict[str, _Choose] = {
            "`adaptive`, by session": held_out.get,
            "`adaptive`, shipped": partial(_always, default_profile()),
        }
        if others:
            without = _profile([c for other in others for c in cases[other]], source)
            rows["`adaptive`, by set"] = partial(_always, without)
        for other, profile in others.items():
            rows[f"`adaptive`, by {other}"] = partial(_always, profile)
        methods = [_method(row, choose) for row, choose in rows.items()]
        methods += [
            _method(f"`{other}`{', by session' if STRATEGIES[other].learned else ''}", held_out.get, other)
            for other in STRATEGIES
            if other != "adaptive"
        ]
        methods += [plain_method(plain, COUNTER) for plain in BASELINES]
        print_result(name, prepared, evaluate(prepared, methods, RATIOS))
    return 0


def sessions_of(folders: Sequence[str]) -> list[EvaluatedSession]:
    found = []
    for folder in folders:
        for path in sorted(p for p in Path(folder).rglob("*.jsonl") if not p.name.startswith("_")):
            name = f"{Path(folder).name}/{path.relative_to(folder)}"
            try:
                source = api.load(path.read_bytes(), name, tokenizer="o200k_base")
            except InputError as error:
                print(f"left out: {error}", file=sys.stderr)
                continue
            # conversations of one file are similar, so they count as one session
            found += [EvaluatedSession(name, transcript) for transcript in source.transcripts]
    return found


def _by_session(
    sets: Mapping[str, Sequence[EvaluatedSession]],
    cases: Mapping[str, Sequence[TrainingCase]],
    source: Mapping[str, str],
) -> dict[str, Profile]:
    """Return for each session a profile that was learned without its fold."""
    lessons = [
        Lesson(s.name, name, opening_of(s.transcript.messages)) for name, sessions in sets.items() for s in sessions
    ]
    folds = folds_by_session(lessons, FOLDS, 0)
    everything = [case for own in cases.values() for case in own]
    profiles = {
        fold: _profile([case for case in everything if folds[case.session] != fold], source)
        for fold in sorted(set(folds.values()))
    }
    return {name: profiles[fold] for name, fold in folds.items()}


def _profile(cases: Sequence[TrainingCase], source: Mapping[str, str]) -> Profile:
    return completed(Profile(fit(cases, source), "held out"))


def _always(profile: Profile, session: str) -> Profile:
    return profile


def _method(name: str, choose: _Choose, strategy: str = "adaptive") -> Method:
    def run(front: Transcript, target: int) -> Sequence[Message]:
        settings = Settings(strategy=strategy, target_tokens=target)
        try:
            return compact(front, tools_for(front, COUNTER, settings, choose(front.path)), settings).messages
        except BudgetError as error:
            raise NoOutputError(str(error)) from None

    return Method(name, "strategy", run)


def print_result(name: str, prepared: Prepared, result: Evaluation) -> None:
    print(f"### {name}: {result.sessions} sessions, {result.cases} cases\n")
    heads = [f"{what} {ratio:.0%}" for what in ("LINKED", "recall", "old half") for ratio in RATIOS]
    print(f"| | {' | '.join(heads)} |")
    print("|---" * (1 + 3 * len(RATIOS)) + "|")
    for method in dict.fromkeys(row.method for row in result.rows):
        rows = [row for row in result.rows if row.method == method]
        cells = [_show(row.linked) for row in rows] + [f"{row.recall.mean:.3f}" for row in rows]
        cells += ["-" if row.old_half is None else f"{row.old_half:.3f}" for row in rows]
        print(f"| {method} | " + " | ".join(cells) + " |")
    print("\nLINKED of the first row minus that of another, with its 95% interval:\n")
    print("| | " + " | ".join(f"{r:.0%}" for r in RATIOS) + " |")
    print("|---" * (1 + len(RATIOS)) + "|")
    for other in dict.fromkeys(d.other for d in result.differences):
        own = [d.linked for d in result.differences if d.other == other]
        print(f"| {other} | " + " | ".join(_show_difference(d) for d in own) + " |")
    print(flush=True)


def _show(found: MeanEstimate) -> str:
    if found.low is None or found.high is None:
        return f"{found.mean:.3f}"
    return f"{found.mean:.3f} ±{(found.high - found.low) / 2:.2f}"


def _show_difference(found: MeanEstimate) -> str:
    if found.low is None or found.high is None:
        return f"{found.mean:+.3f}"
    return f"{found.mean:+.3f} ({found.low:+.2f} to {found.high:+.2f})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
