"""`compactor convert` as a process: what it writes, and what it says is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compactor_cli import api
from tests.formats.checkers import atif, gemini_cli, opencode, pi

SAMPLES = Path(__file__).resolve().parents[2] / "sample_transcripts"
AGENTS = ("claude-code", "codex", "gemini-cli", "qwen", "pi", "opencode")


def lines(data):
    return [json.loads(line) for line in data.decode().splitlines()]


def spoken(source):
    """What user and assistant said, one behind the other."""
    return [
        part.text.strip()
        for message in source.transcripts[0].messages
        if message.role in ("user", "assistant")
        for part in message.parts
        if part.kind == "text" and part.text.strip()
    ]


@pytest.mark.drawn(6)
@pytest.mark.parametrize("sample", ["codex.jsonl", "claude-code.jsonl", "anthropic-messages.jsonl"])
@pytest.mark.parametrize("target", AGENTS)
def test_a_session_goes_to_every_agent_with_its_words_and_its_place(run, tmp_path, sample, target):
    done = run("convert", SAMPLES / sample, "--to", target, "--cwd", "/home/u/project", "--out-dir", "out", "--json")
    assert done.code == 0, done.stderr
    report = json.loads(done.stdout)
    (written,) = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert report["output"]["path"] == str(Path("out") / written.relative_to(tmp_path / "out"))
    assert "resume with: " in done.stderr
    before = api.load((SAMPLES / sample).read_bytes())
    after = api.load(written.read_bytes())
    assert after.format == target
    assert spoken(after) == spoken(before)
    assert after.transcripts[0].messages[-1].role == before.transcripts[0].messages[-1].role
    assert b"/home/u/project" in written.read_bytes() or target == "gemini-cli"  # it keeps a hash of the folder


def test_what_is_written_is_what_the_agents_load(run, tmp_path):
    sample = SAMPLES / "claude-code.jsonl"
    for target in ("pi", "opencode", "gemini-cli", "atif"):
        assert run("convert", sample, "--to", target, "--cwd", "/p", "-o", target).code == 0
    entries = pi.context(lines((tmp_path / "pi").read_bytes()))
    pi.check_sent(entries)
    messages = json.loads((tmp_path / "opencode").read_bytes())["messages"]
    opencode.check_messages(messages)
    opencode.parents_known(messages)
    contents = gemini_cli.history(gemini_cli.load_session((tmp_path / "gemini-cli").read_bytes()))
    gemini_cli.check_history(contents)
    trajectory = json.loads((tmp_path / "atif").read_bytes())
    atif.check_trajectory(trajectory)
    request = spoken(api.load(sample.read_bytes()))[0]
    for loaded in (entries, messages, contents, trajectory):
        assert json.dumps(request)[1:-1] in json.dumps(loaded)


def test_what_is_lost_is_listed_once_for_people_and_once_for_scripts(run, tmp_path):
    done = run("convert", SAMPLES / "claude-code.jsonl", "--to", "openai-chat", "-o", "chat.jsonl", "--json")
    found = {(loss["kind"], loss["action"]) for loss in json.loads(done.stdout)["losses"]}
    assert ("records_without_message", "left_out") in found
    assert ("timestamps", "left_out") in found
    assert "timestamps" in done.stderr
    kept = run("convert", SAMPLES / "openai-chat.jsonl", "--to", "openai-chat", "-o", "same.jsonl", "--json")
    assert json.loads(kept.stdout)["losses"] == []
    assert "nothing was lost" in kept.stderr


def test_a_folder_is_converted_file_by_file(run, tmp_path):
    done = run("convert", SAMPLES, "--to", "openai-chat", "--out-dir", "out", "--report", "report.jsonl", "--quiet")
    assert done.code == 0, done.stderr
    reports = lines((tmp_path / "report.jsonl").read_bytes())
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {path.name for path in SAMPLES.glob("*.jsonl")}
    assert {Path(report["output"]["path"]).name for report in reports} == written
    for path in SAMPLES.glob("*.jsonl"):
        source, copy = api.load(path.read_bytes()), api.load((tmp_path / "out" / path.name).read_bytes())
        assert len(copy.transcripts) == len(source.transcripts)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["session.jsonl", "--to", "claude"], 2, "convert writes openai-chat"),
        (["session.jsonl", "--to", "codex", "-o", "x", "--out-dir", "y"], 2, "exclude each other"),
        (["session.jsonl", "--to", "codex", "--json"], 2, "write the session elsewhere with -o"),
        (["session.jsonl", "--to", "codex", "-o", "session.jsonl"], 2, "session.jsonl"),
        (["session.jsonl", "--to", "codex", "--time", "noon"], 2, "2026-05-01T12:00:00Z"),
        (["notes.txt", "--to", "codex", "-o", "x"], 3, "notes.txt"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(run, tmp_path, session, arguments, code, words):
    before = session.read_bytes()
    (tmp_path / "notes.txt").write_text("buy milk\n")
    done = run("convert", *arguments)
    assert done.code == code
    assert words in done.stderr
    assert session.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"session.jsonl", "notes.txt"}


def test_times_and_thinking_are_as_asked(run, tmp_path):
    run(
        "convert", SAMPLES / "openai-chat.jsonl", "--to", "codex", "--time", "2026-05-01T12:00:00Z", "-o", "timed.jsonl"
    )
    assert lines((tmp_path / "timed.jsonl").read_bytes())[0]["timestamp"].startswith("2026-05-01T12:00:00")
    sample = SAMPLES / "claude-code.jsonl"
    for name, option in (("with", "--thinking"), ("without", "--no-thinking")):
        run("convert", sample, "--to", "pi", option, "-o", name)
    thinking = {
        name: sum(
            p.kind == "thinking"
            for m in api.load((tmp_path / name).read_bytes()).transcripts[0].messages
            for p in m.parts
        )
        for name in ("with", "without")
    }
    assert thinking["with"] > thinking["without"] == 0


def test_diff_says_that_formats_part_a_session_differently(run, tmp_path):
    sample = SAMPLES / "openai-chat.jsonl"
    run("convert", sample, "--to", "sharegpt", "-o", "talk.jsonl")
    done = run("diff", sample, "talk.jsonl", "--json")
    assert "openai-chat and sharegpt split a session into messages differently" in done.stderr
    assert all(category["percent"] == 100 for category in done.json["survival"].values())
    run("compact", sample, "--target-ratio", "0.5", "-o", "small.jsonl")
    assert "differently" not in run("diff", sample, "small.jsonl").stderr
