"""A prompt whose fixed parts alone are too large."""

from __future__ import annotations

import json


def test_a_budget_smaller_than_its_fixed_parts_says_so_and_is_no_success(run, session, tmp_path):
    (tmp_path / "prompt.yaml").write_text("system_prompt: 900\ntask_prompt: {tokens: 150}\n")
    done = run("budget", session, "--total", 300, "--prompt", "prompt.yaml", "--json", "--tokenizer", "chars")
    assert done.code == 4
    assert json.loads(done.stdout)["remaining"] < 0
    assert "more than the 300" in done.stderr
