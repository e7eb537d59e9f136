"""Files that another agent changed are known from what git shows afterwards."""

from __future__ import annotations

import pytest

from tests.features.working import Session

_TASK = {"prompt": "Mend the rounding in the importer."}


def _files(session: Session) -> list[str]:
    return [text.partition(",")[0] for text in session.texts() if text.startswith(("created", "edited", "deleted"))]


@pytest.mark.parametrize(
    ("command", "said", "told"),
    [
        (
            "git status --short",
            " M src/a.py\n?? src/b.py\n D c.py\n",
            ["edited src/a.py", "created src/b.py", "deleted c.py"],
        ),
        ("cd /w && git status -s | head", "M  src/a.py\n", ["edited src/a.py"]),
        ("git status", "Changes not staged for commit:\n\tmodified:   src/a.py\n", ["edited src/a.py"]),
        ("git diff --stat", " src/a.py | 4 ++--\n 1 file changed, 2 insertions(+)\n", ["edited src/a.py"]),
        ("git diff HEAD --name-only", "src/a.py\nb.toml\n", ["edited src/a.py", "edited b.toml"]),
        ("git diff --name-status", "A\tsrc/a.py\n", ["created src/a.py"]),
    ],
)
def test_what_git_shows_behind_a_task_was_changed(command: str, said: str, told: list[str]) -> None:
    session = Session().calls("Task", "It is mended.", **_TASK).runs(command, said)
    assert sorted(_files(session)) == sorted(told)


@pytest.mark.parametrize(
    ("tool", "command", "said"),
    [
        ("TaskCreate", "git status --short", " M src/a.py\n"),
        ("TodoWrite", "git status --short", " M src/a.py\n"),
        ("get_agent", "git status --short", " M src/a.py\n"),
        ("Task", "git diff main --stat", " src/a.py | 4 ++--\n"),
        ("Task", "git diff HEAD~1 --name-only", "src/a.py\n"),
        ("Task", "git show --stat", " src/a.py | 4 ++--\n"),
        ("Task", "git log --name-only", "src/a.py\n"),
        ("Task", "git status --short && ls", " M src/a.py\n"),
        ("Task", "git diff --stat", " .../deep/a.py | 4 ++--\n"),
        ("Task", "git status --short", "?? build/\n"),
        ("Task", "git status", "On branch main\nnothing to commit, working tree clean\n"),
        ("Task", "git status -sb", "## main...origin/main\n"),
    ],
)
def test_other_outputs_tell_of_no_change(tool: str, command: str, said: str) -> None:
    assert _files(Session().calls(tool, "ok", **_TASK).runs(command, said)) == []


def test_what_was_changed_before_is_not_what_the_other_agent_did() -> None:
    session = Session().runs("git status --short", " M notes.md\n").calls("Agent", "ok", **_TASK)
    assert _files(session.runs("git status --short", " M notes.md\n M a.py\n")) == ["edited a.py"]


def test_a_change_of_the_session_is_told_as_it_was() -> None:
    def then(said: str) -> list[str]:
        session = Session().edits("/w/src/a.py").edits("/w/src/a.py").calls("Agent", "ok", **_TASK)
        return _files(session.runs("cd /w && git diff --stat", said))

    assert then(" src/a.py | 4 ++--\n") == then("") == ["edited src/a.py 2x"]
