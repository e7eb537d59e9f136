"""What the provider counted decides how full the context is, where the session's records say it."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS
from tests.builders import ClaudeSession, codex_item, codex_meta, jsonl, last_count, load, text_block

CHARS = ("--tokenizer", "chars")


def usage(sent, cached, answered):
    return {
        "input_tokens": sent,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": 5,
        "output_tokens": answered,
    }


@pytest.fixture
def claude():
    session = ClaudeSession()
    session.exchanges(8)
    session.add_answer("And now?")
    session.add_call(text_block("Now this."))["message"]["usage"] = usage(100, 90_000, 45)
    session.add_answer("Thanks. " * 40)
    session.add_call(text_block("Nothing to add."))
    return session


@pytest.fixture
def inspect(run, tmp_path):
    def inspected(data, *options):
        (tmp_path / "s.jsonl").write_bytes(data)
        return json.loads(run("inspect", "s.jsonl", *CHARS, "--json", *options).text)

    return inspected


def test_the_context_is_what_the_provider_counted_and_our_count_of_what_came_after(inspect, claude):
    seen = inspect(claude.data)
    known = seen["context"]["recorded"]
    assert (known["tokens"], known["message"]) == (90_150, 17)
    assert known["own"] + known["after"] == seen["transcript"]["tokens"]
    assert known["after"] > 80
    assert seen["context"]["tokens"] == 90_150 + known["after"]


def test_what_came_after_is_what_stands_behind_the_message_with_the_count(claude):
    (transcript,) = load(claude.data).transcripts
    known = last_count(transcript, FORMATS["claude-code"])
    assert known.own_tokens == sum(message.tokens for message in transcript.messages[:18])
    assert known.tokens_after == sum(message.tokens for message in transcript.messages[18:]) > 0


def test_of_codex_it_is_the_newest_count_and_not_the_sum_of_all(inspect):
    def counted(last):
        info = {"total_token_usage": {"input_tokens": 999_999}, "last_token_usage": last}
        return {
            "timestamp": "2026-03-02T09:00:02Z",
            "type": "event_msg",
            "payload": {"type": "token_count", "info": info},
        }

    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go on"}]}
    back = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
    data = jsonl(
        codex_meta(),
        codex_item(**said),
        codex_item(**back),
        counted({"input_tokens": 700, "cached_input_tokens": 650, "output_tokens": 20}),
        codex_item(**said),
        codex_item(**back),
        counted({"input_tokens": 800, "cached_input_tokens": 700, "output_tokens": 30}),
        {"timestamp": "2026-03-02T09:00:02Z", "type": "event_msg", "payload": {"type": "token_count", "info": None}},
    )
    assert inspect(data)["context"]["recorded"]["tokens"] == 830


def test_if_needed_goes_by_it_and_leaves_room_for_what_the_file_does_not_hold(run, tmp_path, claude):
    (tmp_path / "s.jsonl").write_bytes(claude.data)
    threshold = ("--config", "c.toml")
    (tmp_path / "c.toml").write_text("[context]\nthreshold = 90000\n")
    done = run("compact", "s.jsonl", "--if-needed", *threshold, *CHARS, "-o", "out.jsonl", "--report", "r.json")
    assert done.code == 0, done.stderr
    told = json.loads((tmp_path / "r.json").read_text())
    assert told["output"]["tokens"] < told["input"]["tokens"], "by the file alone it would be far below"
    for record in claude.records:
        record.get("message", {}).pop("usage", None)
    (tmp_path / "s.jsonl").write_bytes(claude.data)
    assert "left unchanged" in run("compact", "s.jsonl", "--if-needed", *threshold, *CHARS, "-o", "o.jsonl").stderr


def test_a_difference_over_a_tenth_is_said_and_a_smaller_one_is_not(run, tmp_path, claude):
    (tmp_path / "s.jsonl").write_bytes(claude.data)
    said = " ".join(run("inspect", "s.jsonl", *CHARS).text.split())
    assert "the provider counted 90,150 tokens at message 17" in said
    assert "% less: the file does not contain the system prompt and the tools" in said
    own = json.loads(run("inspect", "s.jsonl", *CHARS, "--json").text)["context"]["recorded"]["own"]
    record = next(r for r in claude.records if "usage" in r.get("message", {}))
    record["message"]["usage"] = {"input_tokens": own + 10}
    (tmp_path / "s.jsonl").write_bytes(claude.data)
    said = " ".join(run("inspect", "s.jsonl", *CHARS).text.split())
    assert f"has {own:,} by compactor's count compact" in said


def test_what_was_counted_before_a_compaction_does_not_count_after_it(run, tmp_path, inspect, claude):
    (tmp_path / "s.jsonl").write_bytes(claude.data)
    for strategy in ("tiered", "adaptive"):
        out = run("compact", "s.jsonl", "--target-ratio", "0.4", "--strategy", strategy, *CHARS).stdout
        seen = inspect(out)
        assert seen["context"]["recorded"] is None
        assert seen["context"]["tokens"] == seen["transcript"]["tokens"]


@pytest.mark.parametrize("counts", [None, {}, {"input_tokens": 0}, {"input_tokens": "many"}, [1], {"input_tokens": -4}])
def test_counts_that_say_nothing_are_none(inspect, claude, counts):
    for record in claude.records:
        if "usage" in record.get("message", {}):
            record["message"]["usage"] = counts
    assert inspect(claude.data)["context"]["recorded"] is None


def test_what_was_counted_before_texts_were_cut_does_not_count_either(run, tmp_path, inspect):
    session = ClaudeSession()
    session.add_answer("Count the rows.")
    session.add_call(text_block("\n".join(f"row {n}: {n * 37 % 101}" for n in range(400))))
    session.add_answer("And now?")
    session.add_call(text_block("Now this."))["message"]["usage"] = usage(100, 90_000, 45)
    (tmp_path / "s.jsonl").write_bytes(session.data)
    out = run("compact", "s.jsonl", "--target-tokens", "900", "--strategy", "adaptive", *CHARS).stdout
    assert b"## Session Summary" not in out
    assert b"left out" in out
    assert inspect(session.data)["context"]["recorded"]["tokens"] == 90_150
    assert inspect(out)["context"]["recorded"] is None
