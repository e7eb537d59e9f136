"""compact --drop-outside: what the agent no longer sends is left out, shown, archived and had back."""

from __future__ import annotations

import json

import pytest

from tests.builders import ClaudeSession, assert_chain_whole, jsonl, prose, text_block, tool_use, values_of
from tests.formats.roundtrip import REAL

CHARS = ("--tokenizer", "chars")
LARGE = REAL / "claude-code" / "1284c080-f9cd-45f8-9942-ff58f5c517e5.jsonl"
OLD_ROLLOUT = REAL / "codex" / "019eecb9-cc3a-73c2-814a-dd4f8ced7545.jsonl"


@pytest.fixture
def session(tmp_path):
    """A session of which most stands before a boundary, or beside what is sent."""
    made = ClaudeSession()
    made.add_raw({"type": "custom-title", "customTitle": "Lamp", "sessionId": "session-1"})
    made.exchanges(30, "old")
    made.add("system", subtype="compact_boundary", parentUuid=None, compactMetadata={"trigger": "auto"})
    made.add_answer("This session is being continued. The summary of it.", isCompactSummary=True)
    for at in range(8):
        made.add_answer(f"Request {at}: {prose(f'request {at}', 3)}")
        made.add_call(tool_use(f"t{at}"))
        made.add("progress", data={"type": "bash_progress", "output": prose("progress", 6)}, toolUseID=f"t{at}")
        made.add_result(f"t{at}", prose(f"result {at}", 10))
        made.add_call(text_block(f"Answer {at}: {prose(f'answer {at}', 6)}"))
        made.add_raw(
            {"type": "file-history-snapshot", "messageId": made.last, "snapshot": {"files": prose("files", 6)}}
        )
    file = tmp_path / "session.jsonl"
    file.write_bytes(made.data)
    return file


LEFT_OUT = 60 + 8 + 8
"""The old exchanges, progress, and snapshots."""


def test_it_is_left_out_listed_in_the_report_and_the_archive_and_restored(run, session, tmp_path):
    out, report, back = (tmp_path / name for name in ("out.jsonl", "report.json", "back.jsonl"))
    database = f"sqlite:///{tmp_path / 'a.db'}"
    archive = ("--archive", "--database", database)
    done = run(
        "compact", session, "--target-ratio", "0.5", *CHARS, "--drop-outside", *archive, "--report", report, "-o", out
    )
    assert done.code == 0
    told = json.loads(report.read_bytes())
    before, after = len(session.read_bytes()), len(out.read_bytes())
    assert (told["input"]["bytes"], told["output"]["bytes"]) == (before, after)
    records = values_of(session.read_bytes())
    gone = records[1:61] + [v for v in records if v["type"] in ("progress", "file-history-snapshot")]
    assert told["outside"] == {"records": LEFT_OUT, "bytes": sum(len(json.dumps(value)) for value in gone)}
    assert f"{LEFT_OUT} records outside the context removed" in done.stderr
    assert f"{before:,}" in done.stderr
    assert f"{after:,}" in done.stderr
    values = values_of(out.read_bytes())
    assert values[0]["type"] == "custom-title"
    assert values[1]["subtype"] == "compact_boundary"
    assert_chain_whole(values)
    assert run("inspect", out, "--faults").code == 0
    listed = run("restore", out, "--list", "--database", database)
    assert "outside the context" in listed.stdout.decode()
    assert run("restore", out, "--database", database, "-o", back).code == 0
    assert back.read_bytes() == session.read_bytes()


def test_without_the_option_it_stays_and_nothing_is_said_of_it(run, session, tmp_path):
    out = tmp_path / "out.jsonl"
    done = run("compact", session, "--target-ratio", "0.5", *CHARS, "-o", out)
    assert done.code == 0
    assert "removed" not in done.stderr
    assert out.read_bytes().splitlines()[:62] == session.read_bytes().splitlines()[:62]


def test_it_is_left_out_even_where_the_context_is_small_enough(run, session, tmp_path):
    out = tmp_path / "out.jsonl"
    assert run("compact", session, "--target-tokens", "1000k", *CHARS, "--drop-outside", "-o", out).code == 0
    assert len(values_of(out.read_bytes())) == len(values_of(session.read_bytes())) - LEFT_OUT
    again = tmp_path / "again.jsonl"
    assert run("compact", out, "--target-tokens", "1000k", *CHARS, "--drop-outside", "-o", again).code == 0
    assert again.read_bytes() == out.read_bytes()


def test_a_setting_asks_for_it_and_an_option_against_it(run, session, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text("drop_outside = true\n")
    out = tmp_path / "out.jsonl"
    command = ("compact", session, "--target-tokens", "1000k", *CHARS, "--config", config, "-o", out)
    assert run(*command).code == 0
    assert len(out.read_bytes()) < len(session.read_bytes()) / 2
    assert run(*command, "--keep-outside").code == 0
    assert out.read_bytes() == session.read_bytes()


def test_a_format_in_which_nothing_is_outside_is_as_without_the_option(run, tmp_path):
    file = tmp_path / "chat.jsonl"
    file.write_bytes(jsonl({"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Yes?"}))
    done = run("compact", file, "--target-tokens", "1000", *CHARS, "--drop-outside")
    assert done.code == 0
    assert done.stdout == file.read_bytes()


@pytest.mark.skipif(not LARGE.exists(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize(
    ("path", "most"), [(LARGE, 150_000), (OLD_ROLLOUT, 250_000)], ids=lambda v: getattr(v, "stem", "")
)
def test_a_real_session_of_megabytes_becomes_small(run, tmp_path, path, most):
    out, back, database = tmp_path / "out.jsonl", tmp_path / "back.jsonl", f"sqlite:///{tmp_path / 'a.db'}"
    options = ("--target-ratio", "0.1", *CHARS, "--drop-outside", "--archive", "--database", database)
    assert run("compact", path, *options, "-o", out).code == 0
    assert len(out.read_bytes()) < most < path.stat().st_size / 8
    assert run("inspect", out, "--faults").code == 0
    if path is LARGE:
        assert_chain_whole(values_of(out.read_bytes()))
    assert run("restore", out, "--database", database, "-o", back).code == 0
    assert back.read_bytes() == path.read_bytes()
