"""Scorer `weighted` (seed 002): what each point is for, and that every weight is a setting."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.model.score import Score
from compactor_cli.scoring.weighted import WeightedScorer
from compactor_cli.settings import ScoringSettings, Settings, SummarizationSettings
from tests.builders import run_process
from tests.pipeline.sessions import Json, assistant, compact, result, system, to_bytes, transcript, user

PLAIN = "A plain line of thirty letters"


def score(records: list[Json], **weights: Any) -> tuple[Score, ...]:
    return WeightedScorer().score(transcript(records), Settings(summarization=SummarizationSettings(**weights)))


def points(one: Score) -> dict[str, float]:
    return {factor.name: factor.points for factor in one.factors}


# -- AC3 of seed 002


def test_ac3_1_messages_are_scored_by_role_system_above_user_above_assistant() -> None:
    scores = score([system(PLAIN), user(PLAIN), assistant(PLAIN)], recency_decay=1.0)
    assert [points(one)[f"role_{name}"] for one, name in zip(scores, ("system", "user", "assistant"), strict=True)] == [
        10.0,
        5.0,
        3.0,
    ]
    assert [one.raw for one in scores] == sorted((one.raw for one in scores), reverse=True)


def test_ac3_1_a_tool_result_has_the_weight_of_the_assistant() -> None:
    scores = score([assistant(None, "c1"), result("c1", PLAIN), user(PLAIN)], role_weight_assistant=7.5)
    assert points(scores[0])["role_assistant"] == points(scores[1])["role_tool"] == 7.5


def test_ac3_2_newer_messages_score_higher_by_recency_that_decays() -> None:
    scores = score([user(PLAIN) for _ in range(60)])
    raw = [one.raw for one in scores]
    assert raw == sorted(raw)
    assert len(set(raw)) == 60
    for distance in (0, 1, 10, 59):
        assert points(scores[59 - distance])["recency"] == pytest.approx(10 * 0.98**distance, abs=1e-6)


@pytest.mark.parametrize(("decay", "oldest"), [(1.0, 10.0), (0.5, 10 * 0.5**9), (0.0, None)])
def test_ac3_2_the_decay_can_be_set(decay: float, oldest: float | None) -> None:
    scores = score([user(PLAIN) for _ in range(10)], recency_decay=decay)
    assert points(scores[0]).get("recency") == (pytest.approx(oldest, abs=1e-6) if oldest else None)
    assert points(scores[-1])["recency"] == 10.0


@pytest.mark.parametrize(
    ("text", "name", "worth"),
    [
        ("Is it so?", "question", 2.0),
        ("Is it so? And so? And so?", "question", 2.0),
        ("We decided it.", "keyword decided", 1.5),
        ("CRITICAL: look here.", "keyword critical", 1.5),
        ("A bug, a bug, and one more bug.", "keyword bug", 1.5),
    ],
)
def test_ac3_3_questions_and_keywords_raise_the_score(text: str, name: str, worth: float) -> None:
    (one,) = score([user(text)])
    (without,) = score([user("x" * len(text))])
    assert points(one)[name] == worth
    assert one.raw == pytest.approx(without.raw + worth)


def test_ac3_3_every_keyword_counts_once_and_only_as_a_whole_word() -> None:
    (one,) = score([user("An error, errors, a terror; remember the todo: debug it.")])
    assert {name for name in points(one) if name.startswith("keyword")} == {
        "keyword error",
        "keyword remember",
        "keyword todo",
    }


def test_ac3_3_tool_calls_raise_the_score_once_a_message() -> None:
    one, two, none = score([assistant(None, "c1"), assistant(None, "c2", "c3"), assistant("No call.")])
    assert points(one)["tool_call"] == points(two)["tool_call"] == 4.0
    assert "tool_call" not in points(none)


@pytest.mark.parametrize(("length", "worth"), [(50, 0.5), (100, 1.0), (250, 2.5), (300, 3.0), (100_000, 3.0)])
def test_ac3_3_length_counts_a_point_for_100_characters_and_at_most_3(length: int, worth: float) -> None:
    (one,) = score([user("x" * length)])
    assert points(one)["length"] == worth


def test_a_question_mark_in_the_output_of_a_tool_is_no_question() -> None:
    scores = score([assistant(None, "c1"), result("c1", "usage: tool [-h] what? (error)"), user("So?")])
    assert "question" not in points(scores[1])
    assert points(scores[1])["keyword error"] == 1.5
    assert points(scores[2])["question"] == 2.0


@pytest.mark.parametrize("text", ["これは何ですか？", "真的吗？", "هل هذا صحيح؟"])
def test_question_marks_of_other_scripts_are_questions(text: str) -> None:
    (one,) = score([user(text)])
    assert points(one)["question"] == 2.0


def test_of_a_huge_result_both_ends_are_searched_for_keywords() -> None:
    dump = "x " * 400_000
    middle, ends = score([result("c1", f"{dump}critical {dump}"), result("c2", f"critical {dump} failed")])
    assert not [name for name in points(middle) if name.startswith("keyword")]
    assert {"keyword critical", "keyword failed"} <= set(points(ends))


# -- AC3.5: every key of [summarization]

CHANGED: dict[str, tuple[Any, str]] = {
    "role_weight_system": (21.0, "role_system"),
    "role_weight_user": (22.0, "role_user"),
    "role_weight_assistant": (23.0, "role_assistant"),
    "recency_decay": (0.25, "recency"),
    "question_bonus": (24.0, "question"),
    "tool_call_bonus": (25.0, "tool_call"),
    "keyword_bonus": (26.0, "keyword decided"),
    "important_keywords": (("so",), "keyword so"),
    "content_length_weight": (0.5, "length"),
}
OF_RANKED = {"chunk_size", "max_summaries", "prompt"}
TOLD = [system(PLAIN), user("Is it decided so?"), assistant("I look.", "c1"), result("c1"), assistant(PLAIN)]


def named(scores: tuple[Score, ...]) -> list[dict[str, float]]:
    return [points(one) for one in scores]


def test_every_setting_of_the_section_is_looked_at_here() -> None:
    assert {field.name for field in fields(SummarizationSettings)} == set(CHANGED) | OF_RANKED


@pytest.mark.parametrize("key", CHANGED)
def test_ac3_5_each_key_changes_the_points_that_it_names_and_no_others(key: str) -> None:
    value, factor = CHANGED[key]
    before, after = named(score(TOLD)), named(score(TOLD, **{key: value}))
    kind = "keyword" if key == "important_keywords" else factor
    touched = {name for old, new in zip(before, after, strict=True) for name, _ in old.items() ^ new.items()}
    assert factor in touched
    others = {name for name in touched if not name.startswith(kind)}
    # a tool result has the weight of the assistant
    assert others <= ({"role_tool"} if key == "role_weight_assistant" else set())


@pytest.mark.parametrize("key", sorted(set(CHANGED) - {"important_keywords", "recency_decay"}))
def test_ac3_5_a_weight_of_0_gives_no_points(key: str) -> None:
    assert all(CHANGED[key][1] not in found for found in named(score(TOLD, **{key: 0.0})))


@pytest.mark.parametrize("key", CHANGED)
def test_ac3_5_each_key_of_a_settings_file_reaches_the_scores(key: str, tmp_path: Any) -> None:
    value, factor = CHANGED[key]
    written = '["so"]' if isinstance(value, tuple) else value
    (tmp_path / "own.toml").write_text(f"[summarization]\n{key} = {written}\n")
    (tmp_path / "session.jsonl").write_bytes(to_bytes(TOLD))
    arguments = ("score", tmp_path / "session.jsonl", "--scorer", "weighted", "--config", tmp_path / "own.toml")
    done = run_process(*arguments, "--json", "--quiet")
    assert done.code == 0, done.stderr
    found = [{f["name"]: f["points"] for f in m["factors"]} for m in done.json["messages"]]
    assert found == named(score(TOLD, **{key: value}))
    assert any(factor in one for one in found)


def test_no_keywords_at_all_are_allowed() -> None:
    assert not [n for one in named(score(TOLD, important_keywords=())) for n in one if n.startswith("keyword")]


def test_keywords_are_words_and_no_patterns() -> None:
    found = named(score([user("What does a.b mean, and c++? aXb")], important_keywords=("a.b", "c++", ".*")))
    assert {name for name in found[0] if name.startswith("keyword")} == {"keyword a.b", "keyword c++"}


def test_the_longer_of_two_keywords_that_begin_alike_is_found() -> None:
    (found,) = named(score([user("A time limit exceeded.")], important_keywords=("limit", "limit exceeded")))
    assert {name for name in found if name.startswith("keyword")} == {"keyword limit exceeded"}


@pytest.mark.parametrize(("before", "found"), [(1_992, True), (1_993, False)])
def test_of_a_large_result_the_first_and_last_2000_characters_are_searched(before: int, found: bool) -> None:
    blanks = " " * before
    for text in (f"{blanks}critical {'y ' * 2_000}", f"{'y ' * 2_000} critical{blanks}"):
        (one,) = score([result("c1", text)])
        assert ("keyword critical" in points(one)) is found


# -- AC3.6, and sums


def test_ac3_6_equal_messages_without_recency_have_equal_scores_and_keep_their_order() -> None:
    records = [system(), user("Go on."), *(assistant(f"Equal words {n:02}.") for n in range(30)), user("And?")]
    scores = score(records, recency_decay=1.0)
    assert len({one.raw for one in scores[2:32]}) == 1
    part = compact(
        records,
        strategy="ranked",
        target_ratio=0.7,
        recent_messages=1,
        summarization=SummarizationSettings(recency_decay=1.0),
    )
    kept = [m.index for m in part.messages if 2 <= m.index < 32]
    assert kept, "some of them stay"
    assert kept == list(range(kept[0], 32)), "of equal ones the earlier are compressed first"


def test_the_score_is_the_sum_of_its_factors_between_0_and_100() -> None:
    for one in score(TOLD, role_weight_user=5_000.0):
        assert one.raw == pytest.approx(math.fsum(factor.points for factor in one.factors))
        assert one.value == min(100.0, one.raw)


def test_the_same_session_has_the_same_scores() -> None:
    assert score(TOLD) == score(TOLD)


def test_the_scorer_can_be_chosen_by_its_name() -> None:
    source = api.load(to_bytes(TOLD), tokenizer="chars")
    (analysis,) = api.score(source, Settings(scoring=ScoringSettings(scorer="weighted")), tokenizer="chars")
    assert analysis.scores == score(TOLD)


def test_score_explains_each_point(tmp_path: Any) -> None:
    (tmp_path / "session.jsonl").write_bytes(to_bytes(TOLD))
    done = run_process("score", tmp_path / "session.jsonl", "--scorer", "weighted", COLUMNS="200")
    assert done.code == 0, done.stderr
    for said in ("role_system +10", "recency +", "question +2", "tool_call +4", "keyword decided +1.5", "length +"):
        assert said in done.text
