"""The factors of seed 000, as the design settles them."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.model.message import Message, Part
from compactor_cli.model.score import Score
from compactor_cli.scoring.factors import tool_failed
from compactor_cli.settings import Settings
from tests.scoring.conftest import ScoreRecords

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=timezone.utc).timestamp()
HOUR = 3600


def at(seconds_before_noon: float) -> str:
    return datetime.fromtimestamp(NOON - seconds_before_noon, timezone.utc).isoformat()


def entry(content: str, *, age: float = 2 * HOUR, id: str = "", **more: Any) -> dict[str, Any]:
    return {"id": id or f"id-{abs(hash(content)) % 10**6}", "content": content, "type": "conversation",
            "timestamp": at(age), "metadata": {}, **more}  # fmt: skip


OAUTH = entry(
    "We decided to implement authentication using OAuth 2.0 with PKCE flow.",
    age=0,
    id="msg-123",
    type="decision",
    importance="high",
    metadata={"agent": "architect"},
)
GREETING = entry("Hello, how are you?", age=2 * HOUR, id="msg-456")


def points(score: Score) -> dict[str, float]:
    return {factor.name: factor.points for factor in score.factors}


def test_the_oauth_example_scores_105_raw_and_100_clamped(score_records: ScoreRecords) -> None:
    oauth, _ = score_records(OAUTH, GREETING)
    assert points(oauth) == {"decision_language": 50, "explicit_high_importance": 40, "very_recent": 15}
    assert oauth.raw == 105
    assert oauth.value == 100


def test_the_oauth_example_is_a_residual_and_the_greeting_is_not() -> None:
    import json

    data = "".join(json.dumps(e) + "\n" for e in (GREETING, OAUTH)).encode()
    (analysis,) = api.score(api.load(data, tokenizer="chars"), Settings(), tokenizer="chars")
    assert analysis.residuals.kept == {1}


def test_the_greeting_scores_nothing_beside_the_example(score_records: ScoreRecords) -> None:
    _, greeting = score_records(OAUTH, GREETING)
    assert greeting == Score(0, 0, ())


def test_the_greeting_alone_scores_nothing_when_now_is_two_hours_later(score_records: ScoreRecords) -> None:
    (greeting,) = score_records(GREETING, now=NOON)
    assert greeting == Score(0, 0, ())


def test_recency_is_measured_from_the_newest_timestamp_and_not_from_the_clock(score_records: ScoreRecords) -> None:
    (greeting,) = score_records(GREETING)
    assert points(greeting) == {"very_recent": 15}


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (0, {"very_recent": 15}),
        (299, {"very_recent": 15}),
        (300, {"recent": 5}),
        (3599, {"recent": 5}),
        (3600, {}),
        (90_000, {}),
    ],
)
def test_recency_has_borders_at_five_minutes_and_one_hour(
    score_records: ScoreRecords, age: float, expected: dict[str, float]
) -> None:
    old, _ = score_records(entry("Good morning.", age=age), entry("Good evening.", age=0))
    assert points(old) == expected


def test_a_transcript_without_timestamps_has_no_recency(score_records: ScoreRecords) -> None:
    scores = score_records({"role": "user", "content": "Good morning."}, {"role": "assistant", "content": "Hello."})
    assert [points(score) for score in scores] == [{}, {}]


@pytest.mark.parametrize("word", ["decided", "Concluded", "AGREED", "will do", "won't do", "determined", "resolved"])
def test_words_of_decision_give_50_points(score_records: ScoreRecords, word: str) -> None:
    said, _ = score_records(entry(f"Yes: {word}, by all of us."), entry("Later.", age=0))
    assert points(said) == {"decision_language": 50}


@pytest.mark.parametrize("text", ["undecided", "We will see.", "indetermined", "unresolvedness"])
def test_words_that_only_contain_a_decision_give_none(score_records: ScoreRecords, text: str) -> None:
    said, _ = score_records(entry(text), entry("Later.", age=0))
    assert points(said) == {}


@pytest.mark.parametrize(
    ("importance", "expected"), [("high", 40), ("medium", 20), ("low", None), ("normal", None), ("", None)]
)
def test_stated_importance_gives_40_or_20_points(
    score_records: ScoreRecords, importance: str, expected: int | None
) -> None:
    said, _ = score_records(entry("Good morning.", importance=importance), entry("Later.", age=0))
    assert list(points(said).values()) == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    "metadata",
    [
        {"isToolError": True},
        {"toolResult": {"success": False}},
        {"isToolError": True, "toolResult": {"success": True}},
    ],
)
def test_a_tool_error_gives_40_points_and_excludes_success(score_records: ScoreRecords, metadata: Any) -> None:
    said, _ = score_records(entry("No such table.", metadata=metadata), entry("Later.", age=0))
    assert points(said) == {"tool_error": 40}


@pytest.mark.parametrize("text", ["An error came from the tool.", "error: the build failed"])
def test_the_words_error_and_tool_or_failed_are_a_tool_error(score_records: ScoreRecords, text: str) -> None:
    said, _ = score_records(entry(text), entry("Later.", age=0))
    assert points(said) == {"tool_error": 40}


def test_a_tool_success_gives_30_points(score_records: ScoreRecords) -> None:
    said, _ = score_records(entry("12 rows.", metadata={"toolResult": {"success": True}}), entry("Later.", age=0))
    assert points(said) == {"tool_success": 30}


@pytest.mark.parametrize("more", [{"type": "task"}, {"content": "The objective is speed."}, {"content": "A new task"}])
def test_tasks_give_20_points(score_records: ScoreRecords, more: dict[str, Any]) -> None:
    said, _ = score_records({**entry("Good morning."), **more}, entry("Later.", age=0))
    assert points(said) == {"task_related": 20}


def test_a_message_whose_id_two_later_ones_name_is_referenced(score_records: ScoreRecords) -> None:
    first, *_ = score_records(
        entry("Good morning.", id="note-7731"),
        entry("As note-7731 says.", id="b"),
        entry("See note-7731 again.", id="c"),
        entry("Later.", age=0),
    )
    assert points(first) == {"referenced": 20}


@pytest.mark.parametrize(
    "name", ["src/billing/rounding.py", "https://example.org/a/b", "round_half_up", "ZeroDivisionError", "128.50"]
)
def test_identifiers_used_again_twice_refer_to_where_they_first_appeared(
    score_records: ScoreRecords, name: str
) -> None:
    first, second, third, _ = score_records(
        entry(f"Look at {name} first.", id="a"),
        entry(f"Now {name} is open.", id="b"),
        entry(f"And {name} is closed.", id="c"),
        entry("Later.", age=0, id="d"),
    )
    assert points(first) == {"referenced": 20}
    assert points(second) == points(third) == {}


def test_one_reference_is_not_enough(score_records: ScoreRecords) -> None:
    first, *_ = score_records(
        entry("Look at src/a_b.py first.", id="a"), entry("src/a_b.py is open.", id="b"), entry("Later.", age=0, id="d")
    )
    assert points(first) == {}


def test_a_message_that_names_an_identifier_ten_times_counts_as_one_reference(score_records: ScoreRecords) -> None:
    first, *_ = score_records(
        entry("Look at src/a_b.py.", id="a"), entry("src/a_b.py " * 10, id="b"), entry("Later.", age=0, id="d")
    )
    assert points(first) == {}


def _exchange(output: str, **more: Any) -> list[dict[str, Any]]:
    function = {"name": "Read", "arguments": "{}"}
    return [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c1", "content": output, **more},
    ]


def test_source_code_with_the_word_resolved_in_a_tool_result_is_no_decision(score_records: ScoreRecords) -> None:
    *_, result = score_records(*_exchange("def close(ticket):\n    ticket.state = 'resolved'  # was decided before\n"))
    assert points(result) == {}


def test_source_code_with_the_word_task_in_a_tool_result_is_no_task(score_records: ScoreRecords) -> None:
    *_, result = score_records(*_exchange("class Task:\n    objective = None\n"))
    assert points(result) == {}


def test_a_stated_exit_code_decides_about_success_and_error(score_records: ScoreRecords) -> None:
    *_, good = score_records(*_exchange("0 errors, nothing failed\nexit code: 0"))
    *_, bad = score_records(*_exchange("all fine\nexit code: 3"))
    assert points(good) == {"tool_success": 30}
    assert points(bad) == {"tool_error": 40}


def test_what_the_format_says_of_a_result_comes_before_its_words(score_records: ScoreRecords) -> None:
    def blocks(is_error: bool) -> list[dict[str, Any]]:
        call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
        result = {"type": "tool_result", "tool_use_id": "t1", "content": "error: tool failed", "is_error": is_error}
        return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]

    assert points(score_records(*blocks(False))[1]) == {"tool_success": 30}
    assert points(score_records(*blocks(True))[1]) == {"tool_error": 40}


@pytest.mark.parametrize(
    "text",
    [
        "<system-reminder>We decided that the task is resolved.</system-reminder>",
        "<environment_context>agreed: the objective is determined</environment_context>",
        "<local-command-stdout>decided: the task</local-command-stdout>",
    ],
)
def test_what_a_harness_injected_scores_nothing_for_its_words(score_records: ScoreRecords, text: str) -> None:
    _, injected, _ = score_records(
        {"role": "user", "content": "Begin."},
        {"role": "user", "content": text},
        {"role": "assistant", "content": "Ok."},
    )
    assert injected == Score(0, 0, ())


def test_scoring_the_same_transcript_twice_gives_the_same(score_records: ScoreRecords) -> None:
    assert score_records(OAUTH, GREETING) == score_records(OAUTH, GREETING)


def test_more_than_two_references_count_as_two_do(score_records: ScoreRecords) -> None:
    first, *_ = score_records(
        entry("Look at src/a_b.py first.", id="a"),
        *(entry(f"src/a_b.py is open, time {at}.", id=f"b{at}") for at in range(3)),
        entry("Later.", age=0, id="d"),
    )
    assert points(first) == {"referenced": 20}


@pytest.mark.parametrize(
    ("before", "behind", "failed"),
    [
        (1_988, 9_000, True),
        (1_989, 9_000, False),
        (9_000, 1_988, True),
        (9_000, 1_989, False),
        (1_990, 1_998, True),  # all of what is no longer than both ends
    ],
)
def test_an_error_is_looked_for_in_2000_characters_at_both_ends_of_a_result(
    before: int, behind: int, failed: bool
) -> None:
    text = f"{'a' * before}error failed{'b' * behind}"
    message = Message(0, "", "tool", (Part("tool_result", text, 1),), (0,), 1)
    assert bool(tool_failed(message, "")) is failed
