"""Arguments of calls that are nested deeper than a record may be: they are handed on as text."""

from __future__ import annotations

import pytest

from compactor_cli.converting import TARGETS
from tests.builders import call, calling_message, result, user
from tests.converting.builders import READABLE, convert_one, count_losses, read_source


def nested(depth, brackets):
    opening, closing = brackets
    return opening * depth + "1" + closing * depth


@pytest.mark.drawn(4)
@pytest.mark.parametrize("brackets", [('{"a":', "}"), ("[", "]")], ids=["objects", "lists"])
@pytest.mark.parametrize("depth", [270, 280, 290, 299, 300, 301, 500, 900, 1_500])
def test_arguments_of_any_depth_reach_every_target(depth, brackets):
    """`convert` reads again what it wrote, so it would raise for what cannot be read or reads differently."""
    text = nested(depth, brackets)
    source = read_source(user("go"), calling_message(call("c1", "f", text)), result("c1", text), user("and now?"))
    for name in TARGETS:
        made = convert_one(source, name, cwd="/p")
        assert made.read_back == (name in READABLE)
        assert depth > 280 or text.startswith("[") or ("arguments", "changed") not in count_losses(made)


def test_changed_arguments_are_told():
    source = read_source(user("go"), calling_message(call("c1", "f", nested(500, ('{"a":', "}")))), result("c1", "ok"))
    assert count_losses(convert_one(source, "anthropic"))["arguments", "changed"] == 1
    assert ("arguments", "changed") not in count_losses(convert_one(source, "openai-chat"))
