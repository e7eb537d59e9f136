"""The branch on which the work stands is told where there were several."""

from __future__ import annotations

import pytest

from tests.features.working import Session

STATUS = "On branch main\nnothing to commit, working tree clean"


def branches(session: Session, earlier: tuple[str, ...] = ()) -> list[str]:
    return [text for text in session.texts(earlier=earlier) if text.startswith("on branch")]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("git checkout -b tide", "Switched to a new branch 'tide'"),
        ("git switch tide", "Switched to branch 'tide'\nYour branch is up to date."),
        ("git branch --show-current", "tide"),
        ("git rev-parse --abbrev-ref HEAD 2>&1", "tide"),
        ('git commit -m "x"', "[tide 1a2b3c4] x\n 1 file changed"),
        ("git branch", "  main\n* tide"),
    ],
)
def test_the_last_of_several_branches_is_told(command: str, said: str) -> None:
    session = Session().runs("git status", STATUS).runs(command, said)
    assert branches(session) == ["on branch tide"]
    assert branches(session.runs("git checkout main", "Switched to branch 'main'")) == ["on branch main"]


def test_the_only_branch_is_not_told() -> None:
    assert branches(Session().runs("git status", STATUS).runs("git status", STATUS)) == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("git -C ../other status", "On branch tide"),
        ("cat log.txt", "On branch tide"),
        ("git log -3", "    * tide and ebb are read anew"),
        ("git checkout main", "error: pathspec 'main' did not match any file(s) known to git"),
    ],
)
def test_what_is_said_of_others_is_no_branch_of_the_work(command: str, said: str) -> None:
    assert branches(Session().runs("git status", STATUS).runs(command, said)) == []


def test_a_later_round_overtakes_the_branch_of_an_earlier_one() -> None:
    earlier = ("on branch tide",)
    assert branches(Session().answers("Yes."), earlier) == ["on branch tide"]
    assert branches(Session().runs("git status", STATUS), earlier) == ["on branch main"]
