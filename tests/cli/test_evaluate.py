"""`compactor evaluate` as a process: real files, other tools as real commands, its JSON and its errors."""

from __future__ import annotations

import json
import sys

import pytest

from compactor_cli.formats import NAMES
from compactor_cli.strategies import STRATEGIES
from tests.builders import ROOT, jsonl, user
from tests.drawing import is_drawing
from tests.evaluation.retention.sessions import work

pytestmark = pytest.mark.one_test_in(6)

CHARS = ("--tokenizer", "chars")
SHORT = (*CHARS, "--strategy", "tiered", "--target-ratio", "0.5", "--cuts", "0.5")
PLAIN = ["keep_last", "mask"]
TOPICS = ("harbour", "lagoon", "cedar")
SAMPLES = sorted((ROOT / "sample_transcripts").glob("*.jsonl"))
NUMBER = (int, float)
MAYBE = (*NUMBER, type(None))
ESTIMATE = {"mean": NUMBER, "low": MAYBE, "high": MAYBE}
ROW = {
    "method": str,
    "kind": str,
    "ratio": NUMBER,
    "linked": ESTIMATE,
    "recall": ESTIMATE,
    "old_half": MAYBE,
    "size": MAYBE,
    "over": int,
    "failed": int,
    "seconds": NUMBER,
    "failures": list,
}
DIFFERENCE = {"ratio": NUMBER, "first": str, "other": str, "linked": ESTIMATE, "recall": ESTIMATE}


@pytest.fixture
def files(tmp_path):
    """Three sessions, long enough to be cut twice."""
    for topic in TOPICS:
        (tmp_path / f"{topic}.jsonl").write_bytes(jsonl(*work(topic)))
    return [f"{topic}.jsonl" for topic in TOPICS]


def python(code):
    """A command of --against: a line of Python that gets the input, the output and the budget."""
    return f"{sys.executable} -c '{code}' {{in}} {{out}} {{budget}}"


def rows(done, method):
    return [row for row in done.json["rows"] if row["method"] == method]


def assert_shape(value, shape):
    for key, kind in shape.items():
        if isinstance(kind, dict):
            assert_shape(value[key], kind)
        else:
            assert isinstance(value[key], kind), key
    assert set(value) == set(shape)


def without_seconds(value):
    for row in value["rows"]:
        del row["seconds"]
    return value


# results


def test_without_options_all_strategies_and_the_plain_methods_are_rows_at_three_ratios(run, files):
    done = run("evaluate", *files, *CHARS, "--json")
    assert (done.code, done.stderr) == (0, "")
    names = [*STRATEGIES, *PLAIN]
    assert [(r["ratio"], r["method"]) for r in done.json["rows"]] == [(x, n) for x in (0.1, 0.25, 0.5) for n in names]
    assert {r["kind"] for r in done.json["rows"]} == {"strategy", "baseline"}
    assert [r for r in done.json["rows"] if r["over"]] == []


def test_the_json_has_the_documented_shape(run, files):
    value = run("evaluate", *files, *CHARS, "--json").json
    assert set(value) == {"sessions", "cases", "needs", "skipped", "counter", "rows", "differences", "limits"}
    assert (value["sessions"], value["cases"], value["counter"]) == (3, 6, "chars")
    for row in value["rows"]:
        assert_shape(row, ROW)
        assert 0 <= row["linked"]["mean"] <= row["recall"]["mean"] <= 1
        assert row["linked"]["low"] <= row["linked"]["mean"] <= row["linked"]["high"]
    for difference in value["differences"]:
        assert_shape(difference, DIFFERENCE)
        assert difference["first"] == next(iter(STRATEGIES))
    assert all(isinstance(limit, str) for limit in value["limits"])
    assert "presence is not use" in value["limits"][0]


def test_differences_are_those_of_the_rows(run, files):
    value = run("evaluate", *files, *CHARS, "--strategy", "tiered", "--json").json
    means = {(row["ratio"], row["method"]): row["linked"]["mean"] for row in value["rows"]}
    for found in value["differences"]:
        expected = means[found["ratio"], "tiered"] - means[found["ratio"], found["other"]]
        assert found["linked"]["mean"] == pytest.approx(expected, abs=0.0002)


def test_two_runs_differ_in_their_seconds_only(run, files):
    options = ["evaluate", *files, *(SHORT if is_drawing() else CHARS), "--json", "--against", "cp {in} {out}"]
    first = run(*options, PYTHONHASHSEED="1").json
    assert without_seconds(first) == without_seconds(run(*options, PYTHONHASHSEED="2").json)


