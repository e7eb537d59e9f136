"""Ctrl-C while a model does not answer: the command ends at once and leaves everything as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest

from tests.builders import clean_environment, program_command
from tests.llm import server

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
PROMPTLY = 20
"""Seconds; the model would take ten minutes."""


@pytest.mark.drawn(2)
@pytest.mark.parametrize(
    ("reply", "place"),
    [(server.hang(), ("--in-place",)), (server.trickle(), ("-o", "out.jsonl", "--report", "report.json"))],
    ids=["in place", "to a file"],
)
def test_an_interrupt_leaves_everything_as_it_was(provider, tmp_path, session, reply, place):
    (tmp_path / "out.jsonl").write_bytes(b"from before\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    provider.play(reply)
    args = ("compact", "session.jsonl", "--target-ratio", "0.4", "--summarizer", "llm", *place)
    running = subprocess.Popen(
        program_command(*args),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(**provider.environment(COMPACTOR_LLM_TIMEOUT="600")),
    )
    provider.wait_for(1)
    start = time.monotonic()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=PROMPTLY)
    assert time.monotonic() - start < PROMPTLY
    assert (running.returncode, out) == (130, b"")
    assert err.decode().splitlines()[-1] == "interrupted; no file was left half-written"
    assert b"Traceback" not in err
    assert b"Exception" not in err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    assert len(provider.received) == 1
