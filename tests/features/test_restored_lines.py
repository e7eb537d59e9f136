"""Where it is open whether a checkout took edits of a file back, their lines hold."""

from __future__ import annotations

import pytest

from tests.features.test_outdated_lines import NEW, OLD, _back, _holds, edit
from tests.pipeline.sessions import assistant, result


@pytest.mark.parametrize(
    "command",
    [
        "git checkout src/tides.py",
        "ls\ngit checkout src/tides.py",
        "pytest; git checkout src/tides.py; ls",
        "pytest && git checkout src/tides.py && ls",
        "git checkout HEAD -- src/tides.py",
        "git restore -q src/tides.py docs",
    ],
)
def test_a_checkout_that_surely_ran_takes_them_back(command: str) -> None:
    assert not _holds(_back(command))


@pytest.mark.parametrize(
    "command",
    [
        "pytest || git checkout src/tides.py",
        "cd src || ls; git checkout -- tides.py",
        "git checkout src/tides.py && sed -i s/b/a/ src/tides.py",
        "pytest && git checkout src/tides.py; ls",
        "if ! pytest; then git checkout src/tides.py; fi",
        "ls && (git checkout src/tides.py)",
        "cd /other && git checkout src/tides.py",
        "cd .. && git checkout src/tides.py",
        "cd - && git checkout src/tides.py",
        "pushd gates; git checkout src/tides.py",
        "git -C ../other checkout src/tides.py",
        "git --work-tree=/other checkout src/tides.py",
        "git checkout feature -- src/tides.py",
        "git checkout -p src/tides.py",
        "git checkout -- src ':!src/tides.py'",
        "git restore --source=stash@{0} src/tides.py",
        "git restore -s feature src/tides.py",
        "git restore -p src/tides.py",
        "cp src/tides.py /tmp/t.py && git checkout src/tides.py && cp /tmp/t.py src/tides.py",
        "git diff > /tmp/p && git checkout src/tides.py && patch -p1 < /tmp/p",
        "git checkout src/tides.py && git merge tides",
    ],
)
def test_one_that_may_have_done_something_else_does_not(command: str) -> None:
    assert _holds(_back(command))


@pytest.mark.parametrize("said", ["Another git process seems to be running", "warning\n  fatal: not a repository"])
def test_nor_one_that_git_complains_of(said: str) -> None:
    assert _holds(_back("git checkout src/tides.py", said=said))


@pytest.mark.parametrize(
    ("command", "holds"),
    [
        ("git -c user.name='A B' commit -am Tides", True),
        ("git --no-pager commit -am Tides", True),
        ("ls\ngit stage src", True),
        ("git log --oneline", False),
        ("git diff src/commit.py", False),
    ],
)
def test_what_was_committed_before_stays(command: str, *, holds: bool) -> None:
    assert _holds(_back("git checkout src/tides.py", ("k", "Bash", {"command": command}))) == holds


def test_what_a_tool_committed_stays() -> None:
    assert _holds(_back("git checkout src/tides.py", ("k", "git_commit", {"message": "Tides"})))


@pytest.mark.parametrize(
    ("command", "holds"),
    [
        ("git apply /tmp/p", True),
        ("ls\ngit am /tmp/p", True),
        ("patch -p1 < /tmp/p", True),
        ("cp /tmp/t src/tides.py", True),
        ("mv /tmp/t.py src", True),
        ("sed -i s/a/b/ src/tides.py", True),
        ("sed -i s/a/b/ src/gates.py", False),
        ("pytest src/tides.py", False),
        ("ls src/cp.d", False),
    ],
)
def test_what_a_later_command_may_bring_back_holds(command: str, *, holds: bool) -> None:
    later = [assistant(None, ("z", "Bash", {"command": command})), result("z", "done")]
    assert _holds([*_back("git checkout src/tides.py")[:-1], *later, assistant("Done.")]) == holds


@pytest.mark.parametrize(
    ("path", "command", "holds"),
    [
        ("/w/src/tides.py", "cd /w && git checkout src/tides.py", False),
        ("/w/src/tides.py", "git -C /w checkout src/tides.py", False),
        ("/w/src/tides.py", "git checkout src/tides.py", False),
        ("/w/src/tides.py", "cd /v && git checkout src/tides.py", True),
        ("src/tides.py", "cd /w && git checkout src/tides.py", True),
        ("lib/src/tides.py", "git checkout src/tides.py", True),
        ("lib/src/tides.py", "cd lib && git checkout src/tides.py", False),
    ],
)
def test_the_file_is_the_one_that_is_named_from_there(path: str, command: str, *, holds: bool) -> None:
    assert _holds(_back(command, path=path)) == holds


@pytest.mark.parametrize(("new", "holds"), [(NEW, True), ("    return min(harbor.levels_of_today)", False)])
def test_of_what_edits_behind_it_put_in_only_that_holds(new: str, *, holds: bool) -> None:
    later = [assistant(None, edit("z", OLD, new)), result("z", "done")]
    assert _holds([*_back("git checkout src/tides.py")[:-1], *later, assistant("Done.")]) == holds
