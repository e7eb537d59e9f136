"""Commands that failed stay so until one that acts on the same thing succeeds."""

from __future__ import annotations

import pytest

from tests.features.working import FAILS, Session

_REJECTED = f"{FAILS}To hub\n ! [rejected] fix/a -> fix/a (fetch first)"
_DENIED = f"{FAILS}denied: requested access to the resource is denied"
_NOT_MADE = f"{FAILS}pull request create failed: GraphQL: not accessible"
_NOT_APPLIED = f"{FAILS}Error: UnauthorizedOperation"
_FORBIDDEN = f"{FAILS}Error from server (Forbidden): no"


def _failed(session: Session, earlier: tuple[str, ...] = ()) -> list[str]:
    return [text for text in session.texts("effect", earlier) if text.startswith("failed: ")]


@pytest.mark.parametrize(
    ("failed", "said", "done"),
    [
        ("git push origin fix/a", _REJECTED, "git push origin fix/b"),
        ('gh pr create --title "feat: a b"', _NOT_MADE, 'gh pr create --title "fix: c"'),
        ("gh release create v1.0", f"{FAILS}HTTP 403: no", "gh release create v1.1"),
        ("docker push hub.example/a:1", _DENIED, "docker push hub.example/b:1"),
        ("terraform apply -target=disk.a", _NOT_APPLIED, "terraform apply -target=disk.b"),
        ("ansible-playbook site.yml --limit a", f"{FAILS}fatal: [a]: FAILED!", "ansible-playbook site.yml --limit b"),
        ("kubectl -n test scale deploy/a --replicas=3", _FORBIDDEN, "kubectl -n live scale deploy/a --replicas=3"),
    ],
)
def test_one_that_acts_on_something_else_makes_up_for_nothing(failed: str, said: str, done: str) -> None:
    assert len(_failed(Session().runs(failed, said).runs(done, "ok"))) == 1


@pytest.mark.parametrize(
    ("failed", "said", "done", "came"),
    [
        ("git push origin fix/a", _REJECTED, "git push --force origin HEAD:fix/a", ""),
        ("git push origin fix/a", _REJECTED, "git push", "To hub\n   1a..2b  fix/a -> fix/a"),
        ("git push", _REJECTED, "git push -u origin fix/a", ""),
        ('gh pr create --title "feat: a b"', _NOT_MADE, 'gh pr create --title "feat: a b" --draft', ""),
        ('gh pr create --title "feat: a b"', _NOT_MADE, "gh pr create --fill", ""),
        ("terraform apply -target=disk.a", _NOT_APPLIED, "terraform apply -lock=false -target=disk.a", ""),
        ("terraform apply", _NOT_APPLIED, "terraform apply -parallelism=1", ""),
        ("kubectl -n test scale deploy/a --replicas=3", _FORBIDDEN, "kubectl scale deploy/a --replicas=3 -n test", ""),
        ("helm upgrade a ./a --set x=1", f"{FAILS}Error: no", "helm upgrade a ./a --set x=1 --timeout 5m", ""),
    ],
)
def test_one_that_acts_on_the_same_in_another_way_does(failed: str, said: str, done: str, came: str) -> None:
    assert not _failed(Session().runs(failed, said).runs(done, came))


def test_what_a_push_says_tells_which_branch_it_sent() -> None:
    session = Session().runs("git push origin fix/a", _REJECTED)
    assert len(_failed(session.runs("git push", "To hub\n   1a..2b  fix/b -> fix/b"))) == 1


def test_a_title_of_several_words_is_known_in_a_later_round() -> None:
    told = ('failed: gh pr create "feat: a b": HTTP 403: no',)
    assert not _failed(Session().runs('gh pr create --title "feat: a b"', "ok"), told)
    assert len(_failed(Session().runs('gh pr create --title "feat: c"', "ok"), told)) == 1


def test_a_later_command_is_no_second_try_by_what_a_harness_adds_to_all_of_them() -> None:
    session = Session()
    said = "pull request create failed: no\n[The command completed with exit code 1.]"
    session.calls("execute_bash", said, command="gh pr create --title a", security_risk="LOW")
    session.calls("execute_bash", "[The command completed with exit code 0.]", command="make all", security_risk="LOW")
    assert len(_failed(session)) == 1


def test_the_same_short_edit_of_another_file_leaves_an_error_open() -> None:
    session = Session()
    for path in ("src/a.py", "src/b.py"):
        said = f"No replacement was performed, old_str `x = 1` did not appear verbatim in {path}."
        arguments = {"command": "str_replace", "path": path, "old_str": "    x = 1", "new_str": "    x = 2"}
        session.calls("str_replace_editor", said, **arguments)
    arguments = {"command": "str_replace", "path": "src/b.py", "old_str": "y = 1", "new_str": "y = 2"}
    session.calls("str_replace_editor", "The file src/b.py has been edited.", **arguments)
    assert ["a.py" in text for text in session.texts("error")] == [True]
