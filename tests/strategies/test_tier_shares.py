"""What each tier keeps without a target: about its share, and a newer one never less than an older one."""

from __future__ import annotations

from pathlib import Path

import pytest

from compactor_cli import api
from compactor_cli.model.report import Compaction
from compactor_cli.settings import Settings
from tests.builders import ROOT, load_or_skip
from tests.pipeline.sessions import Json, assistant, compact, long_session, result, user

pytestmark = pytest.mark.one_test_in(2)

SHARES = {0: 1.0, 1: 0.70, 2: 0.40, 3: 0.15}


def shares(part: Compaction) -> dict[int, float]:
    """Tier -> what is left of its tokens."""
    return {line.tier: line.tokens_after / line.tokens_before for line in part.tiers if line.tokens_before}


def talk(messages: int, words: str = "Row {} is in.") -> list[Json]:
    """A conversation of short messages."""
    return [(user, assistant)[n % 2](words.format(n)) for n in range(messages)]


def prose(messages: int) -> list[Json]:
    """A conversation of long messages, each of them many sentences."""
    said = " ".join(f"Part {{0}} has total {i} of column {{0}}{i}." for i in range(40))
    return talk(messages, said)


@pytest.mark.drawn(3)
@pytest.mark.parametrize(
    "records",
    [
        long_session(60, words=120),
        long_session(200, words=30),
        talk(1000),
        talk(300, "Row {} of the table is in."),
        prose(90),
    ],
    ids=["exchanges", "small exchanges", "a thousand of five tokens", "short talk", "long messages"],
)
def test_without_a_target_each_tier_is_cut_to_its_share(records: list[Json]) -> None:
    found = shares(compact(records))
    assert found[0] == 1.0
    for tier in (1, 2, 3):
        assert 0.5 * SHARES[tier] <= found[tier] <= SHARES[tier] + 0.1, found
    assert sorted(found.values(), reverse=True) == list(found.values())


def test_of_a_thousand_short_messages_a_newer_tier_keeps_more_of_its_words() -> None:
    records = talk(1000)
    part = compact(records)
    text = "\n".join(m.text() for m in part.messages)
    kept = [sum(f"Row {n} is in." in text for n in tier) / len(tier) for tier in TIERS_OF_A_THOUSAND]
    assert kept[0] == 1.0
    assert kept[1] >= 0.6
    assert kept[2] >= 0.35
    assert kept[3] <= 0.15


TIERS_OF_A_THOUSAND = (range(990, 1000), range(975, 990), range(950, 975), range(950))


def test_a_large_exchange_at_the_border_of_what_a_tier_keeps_is_cut_and_not_left_out() -> None:
    large = [assistant("Reading all.", ("big", "Read", {"path": "all.csv"})), result("big", "one row of many\n" * 3000)]
    records = long_session(40)
    records[-16:-16] = large
    part = compact(records)
    at = next(i for i, m in enumerate(part.before.messages) if m.text().startswith("one row of many"))
    assert part.plan is not None
    (found,) = [d.rendition for d in part.plan.decisions if at in part.groups[d.group].messages]
    assert found == "shortened"
    assert shares(part)[1] >= 0.5


def test_the_tiers_of_a_report_count_what_a_summary_repeats_where_it_came_from() -> None:
    part = compact(talk(1000))
    moved = [d for d in part.plan.decisions if d.reason == "repeated in the summary"] if part.plan else []
    assert moved
    assert shares(part)[2] > 2 * shares(part)[3]


def test_what_is_protected_takes_nothing_from_the_share_of_its_tier() -> None:
    """The first request is most of the oldest tier, and stays whole."""
    asked = user("Keep to this plan. " + "It has many steps, of which each is one of many. " * 80)
    part = compact([asked, *talk(65, "Row {} of this table is in. " + "It has been read by both of us. " * 5)])
    found = shares(part)
    assert sorted(found.values(), reverse=True) == list(found.values()), found
    assert found[3] < 0.5
    assert part.protected.tokens_before == part.protected.tokens_after > 900


def test_after_an_exchange_that_was_cut_older_ones_stay_as_far_as_there_is_room() -> None:
    """The large one at the border can be cut to a few lines only: what is left of the share is not given away."""
    large = [assistant("Reading all.", ("big", "Read", {"path": "all.csv"})), result("big", "x" * 9_000)]
    records = long_session(40)
    records[-16:-16] = large
    assert shares(compact(records))[1] >= 0.6


def test_a_tier_too_small_for_a_summary_goes_into_that_of_the_next_newer_one() -> None:
    part = compact(talk(53, "Row {} of this table is in. " + "It has been read by both of us. " * 20))
    assert part.plan is not None
    assert [slot.groups[0] for slot in part.plan.slots][:1] == [1]
    assert shares(part)[3] < 1.0


REAL = ROOT.parent / "shared" / "transcripts"
FILES = sorted(REAL.glob("tau-bench/*.jsonl"))[::5] + sorted(REAL.glob("swe-agent/*.jsonl"))[::4]
FILES += sorted(REAL.glob("claude-code/*.jsonl"))[::3] + sorted(REAL.glob("codex/*.jsonl"))[::3]


@pytest.mark.drawn(12)
@pytest.mark.skipif(not REAL.is_dir(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_in_real_sessions_a_newer_tier_keeps_no_smaller_share(path: Path) -> None:
    for part in api.compact(load_or_skip(path, "chars"), Settings(strategy="tiered"), tokenizer="chars").parts:
        found = [x.tokens_after / x.tokens_before for x in part.tiers if x.tokens_before >= 300]
        assert sorted(found, reverse=True) == found
