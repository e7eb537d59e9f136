"""What `--keep` and `--keep-last` name stays, and what of it had to go is told."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from compactor_cli.strategies import STRATEGIES
from tests.builders import assistant, call, calling_message, jsonl, result, system, user

WORD = "NEVER_ON_FRIDAYS"
LOG = [f"line {n} of a log with nothing much in it, value {7 * n}" for n in range(400)]
FUNCTION = ["def totals(rows):", "    rows = sorted(rows)", f"    limit = {WORD}", "    return rows[:limit]", ""]
COUNTED = ("--tokenizer", "chars")


def talk(*, steps: int = 20) -> list[dict[str, Any]]:
    return [
        record
        for n in range(steps)
        for record in (assistant(f"Working on step {n} in src/mod{n}.py."), user(f"Go on with {n}."))
    ]


def with_log(lines: list[str]) -> list[dict[str, Any]]:
    return [system("You help."), user("Mend the billing."), user("\n".join(lines)), *talk()]


def middle(*lines: str) -> list[str]:
    return [*LOG[:200], *lines, *LOG[200:]]


def texts(path: Any) -> str:
    return "\n".join(json.dumps(json.loads(line), ensure_ascii=False) for line in path.read_text().splitlines())


def warnings_of(done: Any) -> list[str]:
    return re.findall(r"^warning: (.*)$", done.stderr, re.MULTILINE)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@pytest.mark.parametrize("kind", ["text", "result", "arguments"])
def test_of_a_message_that_has_to_be_cut_the_lines_stay_that_keep_matches(run, tmp_path, strategy, kind):
    lines = "\n".join(middle(f"{WORD}: no deployment then"))
    records = with_log(LOG[:5])
    if kind == "text":
        records[2] = user(lines)
    elif kind == "result":
        records[2:3] = [calling_message(call("c1", "read", {"path": "log"})), result("c1", lines)]
    else:
        records[2:3] = [calling_message(call("c1", "write", {"path": "log", "text": lines})), result("c1", "written")]
    (tmp_path / "s.jsonl").write_bytes(jsonl(*records))
    options = ("--target-tokens", 1200, "--strategy", strategy, *COUNTED)
    done = run("compact", "s.jsonl", "--keep", WORD, *options, "-o", "out.jsonl")
    assert done.code == 0, done.stderr
    assert f"{WORD}: no deployment then" in texts(tmp_path / "out.jsonl")
    (warning,) = [w for w in warnings_of(done) if w.startswith("the message that matches --keep was shortened")]
    assert "with every match" in warning


def test_the_block_around_such_a_line_comes_before_the_ends_of_the_text(run, tmp_path):
    lines = [*(f"x{n} = {n}  # one of many constants" for n in range(300)), "", *FUNCTION]
    lines += [f"y{n} = {n}  # one of many constants" for n in range(300)]
    records = with_log([])
    records[2:3] = [calling_message(call("c1", "read", {"path": "log"})), result("c1", "\n".join(lines))]
    (tmp_path / "s.jsonl").write_bytes(jsonl(*records))
    done = run("compact", "s.jsonl", "--keep", WORD, "--target-tokens", 900, *COUNTED, "-o", "out.jsonl")
    assert done.code == 0
    assert "\\n".join(FUNCTION).rstrip("\\n") in texts(tmp_path / "out.jsonl")


def test_of_a_line_that_is_too_long_what_stands_around_the_match_stays(run, tmp_path):
    long = " ".join(f"word{n}" for n in range(1500))
    (tmp_path / "s.jsonl").write_bytes(jsonl(*with_log([f"{long} before {WORD} behind {long}"])))
    done = run("compact", "s.jsonl", "--keep", WORD, "--target-tokens", 900, *COUNTED, "-o", "out.jsonl")
    assert done.code == 0
    assert f"before {WORD} behind" in texts(tmp_path / "out.jsonl")


def test_a_warning_says_which_message_was_cut_and_the_target_it_names_is_enough(run, tmp_path):
    (tmp_path / "s.jsonl").write_bytes(jsonl(*with_log(middle(WORD))))
    options = ("compact", "s.jsonl", "--keep", f"{WORD}|value \\d", *COUNTED)
    done = run(*options, "--target-tokens", 1000, "--json", "-o", "out.jsonl")
    (warning,) = [w for w in json.loads(done.stdout)["warnings"] if "match" in w and "shortened" in w]
    assert warning in warnings_of(done)
    found = re.fullmatch(
        r"the message that matches --keep was shortened \(message 2\), from [\d,]+ to [\d,]+ tokens, without (\d+) of "
        r"(\d+) matches; a target of ([\d,]+) tokens keeps it whole",
        warning,
    )
    assert found
    kept = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[2])["content"]
    assert int(found[2]) - int(found[1]) == len(re.findall(f"{WORD}|value \\d", kept))
    enough = found[3].replace(",", "")
    assert not [w for w in warnings_of(run(*options, "--target-tokens", enough, "-o", "b.jsonl")) if "shortened" in w]


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_newest_messages_that_are_cut_though_they_are_to_be_kept_are_told(run, tmp_path, strategy):
    records = [*with_log([]), *(assistant(" ".join(f"part {n} of {m}" for n in range(60))) for m in range(3))]
    (tmp_path / "s.jsonl").write_bytes(jsonl(*records))
    options = ("compact", "s.jsonl", "--keep-last", 3, "--strategy", strategy, *COUNTED)
    (warning,) = [w for w in warnings_of(run(*options, "--target-tokens", 400, "-o", "a.jsonl")) if "--keep-last" in w]
    found = re.match(r"3 of the last 3 messages \(--keep-last\) were shortened \(messages 43, 44, 45\), from ", warning)
    assert found, warning
    enough = re.findall(r"a target of ([\d,]+) tokens keeps them whole", warning)[0].replace(",", "")
    done = run(*options, "--target-tokens", enough, "-o", "b.jsonl")
    assert not [w for w in warnings_of(done) if "--keep-last" in w]


@pytest.mark.parametrize("target", [400, 90_000])
def test_a_pattern_that_matches_nothing_is_told_also_where_nothing_had_to_be_cut(run, tmp_path, target):
    (tmp_path / "s.jsonl").write_bytes(jsonl(*with_log(LOG[:40])))
    options = ("compact", "s.jsonl", "--keep", "nosuchword", "--keep", "billing", *COUNTED)
    done = run(*options, "--target-tokens", target, "--json", "-o", "out.jsonl")
    assert done.code == 0
    told = [w for w in json.loads(done.stdout)["warnings"] if "matches nothing" in w]
    assert told == ["--keep 'nosuchword' matches nothing"]
    assert told[0] in warnings_of(done)


def test_patterns_of_a_settings_file_are_for_many_sessions_and_need_not_match_in_each(run, tmp_path):
    (tmp_path / "compactor.toml").write_text('keep = ["nosuchword"]\n')
    (tmp_path / "s.jsonl").write_bytes(jsonl(*with_log(LOG[:40])))
    done = run("compact", "s.jsonl", "--target-tokens", 400, *COUNTED, "-o", "out.jsonl")
    assert done.code == 0
    assert "matches nothing" not in done.stderr


def test_what_matches_took_from_the_requests_is_told(run, tmp_path):
    records = [system("You help."), user("Mend the billing.")]
    for n in range(30):
        asked = " ".join(f"Requirement {n}.{m} is that file{n}_{m}.py stays." for m in range(4))
        records += [user(asked), assistant(f"{WORD} " + " ".join(f"step {n}.{m}" for m in range(40)))]
    (tmp_path / "s.jsonl").write_bytes(jsonl(*records))
    options = ("compact", "s.jsonl", "--target-ratio", 0.4, *COUNTED)
    (warning,) = [w for w in warnings_of(run(*options, "--keep", WORD, "-o", "a.jsonl")) if "other user requests" in w]
    said = r"matches of --keep take [\d,]+ of the [\d,]+ tokens of the output, and (\d+) of 31 other user requests "
    found = re.match(said, warning)
    assert found
    assert int(found[1]) > 5
    output = texts(tmp_path / "a.jsonl")
    whole = [r["content"] for r in records if r["role"] == "user" and r["content"] in output]
    assert len(whole) == 31 - int(found[1])
    assert "other user requests" not in run(*options, "--keep", "billing", "-o", "b.jsonl").stderr


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_a_first_request_that_is_cut_is_told(run, tmp_path, strategy):
    task = " ".join(f"Requirement {n}: keep file{n}.py as it is." for n in range(60))
    (tmp_path / "s.jsonl").write_bytes(jsonl(system("You help."), user(task), *talk(steps=90)))
    options = ("compact", "s.jsonl", "--strategy", strategy, *COUNTED)
    done = run(*options, "--target-tokens", 420, "-o", "a.jsonl")
    assert done.code == 0, done.stderr
    assert task not in texts(tmp_path / "a.jsonl")
    told = [w for w in warnings_of(done) if w.startswith("the user's first request (message 1) was ")]
    assert len(told) == 1
    whole = run(*options, "--target-tokens", 1900, "-o", "b.jsonl")
    assert task in texts(tmp_path / "b.jsonl")
    assert "first request" not in whole.stderr


OPTIONS = {
    "--column text": "--column is not used: no input is a data set in Parquet",
    "--threshold 5 --scorer weighted": "--scorer, --threshold not used: with a target, strategy adaptive",
    "--now 2026-05-01T12:00:00Z": "--now not used: with a target, strategy adaptive",
    "--max-residuals 0.5": "--max-residuals not used: with a target, strategy adaptive",
    "--llm-model openai/x": "--llm-model not used: no model is asked",
}


@pytest.mark.parametrize("options", OPTIONS)
def test_an_option_without_effect_is_told_once(run, tmp_path, options):
    (tmp_path / "s.jsonl").write_bytes(jsonl(*with_log(LOG)))
    aim = ("compact", "s.jsonl", "--target-ratio", 0.3, *COUNTED)
    done = run(*aim, *options.split(), "--json", "-o", "a.jsonl")
    assert done.code == 0
    (warning,) = json.loads(done.stdout)["warnings"]
    assert warning.startswith(OPTIONS[options])
    assert warnings_of(done) == [warning]
    run(*aim, "-o", "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@pytest.mark.parametrize("aim", ["--target-ratio 0.3 --strategy tiered", "--strategy adaptive", ""])
def test_scores_have_an_effect_where_they_decide(run, tmp_path, aim):
    (tmp_path / "s.jsonl").write_bytes(jsonl(*with_log(LOG)))
    done = run("compact", "s.jsonl", *aim.split(), "--threshold", 5, "-o", "a.jsonl", *COUNTED)
    assert "--threshold" not in done.stderr


@pytest.mark.parametrize("words", ["--drop-outside --keep-outside", "--no-archive --archive", "--cache --no-cache"])
def test_both_words_of_a_switch_exclude_each_other(run, tmp_path, words):
    (tmp_path / "s.jsonl").write_bytes(jsonl(*with_log(LOG)))
    done = run("compact", "s.jsonl", "--target-ratio", 0.3, *words.split(), "-o", "a.jsonl")
    assert done.code == 2
    assert "exclude each other" in done.stderr
    assert not (tmp_path / "a.jsonl").exists()


def test_a_file_behind_two_dashes_is_no_word_of_a_switch(run, tmp_path):
    (tmp_path / "--keep-outside").write_bytes(jsonl(*with_log(LOG)))
    aim = ("--target-ratio", 0.3, "--drop-outside", "-o", "a.jsonl", *COUNTED)
    assert run("compact", *aim, "--", "--keep-outside").code == 0
