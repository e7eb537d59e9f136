"""From the list of sessions to the command that goes on, in a home folder of seven agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compactor_cli import api
from tests.builders import load
from tests.resuming.conftest import place
from tests.resuming.sending import sent_values
from tests.resuming.sessions import CWD, FORMATS, session

pytestmark = pytest.mark.one_test_in(3)

FILES = [one for one in FORMATS if one != "opencode"]
NAMES = {"claude-code": "claude", "gemini-cli": "gemini", "copilot-cli": "copilot"}
FOLDERS = {"gemini-cli": None, "copilot-cli": "/srv/tide"}
"""Where a session says that it works: Gemini has a hash of it."""
RESUME = {
    "claude-code": "claude --resume {id}",
    "codex": "codex resume {id}",
    "gemini-cli": "gemini --resume {id}",
    "qwen": "qwen --resume {id}",
    "pi": "pi --session {path}",
    "copilot-cli": "copilot --resume {id}",
}


def listed(at_home):
    done = at_home("sessions", "--json")
    assert done.code == 0, done.stderr
    return {(one["agent"], one["id"]) for one in json.loads(done.text)["sessions"]}


@pytest.mark.drawn(3)
@pytest.mark.parametrize("format", FILES)
def test_the_latest_session_of_an_agent_becomes_a_new_one(at_home, home, format):
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    name = NAMES.get(format, format)
    done = at_home("compact", "--latest", name, "--target-ratio", "0.3", "--new-session", "--json")
    assert done.code == 0, done.stderr
    report = json.loads(done.text)["session"]
    path = Path(report["path"])
    assert path.parent == place(home, format).parent or (path.parent.name == report["id"] and format == "copilot-cli")
    assert report["resume"] == RESUME[format].format(id=report["id"], path=path)
    assert report["resume"] in done.stderr
    assert report["project"] == FOLDERS.get(format, CWD)
    made = path.read_bytes()
    assert load(made).transcripts[0].session_id == report["id"]
    assert sent_values(format, made)
    assert {p: p.read_bytes() for p in before} == before  # nothing of what was there has changed
    assert (format, report["id"]) in listed(at_home)
    again = at_home("inspect", "--session", report["id"][:13], "--json")
    assert json.loads(again.text)["transcript"]["path"] == str(path)
    # the same once more is the same session; another file under its name is left alone
    repeated = at_home("compact", str(place(home, format)), "--target-ratio", "0.3", "--new-session")
    assert repeated.code == 0, repeated.stderr
    assert path.read_bytes() == made
    path.write_bytes(made + b"\n")
    refused = at_home("compact", str(place(home, format)), "--target-ratio", "0.3", "--new-session")
    assert refused.code == 2
    assert "was left unchanged" in refused.stderr
    assert path.read_bytes() == made + b"\n"


@pytest.mark.drawn(3)
@pytest.mark.parametrize("format", FILES)
def test_a_handoff_into_a_new_session_takes_nothing_of_the_log_along(at_home, home, format):
    (own,) = load(session(format)).transcripts
    assert sum(bool(message.calls) for message in own.messages) > 1
    name = NAMES.get(format, format)
    options = ("--strategy", "handoff", "--target-ratio", "0.3", "--new-session", "--json")
    done = at_home("compact", "--latest", name, *options)
    assert done.code == 0, done.stderr
    report = json.loads(done.text)["session"]
    (made,) = load(Path(report["path"]).read_bytes()).transcripts
    assert made.session_id == report["id"] != own.session_id
    left = [message.origin for message in made.messages if message.role != "system"]
    # requests of Copilot CLI have more to them than words, and stay as they are beside the summary
    assert left == ["summary"] if format != "copilot-cli" else left.count("summary") == 1
    assert not any(message.calls or message.results for message in made.messages)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("format", FILES)
def test_a_session_is_compacted_in_its_place_as_the_agent_would(at_home, home, format):
    path = place(home, format)
    done = at_home("compact", str(path), "--target-ratio", "0.3", "--emit", "native", "--in-place", "--json")
    assert done.code == 0, done.stderr
    report = json.loads(done.text)
    made = path.read_bytes()
    assert made.startswith(session(format))
    own = load(session(format)).transcripts[0].session_id
    assert report["session"]["id"] == own
    assert report["session"]["resume"] == RESUME[format].format(id=own, path=path)
    assert api.load(made).tokens == report["output"]["tokens"] <= report["target_tokens"]
    assert len(sent_values(format, made)) < len(sent_values(format, session(format)))
    inspected = json.loads(at_home("inspect", str(path), "--json").text)
    assert inspected["transcript"]["tokens"] == report["output"]["tokens"]


def test_a_session_of_the_database_becomes_a_file_to_import(at_home, home, tmp_path):
    refused = at_home("compact", "--latest", "opencode", "--target-ratio", "0.3", "--new-session")
    assert refused.code == 2
    assert "-o" in refused.stderr
    out = tmp_path / "new.json"
    done = at_home("compact", "--latest", "opencode", "--target-ratio", "0.3", "--new-session", "-o", str(out))
    assert done.code == 0, done.stderr
    made = out.read_bytes()
    new = json.loads(made)["info"]["id"]
    assert new != json.loads(session("opencode"))["info"]["id"]
    assert f"opencode import {out} && opencode -s {new}" in done.stderr
    assert sent_values("opencode", made)


def test_what_was_compacted_may_be_all_that_a_new_session_gets_and_more(at_home, home):
    """The old history goes along when both are asked for."""
    path = place(home, "claude-code")
    options = ("--target-ratio", "0.3", "--emit", "native", "--new-session", "--json")
    report = json.loads(at_home("compact", str(path), *options).text)
    made = Path(report["session"]["path"]).read_bytes()
    assert len(made) > len(session("claude-code"))
    assert load(made).transcripts[0].session_id == report["session"]["id"]


def test_without_a_folder_of_its_agent_a_session_goes_where_the_agent_would_keep_it(at_home, home, tmp_path):
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(session("qwen"))
    report = json.loads(at_home("compact", str(copy), "--target-ratio", "0.3", "--new-session", "--json").text)
    assert Path(report["session"]["path"]).parent == place(home, "qwen").parent


def test_a_session_of_a_project_that_the_agent_does_not_know_is_refused(at_home, tmp_path):
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(session("gemini-cli").replace(b'"projectHash":"', b'"projectHash":"0'))
    done = at_home("compact", str(copy), "--target-ratio", "0.3", "--new-session")
    assert done.code == 2
    assert "-o" in done.stderr


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--emit", "natively"], "rewritten or native"),
        (["--emit", "native", "--drop-outside", "-o", "x"], "--drop-outside"),
        (["--new-session", "--in-place"], "--new-session"),
        (["--new-session", "--out-dir", "out"], "--new-session"),
        (["--new-session", "-o", "-"], "--new-session"),
    ],
)
def test_options_that_make_no_sense_together(at_home, home, options, word):
    done = at_home("compact", str(place(home, "codex")), "--target-ratio", "0.3", *options)
    assert done.code == 2
    assert word in done.stderr


def test_a_file_of_no_agent_has_no_session_to_go_on_with(at_home, tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_text(
        "".join(json.dumps({"role": "user", "content": f"Part {n}: " + "words " * 99}) + "\n" for n in range(30))
    )
    for options in (["--new-session"], ["--emit", "native", "-o", "x.jsonl"]):
        done = at_home("compact", str(path), "--target-ratio", "0.3", *options)
        assert done.code == 2, done.stderr
        assert "openai-chat" in done.stderr
        assert len(list(tmp_path.rglob("x.jsonl"))) == 0


@pytest.mark.parametrize("options", [[], ["-o", "new.jsonl"]])
def test_what_stays_as_it_is_becomes_no_session(at_home, home, tmp_path, options):
    path = place(home, "claude-code")
    count = len(list((home / ".claude").rglob("*.jsonl")))
    done = at_home("compact", str(path), "--target-ratio", "1", "--new-session", "--json", *options)
    assert done.code == 0
    assert "unchanged" in done.stderr
    assert "no new session was written" in done.stderr
    assert "written to" not in done.stderr  # nothing is
    report = json.loads(done.text)
    assert (report["output"]["path"], "session" in report) == (str(path), False)
    assert not list(tmp_path.rglob("new.jsonl"))
    assert len(list((home / ".claude").rglob("*.jsonl"))) == count
