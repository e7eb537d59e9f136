"""`compact --flush` and `compact --recall`: what one session taught is there for another."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.builders import ROOT
from tests.conftest import DATA

pytestmark = pytest.mark.one_test_in(3)

SAMPLES = ROOT / "sample_transcripts"


@pytest.fixture
def flushed(command, tmp_path):
    """A memory log with what the fixed session says, and another session to compact."""
    shutil.copy(DATA / "session.jsonl", tmp_path / "first.jsonl")
    shutil.copy(SAMPLES / "claude-code.jsonl", tmp_path / "second.jsonl")
    done = command("compact", "first.jsonl", "-o", "out1.jsonl", "--target-ratio", 0.5, "--flush")
    assert done.code == 0, done.stderr
    return done


def recalling(command, query, *args):
    return command("compact", "second.jsonl", "-o", "out2.jsonl", "--target-ratio", 0.5, "--recall", query, *args)


def recalled_in(file):
    texts = [json.loads(line).get("message", {}).get("content") for line in file.read_bytes().splitlines()]
    return [text for text in texts if isinstance(text, str) and text.startswith("## Recalled Memories\n")]


def test_what_one_session_taught_is_recalled_into_another(flushed, command, tmp_path):
    assert recalling(command, "encoding of the export").code == 0
    (text,) = recalled_in(tmp_path / "out2.jsonl")
    assert "latin-1" in text
    assert text.count("\n- [") <= 5


def test_a_query_that_finds_nothing_says_so(flushed, command, tmp_path):
    done = recalling(command, "zymurgy quokka")
    assert done.code == 0
    assert "no memory was found" in done.stderr
    assert recalled_in(tmp_path / "out2.jsonl") == []


def test_without_a_memory_log_it_says_so_and_makes_none(command, tmp_path):
    shutil.copy(SAMPLES / "claude-code.jsonl", tmp_path / "second.jsonl")
    done = recalling(command, "encoding", "--no-archive", "--database", "folder/log.sqlite3")
    assert done.code == 0
    assert "no memory" in done.stderr
    assert recalled_in(tmp_path / "out2.jsonl") == []
    assert not (tmp_path / "folder").exists()


def test_nothing_is_recalled_unasked(flushed, command, tmp_path):
    assert command("compact", "second.jsonl", "-o", "out2.jsonl", "--target-ratio", 0.5).code == 0
    assert recalled_in(tmp_path / "out2.jsonl") == []


def test_a_file_within_its_target_stays_and_it_is_said_why(flushed, command, tmp_path):
    done = command("compact", "second.jsonl", "-o", "out2.jsonl", "--target-ratio", 1.0, "--recall", "encoding")
    assert done.code == 0
    assert (tmp_path / "out2.jsonl").read_bytes() == (tmp_path / "second.jsonl").read_bytes()
    assert "nothing was recalled" in done.stderr


AUTO = {"COMPACTOR_MEMORY_AUTO_RECALL": "true"}


def test_what_bears_on_a_session_comes_back_by_itself_where_a_setting_says_so(command, tmp_path):
    """No query: the session's own requests find it. What has a word in common by chance stays out."""
    shutil.copy(SAMPLES / "claude-code.jsonl", tmp_path / "second.jsonl")
    bearing = "The February valuation is audited by the accounting office in Bremen."
    assert command("memory", "add", bearing).code == 0
    assert command("memory", "add", "Deploys of the quarterly zymurgy report are on Tuesdays.").code == 0
    arguments = ("compact", "second.jsonl", "-o", "out2.jsonl", "--target-ratio", 0.5)
    assert command(*arguments).code == 0
    assert recalled_in(tmp_path / "out2.jsonl") == []
    done = command(*arguments, **AUTO)
    assert done.code == 0, done.stderr
    (text,) = recalled_in(tmp_path / "out2.jsonl")
    assert bearing in text
    assert "zymurgy" not in text
    assert command("memory", "search", "Bremen", "--json").json[0]["uses"] == 1


def test_by_itself_nothing_is_made_or_said_where_there_is_no_log(command, tmp_path):
    shutil.copy(SAMPLES / "claude-code.jsonl", tmp_path / "second.jsonl")
    arguments = ("compact", "second.jsonl", "-o", "out2.jsonl", "--target-ratio", 0.5, "--database", "folder/log.db")
    done = command(*arguments, **AUTO)
    assert done.code == 0
    assert "memor" not in done.stderr
    assert not (tmp_path / "folder").exists()