def test_the_files_are_left_as_they_are(run, files, tmp_path):
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    run("evaluate", *files, *SHORT, "--against", "cp {in} {out}")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_two_sessions_have_no_intervals_and_the_report_says_so(run, files):
    done = run("evaluate", *files[:2], *SHORT, "--json")
    assert {row["linked"]["low"] for row in done.json["rows"]} == {None}
    assert "intervals need at least 3 sessions" in done.json["limits"]
    assert "intervals need at least 3 sessions" in run("evaluate", *files[:2], *SHORT).text


def test_a_file_given_twice_counts_once(run, files):
    assert run("evaluate", files[0], files[0], *SHORT, "--json").json["cases"] == 1


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_format_is_measured_or_skipped_with_a_reason(run, path):
    done = run("evaluate", path, *CHARS, "--strategy", "tiered", "--json")
    assert done.code == (0 if done.json["cases"] else 1), done.stderr
    assert done.json["cases"] + len(done.json["skipped"]) >= 2
    for skipped in done.json["skipped"]:
        assert skipped["path"].startswith(str(path))
        assert skipped["cut"] in (0.5, 0.75)
        assert skipped["reason"]
    assert [row for row in done.json["rows"] if row["over"]] == []
    assert path.stem.startswith(tuple(name.split("-")[0] for name in NAMES))


def test_conversations_of_one_file_are_sessions_of_their_own(run, tmp_path):
    (tmp_path / "all.jsonl").write_bytes(
        jsonl(*({"messages": work(topic)} for topic in TOPICS), {"messages": [user("a")]})
    )
    value = run("evaluate", "all.jsonl", *SHORT, "--json").json
    assert (value["sessions"], value["cases"]) == (3, 3)
    assert [skipped["path"] for skipped in value["skipped"]] == ["all.jsonl#3"]


# other tools


def test_a_copy_is_over_its_target_and_scores_0(run, files):
    done = run("evaluate", *files, *SHORT, "--json", "--against", "cp {in} {out}")
    (row,) = rows(done, "cp")
    assert (row["linked"]["mean"], row["recall"]["mean"], row["over"], row["failed"]) == (0, 0, 3, 0)
    assert row["size"] > 1.5
    assert row["kind"] == "against"


def test_our_own_command_as_another_tool_scores_as_the_strategy_does(run, files):
    against = f"self::{sys.executable} -m compactor_cli compact {{in}} -o {{out}} --target-tokens {{budget}} -q"
    done = run("evaluate", *files, *SHORT, "--json", "--against", f"{against} --strategy tiered --tokenizer chars")
    own, other = rows(done, "tiered")[0], rows(done, "self")[0]
    for key in ("linked", "recall", "old_half", "size", "over", "failed"):
        assert own[key] == other[key], key


@pytest.mark.drawn(6)
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import sys; sys.exit(7)", "exit code 7"),
        ("1/0", "exit code 1: ZeroDivisionError: division by zero"),
        ("import sys; print(sys.argv[1]); sys.exit(2)", "exit code 2: in.jsonl"),
        ("pass", "its output cannot be read: No such file or directory"),
        ("import sys; open(sys.argv[2], chr(119)).write(chr(123))", "its output"),
        ("import sys; open(sys.argv[2], chr(119))", "its output: the file is empty"),
    ],
)
def test_a_tool_that_fails_scores_0_and_its_reason_is_reported(run, files, code, reason):
    against = f"other::{python(code)}"
    done = run("evaluate", *files, *SHORT, "--json", "--against", against)
    (row,) = rows(done, "other")
    assert done.code == 0
    assert (row["linked"]["mean"], row["failed"], row["over"], row["size"]) == (0, 3, 0, None)
    (failure,) = row["failures"]
    assert failure["count"] == 3
    assert failure["reason"].startswith(reason)
    assert f"failed: other: {failure['reason']} (3 times)" in run("evaluate", *files, *SHORT, "--against", against).text


def test_a_tool_that_does_not_end_is_ended_with_what_it_started(run, files):
    # waits for input that never comes; its child holds the same pipe
    pause = "import signal; signal.pause()"
    code = f'import subprocess, sys; subprocess.run([sys.executable, chr(45) + chr(99), "{pause}"])'
    done = run("evaluate", files[0], *SHORT, "--json", "--timeout", "0.5", "--against", f"stuck::{python(code)}")
    assert rows(done, "stuck")[0]["failures"] == [{"reason": "not finished after 0.5 seconds", "count": 1}]


