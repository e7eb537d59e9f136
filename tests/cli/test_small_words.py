"""What an output's name asks for, and what is said of a copy, as a user meets them."""

from __future__ import annotations

import pytest

from tests.builders import jsonl, plain_exchanges

CHAT = jsonl(*plain_exchanges(15))
CHARS = ("--tokenizer", "chars")


@pytest.fixture
def chat(tmp_path):
    file = tmp_path / "chat.jsonl"
    file.write_bytes(CHAT)
    return file


@pytest.mark.parametrize("end", [".br", ".ZIP", ".lz4"])
def test_a_name_that_asks_for_a_compression_that_is_not_written_is_an_error(run, chat, tmp_path, end):
    done = run("compact", "chat.jsonl", "-o", f"out.jsonl{end}", "--target-ratio", "0.5", *CHARS)
    assert done.code == 2
    said = " ".join(done.stderr.split())
    assert "unsupported compression; use a name that ends in .gz" in said
    assert ".eval" not in said
    assert not (tmp_path / f"out.jsonl{end}").exists()


def test_an_unchanged_copy_says_where_it_was_written(run, chat, tmp_path):
    done = run("compact", "chat.jsonl", "-o", "copy.jsonl", "--target-tokens", "999999", *CHARS)
    assert done.code == 0
    assert (tmp_path / "copy.jsonl").read_bytes() == CHAT
    assert "unchanged written to copy.jsonl" in " ".join(done.stderr.split())


def test_a_file_that_stays_in_place_is_not_said_to_be_written(run, chat):
    done = run("compact", "chat.jsonl", "--in-place", "--target-tokens", "999999", *CHARS)
    assert done.code == 0
    assert "written to" not in done.stderr


def test_faults_of_one_message_are_an_error(run, chat):
    done = run("inspect", "chat.jsonl", "--message", "3", "--faults")
    assert done.code == 2
    assert "use it without --message" in " ".join(done.stderr.split())
