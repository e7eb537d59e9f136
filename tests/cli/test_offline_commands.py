"""Commands that ask no model do so although the settings name one, and say so."""

from __future__ import annotations

import json

import pytest

ASKING = {"COMPACTOR_SUMMARIZER": "llm", "COMPACTOR_SCORING_SCORER": "classifier", "COMPACTOR_LLM_MODEL": "openai/x"}


@pytest.mark.parametrize(
    "command",
    [
        ("inspect", "session.jsonl"),
        ("budget", "session.jsonl", "--total", "8000"),
        ("evaluate", "session.jsonl", "--target-ratio", "0.5"),
    ],
)
def test_they_work_and_say_what_they_use_instead(run, session, command):
    done = run(*command, **ASKING)
    assert done.code in (0, 1)  # evaluate may find nothing to measure in so short a session
    assert "asks no model: scores and summaries are made offline" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("compact", "session.jsonl", "--summarizer", "llm", "-o", "out.jsonl"),
        ("compact", "session.jsonl", "--scorer", "classifier", "-o", "out.jsonl"),
        ("score", "session.jsonl", "--scorer", "classifier"),
    ],
)
def test_without_a_model_named_it_is_wrong_usage(run, session, tmp_path, command):
    done = run(*command)
    assert done.code == 2
    assert "needs a model; name one with --llm-model" in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("content", [b"", b"  \n", b"\xff\xfe"])
def test_a_prompt_that_says_nothing_or_cannot_be_read_is_wrong_usage(run, session, tmp_path, content):
    (tmp_path / "prompt.txt").write_bytes(content)
    done = run(
        "compact", "session.jsonl", "--summarizer", "llm", "--llm-model", "openai/x", "--summary-prompt", "prompt.txt"
    )
    assert done.code == 2
    assert "prompt.txt" in done.stderr


def test_a_dry_run_says_what_it_would_ask_and_needs_no_key(run, session):
    done = run(
        "compact",
        "session.jsonl",
        "--summarizer",
        "llm",
        "--llm-model",
        "openai/gpt-4o-mini",
        "--dry-run",
        "--json",
        "--target-ratio",
        "0.5",
    )
    report = json.loads(done.stdout)
    assert done.code == 0
    assert report["model"]["asked"] is False
    assert report["model"]["requests"] > 0 < report["model"]["cost_usd"]
    assert "would ask openai/gpt-4o-mini: " in done.stderr


def test_debug_shows_the_traceback_and_keeps_the_exit_code(run, session):
    done = run("compact", "session.jsonl", "--target-tokens", "5", "--debug")
    assert done.code == 4
    assert "Traceback" in done.stderr
    assert "error: cannot fit into 5 tokens" in done.stderr


def test_options_about_a_model_that_nobody_asks_are_said_to_be_unused(run, session):
    done = run(
        "compact", "session.jsonl", "--target-ratio", "0.5", "--llm-model", "openai/x", "--max-cost", "1", "-o", "o"
    )
    assert done.code == 0
    assert "--llm-model, --max-cost not used: no model is asked" in done.stderr
    assert "model" not in run("score", "session.jsonl", "--json", COMPACTOR_SUMMARIZER="llm").json
