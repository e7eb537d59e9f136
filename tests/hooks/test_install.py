"""`compactor hook install` and `uninstall`: an agent's settings file gets the hooks, keeps all else, and loses them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest

from tests.builders import clean_environment
from tests.hooks.sessions import pre_compact_payload, working_session

pytestmark = pytest.mark.one_test_in(2)

OTHER = {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard.sh"}]}
FILES = {
    "members": b'{\n  "model": "opus",\n  "env": {"A": "1"}\n}\n',
    "tabs": b'{\n\t"model": "opus"\n}',
    "four spaces": b'{\n    "permissions": {\n        "allow": ["Bash(ls)"]\n    }\n}\n',
    "Windows": b'{\r\n  "model": "opus"\r\n}\r\n',
    "mark": b'\xef\xbb\xbf{\n  "model": "opus"\n}\n',
    "one line": b'{"model":"opus","cleanupPeriodDays":30}',
    "other event": json.dumps({"hooks": {"PreToolUse": [OTHER]}, "model": "opus"}, indent=2).encode(),
    "same events": json.dumps({"hooks": {"SessionStart": [OTHER], "PreCompact": [OTHER, OTHER]}}, indent=4).encode(),
    "no ASCII": '{\n  "language": "français — 日本語 \\u00e9"\n}\n'.encode(),
}


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    (tmp_path / "claude").mkdir()
    return tmp_path / "claude" / "settings.json"


def ours(settings):
    """Event -> commands of ours in it."""
    events = json.loads(settings.read_bytes().decode("utf-8-sig"))["hooks"]
    return {
        event: [run["command"] for group in groups for run in group["hooks"] if "hook run" in run["command"]]
        for event, groups in events.items()
    }


@pytest.mark.parametrize("name", FILES)
def test_install_keeps_every_byte_of_others_and_uninstall_gives_the_file_back(run, settings, name):
    original = FILES[name]
    settings.write_bytes(original)
    done = run("hook", "install", "claude", "--yes")
    assert done.code == 0, done.stderr
    changed = settings.read_bytes()
    found = ours(settings)
    assert [len(found[event]) for event in ("PreCompact", "SessionStart")] == [1, 1]
    value, before_ = json.loads(changed.decode("utf-8-sig")), json.loads(original.decode("utf-8-sig"))
    assert {key: value[key] for key in before_ if key != "hooks"} == {k: before_[k] for k in before_ if k != "hooks"}
    lines = iter(changed.splitlines())
    assert all(any(line.rstrip(b",") == own.rstrip(b",") for own in lines) for line in original.splitlines()[:-1])
    assert run("hook", "uninstall", "claude", "--yes").code == 0
    assert settings.read_bytes() == original


@pytest.mark.parametrize(("name", "line"), [("four spaces", "    "), ("tabs", "\t"), ("members", "  ")])
def test_what_is_put_in_is_laid_out_as_the_file_is(run, settings, name, line):
    settings.write_bytes(FILES[name])
    run("hook", "install", "claude", "--yes")
    lines = settings.read_text().splitlines()
    assert f'{line}"hooks": {{' in lines
    assert f'{line * 2}"SessionStart": [' in lines
    assert f'{line * 4}"matcher": "compact",' in lines


def test_installing_twice_is_installing_once(run, settings):
    settings.write_bytes(FILES["members"])
    run("hook", "install", "claude", "--yes")
    once = settings.read_bytes()
    done = run("hook", "install", "claude", "--yes")
    assert (done.code, done.stdout) == (0, b"")
    assert "nothing to change" in done.stderr
    assert settings.read_bytes() == once
    run("hook", "uninstall", "claude", "--yes")
    assert "nothing to change" in run("hook", "uninstall", "claude", "--yes").stderr


def test_hooks_that_run_it_in_another_way_are_replaced(run, settings):
    old = {"type": "command", "command": "/old/place/compactor hook run", "timeout": 10}
    settings.write_text(json.dumps({"hooks": {"PreCompact": [{"hooks": [old]}]}}))
    run("hook", "install", "claude", "--yes")
    assert "/old/place" not in settings.read_text()
    assert [len(found) for found in ours(settings).values()] == [1, 1]


def test_a_command_of_ours_beside_others_goes_alone(run, settings):
    both = [{"type": "command", "command": "compactor hook run"}, {"type": "command", "command": "other.sh"}]
    settings.write_text(json.dumps({"hooks": {"PreCompact": [{"hooks": both}]}}))
    run("hook", "uninstall", "claude", "--yes")
    assert json.loads(settings.read_text()) == {"hooks": {"PreCompact": [{"hooks": both[1:]}]}}


def test_without_yes_it_is_shown_and_not_written(run, settings):
    settings.write_bytes(FILES["members"])
    done = run("hook", "install", "claude")
    assert done.code == 1
    assert '+    "PreCompact": [' in done.text
    assert str(settings) in done.text
    assert "--yes" in done.stderr
    assert settings.read_bytes() == FILES["members"]


def test_a_file_that_was_not_there_is_made_and_goes_again(run, settings):
    assert run("hook", "install", "claude", "--yes").code == 0
    start = json.loads(settings.read_text())["hooks"]["SessionStart"]
    assert [group["matcher"] for group in start] == ["compact"]
    assert run("hook", "uninstall", "claude", "--yes").code == 0
    assert not settings.exists()


def test_a_project_has_its_own_file_and_a_command_without_a_place(run, settings, tmp_path):
    assert run("hook", "install", "claude", "--project", "--yes").code == 0
    found = ours(tmp_path / ".claude" / "settings.json")
    assert found == {"PreCompact": ["compactor hook run"], "SessionStart": ["compactor hook run"]}
    assert not settings.exists()


def test_codex_has_the_same_hooks_in_its_own_file(run, tmp_path, monkeypatch):
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    done = run("hook", "install", "codex", "--yes", "--json")
    assert done.json["changed"] is True
    assert ours(tmp_path / "codex" / "hooks.json").keys() == {"PreCompact", "SessionStart"}


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"PreCompact": {}}}', '{"hooks": {"A": [1]}}'])
def test_a_file_that_is_no_settings_file_is_left_as_it_is(run, settings, text):
    settings.write_text(text)
    done = run("hook", "install", "claude", "--yes")
    assert done.code == 3
    assert "settings.json" in done.stderr
    assert settings.read_text() == text


@pytest.mark.parametrize(("agent", "says"), [("pi", "extension"), ("opencode", "plugin"), ("nobody", "claude")])
def test_an_agent_without_hooks_is_told(run, agent, says):
    done = run("hook", "install", agent)
    assert done.code == 2
    assert says in done.stderr


def test_a_link_stays_one(run, settings, tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_bytes(FILES["members"])
    settings.symlink_to(real)
    run("hook", "install", "claude", "--yes")
    assert settings.is_symlink()
    assert b"PreCompact" in real.read_bytes()


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell, by which agents run hooks")
def test_the_command_that_is_installed_runs_in_a_shell(run, settings, tmp_path):
    run("hook", "install", "claude", "--yes")
    (command,) = ours(settings)["PreCompact"]
    session = tmp_path / "session.jsonl"
    session.write_bytes(working_session().data)
    env = clean_environment(COMPACTOR_DATABASE_URL=str(tmp_path / "kept.sqlite3"), PATH=os.environ["PATH"])
    done = subprocess.run(
        ["sh", "-c", command], input=pre_compact_payload(session), env=env, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"archived" in done.stderr
