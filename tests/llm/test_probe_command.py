"""`--tokenizer probe`: what the provider counts is what the output fits by."""

from __future__ import annotations

import json

import pytest

from tests.builders import jsonl, user
from tests.llm.server import ANTHROPIC, OPENAI, fail_with, reply_with

pytestmark = pytest.mark.one_test_in(2)

PROBE = ("--tokenizer", "probe")


@pytest.fixture(params=[OPENAI, ANTHROPIC])
def probed(request, provider, quick, session):
    """Run a command on the session with a provider that counts four characters a token, and its messages."""
    provider.play(reply_with("x", finish="length"))

    def runner(command, *args, **more):
        return quick(command, "session.jsonl", *PROBE, *args, **provider.environment(request.param, **more))

    return runner


def asked(provider):
    """Tokens that the provider counted in each request, in their order."""
    return [len(received.text) // 4 for received in provider.received]


def test_the_output_is_within_its_target_by_the_providers_count(probed, provider, tmp_path):
    done = probed("compact", "--target-tokens", 1_200, "-o", "out.jsonl", "--report", "report.json")
    assert done.code == 0, done.stderr
    report = json.loads((tmp_path / "report.json").read_bytes())
    # frames of messages that were sent as one are added
    assert report["probe"]["input_tokens"] == pytest.approx(asked(provider)[0], abs=30)
    assert report["probe"]["output_tokens"] == pytest.approx(asked(provider)[-1], abs=30)
    assert report["probe"]["output_tokens"] <= 1_200 < report["probe"]["input_tokens"]
    assert report["fits"]
    assert report["input"]["counter"].startswith("probe of ")
    # the figures of single messages are estimates, which together are what the provider counts
    assert report["input"]["tokens"] == pytest.approx(report["probe"]["input_tokens"], rel=0.02)
    assert f"{report['probe']['output_tokens']:,} after" in done.stderr


def test_a_ratio_refers_to_the_providers_count(probed, tmp_path):
    assert probed("compact", "--target-ratio", 0.3, "-o", "out.jsonl", "--report", "report.json").code == 0
    report = json.loads((tmp_path / "report.json").read_bytes())
    assert report["target_tokens"] == int(0.3 * report["input"]["tokens"])
    assert report["probe"]["output_tokens"] <= report["target_tokens"]


def test_a_provider_that_counts_the_output_dearer_has_it_made_smaller(provider, quick, session):
    # what was shortened costs three times as much there: the ratio of the input says too little
    dear = reply_with(
        "x" * 16, finish="length", when=lambda text: "left out" in text or "Session Summary" in text, factor=3
    )
    provider.play(dear, reply_with("x", finish="length"))
    done = quick(
        "compact", "session.jsonl", *PROBE, "--target-tokens", 2_000, "-o", "out.jsonl", "--report", "report.json",
        **provider.environment(OPENAI),
    )  # fmt: skip
    assert done.code == 0, done.stderr
    report = json.loads((session.parent / "report.json").read_bytes())
    assert report["probe"]["output_tokens"] <= 2_000
    assert len(provider.received) > 2


def test_what_no_attempt_can_fit_is_exit_code_4_and_nothing_is_written(provider, quick, session, tmp_path):
    provider.play(
        reply_with("x", finish="length", factor=40, when=lambda text: "Session Summary" in text), reply_with("x")
    )
    done = quick(
        "compact", "session.jsonl", *PROBE, "--target-tokens", 1_500, "-o", "out.jsonl",
        **provider.environment(OPENAI),
    )  # fmt: skip
    assert done.code == 4
    assert not (tmp_path / "out.jsonl").exists()
    assert "cannot fit into 1,500 tokens" in done.stderr


def test_a_provider_that_counts_beyond_measure_leaves_the_local_count(provider, quick, session):
    provider.play(reply_with("x", factor=40))
    done = quick("inspect", "session.jsonl", *PROBE, **provider.environment(OPENAI))
    assert done.code == 0
    assert "times as many tokens; tokens are counted by o200k_base" in done.stderr


@pytest.mark.parametrize("command", [("inspect",), ("score",), ("budget", "--total", "8000")])
def test_other_commands_count_by_it(probed, provider, command):
    done = probed(*command)
    assert done.code == 0, done.stderr
    assert len(provider.received) == 1
    assert "probe of " in done.text


def test_a_provider_that_does_not_say_leaves_the_local_count(provider, quick, session, tmp_path):
    provider.play(fail_with())
    given = (*PROBE, "--target-tokens", 1_200, "-o", "out.jsonl", "--report", "report.json")
    done = quick("compact", "session.jsonl", *given, **provider.environment(OPENAI))
    assert done.code == 0
    report = json.loads((tmp_path / "report.json").read_bytes())
    assert report["input"]["counter"] == "o200k_base"
    assert any("did not report" in warning for warning in report["warnings"])
    assert [each["what"] for each in report["model"]["fallbacks"]] == ["token count"]
    assert quick("compact", "session.jsonl", *given, "--no-fallback", **provider.environment(OPENAI)).code == 5


def test_what_cannot_be_probed_is_said(provider, quick, session, tmp_path):
    environment = provider.environment(OPENAI)
    without = quick("inspect", "session.jsonl", *PROBE)
    assert without.code == 2
    assert "--tokenizer probe needs a model" in without.stderr
    (tmp_path / "two.jsonl").write_bytes(jsonl({"messages": [user("One.")]}, {"messages": [user("Two.")]}))
    several = quick("inspect", "two.jsonl", *PROBE, **environment)
    assert several.code == 2
    assert "holds 2 conversations" in several.stderr
    compared = quick("diff", "session.jsonl", "session.jsonl", COMPACTOR_TOKENIZER="probe", **environment)
    assert compared.code == 0
    assert "--tokenizer probe is not used here" in compared.stderr
    assert provider.received == []
