"""Answers kept on disk: found again, within their limit, and never in the way."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from compactor_cli.asking.port import ModelAnswer, ModelRequest, Turn
from compactor_cli.llm import cache as module
from compactor_cli.llm.cache import AnswerCache, cache_file, request_key
from tests.builders import clean_environment

pytestmark = pytest.mark.one_test_in(2)

ANSWER = ModelAnswer("An answer.", prompt_tokens=7, completion_tokens=3)
REQUEST = ModelRequest("a purpose", "A system.", (Turn("user", "A question."),), 100)

WRITER = """
import sys
from pathlib import Path
from compactor_cli.llm.cache import AnswerCache
from compactor_cli.asking.port import ModelAnswer
cache = AnswerCache(Path(sys.argv[1]), 64)
print("ready", flush=True)
sys.stdin.readline()
for at in range(100):
    cache.put(f"{sys.argv[2]}-{at}", ModelAnswer(f"answer {at} of {sys.argv[2]}"))
print(cache.warning)
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "folder" / "answers.sqlite3"


def rows(file):
    with closing(sqlite3.connect(file)) as db:
        return db.execute("SELECT COUNT(*) FROM answers").fetchone()[0]


def key(model="openai/x", base="", temperature=0.0, **changes):
    return request_key(model, base, temperature, replace(REQUEST, **changes))


def test_an_answer_is_found_again_by_another_process_too(file):
    AnswerCache(file, 1).put("key", ANSWER)
    assert AnswerCache(file, 1).get("key") == ANSWER


def test_what_was_not_kept_is_not_found(file):
    assert AnswerCache(file, 1).get("key") is None


def test_text_that_utf8_cannot_hold_comes_back_as_it_was(file):
    cache = AnswerCache(file, 1)
    cache.put("key", ModelAnswer("half a character: \ud83d, and \0"))
    assert cache.get("key") == ModelAnswer("half a character: \ud83d, and \0")
    assert not cache.warning


@pytest.mark.parametrize(
    "answer",
    [
        ModelAnswer("", "length", 12, 16),
        ModelAnswer("cut off at the", "length", 12, 16),
        ModelAnswer("text beside a call", "tool"),
        ModelAnswer("filtered", "other"),
    ],
)
def test_every_answer_that_came_is_kept_with_its_end(file, answer):
    cache = AnswerCache(file, 1)
    cache.put("key", answer)
    assert cache.get("key") == answer


@pytest.mark.parametrize("answer", [ModelAnswer(failure="429: rate limit"), ModelAnswer(""), ModelAnswer("", "tool")])
def test_what_says_nothing_is_not_kept(file, answer):
    cache = AnswerCache(file, 1)
    cache.put("key", answer)
    assert cache.get("key") is None


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_nobody_else_may_read_the_file(file):
    file.parent.mkdir(parents=True, exist_ok=True)
    AnswerCache(file, 1).put("key", ModelAnswer("An answer."))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_key_depends_on_all_that_the_answer_depends_on(monkeypatch):
    keys = [
        key(),
        key(model="openai/y"),
        key(base="http://127.0.0.1/v1"),
        key(temperature=0.1),
        key(system="Another."),
        key(turns=(Turn("assistant", "A question."),)),
        key(turns=(Turn("user", "A question."), Turn("user", ""))),
        key(max_tokens=101),
        key(schema={"type": "object"}),
        key(system="half a character: \ud83d"),
    ]
    monkeypatch.setattr(module, "PROMPT_VERSION", module.PROMPT_VERSION + 1)
    assert len({*keys, key()}) == len(keys) + 1


def test_the_key_does_not_depend_on_the_purpose_or_the_order_of_a_schema():
    assert key(schema={"a": 1, "b": 2}) == key(schema={"b": 2, "a": 1}, purpose="another")


