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


def test_how_often_the_same_error_came_is_told_also_in_later_rounds() -> None:
    said = "Error: No replacement was performed."
    tried = {"command": "str_replace", "path": "cart.py", "old_str": "a", "new_str": "b"}
    twice = Session().calls("editor", said, **tried).calls("editor", said, **tried).texts()
    assert twice == [f"open error 2x: {said} (edit of cart.py)"]
    later = compute_state(Session().calls("editor", said, **tried).messages, twice)
    assert [line.text for line in later] == [f"open error 3x: {said} (edit of cart.py)"]
    assert compute_state(Session().calls("editor", "done", **tried).messages, twice)[0].kind == "file"
