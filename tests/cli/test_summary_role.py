"""The role of summary messages is a setting, within what the format's API accepts."""

from __future__ import annotations

import json

import pytest


def _roles_of_summaries(path):
    values = [json.loads(line) for line in path.read_text().splitlines()]
    messages = [value.get("message") or value for value in values]
    return {m["role"] for m in messages if "## Session Summary" in json.dumps(m.get("content"))}


@pytest.mark.parametrize("role", ["user", "assistant", "system"])
def test_summaries_have_the_role_that_is_asked_for(run, session, tmp_path, role):
    out = tmp_path / "out.jsonl"
    done = run("compact", session, "--target-ratio", 0.3, "--summary-role", role, "-o", out, "--tokenizer", "chars")
    assert done.code == 0, done.stderr
    assert _roles_of_summaries(out) == {role}


def test_a_role_that_the_format_does_not_accept_there_is_refused(run, tmp_path):
    request = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x" * 4000}]}
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "ls", "input": {}}]}
    first = {"role": "user", "content": "Look."}
    lines = [first, *[call, request] * 4, {"role": "user", "content": "Go on."}]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = tmp_path / "out.jsonl"
    done = run("compact", path, "--target-ratio", 0.3, "--summary-role", "system", "-o", out, "--tokenizer", "chars")
    assert done.code == 2
    assert "anthropic allows user, assistant" in done.stderr
    assert not out.exists()
