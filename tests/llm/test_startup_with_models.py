"""litellm takes seconds to import: only a run that sends something waits for it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from tests.builders import ROOT, clean_environment, jsonl
from tests.llm import server
from tests.llm.server import OPENAI
from tests.llm.summaries import answer_request
from tests.strategies import work

RUN = """
import contextlib, io, json, sys
from compactor_cli.cli.app import main

found = []
for args in json.loads(sys.argv[1]):
    sys.argv = ["compactor", *args]
    code = 0
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    found.append((args[0], code, "litellm" in sys.modules, "sqlite3" in sys.modules))
print(json.dumps(found))
"""


@pytest.fixture
def modules(tmp_path):
    """Run commands one after the other in one process: (name, exit code, litellm is there, sqlite3 is there)."""

    def run(*commands, **variables):
        line = [sys.executable, "-c", RUN, json.dumps(commands)]
        done = subprocess.run(
            line, cwd=tmp_path, capture_output=True, env=clean_environment(**variables), timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return [tuple(each) for each in json.loads(done.stdout.splitlines()[-1])]

    return run


def test_no_command_without_a_model_imports_litellm(modules, session, tmp_path):
    for name in ("prompt.yaml", "openai-chat.jsonl"):
        shutil.copy(ROOT / "sample_transcripts" / name, tmp_path / name)
    file = "session.jsonl"
    found = modules(
        ("strategies",),
        ("config", "--json"),
        ("compact", file, "--target-ratio", "0.4", "-o", "out.jsonl", "--report", "report.json"),
        ("compact", file, "--strategy", "hybrid", "--target-ratio", "0.4", "-o", "hybrid.jsonl"),
        ("compact", file, "--if-needed", "--model", "gpt-4o-mini", "-o", "as-it-was.jsonl"),
        ("score", file),
        ("budget", file, "--total", "4000"),
        ("inspect", file),
        ("diff", file, "out.jsonl"),
        ("assemble", "openai-chat.jsonl", "--prompt", "prompt.yaml", "--total", "4000", "-o", "prompt.jsonl"),
        ("evaluate", "openai-chat.jsonl", "--target-ratio", "0.25", "--strategy", "rolling", "--cuts", "0.5"),
        # settings name a model, and nothing is asked of it
        ("compact", file, "--target-ratio", "0.4", "-o", "out.jsonl", "--llm-model", OPENAI),
        ("compact", file, "--target-ratio", "0.4", "--summarizer", "llm", "--llm-model", OPENAI, "--dry-run"),
        ("compact", file, "--target-ratio", "1", "--summarizer", "llm", "--llm-model", OPENAI, "-o", "out.jsonl"),
    )
    assert {code for _, code, _, _ in found} == {0}, found
    assert not any(litellm for _, _, litellm, _ in found), found
    assert not any(sqlite for _, _, _, sqlite in found[:11]), found


def test_what_the_cache_answers_needs_no_litellm(modules, quick, provider, tmp_path):
    (tmp_path / "session.jsonl").write_bytes(jsonl(*work.session(6)))
    provider.play(server.reply_with(answer_request))
    args = ("compact", "session.jsonl", "--summarizer", "llm", "--target-tokens", "4000", "--strategy")
    commands = [(*args, strategy, "-o", f"{strategy}.jsonl") for strategy in ("rolling", "hybrid")]
    for command in commands:
        assert quick(*command, **provider.environment()).code == 0
    first = [(tmp_path / command[-1]).read_bytes() for command in commands]
    asked = len(provider.received)
    assert asked >= 3
    found = modules(*commands, **provider.environment())
    assert found == [("compact", 0, False, True)] * 2
    assert len(provider.received) == asked
    assert [(tmp_path / command[-1]).read_bytes() for command in commands] == first
