"""Nothing kept stands behind text from later messages: in any strategy, format and round."""

from __future__ import annotations

from pathlib import Path

import pytest

from compactor_cli import api
from compactor_cli.model.group import Group
from compactor_cli.model.plan import Decision
from compactor_cli.model.report import Compaction
from compactor_cli.settings import Settings
from compactor_cli.strategies.adaptive.arrangement import arrange
from compactor_cli.summary_text.headers import covered
from compactor_cli.summary_text.verbatim import carried
from tests.pipeline.sessions import Json, assistant, compact, filler, records_of, system, user
from tests.properties.checks import TIME_ORDERED
from tests.properties.time_order import check_time_order
from tests.strategies import growing
from tests.strategies.time_order import find_violations

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "transcripts"
STRATEGIES = sorted(TIME_ORDERED)
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}


def summaries(part: Compaction) -> list[tuple[int, ...]]:
    return [covered(m.text("text")) for m in part.messages if m.index < 0 and m.origin == "summary"]


def long_before_and_behind(middle: Json) -> list[Json]:
    """A session with one message in its middle that is unlike the others."""
    before = [record for number in range(15) for record in filler(number)]
    behind = [record for number in range(15, 40) for record in filler(number)]
    return [system(), user("Add up all parts of the table."), *before, middle, *behind, assistant("All summed up.")]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_cannot_be_repeated_as_text_parts_the_summary(strategy: str) -> None:
    middle = {"role": "user", "content": [{"type": "text", "text": "northern parts as drawn"}, PICTURE]}
    part = compact(long_before_and_behind(middle), strategy=strategy, target_ratio=0.3, keep=("northern parts",))
    (at,) = [m.index for m in part.messages if "northern" in m.text()]
    check_time_order(part.messages)
    assert middle in records_of(part)
    if strategy == "adaptive":  # which writes none before it where no line is worth its tokens: the next one says so
        return
    found = summaries(part)
    assert all(covers[-1] < at or covers[0] > at for covers in found), "no summary stands for both sides of it"
    assert any(covers[-1] < at for covers in found), "a summary stands for what was before it"


@pytest.mark.parametrize("strategy", ["rolling", "handoff", "summarize", "hybrid"])
def test_requests_in_the_middle_are_repeated_in_the_summary_in_their_order(strategy: str) -> None:
    records = long_before_and_behind(user("Leave the northern parts alone, whatever the table says."))
    records[-8:-8] = [user("And round half up, please.")]
    part = compact(records, strategy=strategy, target_ratio=0.3)
    check_time_order(part.messages)
    (text,) = [m.text("text") for m in part.messages if m.origin == "summary"]
    said = [words for _, words in carried(text).turns]
    assert "Leave the northern parts alone, whatever the table says." in said
    everything = "\n".join(m.text() for m in part.messages)
    assert everything.index("northern parts alone") < everything.index("And round half up")


def test_without_room_for_a_heading_on_both_sides_a_kept_turn_moves_into_the_summary() -> None:
    words = "the northern parts are right as they are"
    records = long_before_and_behind(assistant(words))
    narrow = compact(records, strategy="summarize", target_tokens=330, keep=("northern parts",))
    wide = compact(records, strategy="summarize", target_ratio=0.5, keep=("northern parts",))
    check_time_order(narrow.messages)
    check_time_order(wide.messages)
    assert any(m.text() == words for m in wide.messages)
    for part in (narrow, wide):
        assert words in "\n".join(m.text() for m in part.messages)


SHORT = sorted(FOLDER.glob("tau-bench/*_trial0.jsonl"))[:4]
LONG = sorted(FOLDER.glob("openai-long/*/*.jsonl"))[:2]
FILES = [*SHORT, *(pytest.param(path, marks=pytest.mark.everything) for path in LONG)]


@pytest.mark.drawn(16)
@pytest.mark.skipif(not FILES, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_line_of_a_later_message_stands_before_a_kept_one_in_any_round(path: Path, strategy: str) -> None:
    whole = api.load(path.read_bytes(), tokenizer="chars")
    (transcript,) = whole.transcripts
    for ratio in (0.25, 0.1):
        (part,) = api.compact(whole, Settings(strategy=strategy, target_ratio=ratio), tokenizer="chars").parts
        assert find_violations(transcript.messages, part.messages) == []
    for found in growing.compact_rounds(
        growing.split_session(transcript), transcript.tokens // 5, format=whole.format, strategy=strategy
    ):
        check_time_order(found.part.messages)
        assert find_violations(found.told.messages, found.part.messages) == []


def test_no_summary_quotes_an_exchange_that_ends_behind_what_stays() -> None:
    ended_late, kept, later = Group(0, (0, 5), 90), Group(1, (1,), 10), Group(2, (2, 3), 90)
    (stretch,) = arrange(
        [ended_late, kept, later], {1: Decision(1, "whole", 10, "asked")}, lambda group: False, lambda group: 50
    )
    assert [group.index for group in stretch.groups] == [2]


def test_the_one_summary_that_is_needed_stands_for_all_that_is_gone_beside_it() -> None:
    groups = [Group(at, (at,), 90) for at in range(6)]
    whole = {at: Decision(at, "whole", 90, "asked") for at in (0, 4, 5)}
    cost = {0: 90, 4: 90, 5: 90}
    (stretch,) = arrange(groups, whole, lambda group: True, lambda group: cost.get(group.index, 0), required=True)
    assert ([group.index for group in stretch.groups], stretch.tokens) == ([1, 2, 3, 4], 90)
