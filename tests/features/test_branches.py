"""The branch on which the work stands is told where there were several."""

from __future__ import annotations

import pytest

from tests.features.working import Session
from tests.pipeline.sessions import Json, assistant, compact, records_of, result, user
from tests.strategies import work

STATUS = "On branch main\nnothing to commit, working tree clean"


def branches(session: Session, earlier: tuple[str, ...] = ()) -> list[str]:
    return [text for text in session.texts(earlier=earlier) if text.startswith("on branch")]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("git checkout -b tide", "Switched to a new branch 'tide'"),
        ("git switch tide", "Switched to branch 'tide'\nYour branch is up to date."),
        ("git checkout -qb tide", "Switched to a new branch 'tide'"),
        ('git add . && git commit -m "x"', "[tide 1a2b3c4] x\n 1 file changed"),
        ("git --no-pager status", "On branch tide"),
        ("cd web && npm test && git checkout tide", "ok\nSwitched to branch 'tide'"),
        ("git checkout tide && npm test", "Switched to branch 'tide'\nCommand timed out after 2m"),
        ("gh pr checkout 12", "Switched to branch 'tide'"),
        ("npm test && git checkout tide", "ok\n" * 900 + "Switched to branch 'tide'"),
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
        ("cd ../other && git status", "On branch tide"),
        ("cat log.txt", "On branch tide"),
        ("cat docs/tutorial.md | grep -A3 'git status'", "On branch tide"),
        ("git log --graph --format=%s -3", "* tide\n* ebb"),
        ("cat CHANGELOG.md && git log -1", "* Fixes\n* Docs"),
        ("git log --format='[%an %h] %s'", "[Anna 1a2b3c4] tide"),
        ("git checkout tide.py", "Updated 1 path from the index"),
        ("git checkout -- tide", ""),
        ("git checkout tide", "Updated 3 paths from the index"),
        ("git checkout --ours tide", ""),
        ("git checkout HEAD", ""),
        ("git branch --show-current; ls", "tide"),
    ],
)
def test_what_is_said_of_others_is_no_branch_of_the_work(command: str, said: str) -> None:
    assert branches(Session().runs("git status", STATUS).runs(command, said)) == []


FAILED = "Exit code 1\nerror: pathspec 'ebb' did not match any file(s) known to git"


@pytest.mark.parametrize(
    ("command", "said", "told"),
    [
        ("git checkout 1a2b3c4", "Note: switching to '1a2b3c4'.\n\nHEAD is now at 1a2b3c4 x", []),
        ("git checkout -q HEAD~2", "", []),
        ("git status", "HEAD detached at 1a2b3c4", []),
        ('git commit -m "x"', "[detached HEAD 1a2b3c4] x", []),
        ("git checkout -q ebb", "", []),
        ("git checkout -q origin/main", "", []),
        ('git checkout -q "$(git merge-base main HEAD)"', "", []),
        ("for b in a b; do git checkout -q $b; make; done", "", []),
        ("git checkout -q -", "", []),
        ("git checkout main 2>&1 | tail -1", "Your branch is up to date with 'origin/main'.", []),
        ("git switch main >/dev/null 2>&1; git log -1", "1a2b3c4 x", []),
        ("git branch -m low", "", []),
        ("git checkout -- tide.py", "", ["on branch tide"]),
        ("git checkout tide.py", "Updated 1 path from the index", ["on branch tide"]),
        ("git branch -a", "  main\n* tide", ["on branch tide"]),
        ("git checkout -q ebb", FAILED, ["on branch tide"]),
        ("git checkout -q main && npm test", "Exit code 1\n1 failing", []),
        ("git checkout ebb", FAILED, ["on branch tide"]),
        (
            "git fetch && git checkout main; git log -1",
            "error: Your local changes to the following files would be overwritten by checkout:\nAborting\n1a2b3c4 x",
            ["on branch tide"],
        ),
    ],
)
def test_where_no_branch_is_checked_out_none_is_told(command: str, said: str, told: list[str]) -> None:
    session = Session().runs("git status", STATUS).runs("git switch tide", "Switched to branch 'tide'")
    assert branches(session.runs(command, said)) == told


def test_a_move_says_that_there_are_several() -> None:
    """The branch that it came from was never named."""
    assert branches(Session().runs("git switch tide", "Switched to branch 'tide'")) == ["on branch tide"]
    assert branches(Session().runs("git switch -c tide", "Switched to a new branch 'tide'")) == []


def test_a_later_round_overtakes_the_branch_of_an_earlier_one() -> None:
    earlier = ("on branch tide",)
    assert branches(Session().answers("Yes."), earlier) == ["on branch tide"]
    assert branches(Session().runs("git status", STATUS), earlier) == ["on branch main"]


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff"])
def test_what_stands_before_a_summary_does_not_overtake_it(strategy: str) -> None:
    """The first calls may stay at their place, and the branch was another one then."""
    records: list[Json] = [user("Mend the tide table."), *ran("git status", STATUS)]
    records += [*ran("git checkout -b tide", "Switched to a new branch 'tide'"), *work.session(6)[1:]]
    first = compact(records, strategy=strategy, target_ratio=0.2)
    assert "- on branch tide" in first.data.decode()
    more = [*records_of(first), *work.session(8)[1:]]
    assert "- on branch tide" in compact(more, strategy=strategy, target_ratio=0.2).data.decode()


def ran(command: str, said: str) -> list[Json]:
    name = f"c{len(command)}"
    return [assistant(None, (name, "Bash", {"command": command})), result(name, said)]
