"""What a system prompt may take: half of the room at most, as long as the session itself needs room."""

from __future__ import annotations

import pytest

from compactor_cli import api
from compactor_cli.settings import Settings
from tests.builders import ROOT, load_or_skip
from tests.pipeline.sessions import Json, assistant, compact, result, system, user

PROMPT = "\n".join(f"- Rule {n} of the desk: forms of kind {n * 7} go to shelf {n * 3} before noon." for n in range(60))
STRATEGIES = ["adaptive", "tiered", "rolling", "handoff", "hybrid", "summarize", "truncate", "ranked"]
REAL = ROOT.parent / "shared" / "transcripts" / "tau-bench" / "task14_trial0.jsonl"


def session() -> list[Json]:
    records = [system(PROMPT), user("Please sort the forms of this week.")]
    for n in range(12):
        listing = "\n".join(f"form F{n}{at:02} of kind {at} lies in tray {n}" for at in range(12))
        records += [assistant(f"I look into tray {n}.", f"c{n}"), result(f"c{n}", listing)]
        records += [assistant(f"Tray {n} has 12 forms."), user(f"Go on with tray {n + 1}.")]
    return records


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_larger_target_never_keeps_much_less_of_the_session(strategy: str) -> None:
    prompt = compact([system(PROMPT), user("Hi.")]).messages[0].tokens
    most = 0
    for share in range(60, 260, 20):
        part = compact(session(), strategy=strategy, target_tokens=prompt * share // 100)
        rest = sum(message.tokens for message in part.messages if message.role != "system")
        assert rest > 0.75 * most, share
        most = max(most, rest)


@pytest.mark.parametrize(("share", "whole"), [(150, False), (260, True)])
def test_a_prompt_is_whole_where_it_leaves_half_of_the_room(share: int, whole: bool) -> None:
    prompt = compact([system(PROMPT), user("Hi.")]).messages[0].tokens
    target = prompt * share // 100
    first = compact(session(), strategy="adaptive", target_tokens=target).messages[0]
    assert (first.text() == PROMPT) is whole
    assert whole or 0.4 * target < first.tokens <= 0.5 * target


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_prompt_has_all_the_room_that_nothing_else_needs(strategy: str) -> None:
    records = [system(PROMPT), user("Please sort the forms."), assistant("They are sorted.")]
    size = sum(message.tokens for message in compact(records).messages)
    part = compact(records, strategy=strategy, target_tokens=size - 20)
    assert part.messages[0].tokens > 0.9 * (size - 20) - 60


@pytest.mark.skipif(not REAL.is_file(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("strategy", ["adaptive", "rolling"])
def test_a_real_session_keeps_more_of_what_was_said_the_larger_the_target(strategy: str) -> None:
    source = load_or_skip(REAL, "o200k_base")
    kept = []
    for ratio in (0.2, 0.25, 0.3, 0.35, 0.4):
        (part,) = api.compact(source, Settings(strategy=strategy, target_ratio=ratio), tokenizer="o200k_base").parts
        kept.append(sum(message.tokens for message in part.messages if message.role != "system"))
    assert kept == sorted(kept)
