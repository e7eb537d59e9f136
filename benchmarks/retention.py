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
from compactor_cli.evaluation.retention.measure import Evaluation, Method, NoOutputError, evaluate
from compactor_cli.evaluation.retention.statistics import MeanEstimate
from compactor_cli.model.message import Message
from compactor_cli.model.profile import Profile
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.run import compact
from compactor_cli.profiles import complete_profile, default_profile
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
        other_profiles = {
            other_name: _profile(cases[other_name], source)
            for other_name in sets
            if other_name != name and cases[other_name]
        }
        rows: dict[str, _Choose] = {
            "`adaptive`, by session": held_out.get,
            "`adaptive`, shipped": partial(_constant_profile, default_profile()),
        }
        if other_profiles:
            without = _profile([c for other_name in other_profiles for c in cases[other_name]], source)
            rows["`adaptive`, by set"] = partial(_constant_profile, without)
        for other_name, profile in other_profiles.items():
            rows[f"`adaptive`, by {other_name}"] = partial(_constant_profile, profile)
        methods = [_method(row, choose) for row, choose in rows.items()]
        methods += [
            _method(
                f"`{other_name}`{', by session' if STRATEGIES[other_name].learned else ''}", held_out.get, other_name
            )
            for other_name in STRATEGIES
            if other_name != "adaptive"
        ]
        methods += [plain_method(plain, COUNTER) for plain in BASELINES]
        print_result(name, prepared, evaluate(prepared, methods, RATIOS))
    return 0


def sessions_of(folders: Sequence[str]) -> list[EvaluatedSession]:
    sessions = []
    for folder in folders:
        for path in sorted(p for p in Path(folder).rglob("*.jsonl") if not p.name.startswith("_")):
            name = f"{Path(folder).name}/{path.relative_to(folder)}"
            try:
                source = api.load(path.read_bytes(), name, tokenizer="o200k_base")
            except InputError as error:
                print(f"left out: {error}", file=sys.stderr)
                continue
            # conversations of one file are similar, so they count as one session
            sessions += [EvaluatedSession(name, transcript) for transcript in source.transcripts]
    return sessions


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
    everything = [case for set_cases in cases.values() for case in set_cases]
    profiles = {
        fold: _profile([case for case in everything if folds[case.session] != fold], source)
        for fold in sorted(set(folds.values()))
    }
    return {name: profiles[fold] for name, fold in folds.items()}


def _profile(cases: Sequence[TrainingCase], source: Mapping[str, str]) -> Profile:
    return complete_profile(Profile(fit(cases, source), "held out"))


def _constant_profile(profile: Profile, session: str) -> Profile:
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
    for other_method in dict.fromkeys(d.other for d in result.differences):
        differences = [d.linked for d in result.differences if d.other == other_method]
        print(f"| {other_method} | " + " | ".join(_show_difference(d) for d in differences) + " |")
    print(flush=True)


def _show(method_row_shown: MeanEstimate) -> str:
    if method_row_shown.low is None or method_row_shown.high is None:
        return f"{method_row_shown.mean:.3f}"
    return f"{method_row_shown.mean:.3f} ±{(method_row_shown.high - method_row_shown.low) / 2:.2f}"


def _show_difference(shown_difference: MeanEstimate) -> str:
    if shown_difference.low is None or shown_difference.high is None:
        return f"{shown_difference.mean:+.3f}"
    return f"{shown_difference.mean:+.3f} ({shown_difference.low:+.2f} to {shown_difference.high:+.2f})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
