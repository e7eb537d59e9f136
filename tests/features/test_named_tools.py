"""Tools whose names say what they do: those of servers for git and GitHub, and those that run a project's checks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.working import Session

_IN = {"owner": "acme", "repo": "shop"}


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        (
            "push_files",
            {**_IN, "branch": "main", "files": [{"path": "a.py", "content": "x = 1\n" * 9}], "message": "Add a"},
            "push_files (files a.py, owner acme, repo shop, branch main, message Add a)",
        ),
        (
            "create_or_update_file",
            {**_IN, "path": "src/a.py", "content": "x = 1", "message": "Add a", "branch": "main"},
            "create_or_update_file src/a.py (owner acme, repo shop, message Add a, branch main)",
        ),
        (
            "delete_file",
            {"project_id": "acme/shop", "file_path": "a.py", "commit_message": "Drop a"},
            "delete_file acme/shop a.py (commit_message Drop a)",
        ),
        (
            "merge_pull_request",
            {**_IN, "pullNumber": 7, "merge_method": "squash"},
            "merge_pull_request 7 (merge_method squash, owner acme, repo shop)",
        ),
        (
            "issue_write",
            {**_IN, "method": "update", "issue_number": 7, "state": "closed"},
            "issue_write update 7 (owner acme, repo shop, state closed)",
        ),
        ("fork_repository", _IN, "fork_repository (owner acme, repo shop)"),
        ("run_workflow", {**_IN, "workflow_id": "ci.yml"}, "run_workflow ci.yml (owner acme, repo shop)"),
        ("request_copilot_review", {**_IN, "pullNumber": 7}, "request_copilot_review 7 (owner acme, repo shop)"),
    ],
)
def test_what_a_tool_did_to_a_repository_of_a_service_is_an_effect(
    tool: str, arguments: dict[str, Any], told: str
) -> None:
    assert Session().calls(tool, '{"status": "done"}', **arguments).texts() == [told]


def test_a_pull_request_that_a_tool_made_has_its_address() -> None:
    said = '{"id": 9321, "number": 7, "html_url": "https://github.com/acme/shop/pull/7"}'
    texts = Session().calls("create_pull_request", said, title="Add a", head="a").texts()
    assert texts == ["create_pull_request https://github.com/acme/shop/pull/7 Add a (head a)"]


def test_a_file_that_was_not_committed_to_a_service_is_made_up_for_by_the_same_file_only() -> None:
    session = Session().calls("create_or_update_file", "failed to write: 409", **_IN, path="a.py", message="Add a")
    session.calls("create_or_update_file", '{"commit": {}}', **_IN, path="b.py", message="Add b")
    failed = "failed: create_or_update_file a.py (owner acme, repo shop, message Add a): failed to write: 409"
    done = "create_or_update_file b.py (owner acme, repo shop, message Add b)"
    assert session.texts() == [done, failed]
    session.calls("create_or_update_file", '{"commit": {}}', **_IN, path="a.py", message="Add a")
    assert failed not in session.texts()


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("git_commit", {"repo_path": "/shop", "message": "Add a"}, 'git commit "Add a"'),
        ("gitPush", {"remote": "origin", "branch": "main", "force": True}, "git push --force origin main"),
        ("git_status", {"repo_path": "/shop"}, ""),
        ("create_and_run_task", {"task": {"label": "test"}}, ""),
    ],
)
def test_a_tool_that_is_named_like_a_command_of_git_is_told_like_it(
    tool: str, arguments: dict[str, Any], told: str
) -> None:
    assert Session().calls(tool, "Done.", **arguments).texts() == ([told] if told else [])


def test_files_that_a_tool_committed_are_not_taken_back_by_a_reset() -> None:
    session = Session().edits("cart.py").calls("git_add", "Staged.", files=["cart.py"])
    session.calls("git_commit", "Committed.", message="Round").runs("git reset --hard")
    assert session.texts("file") == ["edited cart.py, unchecked"]


def test_checks_that_a_tool_runs_are_told_by_its_name() -> None:
    session = Session().edits("cart.ts").calls("runTests", "<summary passed=3 failed=1 />", files=["cart.test.ts"])
    assert session.texts("check") == ["failing: runTests cart.test.ts"]
    session.calls("runTests", '{"passed": 4, "failed": 0}', files=["cart.test.ts"])
    assert session.texts() == ["passed: runTests cart.test.ts", "edited cart.ts, tests passed after"]


@pytest.mark.parametrize("tool", ["test", "build", "start", "run_all", "create_test", "check_order"])
def test_a_name_of_one_word_or_with_other_words_is_no_check(tool: str) -> None:
    assert Session().calls(tool, "Error: 2 failed").texts("check") == []


def test_checks_by_tools_are_limited_to_what_their_arguments_name() -> None:
    session = Session().calls("run_tests", "1 failed", path="tests/cart.py", test_name="rounds")
    session.calls("run_tests", "5 passed", path="tests/order.py")
    assert session.texts() == [
        "failing: run_tests tests/cart.py test_name=rounds",
        "passed: run_tests tests/order.py",
    ]
    assert session.calls("run_tests", "9 passed").texts() == ["passed: run_tests"]


@pytest.mark.parametrize(
    ("later", "is_over"),
    [
        ({"filter": "@shop/api -- rounds"}, True),
        ({"filter": "@shop/api"}, True),
        ({}, True),
        ({"filter": "@shop/api-client"}, False),
        ({"filter": "@shop/api -- totals"}, False),
        ({"filter": "@shop"}, True),
    ],
)
def test_a_selection_includes_those_that_begin_with_it_also_in_a_later_round(
    later: dict[str, str], is_over: bool
) -> None:
    session = Session().calls("run_tests", "1 failed", filter="@shop/api -- rounds")
    told = ["failing: run_tests 'filter=@shop/api -- rounds'"]
    assert session.texts() == told
    assert (told[0] not in session.calls("run_tests", "5 passed", **later).texts()) == is_over
    assert (told[0] not in Session().calls("run_tests", "5 passed", **later).texts(earlier=told)) == is_over


def test_files_that_were_changed_together_are_told_the_same_of_tests_of_a_part() -> None:
    session = Session().edits("api/cart.py").edits("api/order.py")
    session.calls("run_tests", "FAIL  api/cart.test.py > rounds\n1 failed", filter="@shop/api -- rounds")
    session.calls("run_tests", "9 passed", filter="@shop/api")
    assert session.texts("file") == [f"edited {path}, tests passed after" for path in ("api/order.py", "api/cart.py")]


def test_a_quote_in_the_label_of_an_earlier_round_stands_for_itself() -> None:
    told = ["failing: run_tests filter=sailor's"]
    assert Session().calls("run_tests", "5 passed", filter="captain").texts("check", told) != []
    assert Session().calls("run_tests", "5 passed").texts("check", told) == ["passed: run_tests"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("update_plan", {"step": "1199", "plan": "Write tests"}),
        ("create_plan", {"title": "Marathon", "budget": 20000}),
        ("save_plan", {"timestamp": 1758400000}),
        ("lift_throttle", {"line": "0170555011"}),
        ("block_reasons", {"line": "0170555011"}),
    ],
)
def test_a_plan_and_what_no_verb_tells_are_no_acts_of_a_service(tool: str, arguments: dict[str, Any]) -> None:
    assert Session().calls(tool, '{"throttle": "lifted", "blocked": true}', **arguments).texts() == []


def test_a_dispatch_is_no_patch() -> None:
    assert Session().calls("cancel_dispatch", dispatch_id="DP-1199").texts() == ["cancel_dispatch DP-1199"]
