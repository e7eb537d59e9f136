"""Adaptive again and again: the same bytes for the same input, and rounds over a session that grows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.model.report import Compaction
from compactor_cli.settings import Settings
from compactor_cli.summary_text.headers import round_of
from tests.builders import ROOT, run_process
from tests.pipeline.sessions import Json, assistant, compact, load, records_of, to_bytes, user
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(3)

SAMPLES = sorted((ROOT / "sample_transcripts").glob("*.jsonl"))


def summaries(part: Compaction) -> list[str]:
    return [m.text() for m in part.messages if m.origin == "summary"]


def grown(part: Compaction, tasks: range) -> list[Json]:
    """What came out, and the session going on."""
    return [*records_of(part), *(record for number in tasks for record in work.task(number)), user("So go on.")]


@pytest.mark.parametrize("ratio", [0.1, 0.25, 0.6])
def test_the_same_input_gives_the_same_bytes(ratio: float) -> None:
    assert compact(work.session(6), target_ratio=ratio).data == compact(work.session(6), target_ratio=ratio).data


@pytest.mark.drawn(7)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_processes_with_other_hash_seeds_write_the_same_bytes(sample: Path) -> None:
    arguments = (
        "compact",
        str(sample),
        "--target-ratio",
        "0.2",
        "--tokenizer",
        "chars",
        "--strategy",
        "adaptive",
        "--quiet",
    )
    first, second = (run_process(*arguments, PYTHONHASHSEED=seed) for seed in ("1", "4242"))
    assert first.code == second.code == 0, first.stderr
    assert first.stdout == second.stdout
    assert re.search(rb"(?:## Session Summary of |\[)#\d+-\d+", first.stdout)  # in small rooms a short heading


@pytest.mark.parametrize(
    "target", [{"target_tokens": 900}, {"target_tokens": 5_000}, {"target_ratio": 0.1}, {"target_ratio": 0.5}]
)
def test_the_same_target_again_changes_nothing(target: dict[str, Any]) -> None:
    first = compact(work.session(10), **target)
    assert first.changed
    again = api.load(first.data, format="openai-chat", tokenizer="chars")
    assert api.compact(again, Settings(**target), tokenizer="chars").data == first.data


@pytest.mark.drawn(7)
@pytest.mark.parametrize("ratio", [0.05, 0.1, 0.25, 0.5])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_the_same_ratio_again_changes_no_sample(sample: Path, ratio: float) -> None:
    source = api.load(sample.read_bytes(), tokenizer="chars")
    # below some hundred tokens there is no room to say what a summary was compacted from
    if any(ratio * transcript.tokens < 450 for transcript in source.transcripts):
        pytest.skip("too small to know what it was compacted from")
    first = api.compact(source, Settings(target_ratio=ratio), tokenizer="chars")
    again = api.load(first.data, format=source.format, tokenizer="chars")
    assert api.compact(again, Settings(target_ratio=ratio), tokenizer="chars").data == first.data


def test_a_second_round_names_itself_and_carries_lines_of_the_first() -> None:
    first = compact(work.session(8, end=False), target_tokens=2_500)
    second = compact(grown(first, range(8, 14)), target_tokens=2_500)
    assert second.tokens <= 2_500
    assert second.round == 2
    assert {round_of(text) for text in summaries(second) if "## Session Summary" in text} == {2}
    assert "\nearlier #" in "\n".join(summaries(second)), "lines that the first summary quoted are carried on"
    said = "\n".join(m.text() for m in second.messages)
    old = [n for n in range(8) if work.request(n).partition("\n")[0] in said]
    new = [n for n in range(8, 14) if work.request(n).partition("\n")[0] in said]
    assert len(old) >= 6
    assert len(new) == 6


def test_no_heading_of_an_earlier_summary_is_quoted() -> None:
    first = compact(work.session(8, end=False), target_tokens=2_500)
    second = compact(grown(first, range(8, 14)), target_tokens=2_500)
    headings = [text.count("## Session Summary") for text in summaries(second)]
    assert sum(headings) >= 1
    assert max(headings) == 1
    for text in summaries(second):
        assert "… what was left out" not in text.split("\n", 1)[1]


def test_no_line_is_carried_twice() -> None:
    first = compact(work.session(8, end=False), target_tokens=3_000)
    second = compact(grown(first, range(8, 12)), target_tokens=3_000)
    said = "\n".join(m.text() for m in second.messages)
    for number in range(12):
        assert said.count(work.request(number).partition("\n")[0]) <= 1


@pytest.mark.parametrize("target", [700, 2_000])
def test_rounds_count_on_and_never_leave_the_target(target: int) -> None:
    records = work.session(6, end=False)
    for number in range(1, 6):
        part = compact(records, target_tokens=target)
        assert part.tokens <= target
        assert part.round == number
        assert max(round_of(text) for text in summaries(part)) == number
        assert records_of(part)[:2] == work.session(1)[:2]
        records = grown(part, range(6 * number, 6 * number + 6))


def test_a_ratio_is_of_everything_the_session_ever_said() -> None:
    first = compact(work.session(8, end=False), target_ratio=0.25)
    more = [record for number in range(8, 10) for record in work.task(number)]
    second = compact([*records_of(first), *more], target_ratio=0.25)
    whole = load([*work.session(8, end=False), *more]).tokens
    assert second.target is not None
    assert second.tokens <= second.target
    assert abs(second.target - whole // 4) < 0.02 * whole


def test_what_is_added_to_a_compacted_session_and_fits_changes_nothing() -> None:
    first = compact(work.session(8), target_tokens=3_000)
    records = [*records_of(first), assistant("Done.")]
    part = compact(records, target_tokens=3_200)
    assert part.data == to_bytes(records)


@pytest.mark.parametrize("ratio", [0.25, 0.3, 0.35, 0.4, 0.45])
def test_a_summary_of_a_chat_does_not_stand_with_the_numbers_of_an_earlier_round(ratio: float) -> None:
    said = [
        [
            user(f"On day {day} I saw the {sight} and paid {day}7 euros. Aunt Ilse{day} came, never tell her son."),
            assistant(f"Noted: {day}7 euros. " + f"The weather was fine, and there is more on day {day + 1}. " * 8),
        ]
        for day, sight in enumerate(["garden", "harbour", "mill", "orchard", "chapel", "bakery"] * 4)
    ]
    first = compact([record for day in said[:16] for record in day], target_ratio=0.2)
    assert re.search(r"^#29: ", "\n".join(summaries(first)), re.MULTILINE)
    later = [record for day in said[16:] for record in day]
    second = compact([*records_of(first), *later, user("What did I pay in all?")], target_ratio=ratio)
    named = [text for text in summaries(second) if text.startswith("## Session Summary of #")]
    assert named
    assert {round_of(text) for text in named} == {2}
    assert not re.search(r"^#29: ", "\n".join(summaries(second)), re.MULTILINE), "no message has that number now"