def test_the_least_recently_used_answers_make_room(file):
    cache = AnswerCache(file, 1)
    text = "x" * 300_000  # three of them fit into a megabyte
    for name in ("a", "b", "c"):
        cache.put(name, ModelAnswer(text))
    assert cache.get("a")  # a hit renews
    cache.put("d", ModelAnswer(text))
    assert [name for name in "abcd" if cache.get(name)] == ["a", "c", "d"]
    assert file.stat().st_size < 1_100_000


def test_an_answer_larger_than_the_limit_drives_nothing_out(file):
    cache = AnswerCache(file, 1)
    cache.put("small", ANSWER)
    cache.put("large", ModelAnswer("x" * 1_000_001))
    assert cache.get("small") == ANSWER
    assert cache.get("large") is None


def test_a_smaller_limit_holds_from_the_next_answer_on(file):
    large = AnswerCache(file, 10)
    for at in range(8):
        large.put(str(at), ModelAnswer("x" * 500_000))
    AnswerCache(file, 1).put("new", ANSWER)
    assert rows(file) == 2
    assert file.stat().st_size < 1_100_000


def test_two_processes_that_write_at_once_lose_nothing(file):
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(file), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=clean_environment(),
        )
        for name in ("one", "two")
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    outputs = [writer.communicate(timeout=60)[0] for writer in writers]
    assert outputs == [b"\n", b"\n"]
    cache = AnswerCache(file, 64)
    for name in ("one", "two"):
        assert all(cache.get(f"{name}-{at}") == ModelAnswer(f"answer {at} of {name}") for at in range(100))


@pytest.mark.parametrize(
    "data", [b"this is no database, and long enough to tell" * 100, b"SQLite format 3\0" + b"\7" * 5_000]
)
def test_a_damaged_file_is_made_anew_with_a_warning(file, data):
    file.parent.mkdir()
    file.write_bytes(data)
    cache = AnswerCache(file, 1)
    cache.put("key", ANSWER)
    assert cache.get("key") == ANSWER
    assert "damaged" in cache.warning
    assert str(file) in cache.warning
    assert "\n" not in cache.warning


def test_a_file_damaged_in_the_middle_is_made_anew(file):
    cache = AnswerCache(file, 10)
    for at in range(40):
        cache.put(str(at), ModelAnswer(f"{at} " * 5_000))
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)
    fresh = AnswerCache(file, 10)
    fresh.get("3")
    fresh.put("key", ANSWER)
    assert fresh.get("key") == ANSWER
    assert "damaged" in fresh.warning


def test_a_folder_that_cannot_be_made_is_passed_over(tmp_path):
    (tmp_path / "folder").write_text("a file where the folder should be")
    cache = AnswerCache(tmp_path / "folder" / "answers.sqlite3", 1)
    cache.put("key", ANSWER)
    assert cache.get("key") is None
    assert "is not used" in cache.warning


def test_a_folder_in_place_of_the_file_is_passed_over(file):
    file.mkdir(parents=True)
    cache = AnswerCache(file, 1)
    cache.put("key", ANSWER)
    assert cache.get("key") is None
    assert "is not used" in cache.warning
    assert file.is_dir()


def test_a_locked_file_is_passed_over_and_left_as_it_is(file, monkeypatch):
    AnswerCache(file, 1).put("key", ANSWER)
    monkeypatch.setattr(module, "_LOCK_TIMEOUT_SECONDS", 0.01)
    with closing(sqlite3.connect(file, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        cache = AnswerCache(file, 1)
        assert cache.get("key") is None
        assert "locked" in cache.warning
    assert AnswerCache(file, 1).get("key") == ANSWER


def test_a_table_of_another_form_is_passed_over(file):
    file.parent.mkdir()
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE answers (something TEXT)")
        db.commit()
    cache = AnswerCache(file, 1)
    cache.put("key", ANSWER)
    assert cache.get("key") is None
    assert "is not used" in cache.warning


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_the_folder_is_for_its_owner_alone(file):
    AnswerCache(file, 1).put("key", ANSWER)
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.skipif(sys.platform != "linux", reason="the variable of this system")
def test_the_file_lies_in_the_cache_folder_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_file() == Path(tmp_path, "compactor", "answers.sqlite3")
