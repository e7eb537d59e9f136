"""A file that is written as a whole was created only where nothing says that it was there before."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.ledger import compute_ledger
from tests.features.working import Session


def files(session):
    return [text.partition(",")[0] for text in session.texts("file")]


def written(session=None, said="wrote src/hud.gd"):
    return (session or Session()).calls("write_script", said, file_path="src/hud.gd", content="extends Node2D")


@pytest.mark.parametrize(
    ("tool", "said", "arguments"),
    [
        ("read_script", "extends Node2D", {"path": "src/hud.gd"}),
        ("Edit", "ok", {"file_path": "src/hud.gd", "old_string": "a", "new_string": "b"}),
    ],
)
def test_what_was_seen_before_was_changed(tool, said, arguments):
    assert files(written(Session().calls(tool, said, **arguments)))[0].startswith("edited src/hud.gd")


@pytest.mark.parametrize(
    ("tool", "said", "arguments"),
    [
        ("list_files", "src/player.gd\nlib/src/hud.gd", {"folder": "src"}),
        ("bash", "cannot open src/hud.gd", {"command": "ls src"}),
        ("bash", "src/hud.gd is missing", {"command": "ls src"}),
        ("bash", "src/hud.gd\n", {"command": "echo src/hud.gd"}),
        ("todo", "src/hud.gd", {"text": "src/hud.gd"}),
    ],
)
def test_what_was_only_named_may_be_new(tool, said, arguments):
    assert files(written(Session().calls(tool, said, **arguments))) == ["wrote src/hud.gd"]


@pytest.mark.parametrize(
    ("tool", "said", "told"),
    [
        ("write_script", "wrote src/hud.gd", "wrote src/hud.gd"),
        ("write_script", "Created src/hud.gd", "created src/hud.gd"),
        ("write_file", "Successfully wrote to new file: src/hud.gd.", "created src/hud.gd"),
        ("create_file", "ok", "created src/hud.gd"),
        ("write_file", "Successfully overwrote file: src/hud.gd.", "edited src/hud.gd"),
    ],
)
def test_a_tool_that_writes_says_whether_the_file_is_new(tool, said, told):
    assert files(Session().calls(tool, said, path="src/hud.gd", content="x")) == [told]
    assert files(written(Session().calls(tool, said, path="src/hud.gd", content="x")))[0].startswith(told)


def test_so_it_is_in_lists_of_files():
    messages = written(Session().calls("read_script", "x", path="src/hud.gd")).messages
    assert list(compute_ledger(messages).files["src/hud.gd"].actions) == ["read", "edited"]
    assert list(compute_ledger(written().messages).files["src/hud.gd"].actions) == ["created"]
