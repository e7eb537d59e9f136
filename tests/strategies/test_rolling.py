"""`rolling` (seed 001): the system message, one session summary that each round carries on, the recent messages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from compactor_cli.formats import FORMATS
from compactor_cli.model.report import Compaction
from compactor_cli.pipeline import run as pipeline
from compactor_cli.pipeline.verify import faults
from compactor_cli.settings import Settings
from compactor_cli.summaries.extractive import Extractive
from compactor_cli.summary_text.headers import covered
from compactor_cli.summary_text.verbatim import carried
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for
from tests.builders import run_process
from tests.pipeline.sessions import (
    Json,
    assistant,
    filler,
    load,
    long_session,
    records_of,
    result,
    system,
    to_bytes,
    transcript,
    user,
)
from tests.pipeline.sessions import compact as compact_with
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(3)

compact = partial(compact_with, strategy="rolling")
TARGETS: list[dict[str, Any]] = [{}, {"target_ratio": 0.25}, {"target_ratio": 0.1}]
HEADINGS = [
    "### Original Task",
    "### Completed Work",
    "### Key Technical Decisions",
    "### Current State",
    "### Pending Work",
    "### Errors & Resolutions",
]


def summary_of(part: Compaction) -> str:
    (text,) = [m.text("text") for m in part.messages if m.origin == "summary"]
    return text


def is_valid(part: Compaction) -> bool:
    return not faults(part.messages, adjacent_results=True)


# -- the shape


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_the_output_is_the_system_message_one_summary_and_recent_messages(target: dict[str, Any]) -> None:
    records = work.session(12)
    part = compact(records, **target)
    first, second, *rest = part.messages
    assert first.role == "system"
    assert second.origin == "summary"
    kept = [m.index for m in rest]
    assert kept == list(range(kept[0], len(records))), "an unbroken run of the newest messages"
    assert covered(second.text("text")) == tuple(range(1, kept[0]))


@pytest.mark.parametrize("number", [1, 4, 10, 15])
def test_without_a_target_the_recent_messages_that_are_set_stay_as_they_were(number: int) -> None:
    records = work.session(12)
    part = compact(records, recent_messages=number)
    kept = [m.index for m in part.messages if m.index > 0]
    # a border inside an exchange moves back to its call
    assert number <= len(kept) <= number + 1
    assert part.data.splitlines()[-number:] == to_bytes(records).splitlines()[-number:]


def test_room_that_is_left_goes_to_older_exchanges() -> None:
    few, many = (compact(work.session(30), target_ratio=ratio) for ratio in (0.4, 0.95))
    assert len(many.messages) > len(few.messages) > 12


def test_the_headings_are_those_of_seed_001_in_its_order() -> None:
    records = [*work.session(8, end=False), assistant("We decided to use Decimal instead of float, because of cents.")]
    records += [
        assistant("Next, the importer needs a look."),
        *filler(1),
        *filler(2),
        *filler(3),
        *filler(4),
        *filler(5),
    ]
    text = summary_of(compact(records))
    found = [line.partition(" (")[0] for line in text.splitlines() if line.startswith("### ")]
    assert [h for h in found if h in HEADINGS] == HEADINGS
    assert (
        "| File/Component | Action | Description |\n| --- | --- | --- |\n| `src/billing/module_0.py` | edited, read |"
        in text
    )
    assert "The last request is not answered yet." not in text


# -- requests


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_the_first_request_and_a_last_one_that_is_not_recent_are_repeated_word_for_word(target: dict[str, Any]) -> None:
    last = "Write the changelog.\n\n### Pending Work\n- [ ] with a heading in it, and a | bar.\n"
    records = [*work.session(8, end=False), user(last), *(r for n in range(12) for r in filler(n))]
    text = summary_of(compact(records, **target))
    assert carried(text).first == work.FIRST
    assert carried(text).last == last
    assert f"### Original Task (first request, #1, {len(work.FIRST)} characters)\n{work.FIRST}\n" in text
    assert f"### Current State (last request, #82, {len(last)} characters)\n{last}" in text


def test_a_last_request_that_is_recent_is_not_repeated() -> None:
    text = summary_of(compact(work.session(8)))
    assert carried(text).last == ""
    assert work.LAST not in text


def test_a_first_request_with_a_picture_stays_as_a_message() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    asked = {"role": "user", "content": [{"type": "text", "text": "Build what is drawn here."}, picture]}
    records = [system(), asked, *work.session(8)[2:]]
    part = compact(records, target_ratio=0.5)
    assert records_of(part)[1] == asked
    assert "Build what is drawn here." not in summary_of(part)


@pytest.mark.parametrize("named", [True, False])
def test_people_who_talk_await_no_answer_of_an_agent(named: bool) -> None:
    said = [f"The offices of floor {n} move in June, when the lease of the old ones ends." for n in range(90)]
    who = [{"name": f"Person_{n % 3}"} if named else {} for n in range(90)]
    text = summary_of(compact([{**user(words), **name} for words, name in zip(said, who, strict=True)]))
    assert ("not answered" in text) is not named


# -- chaining


def test_the_second_round_says_that_it_incorporates_the_first() -> None:
    first = compact(work.session(8))
    second = compact([*records_of(first), *(r for n in range(8, 16) for r in work.task(n)), user("So go on.")])
    text = summary_of(second)
    assert text.startswith("## Session Summary (Compaction Round 2)\n")
    assert "This summary incorporates context from 1 previous compaction round." in text
    assert "incorporates" not in summary_of(first)
    assert carried(text).first == work.FIRST


def test_a_file_of_an_earlier_round_and_of_this_one_has_one_row() -> None:
    first = compact([*work.session(6), *(r for n in range(6) for r in filler(n))])
    second = compact(
        [
            *records_of(first),
            *(r for n in range(6) for r in work.task(n)),
            *filler(90),
            *filler(91),
            *filler(92),
            *filler(93),
            *filler(94),
        ]
    )
    rows = [line for line in summary_of(second).splitlines() if line.startswith(f"| `{work.changed_file(0)}` |")]
    assert len(rows) == 1
    assert "edited 2x, read 2x" in rows[0]
    assert "[earlier #3, #7]" in rows[0]


def test_what_is_within_its_target_is_not_compacted_again() -> None:
    part = compact(work.session(12), target_tokens=4_000)
    assert not compact(records_of(part), target_tokens=4_000).changed
    assert not compact(records_of(part)).changed


# -- the edge cases of seed 001, by their names there


@pytest.mark.drawn(2)
@pytest.mark.parametrize("target", [{}, {"target_tokens": 1_500}], ids=str)
def test_edge_case_single_huge_tool_result_is_cut_in_the_summary(target: dict[str, Any]) -> None:
    huge = "\n".join(f"row {n} of the dump" for n in range(20_000))
    records = [system(), user("Look into the dump."), assistant(None, "c1"), result("c1", huge), *long_session(8)[2:]]
    part = compact(records, **target)
    assert is_valid(part)
    assert part.tokens < 9_000 < transcript(records).tokens / 10
    assert 3 in covered(summary_of(part))


def test_edge_case_single_huge_tool_result_that_is_the_newest_is_cut_in_place() -> None:
    huge = "\n".join(f"row {n} of the dump" for n in range(20_000))
    records = [*long_session(12), assistant(None, "c1"), result("c1", huge)]
    part = compact(records, target_tokens=1_500)
    assert is_valid(part)
    assert part.tokens <= 1_500
    assert part.messages[-1].parts[0].edited
    assert part.messages[-1].text().startswith("row 0 of the dump")


@pytest.mark.parametrize(
    "records",
    [long_session(4), [system(), assistant(None, "c1", "c2"), *[result(f"c{n}", "x" * 9_000) for n in (1, 2)]]],
)
def test_edge_case_all_messages_are_recent_changes_nothing(records: list[Json]) -> None:
    part = compact(records)
    assert not part.changed
    assert part.data == to_bytes(records)


def test_edge_case_all_messages_are_recent_behind_a_summary_changes_nothing() -> None:
    first = compact(work.session(12))
    records = [*records_of(first), user("Thank you."), assistant("Gladly.")]
    assert compact(records, recent_messages=20).data == to_bytes(records)


@dataclass(frozen=True)
class Silent(Extractive):
    """A summarizer that cannot write anything."""

    name: str = "silent"

    def summarize(self, request: object, count: object) -> str:
        return ""


@pytest.mark.drawn(3)
@pytest.mark.parametrize("ratio", [None, 0.5, 0.2])
def test_edge_case_summary_generation_fails_leaves_the_requests_and_a_valid_output(ratio: float | None) -> None:
    given, settings = transcript(work.session(12)), Settings(strategy="rolling", target_ratio=ratio)
    tools = replace(tools_for(given, make_counter("chars").counter, settings), summarizer=Silent())
    part = pipeline.compact(given, tools, settings)
    assert is_valid(part)
    assert part.target is None or part.tokens <= part.target
    said = "\n".join(m.text() for m in part.messages)
    assert work.FIRST in said
    assert work.LAST in said
    assert part.dispositions.summarized == 0, "nothing stands for what is gone, and that is said"
    assert ratio is None or part.dispositions.dropped > 20


def test_edge_case_summary_generation_fails_where_not_even_its_heading_fits() -> None:
    """Offline the only failure is that there is no room: then what is protected stays, and nothing else."""
    part = compact(work.session(12), target_tokens=60)
    assert is_valid(part)
    assert part.tokens <= 60
    assert [m.index for m in part.messages if m.role != "assistant"] == [0, 122]
    assert part.dispositions.summarized == 0


@pytest.mark.drawn(4)
@pytest.mark.parametrize("number", range(1, 12))
def test_edge_case_orphaned_tool_message_never_comes_about(number: int) -> None:
    """Wherever the border of the recent messages falls, also between parallel results."""
    records = [*work.session(6, end=False), assistant(None, "p1", "p2", "p3")]
    records += [*(result(f"p{n}") for n in (1, 2, 3)), assistant("Three at once."), *filler(1), user("Fine.")]
    part = compact(records, recent_messages=number)
    assert is_valid(part)
    kept = [m for m in part.messages if m.index > 0]
    assert not kept[0].results
    assert len(kept) >= number


@pytest.mark.parametrize("records", [[system()], [user("Hello?")], [system(), user("Hello?")]])
@pytest.mark.parametrize("target", [{}, {"target_tokens": 50}], ids=str)
def test_edge_case_empty_conversation_comes_out_as_it_was(records: list[Json], target: dict[str, Any]) -> None:
    assert compact(records, **target).data == to_bytes(records)


def test_edge_case_very_short_session_comes_out_as_it_was_however_large_it_is() -> None:
    records = [system(), *(r for n in range(5) for r in (user(f"{n} " + "word " * 30_000), assistant("Ok.")))]
    assert load(records).tokens > 93_600
    assert compact(records).data == to_bytes(records)


def test_edge_case_very_short_session_is_never_in_need_of_compacting(tmp_path: Any) -> None:
    records = [system(), *(r for n in range(5) for r in (user(f"{n} " + "word " * 30_000), assistant("Ok.")))]
    path = tmp_path / "session.jsonl"
    path.write_bytes(to_bytes(records))
    done = run_process("compact", path, "--strategy", "rolling", "--if-needed", "--quiet")
    assert done.code == 0, done.stderr
    assert done.stdout == to_bytes(records)


# -- a whole run


@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
def test_a_process_compacts_by_rolling_and_says_so(tmp_path: Any, format: str) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(to_bytes(work.session(12)) if format == "openai-chat" else work.claude_session(12))
    done = run_process(
        "compact", path, "--strategy", "rolling", "--target-ratio", "0.3", "-o", tmp_path / "out", "--json"
    )
    assert done.code == 0, done.stderr
    assert done.json["strategy"] == "rolling"
    assert done.json["round"] == 1
    assert done.json["fits"] is True
    assert b"## Session Summary (Compaction Round 1)" in (tmp_path / "out").read_bytes()


@pytest.mark.parametrize("role", ["user", "assistant", "system"])
def test_the_summary_has_the_role_that_is_set(role: str) -> None:
    part = compact(work.session(12), summary_role=role)
    assert records_of(part)[1]["role"] == role
    assert FORMATS["openai-chat"].summary_role == "user"
    assert json.loads(part.data.splitlines()[1])["content"].startswith("## Session Summary")
