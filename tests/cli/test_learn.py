"""`compactor learn` as a process: what it reads, what it writes, its figures and its errors."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

import compactor_cli
from compactor_cli import api
from compactor_cli.errors import InputError
from compactor_cli.evaluation.learning.examples import cases_of
from compactor_cli.evaluation.learning.fit import auc
from compactor_cli.features.name_features import weight_names
from compactor_cli.model.content import read_all
from compactor_cli.profiles import default_profile, parse_profile
from compactor_cli.settings import Settings
from tests.builders import ROOT, clean_environment, jsonl
from tests.drawing import is_drawing
from tests.evaluation.learning.sessions import TOPICS, code, errand, errand_data, short_data

pytestmark = pytest.mark.one_test_in(6)

CHARS = ("--tokenizer", "chars")
QUICK = (*CHARS, "--no-held-out")
ROWS = ["by_session", "by_source", "tiered", "mask"]
SAMPLES = ROOT.parent / "shared" / "transcripts"


@pytest.fixture
def sessions(tmp_path):
    """Two folders with three sessions each."""
    for at, topic in enumerate(TOPICS):
        folder = tmp_path / "sessions" / ("north", "south")[at % 2]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{topic}.jsonl").write_bytes(errand_data(topic))
    return tmp_path / "sessions"


def learned(tmp_path):
    return parse_profile((tmp_path / "own.toml").read_text("utf-8"), "own.toml")


# the profile


def test_a_profile_is_written_with_its_figures(run, sessions, tmp_path):
    done = run("learn", "sessions", "-o", "own.toml", *CHARS, COLUMNS="100")
    assert (done.code, done.stderr) == (0, "written to own.toml\n")
    assert "6 sessions of 2 sources · 24 cases" in done.text
    assert "adaptive, session unseen" in done.text
    assert max(map(len, done.text.splitlines())) <= 100
    profile = learned(tmp_path)
    assert set(profile.weights) == set(weight_names())
    assert profile.weights["kind.code"] > profile.weights["kind.number"]
    assert profile.sessions == 6
    assert profile.figures["all.by_session.auc"] > 0.9
    for row in ROWS:
        assert 0 <= profile.figures[f"all.{row}.linked_10"] <= profile.figures[f"all.{row}.recall_10"] <= 1
        assert f"sources.south.{row}.linked_25" in profile.figures


def test_held_out_figures_are_those_of_the_measure(run, sessions, tmp_path):
    """Two sessions: each fold is one, so `evaluate` on it with a profile of the other gives the same figures."""
    pair = ["sessions/north/harbour.jsonl", "sessions/north/cedar.jsonl"]
    report = run("learn", *pair, "-o", "own.toml", *CHARS, "--json").json["held_out"]
    assert report["folds"] == 2
    found = []
    for tested, taught in (pair, pair[::-1]):
        assert run("learn", taught, "-o", "one.toml", *QUICK).code == 0
        options = ("--strategy", "adaptive", "--target-ratio", "0.25", "--profile", "one.toml", "--json")
        found.append(run("evaluate", tested, *CHARS, *options).json["rows"][0]["recall"]["mean"])
    assert report["all"]["by_session"]["recall_25"] == pytest.approx(sum(found) / 2, abs=0.05)


def test_the_profile_is_the_same_for_the_same_sessions_wherever_they_are(run, sessions, tmp_path):
    few = QUICK if is_drawing() else (*CHARS, "--folds", "2")
    run("learn", "sessions", "-o", "own.toml", *few, PYTHONHASHSEED="1")
    first = (tmp_path / "own.toml").read_bytes()
    shutil.move(sessions, tmp_path / "moved")
    run("learn", "moved/south", "moved/north", "-o", "own.toml", *few, PYTHONHASHSEED="2")
    assert (tmp_path / "own.toml").read_bytes() == first
    assert str(tmp_path).encode() not in first
    assert b"lagoon.jsonl" not in first


def test_neither_folds_nor_seed_change_the_weights(run, sessions):
    first = run("learn", "sessions/north", "-o", "own.toml", *CHARS, "--folds", "2", "--json").json
    other = run("learn", "sessions/north", "-o", "own.toml", *CHARS, "--folds", "3", "--seed", "3", "--json").json
    assert first["weights"] == other["weights"]
    assert (first["held_out"]["folds"], other["held_out"]["folds"]) == (2, 3)


def test_a_learned_profile_steers_adaptive(run, sessions, tmp_path):
    assert run("learn", "sessions/north", "-o", "own.toml", *QUICK).code == 0
    source = compactor_cli.load(errand_data("lagoon"), tokenizer="chars")
    settings = Settings(strategy="adaptive", target_ratio=0.2)
    result = compactor_cli.compact(source, settings, tokenizer="chars", profile=learned(tmp_path))
    assert all(code("lagoon", at).encode() in read_all(result.data) for at in range(20))
    assert result.data != compactor_cli.compact(source, settings, tokenizer="chars").data
    done = run("compact", "sessions/south/lagoon.jsonl", "--target-ratio", "0.2", "--profile", "own.toml", *CHARS)
    assert done.stdout == result.data


def test_the_report_for_scripts(run, sessions, tmp_path):
    value = run("learn", "sessions", "-o", "own.toml", *CHARS, "--json").json
    assert set(value) == {
        *("profile", "sessions", "cases", "names", "sources", "too_short", "copies", "refused", "counter"),
        *("penalty", "held_out", "not_held_out", "weights", "notes", "warnings"),
    }
    assert value["sources"] == [{"name": "north", "sessions": 3}, {"name": "south", "sessions": 3}]
    assert (value["profile"], value["counter"], value["penalty"]) == ("own.toml", "chars", 10)
    assert set(value["held_out"]["sources"]) == {"north", "south"}
    assert list(value["held_out"]["all"]) == ["sessions", *ROWS]
    assert set(value["held_out"]["all"]["by_session"]) == {
        *("auc", "cases", "linked_10", "recall_10", "linked_25", "recall_25")
    }
    assert value["weights"] == learned(tmp_path).weights


def test_without_output_the_profile_goes_to_standard_output(run, sessions):
    done = run("learn", "sessions/north/harbour.jsonl", *QUICK)
    assert parse_profile(done.text, "-").sessions == 1
    assert "1 session of 1 source" in done.stderr
    refused = run("learn", "sessions", *QUICK, "--json")
    assert (refused.code, refused.stdout) == (2, b"")


# what can be held out


def test_one_session_has_no_held_out_figures_and_that_is_said(run, sessions, tmp_path):
    done = run("learn", "sessions/north/harbour.jsonl", "-o", "own.toml", *CHARS)
    assert done.code == 0
    assert "no held-out figures: a single session cannot be held out from itself" in done.text
    assert "# No held-out figures: a single session" in (tmp_path / "own.toml").read_text("utf-8")
    assert learned(tmp_path).figures == {}


def test_one_source_is_not_held_out_from_itself(run, sessions):
    value = run("learn", "sessions/north", "-o", "own.toml", *CHARS, "--json").json
    assert list(value["held_out"]["all"]) == ["sessions", "by_session", "tiered", "mask"]


def test_figures_can_be_left_out(run, sessions):
    value = run("learn", "sessions", "-o", "own.toml", *QUICK, "--json").json
    assert (value["held_out"], value["not_held_out"]) == (None, "--no-held-out was given")


# which files


def test_folders_are_searched_and_names_with_a_leading_line_left_out(run, sessions):
    (sessions / "north" / "_meta.jsonl").write_bytes(b"no json\n")
    (sessions / "north" / "notes.txt").write_bytes(b"no json\n")
    value = run("learn", "sessions", "-o", "own.toml", *QUICK, "--json").json
    assert (value["sessions"], value["refused"]) == (6, [])


def test_files_that_cannot_be_read_are_warnings(run, sessions):
    (sessions / "north" / "bad.jsonl").write_bytes(b"no json\n")
    done = run("learn", "sessions", "missing.jsonl", "-o", "own.toml", *QUICK)
    assert done.code == 0
    assert "warning: left out: sessions/north/bad.jsonl:1: " in done.stderr
    assert "warning: left out: missing.jsonl: file not found" in done.stderr
    assert "left out: 2 files that cannot be read" in done.text


def test_short_sessions_and_copies_are_counted(run, sessions):
    (sessions / "north" / "short.jsonl").write_bytes(short_data())
    (sessions / "south" / "copy.jsonl").write_bytes(errand_data(TOPICS[0]))
    value = run("learn", "sessions", "sessions/north/harbour.jsonl", "-o", "own.toml", *QUICK, "--json").json
    assert (value["sessions"], value["too_short"], value["copies"]) == (6, 1, 1)


def test_conversations_of_one_file_are_sessions_of_their_own(run, tmp_path):
    (tmp_path / "all.jsonl").write_bytes(jsonl(*({"messages": list(errand(topic))} for topic in TOPICS[:3])))
    assert run("learn", "all.jsonl", "-o", "own.toml", *QUICK, "--json").json["sessions"] == 3


def test_standard_input_is_a_session(run):
    value = run("learn", "-", "-o", "own.toml", *QUICK, "--json", input=errand_data("onyx")).json
    assert value["sources"] == [{"name": "stdin", "sessions": 1}]


def test_folders_of_one_name_are_told_apart_and_folders_of_dates_are_none(run, tmp_path):
    places = ("a/logs", "b/logs", "c/sessions/2026/03/01", "c/sessions/2026/03/02", "d")
    for topic, place in zip(TOPICS, places, strict=False):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "rollout.jsonl").write_bytes(errand_data(topic))
    value = run("learn", "a", "b", "c", "d", "-o", "own.toml", *QUICK, "--json").json
    assert {source["name"]: source["sessions"] for source in value["sources"]} == {
        "a/logs": 1,
        "b/logs": 1,
        "sessions": 2,
        "d": 1,
    }


def test_a_folder_named_after_the_home_folder_does_not_tell_it(run, tmp_path):
    for topic, name in zip(TOPICS, ("-home-sam-work-shop", "-home-sam"), strict=False):
        (tmp_path / name).mkdir()
        (tmp_path / name / "s.jsonl").write_bytes(errand_data(topic))
    value = run(
        "learn", "./-home-sam-work-shop", "./-home-sam", "-o", "own.toml", *QUICK, "--json", HOME="/home/sam"
    ).json
    assert [source["name"] for source in value["sources"]] == ["home", "work-shop"]


# nothing is written


def test_nothing_to_learn_is_exit_code_1(run, tmp_path):
    (tmp_path / "short.jsonl").write_bytes(short_data())
    done = run("learn", "short.jsonl", "-o", "own.toml", *CHARS)
    assert (done.code, done.stdout) == (1, b"")
    assert "nothing to learn from: the session is too short" in done.stderr
    assert not (tmp_path / "own.toml").exists()


def test_no_readable_file_is_exit_code_3(run, tmp_path):
    (tmp_path / "bad.jsonl").write_bytes(b"no json\n")
    done = run("learn", "bad.jsonl", "missing.jsonl", "-o", "own.toml", *CHARS)
    assert (done.code, done.stdout) == (3, b"")
    assert "bad.jsonl:1: " in done.stderr
    assert not (tmp_path / "own.toml").exists()


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-o", "sessions/north/harbour.jsonl"], "is the input sessions/north/harbour.jsonl"),
        (["-o", "missing/own.toml"], "-o missing/own.toml: name a file in a folder that exists"),
        (["-o", "sessions"], "-o sessions: name a file"),
        (["-o", "own.toml", "empty"], "empty: the folder holds no *.jsonl file"),
        (["-o", "own.toml", "--folds", "1"], "--folds"),
        (["-o", "own.toml", "--penalty", "0"], "--penalty"),
        (["-o", "own.toml", "--tokenizer", "nonsense"], "unknown tokenizer"),
        (["-o", "own.toml", "--format", "nonsense"], "unknown format"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_names_the_option(run, sessions, tmp_path, options, words):
    (tmp_path / "empty").mkdir()
    before = errand_data("harbour")
    done = run("learn", "sessions", *options)
    assert (done.code, done.stdout) == (2, b"")
    assert words in " ".join(done.stderr.split())
    assert (sessions / "north" / "harbour.jsonl").read_bytes() == before
    assert not (tmp_path / "own.toml").exists()


def test_without_numpy_learning_says_what_to_install_and_using_a_profile_works(run, sessions, tmp_path):
    hidden = tmp_path / "hidden" / "numpy"
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").write_text("raise ImportError('hidden')")
    path = os.pathsep.join((str(hidden.parent), str(ROOT)))
    done = run("learn", "sessions", "-o", "own.toml", *CHARS, PYTHONPATH=path)
    assert (done.code, done.stdout) == (2, b"")
    assert done.stderr == "error: learning needs numpy: pip install 'compactor-cli[learn]'\n"
    assert not (tmp_path / "own.toml").exists()
    run("learn", "sessions", "-o", "own.toml", *QUICK)
    options = ("--target-ratio", "0.2", "--profile", "own.toml", *CHARS)
    used = run("compact", "sessions/north/harbour.jsonl", *options, PYTHONPATH=path)
    assert (used.code, used.stderr.count("Error")) == (0, 0)


def test_an_old_profile_is_replaced_only_by_a_new_one(run, sessions, tmp_path):
    (tmp_path / "own.toml").write_bytes(b"old")
    (tmp_path / "short.jsonl").write_bytes(short_data())
    run("learn", "short.jsonl", "-o", "own.toml", *CHARS)
    assert (tmp_path / "own.toml").read_bytes() == b"old"
    run("learn", "sessions", "-o", "own.toml", *QUICK, "-q")
    assert learned(tmp_path).sessions == 6


# the shipped profile


def transcripts_of(path):
    """The conversations of a file; none of one that is no transcript."""
    try:
        return api.load(path.read_bytes(), str(path)).transcripts
    except InputError:
        return ()


def mean_auc(cases, weights):
    values = [value for case in cases if (value := auc(case, weights)) is not None]
    return sum(values) / len(values)


@pytest.mark.everything
@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample sessions are not here")
def test_the_shipped_weights_rank_names_as_well_as_those_that_the_sample_sessions_teach(run, tmp_path):
    """What counts as a name may change a little without the weights being learned anew: a few hundredths of a weight
    decide which of two names stays in small sessions."""
    folders = [SAMPLES / name for name in ("openai-long", "swe-agent", "openhands-inspect-mini", "tau-bench")]
    done = run("learn", *folders, "-o", "own.toml", "--no-held-out", "--json", "-q")
    assert (done.code, done.stderr) == (0, "")
    shipped = default_profile()
    assert json.loads(done.stdout)["sessions"] == shipped.sessions
    files = [path for folder in folders for path in sorted(folder.rglob("*.jsonl")) if not path.name.startswith("_")]
    cases = [case for path in files for one in transcripts_of(path) for case in cases_of("session", one.messages)]
    own = mean_auc(cases, learned(tmp_path).weights)
    assert own > 0.8
    assert mean_auc(cases, shipped.weights) > own - 0.01


def test_without_numpy_learn_says_how_to_get_it_before_it_reads_anything(tmp_path):
    without = (
        "import sys\nsys.modules['numpy'] = None\n"
        f"sys.argv = ['compactor', 'learn', {str(tmp_path / 'none.jsonl')!r}, '-o', 'missing-folder/p.toml']\n"
        "from compactor_cli.__main__ import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", without], capture_output=True, env=clean_environment(), check=False)
    assert done.returncode == 2
    assert done.stderr.decode().strip() == "error: learning needs numpy: pip install 'compactor-cli[learn]'"
