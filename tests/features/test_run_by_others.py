"""Commands behind `sudo` and the like, what is already as it was to be, and what a shell says in other languages."""

from __future__ import annotations

import pytest

from tests.features.working import FAILS, Session

NOT_THERE = f"{FAILS}ls: /srv/x: No such file or directory"


@pytest.mark.parametrize(
    "command",
    ["sudo ls /srv/x", "sudo -u www ls /srv/x", "nice -n 10 ls /srv/x", "sudo env A=1 ls /srv/x", "sudo command -v x"],
)
def test_who_looks_behind_another_program_leaves_nothing_open(command: str) -> None:
    assert Session().runs(command, NOT_THERE).texts() == []


@pytest.mark.parametrize(("failed", "done"), [("make docs", "sudo make docs"), ("sudo -u www make docs", "make docs")])
def test_the_same_step_behind_another_program_makes_up_for_an_error(failed: str, done: str) -> None:
    session = Session().runs(failed, f"{FAILS}make: *** [docs] Error 13")
    assert session.texts() == ["open error: make: *** [docs] Error 13 (make docs)"]
    assert session.runs(done).texts() == []


def test_files_that_are_not_there_are_not_missed_by_a_removal_as_another_user() -> None:
    assert Session().runs("sudo rm x", f"{FAILS}rm: x: No such file or directory").texts() == []
    assert Session().runs("sudo rm x", "rm: x: Permission denied").texts() == [
        "open error: rm: x: Permission denied (rm x)"
    ]


def test_a_folder_that_is_there_already_is_no_error_but_a_forbidden_one_is() -> None:
    begin = f"{FAILS}mkdir: cannot create directory ‘build’: "
    assert Session().runs("mkdir build", f"{begin}File exists").texts() == []
    assert len(Session().runs("mkdir build", f"{begin}Permission denied").texts("error")) == 1
    other = f"{FAILS}mkdir: a: File exists\nmkdir: b: Permission denied"
    assert len(Session().runs("mkdir a b", other).texts("error")) == 1
    link = f"{FAILS}ln: failed to create symbolic link 'build': File exists"
    assert len(Session().runs("ln -s a build", link).texts("error")) == 1


@pytest.mark.parametrize(
    "said", ["bash: frob: Kommando nicht gefunden.", "bash: frob：未找到命令", "zsh: command not found: frob"]
)
def test_a_program_that_is_missing_is_known_by_the_exit_code_in_any_language(said: str) -> None:
    session = Session().runs("frob init", f"Exit code 127\n{said}")
    assert session.texts("error") == [f"open error: {said} (frob init)"]
    assert session.runs("frob start", "ready").texts("error") == []
    others = Session().runs("frob init", f"Exit code 126\n{said}").runs("frob start", "ready")
    assert len(others.texts("error")) == 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("rm: a: Permission denied", ["open error: rm: a: Permission denied (rm a b)"]),
        ("rm: a: Busy\nrm: b: Permission denied", ["open error: rm: b: Permission denied (rm a b)"]),
        ("rm: a: Permission denied\nremoved b", ["deleted b", "deleted a"]),
    ],
)
def test_a_command_without_an_exit_code_failed_where_all_its_lines_say_so(said: str, told: list[str]) -> None:
    assert Session().runs("rm a b", said).texts() == told


@pytest.mark.parametrize("tool", ["http_request", "send_request"])
def test_what_a_server_does_not_have_is_no_error_where_it_was_only_asked_for(tool: str) -> None:
    asked = {"url": "https://api.x/y"}
    assert Session().calls(tool, "HTTP 404", method="GET", **asked).texts() == []
    assert "HTTP 404" in "".join(Session().calls(tool, "HTTP 404", method="DELETE", **asked).texts())
