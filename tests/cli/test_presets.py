"""When to compact: presets, thresholds that are set or computed, never, and what `inspect` says of it."""

from __future__ import annotations

import pytest

from tests.builders import jsonl, plain_exchanges

pytestmark = pytest.mark.one_test_in(3)

CHARS = ("--tokenizer", "chars")
DATA = jsonl(*plain_exchanges(60))


@pytest.fixture
def tokens(run):
    return run("inspect", "-", "--json", *CHARS, input=DATA).json["transcript"]["tokens"]


def context(run, *arguments, data=DATA, **variables):
    done = run("inspect", "-", "--json", *CHARS, *arguments, input=data, **variables)
    assert done.code == 0, done.stderr
    return done.json["context"]


def is_compacted(run, *arguments, data=DATA, **variables):
    done = run("compact", "-", "--if-needed", *CHARS, *arguments, input=data, **variables)
    assert done.code == 0, done.stderr
    return done.stdout != data


@pytest.mark.parametrize(
    ("preset", "threshold", "warning", "strategy"),
    [
        ("window", 93_600, 74_880, "tiered"),
        ("chat", 80_000, 64_000, "hybrid"),
        ("agent", 200_000, 160_000, "handoff"),
    ],
)
def test_a_preset_says_when_and_how(run, preset, threshold, warning, strategy):
    found = context(run, "--preset", preset)
    assert (found["threshold"], found["warning_from"], found["strategy"]) == (threshold, warning, strategy)
    assert preset == "window" or found["threshold_from"] == f"set by preset {preset} (option --preset)"


def test_a_preset_in_a_file_gives_way_to_keys_beside_it(run, tmp_path):
    (tmp_path / "compactor.toml").write_text('preset = "chat"\n[context]\nthreshold = 70000\n')
    found = context(run)
    assert (found["threshold"], found["strategy"]) == (70_000, "hybrid")
    assert context(run, "--preset", "agent")["threshold"] == 200_000


def test_strategy_and_recent_messages_in_a_file_say_what_compact_does(run, tmp_path):
    (tmp_path / "compactor.toml").write_text('preset = "chat"\nstrategy = "rolling"\nrecent_messages = 3\n')
    done = run("compact", "-", "-o", "out.jsonl", "--json", *CHARS, input=DATA)
    assert done.json["strategy"] == "rolling"
    _, *kept = (tmp_path / "out.jsonl").read_bytes().splitlines(keepends=True)
    assert kept == DATA.splitlines(keepends=True)[-3:]


def test_an_unknown_preset_is_an_error_that_names_the_others(run):
    done = run("inspect", "-", "--preset", "best", input=DATA)
    assert done.code == 2
    assert "--preset" in done.stderr
    assert "window, chat, agent" in done.stderr


def test_if_needed_goes_by_the_threshold_of_the_project(run, tmp_path, tokens):
    assert not is_compacted(run)
    (tmp_path / "compactor.toml").write_text(f"[context]\nthreshold = {tokens}\n")
    assert is_compacted(run)
    (tmp_path / "compactor.toml").write_text(f"[context]\nthreshold = {tokens + 1}\n")
    assert not is_compacted(run)


def test_without_if_needed_a_session_far_below_every_threshold_is_compacted(run):
    assert not is_compacted(run)
    done = run("compact", "-", "--strategy", "rolling", "--quiet", input=DATA)
    assert done.code == 0
    assert b"Session Summary" in done.stdout
    assert len(done.stdout) < len(DATA)


def test_a_threshold_of_zero_is_never(run, tmp_path):
    (tmp_path / "compactor.toml").write_text("[context]\nthreshold = 0\nlimit = 100\n")
    found = context(run)
    assert (found["never"], found["needs_compaction"], found["warning"], found["if_needed"]) == (
        True,
        False,
        False,
        "leave",
    )
    assert "never" in found["reason"]
    assert not is_compacted(run)
    assert "never" in run("inspect", "-", *CHARS, input=DATA).text


