"""Tables say which strategy they speak of, and those of a compaction show what its strategy did."""

from __future__ import annotations

import pytest

CHARS = ("--tokenizer", "chars")
TABLES = {
    "score": ["score", "session.jsonl"],
    "budget": ["budget", "session.jsonl", "--total", "4000"],
    "inspect": ["inspect", "session.jsonl"],
}


def said(done):
    """All that a person reads, without line breaks."""
    return " ".join((done.text + done.stderr).split())


@pytest.fixture
def using(run, session, tmp_path):
    """Run a command with a strategy in the settings; with none, as it is without settings."""

    def runner(strategy, *args):
        (tmp_path / "c.toml").write_text(f'strategy = "{strategy}"\n' if strategy else "")
        return said(run(*args, "--config", "c.toml", *CHARS))

    return runner


@pytest.mark.parametrize("command", TABLES)
def test_residuals_and_tiers_are_said_to_be_those_of_tiered(using, command):
    text = using("", *TABLES[command])
    assert "are those of strategy tiered, which compact uses without a target." in text
    assert "With a target it uses adaptive, which needs neither. What it does: keeps the lines that" in text


@pytest.mark.parametrize("command", TABLES)
def test_a_strategy_of_the_settings_is_the_one_that_is_named(using, command):
    text = using("rolling", *TABLES[command])
    assert "are those of strategy tiered, which the settings do not use. It uses rolling, which" in text
    assert "adaptive" not in text
    text = using("tiered", *TABLES[command])
    assert "are those of strategy tiered, which compact uses." in text
    assert "needs neither" not in text


@pytest.mark.parametrize("command", TABLES)
def test_json_says_nothing_of_it(run, session, command):
    done = run(*TABLES[command], "--json", *CHARS)
    assert done.text.count("\n") == 1
    assert "strategy tiered" not in done.text


@pytest.mark.parametrize("more", [["-o", "out.jsonl"], ["--dry-run"]])
@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff", "truncate"])
def test_compact_shows_where_the_room_of_a_strategy_without_tiers_went(run, session, strategy, more):
    options = [session.name, "--target-tokens", 1700, "--strategy", strategy, *more, *CHARS]
    done = run("compact", *options)
    assert "tier 0" not in done.stderr
    lines = done.stderr.splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith(f"Where the tokens went (strategy {strategy})"))
    for row, line in zip(run("compact", *options, "--json").json["spent"], lines[at + 2 :], strict=False):
        assert line.startswith(f"{row['name']} ")
        assert f" {row['tokens']:,} " in line


def test_compact_shows_the_tiers_of_tiered(run, session):
    done = run("compact", session.name, "--target-tokens", 1500, "--strategy", "tiered", "-o", "out.jsonl", *CHARS)
    assert "Tiers of strategy tiered" in done.stderr
    assert "tier 0, newest" in done.stderr
    assert "Where the tokens went" not in done.stderr


def test_an_output_that_was_only_repaired_names_no_strategy(run, session):
    session.write_bytes(session.read_bytes() + b'{"role": "assistant", "content": "I was go')
    done = run("compact", session.name, "--target-tokens", 100_000, "-o", "out.jsonl", *CHARS)
    assert done.code == 0
    assert "Where the tokens went" in done.stderr
    assert "(strategy" not in done.stderr


@pytest.mark.parametrize("width", [80, 140])
def test_the_plan_of_adaptive_shows_what_it_values(run, session, width):
    options = [session.name, "--target-tokens", 1200, "--dry-run", "-q", *CHARS]
    text = run("compact", *options, COLUMNS=str(width)).text
    assert text.startswith("Plan of strategy adaptive")
    plan = run("compact", *options, "--json").json["plan"]
    best = [step["signals"][0].split(" (")[0] for step in plan if step["signals"] and step["reason"] != "newest"]
    assert best
    for name in best:
        assert (f"for {name[:20]}" if width == 80 else f" {name[:20]}") in text
