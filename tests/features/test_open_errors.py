"""Errors of calls that leave something to do, and those that do not."""

from __future__ import annotations

import pytest

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
