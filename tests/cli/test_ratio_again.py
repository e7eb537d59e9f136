"""A ratio refers to what a session was compacted from; where the output has no room to say it, a person is told."""

from __future__ import annotations

import json

import pytest

from tests.builders import assistant, jsonl, plain_exchanges, user

TOLD = "the same --target-ratio again would remove more; --target-tokens would not"
SHORT = jsonl(*[said for _ in range(200) for said in (user("ok"), assistant("ok"))])
"""Nothing in it is worth a summary."""

ENDS = ("--tokenizer", "chars", "--in-place", "--json")


@pytest.mark.parametrize(("data", "told"), [(SHORT, True), (jsonl(*plain_exchanges(15)), False)])
def test_a_file_that_cannot_say_what_it_was_compacted_from(run, tmp_path, data, told):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(data)
    done = run("compact", path, "--target-ratio", "0.3", *ENDS)
    assert done.code == 0, done.stderr
    assert (TOLD in " ".join(done.stderr.split())) == told
    assert any(TOLD in warning for warning in json.loads(done.text)["warnings"]) == told
    once = path.read_bytes()
    assert run("compact", path, "--target-ratio", "0.3", *ENDS).code == 0
    assert (path.read_bytes() != once) == told  # what was told is so


def test_tokens_refer_to_nothing(run, tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(SHORT)
    done = run("compact", path, "--target-tokens", "500", *ENDS)
    assert done.code == 0, done.stderr
    assert path.read_bytes() != SHORT
    assert TOLD not in " ".join(done.stderr.split())
