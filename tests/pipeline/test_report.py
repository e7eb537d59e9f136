"""What is reported of a compaction, told whole in golden files: sessions of two agents, one that has to be mended, one
of several rounds, and one that somebody took a message out of."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from compactor_cli import api
from compactor_cli.model.decisions import Choice, MessageKey
from compactor_cli.model.report import Compaction
from compactor_cli.pipeline.decision_files import by_conversation
from compactor_cli.pipeline.run import compact_source
from compactor_cli.settings import Settings
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for
from tests.builders import ROOT
from tests.pipeline.sessions import Json, assistant, compact, filler, long_session, records_of, result, to_bytes, user
from tests.strategies import work

GOLDEN = Path(__file__).parent / "golden"
STRATEGIES = {"truncate": 0.25, "rolling": 0.4, "tiered": 0.6}
"""And the share of a session's tokens that each is to come down to."""


def mended() -> list[Json]:
    """A result without a call, a call without a result, two results of one call, and one that comes late."""
    return [
        *work.session(3, end=False),
        result("nobody", "an answer to no call"),
        assistant("I try it.", "m1", "m2"),
        result("m2", "second"),
        result("m2", "second, once more"),
        user("And then?"),
        result("m1", "first"),
        assistant("Both are there.", "m3"),
        user("What of the third?"),
        *filler(1),
        *filler(2),
        assistant("The last one runs.", "m4"),
    ]


def rounds() -> list[Json]:
    records = work.session(4, end=False)
    for start in (4, 7, 10):
        records = records_of(compact(records, strategy="rolling", target_ratio=0.4))
        records += [record for number in range(start, start + 3) for record in work.task(number)]
    return [*records, user(work.LAST)]


MADE = {"mended": mended, "rounds": rounds, "dropped": lambda: work.session(4)}
SAMPLES = ("claude-code", "codex")


def ranges(numbers: tuple[int, ...]) -> str:
    """Numbers, runs of them as their ends."""
    runs = [[n for _, n in run] for _, run in groupby(enumerate(sorted(numbers)), lambda pair: pair[1] - pair[0])]
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs) or "none"


def told(part: Compaction) -> str:
    how = part.dispositions
    lines = [
        f"{part.before.tokens} -> {part.tokens} tokens, target {part.target}, round {part.round}",
        f"kept {how.kept}, shortened {how.shortened}, summarized {how.summarized}, dropped {how.dropped}",
        f"residuals: {len(part.residuals)} of {part.residual_tokens} tokens: {ranges(tuple(part.residuals))}",
        *(f"tier {t.tier}: {t.messages} messages, {t.tokens_before} -> {t.tokens_after}" for t in part.tiers),
        "spent: " + ", ".join(f"{spent.name} {spent.tokens}" for spent in part.spent),
        f"changed from message {part.first_changed_index} on, {part.prefix_tokens_kept} tokens before it",
        f"records taken out or changed: {ranges(part.removed)}",
        *(f"repair at {note.index}: {note.kind}, {note.detail}" for note in part.repairs),
        *(f"warning: {warning}" for warning in part.warnings),
    ]
    return "\n".join(lines)


def reported(name: str, strategy: str, ratio: float) -> str:
    data = to_bytes(MADE[name]()) if name in MADE else (ROOT / "sample_transcripts" / f"{name}.jsonl").read_bytes()
    source, settings = api.load(data, tokenizer="chars"), Settings(strategy=strategy, target_ratio=ratio)
    tools = [tools_for(one, make_counter("chars").counter, settings) for one in source.transcripts]
    choices: dict[MessageKey, Choice] = (
        {MessageKey(0, 12): "drop", MessageKey(0, 20): "keep"} if name == "dropped" else {}
    )
    decided = by_conversation(choices, len(source.transcripts))
    output, parts = compact_source(source, tools, settings, decided=decided)
    again = api.load(output, format=source.transcripts[0].format, tokenizer="chars")
    assert [t.tokens for t in again.transcripts] == [part.tokens for part in parts]
    return f"{strategy}, {ratio}\n" + "\n\n".join(map(told, parts))


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", [*MADE, *SAMPLES])
def test_what_is_reported_of_a_session(name: str, golden) -> None:
    blocks = [reported(name, strategy, ratio) for strategy, ratio in STRATEGIES.items()]
    golden(GOLDEN / f"report of {name}.txt", "\n\n".join(blocks) + "\n")


def test_a_round_in_which_nothing_is_summarized_is_none() -> None:
    told = compact(long_session(20), target_ratio=0.4, strategy="rolling")
    assert told.round == 1
    shortened = compact([user("Go."), assistant(None, "c1"), result("c1", "a row\n" * 400)], target_ratio=0.5)
    assert shortened.dispositions.shortened == 1
    assert shortened.round == 0
