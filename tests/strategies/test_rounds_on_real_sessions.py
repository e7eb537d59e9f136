"""Five rounds of `rolling`, `ranked` and `handoff` on a session that grows: one summary that forgets nothing.

The target is smaller than each piece, so that every round has something to do, and large enough for the
ledger of the whole session: a summary gives files, errors and commands at most three quarters of its room.
The folder of real transcripts is not part of this project; its tests skip where it is absent.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from compactor_cli import api
from compactor_cli.summary_text.verbatim import carried
from tests.pipeline.sessions import assistant, result, transcript
from tests.strategies import work
from tests.strategies.growing import (
    actions_of,
    check_rounds,
    compact_rounds,
    facts_in,
    lost_facts,
    split_session,
    summary_of,
)

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "transcripts"
LONG = "openai-long/derived-"
REAL = {
    f"{LONG}claude-code-entire-cli/1284c080-f9cd-45f8-9942-ff58f5c517e5.jsonl": 0.18,
    f"{LONG}claude-code-entire-cli/266b3f40-6f1d-491c-aeca-825cbb3fcbc5.jsonl": 0.15,
    f"{LONG}claude-code-entire-cli/53ea1606-cf60-417b-928a-068324ecc7b3.jsonl": 0.15,
    f"{LONG}codex-agentv/019f15f7-b472-7bc3-8651-5547781e25cf.jsonl": 0.18,
    f"{LONG}pi-pi-mono/large-session.jsonl": 0.18,
    "codex/019ed936-c4f5-7a21-ad41-d1eed95dc4df.jsonl": 0.18,
    "codex/019f15f7-b472-7bc3-8651-5547781e25cf.jsonl": 0.18,
    "claude-code/2026-01-27-3cd520f7-d4af-469f-97ac-bcad4933d9d4.jsonl": 0.1,
    "claude-code/2026-01-21-130d7b7e-5801-4345-9bd6-f32fd9b8429b.jsonl": 0.1,
}
EACH = pytest.mark.parametrize("strategy", ["rolling", "ranked", "handoff"])


@pytest.mark.drawn(9)
@EACH
@pytest.mark.parametrize("share", [0.12, 0.15, 0.18])
def test_five_rounds_of_a_generated_session_lose_nothing_and_say_nothing_twice(strategy: str, share: float) -> None:
    told = transcript(work.session(25))
    target = int(share * told.tokens)
    check_rounds(compact_rounds(split_session(told), target, format=told.format, strategy=strategy), target)


@pytest.mark.drawn(27)
@EACH
@pytest.mark.skipif(not FOLDER.is_dir(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", REAL, ids=lambda name: name.rpartition("/")[0] + "/" + name.rpartition("/")[2][:16])
def test_five_rounds_of_a_real_session_lose_nothing_and_say_nothing_twice(name: str, strategy: str) -> None:
    path = FOLDER / name
    if not path.is_file():
        pytest.skip("this transcript is not here")
    (told,) = api.load(path.read_bytes(), str(path), tokenizer="chars").transcripts
    target = int(REAL[name] * told.tokens)
    check_rounds(compact_rounds(split_session(told), target, format=told.format, strategy=strategy), target)


@EACH
def test_every_round_carries_the_first_request_from_the_round_before(strategy: str) -> None:
    told = transcript(work.session(25))
    for one in compact_rounds(split_session(told), told.tokens // 6, format=told.format, strategy=strategy):
        said = [m.text("text") for m in one.part.messages]
        repeated = carried(summary_of(one.part)).first
        assert (repeated == work.FIRST) is (strategy != "ranked")
        assert (work.FIRST in said) is (strategy == "ranked")


@EACH
def test_counts_of_what_was_done_to_a_file_add_up_over_the_rounds(strategy: str) -> None:
    """Every piece edits and reads the same file."""
    records = work.session(1, end=False)[:2]
    for _ in range(25):
        records += list(work.task(0))
    told = transcript(records)
    last = compact_rounds(split_session(told), told.tokens // 6, format=told.format, strategy=strategy)[-1]
    have = actions_of([m for m in last.part.messages if m.origin != "summary"])
    (fact,) = [f for f in facts_in(summary_of(last.part)) if f.section == "Files"]
    assert fact.subject == work.changed_file(0)
    for action in ("edited", "read"):
        assert fact.counts[action] + have[work.changed_file(0), action] == 25


@EACH
def test_where_the_ledger_does_not_fit_changed_files_outlive_those_that_were_only_read(strategy: str) -> None:
    records = work.session(0, end=False)
    for number in range(30):
        read = {"file_path": f"docs/chapter_{number}/reference_of_everything.md"}
        records += [
            assistant(None, (f"d{number}", "Read", read)),
            result(f"d{number}", f"Chapter {number} is plain. " * 40),
            *work.task(number),
        ]
    told = transcript(records)
    target = 2_600
    found = compact_rounds(split_session(told), target, format=told.format, strategy=strategy)
    assert all(one.part.tokens <= target for one in found)
    assert lost_facts(found), "the target is to be too small for the ledger"
    files = [fact for fact in facts_in(summary_of(found[-1].part)) if fact.section == "Files"]
    changed = [fact for fact in files if fact.is_change]
    assert len(changed) >= 10
    assert len(files) - len(changed) <= 2
