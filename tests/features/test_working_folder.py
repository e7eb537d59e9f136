"""The paths of the state are said from the folder that the session works in."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.state import session_state
from tests.builders import (
    ClaudeSession,
    assistant,
    codex_meta,
    codex_says,
    jsonl,
    load,
    system,
    text_block,
    tool_use,
    user,
)
from tests.features.working import Session

DEEP = ("/home/sam/work/cmd/app/cli/one.go", "/home/sam/work/cmd/app/cli/two.go")


def files(session, folder=""):
    return [line.text for line in session_state(session.messages, folder) if line.kind == "file"]


def deep():
    """A session that edits below one folder, and has no command that says where it is."""
    session = Session()
    for path in DEEP:
        session.edits(path)
    return session


def test_the_folder_that_is_known_counts_for_more_than_what_paths_share():
    assert files(deep()) == ["edited cli/two.go, unchecked", "edited cli/one.go, unchecked"]
    assert files(deep(), "/home/sam/work") == [
        "edited cmd/app/cli/two.go, unchecked",
        "edited cmd/app/cli/one.go, unchecked",
    ]


def test_paths_outside_of_it_are_whole():
    assert files(deep(), "/srv/else/") == [f"edited {path}, unchecked" for path in reversed(DEEP)]


def test_a_folder_of_another_system_is_not_used():
    assert files(deep(), "C:\\work") == files(deep())


@pytest.mark.parametrize(
    "told",
    [
        "<environment_context>\n  <cwd>/home/sam/work</cwd>\n</environment_context>",
        "Working directory: /home/sam/work\nPlatform: linux",
        "Your current working directory is `/home/sam/work`.",
    ],
)
def test_what_comes_before_the_first_call_tells_it(told):
    session = deep()
    session.records.insert(0, system(told))
    assert files(session) == files(deep(), "/home/sam/work")


def test_what_the_agent_or_a_tool_says_does_not():
    session = Session().runs("pwd", "Working directory: /srv/else").edits(DEEP[0]).edits(DEEP[1])
    assert files(session) == files(deep())


def test_a_command_that_names_the_folders_from_above_tells_it():
    assert files(deep().runs("git log --oneline ./cmd/app/cli/")) == files(deep(), "/home/sam/work")


def test_a_single_name_in_a_command_may_be_that_of_another_folder():
    session = Session().edits("/home/sam/work/cli/a/one.go").edits("/home/sam/work/cli/a/two.go").runs("ls a/x")
    assert files(session) == ["edited a/two.go, unchecked", "edited a/one.go, unchecked"]


def claude():
    session = ClaudeSession()
    session.add_answer("Fix both files.")
    for number, path in enumerate(DEEP):
        edit = tool_use(f"t{number}", "Edit", file_path=path, old_string="a", new_string="b")
        session.add_call(text_block("Next."), edit)
        session.add_result(f"t{number}", "The file has been updated.")
    session.exchanges(6)
    return session


@pytest.mark.parametrize("strategy", ["adaptive", "handoff"])
def test_the_records_of_a_session_name_it(run, tmp_path, strategy):
    (tmp_path / "in.jsonl").write_bytes(claude().data)
    done = run("compact", "in.jsonl", "--target-ratio", "0.5", "--strategy", strategy, "-o", "out.jsonl")
    assert done.code == 0, done.stderr
    assert "edited cmd/app/cli/two.go, unchecked" in (tmp_path / "out.jsonl").read_text()


@pytest.mark.parametrize(
    ("values", "folder"),
    [
        ([codex_meta(cwd="/home/sam/work"), codex_says("user", "Hi.")], "/home/sam/work"),
        ([{"directory": "/home/sam/work", "messages": [user("Hi."), assistant("Yes?")]}], "/home/sam/work"),
        ([user("Hi.", cwd="work"), assistant("Yes?")], ""),
    ],
)
def test_where_the_session_works_is_read_from_records_and_the_document_around_messages(values, folder):
    assert load(jsonl(*values)).transcripts[0].folder == folder
