"""Errors of calls that leave something to do, and those that do not."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.state import compute_state
from tests.features.working import Session


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("str_replace_editor", {"command": "view", "path": "/shop/cart.py"}),
        ("editor", {"mode": "read", "path": "/shop/cart.py", "range": "900-950"}),
        ("fs_read", {"path": "/shop/cart.py"}),
        ("directory_tree", {"path": "/shop/carts"}),
        ("pull_request_read", {"method": "get", "pullNumber": 7}),
        ("git_status", {"repo_path": "/shop"}),
    ],
)
def test_what_a_tool_did_not_find_to_look_at_is_no_open_error(tool: str, arguments: dict[str, str]) -> None:
    assert Session().calls(tool, "Error: there is no such thing.", **arguments).texts() == []


def test_an_edit_by_the_tool_that_also_looks_is_an_open_error() -> None:
    said = "Error: No replacement was performed."
    texts = Session().calls("editor", said, command="str_replace", path="cart.py", old_str="a", new_str="b").texts()
    assert texts == [f"open error: {said} (edit of cart.py)"]


def test_an_edit_of_openhands_that_finds_no_match_is_an_open_error() -> None:
    said = "[No exact match found in /shop/cart.py for\n```\nx = 1\n```\n]"
    texts = Session().calls("edit_file", said, path="cart.py", old="a", new="b").texts()
    assert texts == ["open error: [No exact match found in /shop/cart.py for (edit of cart.py)"]


def test_how_often_the_same_error_came_is_told_also_in_later_rounds() -> None:
    said = "Error: No replacement was performed."
    tried = {"command": "str_replace", "path": "cart.py", "old_str": "a", "new_str": "b"}
    twice = Session().calls("editor", said, **tried).calls("editor", said, **tried).texts()
    assert twice == [f"open error 2x: {said} (edit of cart.py)"]
    later = compute_state(Session().calls("editor", said, **tried).messages, twice)
    assert [line.text for line in later] == [f"open error 3x: {said} (edit of cart.py)"]
    assert compute_state(Session().calls("editor", "done", **tried).messages, twice)[0].kind == "file"


@pytest.mark.parametrize(
    ("command", "said", "right"),
    [
        ("mise run lint:full", "Exit code 1\nmise ERROR no task lint:full found", "mise run lint"),
        ("npm run verify", 'Exit code 1\nnpm error Missing script: "verify"', "npm run build"),
        ("just ship", "Exit code 1\nerror: Justfile does not contain recipe `ship`.", "just release"),
        (
            "kubectl aply -f a.yaml",
            'Exit code 1\nerror: unknown command "aply" for "kubectl"',
            "kubectl apply -f a.yaml",
        ),
    ],
)
def test_what_a_program_does_not_do_is_no_error_once_it_was_called_rightly(command: str, said: str, right: str) -> None:
    wrong = Session().runs(command, said).texts("error")
    assert len(wrong) == 1
    assert command in wrong[0]
    assert Session().runs(command, said).runs(right, "Exit code 0").texts("error") == []
    assert Session().runs(right, "Exit code 0").texts("error", wrong) == [], "in a later round"
    assert Session().runs(command, said).runs("tar -xf a.tar", "Exit code 0").texts("error") == wrong


def test_what_a_program_failed_to_do_stays_an_error_when_it_did_something_else() -> None:
    said = "Exit code 1\nError: could not reach the cluster"
    session = Session().runs("terraform plan", said).runs("terraform fmt", "Exit code 0")
    assert session.texts("error") == ["open error: Error: could not reach the cluster (terraform plan)"]


@pytest.mark.parametrize(
    ("later", "is_over"),
    [("git pull origin main", True), ("git push origin fix", False)],
)
def test_a_chain_is_over_when_a_step_of_it_is_done_in_another_way(later: str, is_over: bool) -> None:
    chain = "git stash && git checkout main && git pull origin main"
    why = "fatal: 'main' is already used by worktree at '/shop'"
    session = Session().runs(chain, f"No local changes to save\n{why}\nexit code: 128").runs(later, "exit code: 0")
    errors = [text for text in session.texts() if text.startswith("open error")]
    assert errors == ([] if is_over else [f"open error: {why} ({chain})"])


@pytest.mark.parametrize(
    ("chain", "said", "later"),
    [
        ("terraform init && terraform apply", "Initialized.\nError: creating bucket: AccessDenied", "terraform init"),
        (
            "docker compose up -d && python manage.py migrate",
            "OperationalError: no such column x",
            "docker compose up -d",
        ),
        ("pip install -e . && python train.py", "RuntimeError: CUDA out of memory", "pip install rich"),
    ],
)
def test_a_chain_is_not_over_when_what_went_well_in_it_is_done_again(chain: str, said: str, later: str) -> None:
    session = Session().runs(chain, f"Exit code 1\n{said}").runs(later, "exit code: 0")
    assert any(text.startswith("open error: ") for text in session.texts())