def test_a_session_that_is_too_short_is_left_whatever_its_size(run):
    data = jsonl(*plain_exchanges(5))
    assert context(run, data=data, COMPACTOR_CONTEXT_THRESHOLD="1")["if_needed"] == "leave"
    assert not is_compacted(run, data=data, COMPACTOR_CONTEXT_THRESHOLD="1")
    found = context(run, data=data, COMPACTOR_CONTEXT_THRESHOLD="1", COMPACTOR_RECENT_MESSAGES="3")
    assert found["if_needed"] == "compact"


def test_the_threshold_is_computed_from_limit_and_reserves(run, tmp_path, tokens):
    assert context(run, "--model", "gpt-4o")["threshold"] == int((128_000 - 11_000) * 0.8)
    assert context(run, COMPACTOR_MODEL="claude-3-haiku-20240307")["limit"] == 200_000
    lines = "limit = 20000\nsystem_reserve = 1000\noutput_reserve = 1000\nsafety_buffer = 0\nthreshold_percent = 0.5\n"
    (tmp_path / "compactor.toml").write_text(f"[context]\n{lines}")
    found = context(run)
    assert (found["limit"], found["threshold"]) == (20_000, 9_000)
    assert found["threshold_from"] == "50% of what reserves of 2,000 leave of 20,000"
    assert found["percent_used"] == round(100 * tokens / 20_000, 1)


def test_a_warning_comes_before_the_threshold(run, tmp_path, tokens):
    (tmp_path / "compactor.toml").write_text(f"[context]\nthreshold = {tokens + 1}\nwarning_percent = 0.5\n")
    found = context(run)
    assert (found["warning"], found["needs_compaction"]) == (True, False)
    text = run("inspect", "-", *CHARS, input=DATA).text
    assert "near the threshold" in text
    assert f"warning from {found['warning_from']:,}" in text
    assert not context(run, COMPACTOR_CONTEXT_THRESHOLD=str(3 * tokens))["warning"]


def test_inspect_says_what_if_needed_would_do_and_who_set_the_threshold(run, tokens):
    text = run("inspect", "-", *CHARS, input=DATA).text
    assert f"compact --if-needed would leave it unchanged: {tokens:,} tokens are under the threshold of 93,600" in text
    text = run("inspect", "-", *CHARS, input=DATA, COMPACTOR_CONTEXT_THRESHOLD="100").text
    assert "set by variable COMPACTOR_CONTEXT_THRESHOLD" in text
    assert "compact --if-needed would compact it with strategy tiered" in text
    found = context(run, COMPACTOR_CONTEXT_THRESHOLD="100")
    assert found["messages_to_compact"] + found["messages_to_keep"] == DATA.count(b"\n")
    assert found["messages_to_keep"] == 10 + 1
    assert found["percent_of_threshold"] == tokens


def test_an_option_beats_the_strategy_of_a_preset(run, tmp_path, session):
    (tmp_path / "compactor.toml").write_text('preset = "chat"\n')
    done = run("compact", session.name, "--strategy", "tiered", "--json", "-o", "out.jsonl", *CHARS)
    assert done.json["strategy"] == "tiered"


def test_what_would_still_be_over_the_threshold_comes_down_below_the_warning(run, tokens):
    threshold = tokens // 6
    done = run(
        "compact",
        "-",
        "--if-needed",
        *CHARS,
        "-o",
        "out.jsonl",
        "--json",
        input=DATA,
        COMPACTOR_CONTEXT_THRESHOLD=str(threshold),
    )
    assert done.code == 0, done.stderr
    assert done.json["output"]["tokens"] < threshold * 0.8
    assert done.json["fits"] is True
    assert "would still be over the threshold" in done.stderr
    after = run("inspect", "out.jsonl", "--json", *CHARS, COMPACTOR_CONTEXT_THRESHOLD=str(threshold)).json["context"]
    assert not after["warning"]


def test_a_target_of_ones_own_is_kept_to_whatever_the_threshold(run, tokens):
    done = run(
        "compact",
        "-",
        "--if-needed",
        "--target-ratio",
        "0.9",
        *CHARS,
        "-o",
        "out.jsonl",
        "--json",
        input=DATA,
        COMPACTOR_CONTEXT_THRESHOLD=str(tokens // 3),
    )
    assert done.json["output"]["tokens"] > tokens // 3
    assert done.json["target_tokens"] == int(tokens * 0.9)
