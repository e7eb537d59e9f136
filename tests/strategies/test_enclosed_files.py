"""A file that a harness puts beside a request: it is nobody's words, and what was done has room before it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.model.report import Compaction
from compactor_cli.settings import Settings
from tests.builders import ROOT, load_or_skip

ASKED = "Put the firing curves of @kilns.py into one table."
FILE = "\n".join(f"source kiln {n:03} heat {n * 17 % 1000} at shelf {n % 9}" for n in range(600))
REAL = ROOT.parent / "shared" / "transcripts" / "cline" / "1784094124598_rruoq"
REPORTS = [f"Curve {n} stands in the table now, in column {chr(65 + n)}." for n in range(6)]


def session(*, last_has_file: bool) -> bytes:
    """A session of Cline in which a file comes with the first request, or with the last one too."""
    said: list[dict[str, Any]] = [{"role": "user", "content": enclosing(ASKED)}]
    for number, report in enumerate(REPORTS):
        call = {"type": "tool_use", "id": f"c{number}", "name": "run_commands", "input": {"commands": ["make table"]}}
        found = {"type": "tool_result", "tool_use_id": f"c{number}", "name": "run_commands", "content": "row " * 300}
        said += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [found]}]
        said.append({"role": "assistant", "content": [{"type": "text", "text": report}]})
        said.append({"role": "user", "content": [{"type": "text", "text": f"Good, go on with curve {number + 1}."}]})
    if last_has_file:
        said[-1]["content"] = enclosing("Now sort the table by heat.")
    else:
        said.append({"role": "assistant", "content": [{"type": "text", "text": "On it."}]})
    messages = [{"id": f"m{number}", **message} for number, message in enumerate(said)]
    document = {"version": 1, "agent": "lead", "sessionId": "1790000000000_kiln", "messages": messages}
    return json.dumps({"updated_at": "2026-10-01T10:00:00.000Z", **document}).encode()


def enclosing(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}, {"type": "file", "path": "/srv/kilns.py", "content": FILE}]


def compact(data: bytes, strategy: str, ratio: float) -> Compaction:
    source = api.load(data, "1790000000000_kiln.messages.json", tokenizer="chars")
    assert source.format == "cline"
    (part,) = api.compact(source, Settings(strategy=strategy, target_ratio=ratio), tokenizer="chars").parts
    return part


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff", "tiered", "hybrid"])
def test_the_work_has_room_before_a_file_that_came_with_the_first_request(strategy: str) -> None:
    text = "\n".join(m.text() for m in compact(session(last_has_file=False), strategy, 0.1).messages)
    assert ASKED in text
    assert REPORTS[-1] in text


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff", "tiered", "hybrid"])
def test_the_last_request_stays_without_most_of_its_file(strategy: str) -> None:
    text = "\n".join(m.text() for m in compact(session(last_has_file=True), strategy, 0.1).messages)
    assert "Now sort the table by heat." in text
    assert REPORTS[-1] in text


@pytest.mark.skipif(not REAL.is_dir(), reason="the folder of real transcripts is not here")
def test_a_real_session_says_what_was_done_and_not_what_stood_in_its_file() -> None:
    source = load_or_skip(REAL / "1784094124598_rruoq.messages.json", "o200k_base")
    (part,) = api.compact(source, Settings(strategy="adaptive", target_ratio=0.1), tokenizer="o200k_base").parts
    text = "\n".join(m.text() for m in part.messages)
    assert 'The "Show more" button now has `className="pl-0"`' in text
    assert "I removed the left padding" in text
    assert len(text.partition("#2 harness: ")[2].partition("\n#3")[0]) < 1_000