def test_a_tool_that_is_not_there_is_reported(run, files):
    done = run("evaluate", *files, *SHORT, "--json", "--against", "no-such-tool {in} {out}")
    (failure,) = rows(done, "no-such-tool")[0]["failures"]
    assert failure["reason"] == "cannot be started: No such file or directory"


def test_tools_with_one_name_are_told_apart(run, files):
    done = run("evaluate", files[0], *SHORT, "--json", "--against", "cp {in} {out}", "--against", "cp -p {in} {out}")
    assert [row["method"] for row in done.json["rows"]] == ["tiered", "cp", "cp-2", *PLAIN]


# words for people


def test_people_see_a_table_a_ratio_and_the_limits(run, files):
    done = run("evaluate", *files, *CHARS, COLUMNS="100")
    assert (done.code, done.stderr) == (0, "")
    assert "3 sessions · 6 cases" in done.text
    for title in ("Compacted to 10%", "Compacted to 25%", "Compacted to 50%", "minus each other row"):
        assert title in done.text
    for name in (*STRATEGIES, *PLAIN):
        assert name in done.text
    assert "presence is not use" in done.text
    assert max(map(len, done.text.splitlines())) <= 100


def test_nothing_to_measure_is_a_message_and_exit_code_1(run, tmp_path):
    (tmp_path / "short.jsonl").write_bytes(jsonl(user("hello")))
    done = run("evaluate", "short.jsonl", *CHARS)
    assert done.code == 1
    assert "skipped: short.jsonl at 50%: no legal place to cut" in done.text
    assert "no session can be measured" in done.stderr
    scripted = run("evaluate", "short.jsonl", *CHARS, "--json")
    assert scripted.code == 1
    assert (scripted.json["cases"], scripted.json["rows"], scripted.json["differences"]) == (0, [], [])


# errors


def test_a_file_that_cannot_be_read_is_exit_code_3(run, tmp_path):
    (tmp_path / "bad.jsonl").write_bytes(b"no json\n")
    done = run("evaluate", "bad.jsonl", *CHARS)
    assert (done.code, done.stdout) == (3, b"")
    assert "bad.jsonl:1: " in done.stderr
    missing = run("evaluate", "missing.jsonl", *CHARS)
    assert (missing.code, missing.stdout) == (3, b"")
    assert "missing.jsonl: file not found" in missing.stderr


def test_of_several_files_the_others_are_still_measured(run, files, tmp_path):
    (tmp_path / "bad.jsonl").write_bytes(b"no json\n")
    done = run("evaluate", *files, "bad.jsonl", *SHORT, "--json")
    assert done.code == 3
    assert "bad.jsonl:1: " in done.stderr
    assert done.json["cases"] == 3
    assert [(s["path"], s["cut"]) for s in done.json["skipped"]] == [("bad.jsonl", None)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--strategy", "nonsense"], "unknown strategy 'nonsense'; known: "),
        (["--strategy", "tiered,nonsense"], "unknown strategy 'nonsense'"),
        (["--target-ratio", "0"], "--target-ratio '0': not shares above 0 and up to 1; write"),
        (["--target-ratio", "0.1,1.5"], "--target-ratio '0.1,1.5'"),
        (["--target-ratio", "nan"], "--target-ratio 'nan'"),
        (["--target-ratio", ""], "--target-ratio ''"),
        (["--target-ratio", "half"], "--target-ratio 'half'"),
        (["--cuts", "1"], "--cuts '1': not shares between 0 and 1; write"),
        (["--cuts", "0.5,-1"], "--cuts '0.5,-1'"),
        (["--against", "cp {in} somewhere"], "--against 'cp {in} somewhere': the command needs {in} and {out}"),
        (["--against", "cp '{in} {out}"], "No closing quotation"),
        (["--against", "mask::cp {in} {out}"], "the name 'mask' is empty or already used by another row"),
        (["--against", "::cp {in} {out}"], "is empty or already"),
        (["--tokenizer", "nonsense"], "unknown tokenizer"),
        (["--format", "nonsense"], "unknown format"),
        (["--timeout", "0"], "--timeout"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_names_the_option(run, files, options, words):
    done = run("evaluate", files[0], *CHARS, *options)
    assert (done.code, done.stdout) == (2, b"")
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_quiet_says_nothing_on_standard_error(run, tmp_path):
    (tmp_path / "short.jsonl").write_bytes(jsonl(user("hello")))
    done = run("evaluate", "short.jsonl", *CHARS, "--json", "-q")
    assert (done.code, done.stderr) == (1, "")
    assert json.loads(done.stdout)["skipped"]
