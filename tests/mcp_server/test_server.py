"""`compactor mcp` as a process, talked to by the client of the official package over standard input and output."""

from __future__ import annotations

import asyncio
import json
import shlex
import subprocess
import sys
from importlib.util import find_spec

import pytest

from compactor_cli.cli.commands.mcp import TOOLS
from tests.builders import clean_environment, jsonl, plain_exchanges, program_command, run_process, system, user
from tests.hooks.sessions import RULE, pre_compact_payload, working_session
from tests.mcp_server.warm import PYTHON
from tests.program import write_program
from tests.warm import CAN_SERVE

pytestmark = [pytest.mark.one_test_in(2), pytest.mark.skipif(find_spec("mcp") is None, reason="needs the extra mcp")]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A home with a session of Claude Code, and one that was archived before its agent compacted it."""
    home = tmp_path / "home"
    folder = home / ".claude" / "projects" / "-home-sam-work"
    folder.mkdir(parents=True)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    (folder / "session-1.jsonl").write_bytes(working_session().data)
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Talk:
    """Call tools one after the other; gives the results. Arguments may be a function of what came before. The server's
    words for people stay in a file. `line` starts the program."""

    def __init__(self, place, line: list[str], **variables):
        self.place, self.url = place, str(place / "kept.sqlite3")
        self._line, self._variables = line, variables

    def __call__(self, *wanted):
        return asyncio.run(self._calls(*wanted))

    async def _calls(self, *wanted):
        import mcp  # takes a second, in each process that collects tests

        program, *own = self._line
        args, env = [*own, "mcp", "--database", self.url], clean_environment(**self._variables)
        server = mcp.StdioServerParameters(command=program, args=args, env=env, cwd=str(self.place))
        async with mcp.Client(server) as client:
            results: list = []
            for name, arguments in wanted:
                given = arguments(results) if callable(arguments) else arguments
                results.append(await client.call_tool(name, given))
            return results


@pytest.fixture(params=["forked", pytest.param("fresh", marks=pytest.mark.everything)])
def talk(request, place):
    """With a server, and the commands that it starts, that are forked off one process; or with fresh ones."""
    if request.param == "fresh" or not CAN_SERVE:
        return Talk(place, program_command())
    program = write_program(place / "bin", "tests.mcp_server.warm")
    python = place / "bin" / "python"
    python.write_text(f'#!/bin/sh\nshift 2\nexec {shlex.quote(str(program))} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return Talk(place, [str(program)], **{PYTHON: str(python)})


def text(result):
    assert not result.is_error, result.content
    return result.content[0].text


def test_the_tools_say_what_they_do_and_which_of_them_write(place):
    async def listed():
        import mcp

        program, *args = program_command("mcp")
        server = mcp.StdioServerParameters(command=program, args=args, env=clean_environment(), cwd=str(place))
        async with mcp.Client(server) as client:
            return client.server_info, (await client.list_tools()).tools

    about, tools = asyncio.run(listed())
    assert about.name == "compactor"
    assert [tool.name for tool in tools] == [tool.name for tool in TOOLS]
    for tool in tools:
        assert len(tool.description.split()) > 10
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.read_only_hint is (tool.name not in ("compact_session", "restore_session"))


def test_sessions_are_listed_and_looked_into(talk, place):
    listed, seen, one = talk(
        ("list_sessions", {"agent": "claude"}),
        ("inspect_session", {"session": "session-1"}),
        ("inspect_session", {"session": "session-1", "message": 0}),
    )
    assert "session-1.jsonl" in text(listed)
    assert json.loads(text(seen))["transcript"]["messages"] == 19
    assert RULE in text(one)


def test_a_session_is_compacted_into_a_new_file_and_an_original_comes_back(talk, place):
    session = place / "session.jsonl"
    session.write_bytes(jsonl(system(), user(f"Mend it. {RULE}"), *plain_exchanges(20)))
    original = session.read_bytes()
    small, back = place / "small.jsonl", place / "back.jsonl"
    done, restored, whole = talk(
        ("compact_session", {"file": str(session), "output": str(small), "target_ratio": 0.3, "archive": True}),
        (
            "restore_message",
            lambda _: {"file": str(small), "reference": _reference(small, talk.url), "characters": 50},
        ),
        ("restore_session", {"file": str(small), "output": str(back)}),
    )
    report = json.loads(text(done))
    assert report["output"]["tokens"] <= 0.3 * report["input"]["tokens"]
    assert session.read_bytes() == original
    assert 50 < len(text(restored)) < 100
    assert text(whole)
    assert back.read_bytes() == original


def _reference(small, url):
    listed = run_process("restore", small, "--list", "--json", COMPACTOR_DATABASE_URL=url).json
    return listed["manifests"][0]["removed"][0]["reference"]


def test_nothing_that_exists_is_ever_written_over(talk, place):
    session, other = place / "session.jsonl", place / "other.jsonl"
    session.write_bytes(jsonl(*plain_exchanges(10)))
    other.write_text("mine")
    (place / "link.jsonl").symlink_to(place / "nowhere")
    (place / "folder").mkdir()
    before_ = session.read_bytes()
    there = [str(place / name) for name in ("session.jsonl", "other.jsonl", "link.jsonl", "folder")]
    wanted = [{"file": str(session), "output": output, "target_ratio": 0.3} for output in there]
    *done, back = talk(
        *(("compact_session", one) for one in wanted),
        ("restore_session", {"file": str(session), "output": str(other)}),
    )
    for one in done:
        assert one.is_error and "already exists" in one.content[0].text
    assert back.is_error
    assert (session.read_bytes(), other.read_text()) == (before_, "mine")
    assert not (place / "nowhere").exists()


def test_what_was_archived_and_remembered_is_found(talk, place):
    session = place / "home" / ".claude" / "projects" / "-home-sam-work" / "session-1.jsonl"
    variables = {"COMPACTOR_DATABASE_URL": talk.url}
    assert run_process("hook", "run", input=pre_compact_payload(session), **variables).code == 0
    assert run_process("memory", "add", "The staging database listens on port 5433.", **variables).code == 0

    def found(results):
        (hit,) = json.loads(text(results[0]))["hits"]
        return hit

    archived, remembered, nothing, original = talk(
        ("search_archive", {"words": "importer.py"}),
        ("search_memory", {"words": "database port"}),
        ("search_archive", {"words": "xyzzy"}),
        ("restore_message", lambda results: {"file": str(session), "reference": found(results)["reference"]}),
    )
    assert RULE in found([archived])["snippet"]
    assert "5433" in text(remembered)
    assert json.loads(text(nothing))["hits"] == []
    assert RULE in text(original)


@pytest.mark.everything
def test_what_fails_is_an_error_with_its_reason_and_the_server_goes_on(talk, place):
    wanted = [
        ("inspect_session", {"file": "no-such-file.jsonl"}),
        ("inspect_session", {}),
        ("inspect_session", {"file": "--help"}),
        ("compact_session", {"file": "x", "output": "new.jsonl"}),
        ("compact_session", {"file": "x", "output": "new.jsonl", "target_tokens": 0}),
        ("list_sessions", {"agent": "nobody"}),
    ]
    *failed, fine = talk(*wanted, ("list_sessions", {}))
    assert all(result.is_error for result in failed)
    reasons = [result.content[0].text for result in failed]
    assert "file not found" in reasons[0] and "either file or session" in reasons[1] and "--help" in reasons[2]
    assert "target_tokens or target_ratio" in reasons[3]
    assert not any("Traceback" in reason for reason in reasons)
    text(fine)


def test_the_server_ends_when_its_client_does(place):
    done = subprocess.run(
        program_command("mcp"), input=b"", capture_output=True, env=clean_environment(), timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"")


def test_without_the_extra_the_command_says_how_to_get_it(run, tmp_path):
    (tmp_path / "mcp.py").write_text("raise ImportError('not installed')\n")
    path = f"{tmp_path}:{clean_environment()['PYTHONPATH']}" if sys.platform != "win32" else str(tmp_path)
    done = run("mcp", PYTHONPATH=path)
    assert done.code == 2
    assert "pip install 'compactor-cli[mcp]'" in done.stderr
